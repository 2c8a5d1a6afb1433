import type { Clock } from '../core/clock.ts';
import { BridgeError } from '../errors.ts';
import { startAlarm } from './alarm.ts';
import { type Authority, type SchemeMemory, signer } from './authority.ts';
import { type Base, joinPath } from './base-url.ts';
import { errorText, refusalOf } from './envelope.ts';
import { failureOf } from './failure.ts';
import { tryJson } from './json.ts';
import { MAX_ERROR_BYTES, MAX_JSON_BYTES, type Timeouts } from './limits.ts';
import { fillPath, type Operation, retryRule, type WireParts } from './operation.ts';
import { delayBefore, parseRetryAfter } from './retry.ts';
import type { Transport, WireAnswer } from './transport.ts';

/** What every call of one platform shares. */
export interface Wiring {
  readonly base: Base;
  readonly transport: Transport;
  readonly timeouts: Timeouts;
  readonly clock: Clock;
  readonly random: () => number;
  /** Paths that differ from the documented ones, by operation id (platform contract GEN-11). */
  readonly paths: Readonly<Record<string, string>>;
  readonly idpWord: string;
  readonly schemes: SchemeMemory;
  readonly authPattern: RegExp;
  /** Sent with the exchange of file ids for links (platform contract MED-1). */
  readonly locale: string;
  called(call: PlatformCall): void;
}

/** One finished call, for the metrics. */
export interface PlatformCall {
  readonly operation: string;
  /** `ok`, an error code, or `stopped` when our side ended it. */
  readonly outcome: string;
  readonly ms: number;
}

/** The outcome of a call that threw. */
export function outcomeOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'stopped';
  return error instanceof BridgeError ? error.code : 'internal';
}

export interface CallContext {
  readonly authority: Authority;
  readonly signal: AbortSignal;
}

/**
 * Calls an operation whose answer is JSON. Repeats as its rule says, renews the token once on an authentication
 * failure. Throws a `BridgeError` with a platform code; an aborted signal throws its reason.
 */
export async function call<Request, Result>(
  wiring: Wiring,
  operation: Operation<Request, Result>,
  request: Request,
  context: CallContext,
): Promise<Result> {
  const limitMs =
    operation.retry === 'never' && operation.capability === 'images'
      ? wiring.timeouts.uploadMs
      : wiring.timeouts.callMs;
  const { signal, stop } = within(wiring.clock, limitMs, context.signal, () =>
    callLate(operation.id, limitMs),
  );
  const began = wiring.clock.now();
  let outcome = 'ok';
  try {
    return await signed(wiring, operation, { ...context, signal }, (headers) =>
      repeated(wiring, operation, signal, () =>
        once(wiring, operation, request, { headers, signal, limitMs }),
      ),
    );
  } catch (error) {
    outcome = outcomeOf(error, context.signal);
    throw error;
  } finally {
    stop();
    wiring.called({ operation: operation.id, outcome, ms: wiring.clock.now() - began });
  }
}

interface Ticket {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly limitMs: number;
}

async function once<Request, Result>(
  wiring: Wiring,
  operation: Operation<Request, Result>,
  request: Request,
  ticket: Ticket,
): Promise<Result> {
  const answer = await open(wiring, operation, request, {
    ...ticket,
    firstByteMs: ticket.limitMs,
    accept: 'application/json',
  });
  const body = await readJson(answer);
  const refusal = refusalOf(body);
  if (refusal !== undefined) throw refused(wiring, answer, refusal, ticket.headers);
  const result = operation.response.safeParse(operation.read(body));
  if (result.success) return result.data;
  throw unreadable(
    answer,
    `lacks ${result.error.issues.map((issue) => issue.path.join('.') || 'its content').join(', ')}`,
  );
}

/** Runs `attempt` with the authority's headers, and again after a renewal or under the other scheme. */
export async function signed<T>(
  wiring: Wiring,
  operation: Pick<Operation<never, unknown>, 'capability' | 'credential'>,
  context: CallContext,
  attempt: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const sign = signer(context.authority, operation, wiring.schemes);
  for (;;) {
    const headers = await sign.headers(context.signal);
    try {
      const result = await attempt(headers);
      sign.succeeded();
      return result;
    } catch (error) {
      if (!sign.again(error)) throw error;
    }
  }
}

async function repeated<T>(
  wiring: Wiring,
  operation: Pick<Operation<never, unknown>, 'retry'>,
  signal: AbortSignal,
  attempt: () => Promise<T>,
): Promise<T> {
  const began = wiring.clock.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const elapsedMs = wiring.clock.now() - began;
      const rule = retryRule(operation);
      const delay = delayBefore(error, { rule, tries, elapsedMs, random: wiring.random });
      if (delay === undefined) throw error;
      await wiring.clock.wait(delay, signal);
    }
  }
}

export interface OpenTicket {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly firstByteMs: number;
  readonly accept: string;
  /** Set where a redirect is an answer of its own; it is returned, never followed. */
  readonly redirects?: 'returned';
}

/** Sends one request of an operation; the answer's status is a success and its body unread. */
export async function open<Request>(
  wiring: Wiring,
  operation: Operation<Request, unknown>,
  request: Request,
  ticket: OpenTicket,
): Promise<WireAnswer> {
  const parts = wireParts(wiring, operation, request);
  const answer = await wiring.transport.send({
    operation: operation.id,
    method: operation.method,
    url: joinPath(wiring.base, fillPath(wiring.paths[operation.id] ?? operation.path, parts)),
    headers: {
      accept: ticket.accept,
      ...(parts.json === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...ticket.headers,
    },
    body: parts.json === undefined ? parts.form : JSON.stringify(parts.json),
    firstByteMs: ticket.firstByteMs,
    signal: ticket.signal,
  });
  const last = ticket.redirects === 'returned' ? 399 : 299;
  if (answer.status >= 200 && answer.status <= last) return answer;
  throw await failed(wiring, answer, ticket.headers);
}

function wireParts<Request>(
  wiring: Wiring,
  operation: Operation<Request, unknown>,
  request: Request,
): WireParts {
  const checked = operation.request.safeParse(request);
  if (!checked.success) {
    const places = checked.error.issues
      .map((issue) => `${issue.path.join('.')}: ${issue.message}`)
      .join('; ');
    throw new BridgeError('platform-parameter', `${operation.id} was not sent: ${places}`, {
      facts: { operation: operation.id },
    });
  }
  const parts = operation.wire(checked.data);
  return { ...parts, path: { idpWord: wiring.idpWord, ...parts.path } };
}

/** The error of an answer that is no success; reads its body as far as it may matter. */
export async function failed(
  wiring: Wiring,
  answer: WireAnswer,
  headers: Readonly<Record<string, string>>,
): Promise<BridgeError> {
  if (answer.status >= 300 && answer.status < 400) {
    answer.discard();
    return unreadable(
      answer,
      'is a redirect, which is never followed with credentials; check the base address',
    );
  }
  const text = await readText(answer, MAX_ERROR_BYTES).catch((error: unknown) => {
    if (error instanceof BridgeError) return '';
    throw error;
  });
  return refused(wiring, answer, refusalText(answer, text), headers);
}

function refusalText(answer: WireAnswer, text: string): { text: string; code?: number } {
  const body = tryJson(text);
  const html = /^\s*</.test(text) || /html/.test(answer.headers['content-type'] ?? '');
  if (body === undefined) return { text: html ? '' : text.trim() };
  const refusal = refusalOf(body);
  return refusal ?? { text: errorText(body) };
}

export function refused(
  wiring: Wiring,
  answer: WireAnswer,
  refusal: { text: string; code?: number },
  headers: Readonly<Record<string, string>>,
): BridgeError {
  const date = Date.parse(answer.headers.date ?? '');
  return failureOf({
    operation: answer.operation,
    status: answer.status,
    refusal,
    retryAfterMs: parseRetryAfter(answer.headers['retry-after'], wiring.clock.now()),
    serverTime: Number.isNaN(date) ? undefined : date,
    secrets: secretsIn(headers),
    authPattern: wiring.authPattern,
  });
}

/** What authenticates in these headers, so that an error never repeats it. */
function secretsIn(headers: Readonly<Record<string, string>>): string[] {
  return ['authorization', 'api-key']
    .flatMap((name) => (headers[name] ?? '').split(' '))
    .filter((part) => part.length > 7);
}

async function readJson(answer: WireAnswer): Promise<unknown> {
  const text = await readText(answer, MAX_JSON_BYTES);
  const body = tryJson(text);
  if (body === undefined) throw unreadable(answer, 'is not JSON');
  return body;
}

export async function readBytes(answer: WireAnswer, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.bytes(limit)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function readText(answer: WireAnswer, limit: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(answer, limit));
}

export function unreadable(answer: Pick<WireAnswer, 'operation' | 'status'>, fault: string): BridgeError {
  return new BridgeError('platform-protocol', `The answer to ${answer.operation} ${fault}.`, {
    facts: { operation: answer.operation, httpStatus: answer.status },
  });
}

function callLate(operation: string, ms: number): BridgeError {
  return new BridgeError('platform-timeout', `${operation} was not answered in ${ms} ms.`, {
    facts: { operation },
  });
}

/** A signal that also ends after `ms`, with the given error as its reason. */
export function within(
  clock: Clock,
  ms: number,
  outer: AbortSignal,
  late: () => BridgeError,
): { signal: AbortSignal; stop: () => void } {
  const ended = new AbortController();
  const alarm = startAlarm(clock, ms, () => ended.abort(late()));
  return { signal: AbortSignal.any([outer, ended.signal]), stop: alarm.stop };
}
