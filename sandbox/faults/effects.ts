import type { Clock } from '../clock.ts';
import type { Call } from '../http/operation.ts';
import { jsonReply, Refusal, type Reply } from '../http/reply.ts';
import type { FaultRule } from './names.ts';
import { spoilStream } from './spoil.ts';

interface EffectDeps {
  readonly clock: Clock;
  readonly revokeTokens: () => void;
}

/** What a fault does before the route runs: a reply of its own, or nothing. */
export async function beforeRoute(
  rule: FaultRule,
  call: Call,
  parts: EffectDeps,
): Promise<Reply | undefined> {
  switch (rule.fault) {
    case 'F01':
      throw new Refusal(rule.status ?? 503, 50001, 'The service is unavailable.');
    case 'F02':
      call.request.socket.resetAndDestroy();
      return emptyReply;
    case 'F03':
      await parts.clock.sleep(rule.ms ?? 24 * 3600 * 1000, call.signal);
      return undefined;
    case 'F12':
      return insteadOfStream(rule.mode);
    case 'F13':
      if (rule.mode === 'refuse') throw new Refusal(401, 401, 'The access token has expired.');
      parts.revokeTokens();
      return undefined;
    case 'F14':
      throw new Refusal(rule.status ?? 503, 50001, 'The token service is unavailable.');
    case 'F15':
      throw new Refusal(429, 429, 'Too many requests.', retryHeader(rule));
    case 'F37':
      return spoiltMedia(rule);
    case 'F38':
      if (rule.mode === 'fail')
        throw new Refusal(rule.status ?? 500, 50001, 'The references are unavailable.');
      await parts.clock.sleep(rule.ms ?? 3_000, call.signal);
      return undefined;
    case 'latency':
      await parts.clock.sleep(rule.ms ?? 500, call.signal);
      return undefined;
    default:
      return undefined;
  }
}

/** What a fault does to the reply of the route. Replies that are no streams are treated as a stream of one event. */
export function afterReply(rule: FaultRule, reply: Reply, call: Call, parts: EffectDeps): Reply {
  const spoil = spoilStream(rule, { clock: parts.clock, signal: call.signal });
  if (spoil === undefined) return reply;
  const { 'content-length': _length, ...headers } = reply.headers;
  return { status: reply.status, headers, body: spoil(asStream(reply.body)) };
}

const emptyReply: Reply = { status: 500, headers: {}, body: '' };

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

const retryHeader = (rule: FaultRule): Record<string, string> =>
  rule.retryAfter === '' ? {} : { 'retry-after': rule.retryAfter ?? '2' };

/** 30 MiB: more than the 20 MiB that a client should take. */
const HUGE_IMAGE_BYTES = 30 * 1024 * 1024;
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function spoiltMedia(rule: FaultRule): Reply {
  switch (rule.mode) {
    case 'huge': {
      const body = Buffer.alloc(rule.bytes ?? HUGE_IMAGE_BYTES);
      PNG_SIGNATURE.copy(body);
      return { status: 200, headers: { 'content-type': 'image/png' }, body };
    }
    case 'html':
      return {
        status: 200,
        headers: { 'content-type': 'image/png' },
        body: '<html><script>1</script></html>',
      };
    case 'redirect':
      return {
        status: 302,
        headers: { location: rule.to ?? 'https://files.example.com/image.png' },
        body: '',
      };
    default:
      throw new Refusal(410, 410, 'The link has expired.');
  }
}

async function* asStream(body: Reply['body']): AsyncIterable<Uint8Array> {
  if (typeof body === 'string') yield Buffer.from(body);
  else if (body instanceof Uint8Array) yield body;
  else yield* body;
}
