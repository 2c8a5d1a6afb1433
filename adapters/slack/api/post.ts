/**
 * Posts to addresses that Slack sends, such as response URLs. Such an address works without a token, so it is a secret.
 * The bridge posts to Slack's own hosts only.
 */

import { timeLimit } from '../../../src/kit/ladder.ts';
import type { Answer } from './sender.ts';

/** Maximum duration of one post, in milliseconds. */
const POST_MS = 20_000;

interface Post {
  readonly url: string;
  readonly body: string | Uint8Array;
  readonly type: string;
}

/** True if the address is Slack's own, or on the server that SLACK_API_URL names, and contains no credentials. */
export function isSlackAddress(address: string, apiUrl: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.origin === new URL(apiUrl).origin) return true;
  return url.protocol === 'https:' && url.port === '' && /(?:^|\.)slack(?:-files)?\.com$/.test(url.hostname);
}

/** Posts to the address. Follows no redirect. Rejects only if the signal aborts. */
export async function post({ url, body, type }: Post, apiUrl: string, signal: AbortSignal): Promise<Answer> {
  if (!isSlackAddress(url, apiUrl)) return { kind: 'refused', why: 'invalid', error: 'foreign_address' };
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': type },
      body: typeof body === 'string' ? body : new Uint8Array(body),
      redirect: 'error',
      signal: AbortSignal.any([signal, timeLimit(POST_MS)]),
    });
    // Only the status matters, so the body, which may be endless, is not read (attack S09: endless bodies).
    await response.body?.cancel();
    return answered(response);
  } catch {
    signal.throwIfAborted();
    return { kind: 'unknown', error: 'unreachable' };
  }
}

/** Sends a message to a response URL; only the person sees it. Rejects only if the signal aborts. */
export function respond(url: string, message: object, apiUrl: string, signal: AbortSignal): Promise<Answer> {
  const body = JSON.stringify({ response_type: 'ephemeral', replace_original: false, ...message });
  return post({ url, body, type: 'application/json; charset=utf-8' }, apiUrl, signal);
}

function answered({ status, headers }: Response): Answer {
  if (status === 200) return { kind: 'done', body: {} };
  if (status === 429) {
    const seconds = Number(headers.get('retry-after') ?? '');
    const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 2_000;
    return { kind: 'refused', why: 'rate', error: 'ratelimited', retryAfterMs };
  }
  if (status >= 500) return { kind: 'unknown', error: `http_${status}` };
  return { kind: 'refused', why: 'gone', error: `http_${status}` };
}
