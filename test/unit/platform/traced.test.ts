/** Tests which requests carry the header `traceparent`, and when the span of a request ends. */

import { expect, test } from 'vitest';
import { parseBase } from '../../../src/platform/base-url.ts';
import { type TraceRequest, traced } from '../../../src/platform/traced.ts';
import type { Transport, WireRequest } from '../../../src/platform/transport.ts';

const HEADER = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;

function rig(sendsContext: boolean, isFollowed = true) {
  const sent: WireRequest[] = [];
  const noted: string[] = [];
  const inner: Transport = {
    async send(request) {
      sent.push(request);
      if (request.url.endsWith('/broken')) throw new Error('broken');
      const bytes = async function* () {
        yield new Uint8Array([1]);
      };
      const discard = () => undefined;
      return { operation: request.operation, status: 200, headers: {}, bytes, discard };
    },
    close: async () => undefined,
  };
  const trace: TraceRequest = () =>
    isFollowed
      ? {
          traceparent: HEADER,
          answered: (status) => void noted.push(String(status)),
          end: (thrown) => void noted.push(thrown === undefined ? 'end' : 'failed'),
        }
      : undefined;
  const transport = traced(inner, trace, parseBase('https://platform.example/app', false), sendsContext);
  const send = (url: string) =>
    transport.send({
      operation: 'chat',
      method: 'GET',
      url,
      headers: { accept: '*/*' },
      firstByteMs: 1,
      signal: new AbortController().signal,
    });
  return { send, noted, headers: () => sent.at(-1)?.headers };
}

const OWN = 'https://platform.example/app/v1/chat';
const WITHOUT = { accept: '*/*' };

test.each([
  ['switched on, to the platform', true, true, OWN, { ...WITHOUT, traceparent: HEADER }],
  ['switched on, to another host', true, true, 'https://images.example/a.png', WITHOUT],
  ['switched on, to another port', true, true, 'https://platform.example:8443/app/v1/chat', WITHOUT],
  ['switched on, to the platform without TLS', true, true, 'http://platform.example/app/v1/chat', WITHOUT],
  ['switched on, outside a turn', true, false, OWN, WITHOUT],
  ['switched off, to the platform', false, true, OWN, WITHOUT],
] as const)('traceparent: %s', async (_, sendsContext, isFollowed, url, headers) => {
  const { send, ...seen } = rig(sendsContext, isFollowed);
  await send(url);
  expect(seen.headers()).toEqual(headers);
});

test('the span ends once the body is read or discarded, and with the failure of a request', async () => {
  const { send, noted } = rig(false);
  const read = await send(OWN);
  expect(noted).toEqual(['200']);
  for await (const _ of read.bytes(10)) expect(noted).toEqual(['200']);
  expect(noted).toEqual(['200', 'end']);
  (await send(OWN)).discard();
  expect(noted).toEqual(['200', 'end', '200', 'end']);
  await expect(send(`${OWN}/broken`)).rejects.toThrow('broken');
  expect(noted.at(-1)).toBe('failed');
});
