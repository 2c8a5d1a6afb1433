/**
 * Limits how many requests a connection may send without waiting for the responses. Requests that arrive together on
 * one connection are handled before those of other connections, so a stranger who sends thousands at once would delay
 * everyone.
 */

import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Maximum number of requests of one connection that wait for their responses. Browsers, chat platforms and proxies send
 * a request only after the response to the previous one, so they never reach this number.
 */
const UNANSWERED = 16;

/** Returns a handler that closes connections with too many unanswered requests. */
export function limitPipelining(handle: RequestListener): RequestListener {
  const unanswered = new WeakMap<Socket, number>();
  const change = (socket: Socket, by: 1 | -1): number => {
    const count = (unanswered.get(socket) ?? 0) + by;
    unanswered.set(socket, count);
    return count;
  };
  return (request, response) => {
    const { socket } = request;
    if (!socket.writable) return;
    if (change(socket, 1) > UNANSWERED) return void socket.destroy();
    response.once('close', () => change(socket, -1));
    handle(request, response);
  };
}
