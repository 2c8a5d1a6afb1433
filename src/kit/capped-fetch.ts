/**
 * Makes `fetch` functions for checks, and for libraries that read whole responses. Reading a response fails beyond a
 * maximum size (attack S09). A redirect is never followed, because the request may contain credentials (attack S05).
 */

import { timeLimit } from './time-limit.ts';

/** Maximum bytes of a response in JSON, after decompression. */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/** Like `RequestInit`; the libraries pass a missing body as undefined. */
interface Init extends Omit<RequestInit, 'body'> {
  readonly body?: RequestInit['body'] | undefined;
}

/**
 * @param maxBytes maximum bytes of the response's body, after decompression
 * @param withinMs maximum time until the whole response was read, in milliseconds; by default, only the caller's signal
 * limits the time
 */
export function cappedFetch(maxBytes = MAX_ANSWER_BYTES, withinMs?: number) {
  return async (input: string | URL, init: Init = {}): Promise<Response> => {
    const { body = null, signal = null, ...others } = init;
    const redirect = others.redirect === 'manual' ? 'manual' : 'error';
    const limits = [signal ?? [], withinMs === undefined ? [] : timeLimit(withinMs)].flat();
    const response = await fetch(input, { ...others, body, redirect, signal: AbortSignal.any(limits) });
    return capped(response, maxBytes);
  };
}

/** Returns the response with a body that fails after `maxBytes`. */
function capped(response: Response, maxBytes: number): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(new Error(`The response is larger than ${maxBytes} bytes.`));
      else controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}
