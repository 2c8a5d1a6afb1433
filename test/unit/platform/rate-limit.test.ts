import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limited } from '../../../src/platform/rate-limit.ts';
import type { Transport, WireAnswer, WireRequest } from '../../../src/platform/transport.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const never = new AbortController().signal;
const request = (key: string, signal = never): WireRequest => ({
  operation: 'getUser',
  method: 'GET',
  url: 'https://platform.example/',
  headers: { authorization: key },
  firstByteMs: 1,
  signal,
});

function rig(perMinute: number, burst: number, queue: number, replicas = () => 1) {
  const clock = createVirtualClock();
  const sent: { readonly key: string; readonly at: number }[] = [];
  const began = clock.now();
  const inner: Transport = {
    send: async ({ headers }) => {
      sent.push({ key: headers.authorization ?? '', at: clock.now() - began });
      return {} as WireAnswer;
    },
    close: async () => undefined,
  };
  return { clock, sent, transport: limited(inner, { perMinute, burst, queue }, { clock, replicas }) };
}

describe('the limit of requests (LIM-11)', () => {
  it('sends a burst at once, then one request after the other, for each credential separately', async () => {
    const { clock, sent, transport } = rig(60, 3, 10);
    for (let nth = 0; nth < 5; nth += 1) void transport.send(request('a'));
    void transport.send(request('b'));
    await clock.pass(0);
    expect(sent.map(({ key }) => key)).toEqual(['a', 'a', 'a', 'b']);
    await clock.pass(2000);
    expect(sent.filter(({ key }) => key === 'a').map(({ at }) => at)).toEqual([0, 0, 0, 1000, 2000]);
    await clock.pass(60_000);
    for (let nth = 0; nth < 3; nth += 1) void transport.send(request('a'));
    await clock.pass(0);
    expect(sent.filter(({ at }) => at === 62_000)).toHaveLength(3);
  });

  it('sends its part of the limit while other processes share it', async () => {
    let replicas = 3;
    const { clock, sent, transport } = rig(60, 7, 10, () => replicas);
    for (let nth = 0; nth < 4; nth += 1) void transport.send(request('a'));
    await clock.pass(6000);
    expect(sent.map(({ at }) => at)).toEqual([0, 0, 3000, 6000]);
    replicas = 1;
    for (let nth = 0; nth < 2; nth += 1) void transport.send(request('a'));
    await clock.pass(4000);
    expect(sent.slice(4).map(({ at }) => at)).toEqual([9000, 10_000]);
  });

  it('refuses a request if the queue is full, and names the limit', async () => {
    const { clock, transport } = rig(60, 1, 1);
    void transport.send(request('a'));
    void transport.send(request('a'));
    await expect(transport.send(request('a'))).rejects.toMatchObject({
      code: 'platform-busy',
      retryAfterMs: 2000,
      message: expect.stringMatching(/1 requests are already waiting because of the limit of 60 a minute/),
    });
    await clock.pass(1000);
  });

  it('frees a place in the queue when a request is sent', async () => {
    const { clock, sent, transport } = rig(60, 1, 1);
    void transport.send(request('a'));
    for (let nth = 1; nth <= 3; nth += 1) {
      void transport.send(request('a'));
      await expect(transport.send(request('a'))).rejects.toMatchObject({
        code: 'platform-busy',
        message:
          'getUser was not sent: 1 requests are already waiting because of the limit of 60 a minute (platform.rateLimit).',
        facts: { operation: 'getUser', perMinute: 60, queue: 1 },
      });
      await clock.pass(1000);
      expect(sent).toHaveLength(1 + nth);
    }
  });

  it('counts a token and a key as credentials, and all requests without one together', async () => {
    const { clock, sent, transport } = rig(60, 1, 10);
    const by = (headers: Record<string, string>) => void transport.send({ ...request(''), headers });
    by({ authorization: 'a', 'api-key': 'k' });
    by({ authorization: 'a', 'api-key': 'l' });
    by({ 'api-key': 'k' });
    by({ 'api-key': 'k' });
    by({});
    by({});
    await clock.pass(0);
    expect(sent).toHaveLength(3);
    await clock.pass(1000);
    expect(sent).toHaveLength(6);
  });

  it('counts 10,000 credentials and forgets the least recently used one', async () => {
    const { clock, sent, transport } = rig(60, 1, 10);
    const sentOf = (key: string) => sent.filter((each) => each.key === key).length;
    for (let nth = 0; nth < 10_000; nth += 1) void transport.send(request(`${nth}`));
    await clock.pass(0);
    for (const key of ['0', 'new']) void transport.send(request(key));
    await clock.pass(0);
    for (const key of ['1', '9999']) void transport.send(request(key));
    await clock.pass(0);
    expect(['0', '1', '9999'].map(sentOf)).toEqual([1, 2, 1]);
    await clock.pass(1000);
    expect(['0', '9999'].map(sentOf)).toEqual([2, 2]);
  });

  it('closes the underlying transport', async () => {
    let closed = 0;
    const inner: Transport = {
      send: () => Promise.reject(new Error('none')),
      close: async () => void closed++,
    };
    await limited(
      inner,
      { perMinute: 1, burst: 1, queue: 1 },
      { clock: createVirtualClock(), replicas: () => 1 },
    ).close();
    expect(closed).toBe(1);
  });

  it('frees a place in the queue when its caller aborts', async () => {
    const { clock, sent, transport } = rig(60, 1, 5);
    const leaving = new AbortController();
    void transport.send(request('a'));
    const left = transport.send(request('a', leaving.signal));
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await clock.pass(5000);
    expect(sent).toHaveLength(1);
  });

  it('frees the place and the time of every caller that aborts, wherever it waits', async () => {
    const { clock, sent, transport } = rig(60, 1, 5);
    void transport.send(request('a'));
    for (let round = 0; round < 3; round += 1) {
      const leaving = new AbortController();
      const left = Array.from({ length: 5 }, () =>
        transport.send(request('a', leaving.signal)).catch(() => 'left'),
      );
      leaving.abort();
      expect(await Promise.all(left)).toEqual(left.map(() => 'left'));
    }
    const leaving = new AbortController();
    for (const signal of [never, leaving.signal, never, leaving.signal, never])
      void transport.send(request('a', signal)).catch(() => undefined);
    await clock.pass(500);
    leaving.abort();
    await clock.pass(2_500);
    expect(sent.map(({ at }) => at)).toEqual([0, 1000, 2000, 3000]);
  });

  it('is used fully by callers that wait for a while only, however many there are', async () => {
    const { clock, sent, transport } = rig(60, 1, 100);
    for (let second = 0; second < 60; second += 0.5) {
      const patience = new AbortController();
      void transport.send(request('a', patience.signal)).catch(() => undefined);
      void clock.wait(3_000).then(() => patience.abort());
      await clock.pass(500);
    }
    expect(sent.length).toBeGreaterThanOrEqual(59);
  });

  it('never sends more than the limit in any minute, nor out of order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 120 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 60 }),
        async (perMinute, burst, gaps) => {
          const { clock, sent, transport } = rig(perMinute, burst, 1000);
          for (const gap of gaps) {
            void transport.send(request('a'));
            await clock.pass(gap);
          }
          await clock.pass(60_000 * 70);
          expect(sent).toHaveLength(gaps.length);
          const times = sent.map(({ at }) => at);
          expect(times).toEqual(times.toSorted((one, other) => one - other));
          for (const from of times) {
            const inMinute = times.filter((at) => at >= from && at < from + 60_000).length;
            expect(inMinute).toBeLessThanOrEqual(perMinute + burst);
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
