import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cappedFetch } from '../../../src/kit/capped-fetch.ts';
import { timeLimit } from '../../../src/kit/time-limit.ts';

/**
 * A server on a thread of its own, so that it answers while this thread stands still. `/soon` is announced, and answered
 * a moment later; `/never` gets no answer.
 */
const SERVER = `
  const { createServer } = require('node:http');
  const { parentPort } = require('node:worker_threads');
  const server = createServer(({ url }, answer) => {
    if (url === '/begun') answer.write('half');
    if (url !== '/soon') return;
    parentPort.postMessage(url);
    setTimeout(() => answer.end('whole'), 100);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

let worker: Worker;
let address: string;
beforeAll(async () => {
  worker = new Worker(SERVER, { eval: true });
  const [port] = await once(worker, 'message');
  address = `http://127.0.0.1:${port}`;
});
afterAll(() => worker.terminate());

const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('an answer that arrived while the process stood still is read, although its time is over', async () => {
  const asking = cappedFetch(1_000, 2_000)(`${address}/soon`);
  await once(worker, 'message');
  standStill(2_500);
  expect(await (await asking).text()).toBe('whole');
});

test('without an answer, the time is over', async () => {
  await expect(cappedFetch(1_000, 100)(`${address}/never`)).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('the time is over in the middle of an answer', async () => {
  const answer = await cappedFetch(1_000, 100)(`${address}/begun`);
  await expect(answer.text()).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('the caller’s signal ends the call at once', async () => {
  const caller = new AbortController();
  const asking = cappedFetch(1_000, 60_000)(`${address}/never`, { signal: caller.signal });
  caller.abort(new Error('stopped'));
  await expect(asking).rejects.toThrow('stopped');
});

test('the signal itself aborts with a timeout', async () => {
  const signal = timeLimit(1);
  await once(signal, 'abort');
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});
