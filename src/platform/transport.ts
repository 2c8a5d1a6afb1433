import { pipeline, Readable, type Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { Clock } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import { outgoingAgent, proxiesIn, proxyRefusal, undici } from '../outgoing.ts';
import { startAlarm } from './alarm.ts';
import { callError } from './failure.ts';
import { guardedLookup, refuseClosed } from './foreign.ts';
import { connector } from './interim.ts';
import { MAX_CONNECTIONS, type Timeouts } from './limits.ts';
import { reasonOf } from './shapes.ts';

/** A request body whose bytes are read while it is sent. */
interface StreamedBody {
  /** Exact number of bytes that `bytes` must yield. */
  readonly length: number;
  bytes(): AsyncIterable<Uint8Array>;
}

export interface WireRequest {
  /** Name of the operation, for error messages. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  /** The operation's path with names in place of values, for traces; absent if the address is no operation's. */
  readonly template?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | StreamedBody | undefined;
  /** Maximum milliseconds until the response's headers arrive. */
  readonly firstByteMs: number;
  readonly signal: AbortSignal;
  /**
   * Set for addresses outside the platform. The connection is refused if the host name resolves to an address in a
   * private network.
   */
  readonly guarded?: true;
  /**
   * Called once a connection exists, just before the first byte is written. If it returns false, nothing is written,
   * and `send` rejects with `NOT_SENT`.
   */
  readonly maySend?: (() => boolean) | undefined;
}

/** The error of a request that was not sent because `maySend` returned false. */
export const NOT_SENT = new Error('The request was not sent.');

/** A response with an unread body. The caller must iterate the body or `discard` it. */
export interface WireAnswer {
  readonly operation: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Yields the decoded bytes. Throws `platform-interrupted` if the connection breaks, and `platform-too-large` after
   * more than `limit` bytes.
   */
  bytes(limit: number): AsyncGenerator<Uint8Array, void, undefined>;
  discard(): void;
}

/**
 * Sends HTTP requests. Follows no redirect, stores no cookies, and adds no header except `accept-encoding`,
 * `user-agent` and the length of the body.
 */
export interface Transport {
  send(request: WireRequest): Promise<WireAnswer>;
  close(): Promise<void>;
}

export function createTransport(timeouts: Timeouts, clock: Clock): Transport {
  const settings = {
    connections: MAX_CONNECTIONS,
    allowH2: false,
    pipelining: 1,
    // This client uses its own timers for both waits (for the headers and for the body), because undici cannot tell
    // data from heartbeats.
    headersTimeout: 0,
    bodyTimeout: 0,
    connectTimeout: timeouts.connectMs,
  } as const;
  const connect = { allowH2: false, timeout: timeouts.connectMs };
  const agents = new Map<boolean, Dispatcher>();
  let isClosed = false;
  const agentFor = (guarded: boolean): Dispatcher => {
    const lookup = guarded ? { lookup: guardedLookup } : {};
    const agent =
      agents.get(guarded) ?? outgoingAgent({ ...settings, connect: connector({ ...connect, ...lookup }) });
    agents.set(guarded, agent);
    if (isClosed) void agent.destroy();
    return agent;
  };
  return {
    send: async (request) =>
      exchange(request, dispatcherFor(request, agentFor(request.guarded === true)), clock),
    close: async () => {
      isClosed = true;
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/** Returns the agent itself, or a dispatcher that calls `maySend` before the agent writes the request. */
function dispatcherFor({ maySend }: WireRequest, agent: Dispatcher): Dispatcher {
  if (maySend === undefined) return agent;
  return agent.compose((dispatch) => (options, handler) => {
    return dispatch(options, {
      onRequestStart(controller, context) {
        if (!maySend()) throw NOT_SENT;
        handler.onRequestStart?.(controller, context);
      },
      onResponseStart: (...given) => handler.onResponseStart?.(...given),
      onResponseData: (...given) => handler.onResponseData?.(...given),
      onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
      onResponseError: (...given) => handler.onResponseError?.(...given),
    });
  });
}

async function exchange(request: WireRequest, dispatcher: Dispatcher, clock: Clock): Promise<WireAnswer> {
  request.signal.throwIfAborted();
  const late = new AbortController();
  const signal = AbortSignal.any([request.signal, late.signal]);
  const { operation, method, url, headers, body, firstByteMs } = request;
  const message = `The platform did not answer ${operation} within ${firstByteMs} ms.`;
  const alarm = startAlarm(clock, firstByteMs, () =>
    late.abort(callError('platform-timeout', operation, message)),
  );
  try {
    if (request.guarded && proxiesIn() !== undefined) await refuseClosed(new URL(url).hostname);
    const answer = await undici().request(url, {
      dispatcher,
      method,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'parley', ...lengthOf(body), ...headers },
      body: typeof body === 'object' ? Readable.from(body.bytes(), { objectMode: false }) : (body ?? null),
      signal,
    });
    return wireAnswer(operation, answer, request.signal);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (thrown === NOT_SENT) throw thrown;
    // If the request body could not be read, the platform is not the cause. The error is therefore thrown unchanged.
    throw thrown instanceof BridgeError ? thrown : unreachable(operation, thrown);
  } finally {
    alarm.stop();
  }
}

const lengthOf = (body: WireRequest['body']): Record<string, string> =>
  typeof body === 'object' ? { 'content-length': String(body.length) } : {};

function wireAnswer(operation: string, answer: Dispatcher.ResponseData, signal: AbortSignal): WireAnswer {
  // Aborting an unread body emits an error event, which needs no handling.
  answer.body.on('error', () => undefined);
  const headers = flat(answer.headers);
  const discard = (): void => {
    answer.body.destroy();
  };
  return {
    operation,
    status: answer.statusCode,
    headers,
    discard,
    async *bytes(limit) {
      if (Number(headers['content-length'] ?? 0) > limit) {
        discard();
        throw tooLarge(operation, limit);
      }
      let seen = 0;
      try {
        for await (const chunk of decoded(answer.body, headers['content-encoding'])) {
          seen += chunk.byteLength;
          if (seen > limit) throw tooLarge(operation, limit);
          yield chunk;
        }
      } catch (thrown) {
        throw signal.aborted ? signal.reason : interrupted(operation, thrown, seen);
      } finally {
        discard();
      }
    },
  };
}

function flat(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value[0] : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
}

function tooLarge(operation: string, limit: number): BridgeError {
  const message = `The answer to ${operation} is larger than ${limit} bytes.`;
  return callError('platform-too-large', operation, message, { limit });
}

function unreachable(operation: string, thrown: unknown): BridgeError {
  const refusal = proxyRefusal(thrown);
  if (refusal !== undefined) return callError('platform-unreachable', operation, refusal);
  const reason = reasonOf(thrown);
  // undici's parser errors have no code, so they are recognized by their name.
  const garbled = /^(HPE_|HTTPParserError$|UND_ERR_HEADERS_OVERFLOW$)/.test(reason);
  return new BridgeError(
    garbled ? 'platform-protocol' : 'platform-unreachable',
    `The platform could not be reached for ${operation} (${reason}). Check its base address and the network.`,
    { cause: thrown, facts: { operation, reason } },
  );
}

function interrupted(operation: string, thrown: unknown, bytes: number): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  const reason = reasonOf(thrown);
  return new BridgeError('platform-interrupted', `The connection broke during ${operation} (${reason}).`, {
    cause: thrown,
    facts: { operation, reason, bytes },
  });
}

/**
 * Decodes a compressed body piece by piece. Requests ask for no compression, but a proxy may add it. The caller
 * counts the decoded bytes, so its limit also stops a small body that expands to a huge one (attack S09).
 */
async function* decoded(
  body: Readable,
  encoding: string | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const names = (encoding ?? '').toLowerCase().split(',');
  const codings = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  let source: AsyncIterable<Uint8Array> = body;
  for (const name of codings.toReversed()) source = await inflated(body, source, name);
  yield* source;
}

/** Returns the decoded source. "deflate" may mean raw deflate or deflate with a zlib header, so its first byte decides. */
async function inflated(
  body: Readable,
  source: AsyncIterable<Uint8Array>,
  name: string,
): Promise<AsyncIterable<Uint8Array>> {
  const chunks = source[Symbol.asyncIterator]();
  const first = name === 'deflate' ? await chunks.next() : undefined;
  const head = first?.done === false ? first.value[0] : undefined;
  const decoder = decoderOf(head !== undefined && (head & 0x0f) !== ZLIB_DEFLATE ? 'raw' : name);
  if (decoder === undefined) {
    body.destroy();
    throw new BridgeError(
      'platform-protocol',
      `The platform used the content encoding "${name.slice(0, 20)}", which the bridge cannot decode.`,
    );
  }
  const rest = { [Symbol.asyncIterator]: () => chunks };
  async function* whole() {
    if (first?.done === false) yield first.value;
    yield* rest;
  }
  // Failures surface when the body is iterated. This empty callback only prevents an uncaught error.
  pipeline(whole(), decoder, () => undefined);
  return decoder;
}

/** Lower half of the first byte of a zlib header (RFC 1950: compression method 8). */
const ZLIB_DEFLATE = 8;

function decoderOf(name: string): Transform | undefined {
  const flush = { flush: constants.Z_SYNC_FLUSH };
  if (name === 'gzip' || name === 'x-gzip') return createGunzip(flush);
  if (name === 'deflate') return createInflate(flush);
  if (name === 'raw') return createInflateRaw(flush);
  if (name === 'br') return createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH });
  return name === 'zstd' ? createZstdDecompress() : undefined;
}
