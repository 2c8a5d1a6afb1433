import type { Clock } from '../clock.ts';
import { changeLast, singleBytes, withoutBlank } from '../dialect/stream.ts';
import type { Call } from '../http/operation.ts';
import { jsonReply, Refusal, type Reply } from '../http/reply.ts';
import type { FaultRule } from './rule.ts';
import {
  type Chunks,
  cutAt,
  malformed,
  onlyHeartbeats,
  type Surroundings,
  stopVariants,
  strangeBytes,
  tooMuch,
} from './spoil.ts';

export interface EffectDeps {
  readonly clock: Clock;
  readonly revokeTokens: () => void;
}

interface Fault {
  /** Modes in which the fault can occur; the first one is the default. */
  readonly modes: readonly string[];
  /** Scope of the fault if its rule names no route: an operation id, a group of operations, or `*` for all. */
  readonly route: string;
  /** Runs before the route. If it returns a reply, the route does not run. */
  readonly before?: (rule: FaultRule, call: Call, deps: EffectDeps) => Reply | undefined | Promise<undefined>;
  /** Changes the bytes of the reply; each chunk contains one event. */
  readonly spoil?: (chunks: Chunks, rule: FaultRule, around: Surroundings) => Chunks;
}

/** Faults that a platform can cause, by their code. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  F01: {
    modes: ['status'],
    route: '*',
    before: ({ status = 503 }) => refuse(status, 50001, 'The service is unavailable.'),
  },
  F02: { modes: ['reset'], route: '*', before: (_rule, { request }) => reset(request) },
  F03: { modes: ['silence'], route: '*', before: waitFor(24 * 3600 * 1000) },
  F04: { modes: ['comments', 'pings'], route: '*', spoil: onlyHeartbeats },
  F05: {
    modes: ['bytes'],
    route: '*',
    spoil: (chunks, { ms = 50 }, { clock, signal }) => singleBytes(chunks, () => clock.sleep(ms, signal)),
  },
  F06: { modes: ['cut'], route: '*', spoil: cutAt },
  F07: {
    modes: ['no-stop', 'no-blank'],
    route: '*',
    spoil: (chunks, { mode }) =>
      changeLast(chunks, (last) => (mode === 'no-stop' ? [] : [withoutBlank(last)])),
  },
  F08: {
    modes: ['stop-twice', 'data-after', 'no-end'],
    route: '*',
    spoil: (chunks, { mode }) => changeLast(chunks, (last) => stopVariants(mode, last)),
  },
  F09: { modes: ['malformed'], route: '*', spoil: malformed },
  F10: { modes: ['utf8', 'bom', 'nul', 'cr', 'crlf', 'surrogate'], route: '*', spoil: strangeBytes },
  F11: { modes: ['huge', 'endless'], route: '*', spoil: tooMuch },
  F12: { modes: ['envelope', 'html', 'token'], route: '*', before: ({ mode }) => insteadOfStream(mode) },
  F13: {
    modes: ['refuse', 'revoke'],
    route: '*',
    before: ({ mode }, _call, { revokeTokens }) => {
      if (mode === 'refuse') return refuse(401, 401, 'The access token has expired.');
      revokeTokens();
      return undefined;
    },
  },
  F14: {
    modes: ['down', 'clock'],
    route: 'tokens',
    before: ({ status = 503 }) => refuse(status, 50001, 'The token service is unavailable.'),
  },
  F15: { modes: ['429'], route: '*', before: tooManyRequests },
  F16: { modes: ['forget'], route: 'chats' },
  F37: { modes: ['expired', 'huge', 'html', 'redirect'], route: 'temporaryFile', before: spoiltMedia },
  F38: {
    modes: ['slow', 'fail'],
    route: 'references',
    before: (rule, call, deps) =>
      rule.mode === 'fail'
        ? refuse(rule.status ?? 500, 50001, 'The references are unavailable.')
        : waitFor(3_000)(rule, call, deps),
  },
  latency: { modes: ['before'], route: '*', before: waitFor(500) },
};

function refuse(status: number, code: number, message: string): never {
  throw new Refusal(status, code, message);
}

function waitFor(usualMs: number) {
  return async ({ ms = usualMs }: FaultRule, { signal }: Call, { clock }: EffectDeps): Promise<undefined> => {
    await clock.sleep(ms, signal);
  };
}

function reset({ socket }: Call['request']): Reply {
  socket.resetAndDestroy();
  return { status: 500, headers: {}, body: '' };
}

function tooManyRequests({ retryAfter = '2' }: FaultRule): never {
  throw new Refusal(429, 429, 'Too many requests.', retryAfter === '' ? {} : { 'retry-after': retryAfter });
}

function insteadOfStream(mode: string): Reply {
  if (mode === 'html') {
    return {
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: '<!doctype html><title>Sign in</title><h1>Please sign in</h1>',
    };
  }
  const [code, message] =
    mode === 'token' ? [401, 'The access token has expired.'] : [50001, 'The agent <b>failed</b>.'];
  return jsonReply({ code, message, success: false, msg: message, data: null });
}

/** Size of an image that is too large: 30 MiB, more than the 20 MiB that a client should accept. */
const HUGE_IMAGE_BYTES = 30 * 1024 * 1024;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function spoiltMedia({ mode, bytes = HUGE_IMAGE_BYTES, to }: FaultRule): Reply {
  const png = { status: 200, headers: { 'content-type': 'image/png' } };
  if (mode === 'huge') {
    const body = Buffer.alloc(bytes);
    PNG_SIGNATURE.copy(body);
    return { ...png, body };
  }
  if (mode === 'html') return { ...png, body: '<html><script>1</script></html>' };
  if (mode !== 'redirect') throw new Refusal(410, 410, 'The link has expired.');
  return { status: 302, headers: { location: to ?? 'https://files.example.com/image.png' }, body: '' };
}

/** Applies a fault to the reply of the route. A reply that is not streamed counts as a stream of one event. */
export function afterReply(rule: FaultRule, reply: Reply, around: Surroundings): Reply {
  const spoil = FAULTS[rule.fault]?.spoil;
  if (spoil === undefined) return reply;
  const { 'content-length': _length, ...headers } = reply.headers;
  return { status: reply.status, headers, body: spoil(asStream(reply.body), rule, around) };
}

async function* asStream(body: Reply['body']): AsyncIterable<Uint8Array> {
  if (typeof body === 'string') yield Buffer.from(body);
  else if (body instanceof Uint8Array) yield body;
  else yield* body;
}
