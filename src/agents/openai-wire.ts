/** The requests to a language model: the key goes to the configured address only, and the answers have a maximum size. */

import { MAX_ERROR_BYTES, MAX_EVENT_CHARS, MAX_JSON_BYTES, MAX_STREAM_BYTES } from '../platform/index.ts';
import { CHECK_URL, failure, type Server } from './openai-failure.ts';

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Returns a `fetch` that sends only the headers that the protocol needs, and follows no redirect (attack S05). Rejects
 * with `platform-protocol` if an answer is no stream where one is due (fault F12).
 */
export function safeFetch(server: Server): Fetch {
  return async (input, init = {}) => {
    const { method = 'GET', body = null, signal = null } = init;
    const key = server.key?.reveal().trim();
    const headers = {
      accept: method === 'POST' ? 'text/event-stream' : 'application/json',
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(key && { authorization: `Bearer ${key}` }),
    };
    const response = await fetch(input, { method, body, signal, headers, redirect: 'manual' });
    const { status } = response;
    const type = response.headers.get('content-type') ?? 'no type';
    const expected = method === 'POST' ? 'text/event-stream' : 'json';
    const isRedirect = status >= 300 && status < 400;
    if (!isRedirect && (!response.ok || type.includes(expected))) return capped(response, method, server);
    await response.body?.cancel();
    const to = URL.parse(response.headers.get('location') ?? '', server.baseUrl)?.origin;
    const what = isRedirect
      ? `redirects to ${to ?? 'elsewhere'}`
      : `answered with ${type} instead of ${expected}`;
    throw failure('platform-protocol', server, what, CHECK_URL);
  };
}

/** Ends of an event in a stream. */
const ENDS = ['\n\n', '\r\n\r\n', '\r\r'].map((end) => Buffer.from(end));

/** Returns the response with a body that fails if it, or one event in it, is too large (fault F11). */
function capped(response: Response, method: string, server: Server): Response {
  const { ok, status, statusText, headers } = response;
  const limit = ok ? (method === 'POST' ? MAX_STREAM_BYTES : MAX_JSON_BYTES) : MAX_ERROR_BYTES;
  const inEventMost = method === 'POST' ? MAX_EVENT_CHARS : limit;
  let bytes = 0;
  let inEvent = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const { buffer, byteOffset, byteLength } = chunk;
      const view = Buffer.from(buffer, byteOffset, byteLength);
      bytes += byteLength;
      inEvent = ENDS.some((end) => view.includes(end)) ? 0 : inEvent + byteLength;
      if (bytes <= limit && inEvent <= inEventMost) controller.enqueue(chunk);
      else controller.error(failure('platform-too-large', server, 'sent too much', 'Check the server.'));
    },
  });
  return new Response(response.body?.pipeThrough(counted) ?? null, { status, statusText, headers });
}
