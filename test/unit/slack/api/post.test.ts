/** Posts to response URLs: the meaning of each status, and what is left of a post that ended early. */

import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { respond } from '../../../../adapters/slack/api/post.ts';
import { closed, taken } from '../../../fakes/listen.ts';

const opened: ReturnType<typeof createServer>[] = [];
afterEach(() => Promise.all(opened.splice(0).map(closed)));

const never = new AbortController().signal;

/** Posts to a server that answers with the status and the header `Retry-After`, and whose body does not end. */
async function posting(status: number, retryAfter?: string) {
  const over = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    request.resume();
    request.socket.on('close', over.resolve);
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    response.write('x');
  });
  opened.push(server);
  const url = `http://127.0.0.1:${await taken(server, 0)}/`;
  return { answer: await respond(url, { text: 'Hello' }, url, never), over: over.promise };
}

test.each([
  [200, undefined, { kind: 'done' }],
  [429, '3', { kind: 'refused', why: 'rate', retryAfterMs: 3_000 }],
  [429, undefined, { kind: 'refused', why: 'rate', retryAfterMs: 2_000 }],
  [429, 'soon', { kind: 'refused', why: 'rate', retryAfterMs: 2_000 }],
  [400, undefined, { kind: 'refused', why: 'gone' }],
  [404, undefined, { kind: 'refused', why: 'gone' }],
  [500, undefined, { kind: 'unknown' }],
  [503, undefined, { kind: 'unknown' }],
])('status %i with Retry-After %s, whose body is not read', async (status, retryAfter, expected) => {
  const { answer, over } = await posting(status, retryAfter);
  expect(answer).toMatchObject(expected);
  await over;
});

test('a post that was stopped rejects, and one that reached nobody is unknown', async () => {
  const url = 'http://127.0.0.1:1/';
  expect(await respond(url, {}, url, never)).toEqual({ kind: 'unknown', error: 'unreachable' });
  const stopped = new Error('stopped');
  await expect(respond(url, {}, url, AbortSignal.abort(stopped))).rejects.toBe(stopped);
});
