/** Tests the rate limits of the fake Slack: per workspace and method, with waits in whole seconds. */

import { describe, expect, test } from 'vitest';
import { createLimiter, documentedRates } from '../../fakes/slack/limits.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { fakeSlack, raw } from './wire.ts';

describe('a sliding window', () => {
  test('accepts the documented number of calls of each method in any minute, counted from arrival', async () => {
    for (const method of Object.keys(documentedRates).filter((name) => name !== 'chat.postMessage')) {
      const clock = createVirtualClock();
      const limiter = createLimiter(clock);
      const most = documentedRates[method]?.calls ?? 0;
      const taken = Array.from({ length: most }, () => limiter.take('T1', method, 'C1'));
      expect([method, taken.every((wait) => wait === 0)]).toEqual([method, true]);
      expect([method, limiter.take('T1', method, 'C1')]).toEqual([method, 60]);
      await clock.pass(59_001);
      expect([method, limiter.take('T1', method, 'C1')]).toEqual([method, 1]);
      await clock.pass(999);
      expect([method, limiter.take('T1', method, 'C1')]).toEqual([method, 0]);
    }
  });

  test('counts each workspace separately', () => {
    const limiter = createLimiter(createVirtualClock());
    for (let call = 0; call < 20; call += 1) limiter.take('T1', 'chat.startStream', 'C1');
    expect(limiter.take('T1', 'chat.startStream', 'C1')).toBe(60);
    expect(limiter.take('T2', 'chat.startStream', 'C1')).toBe(0);
  });
});

test('a bucket accepts its whole size at once and refills evenly', async () => {
  const clock = createVirtualClock();
  const limiter = createLimiter(clock, { mode: 'bucket' });
  const take = () => limiter.take('T1', 'chat.update', 'C1');
  for (let call = 0; call < 50; call += 1) expect(take()).toBe(0);
  expect(take()).toBe(2);
  await clock.pass(1_200);
  expect([take(), take()]).toEqual([0, 2]);
  await clock.pass(600_000);
  expect(Array.from({ length: 51 }, take).filter((wait) => wait > 0)).toEqual([2]);
});

test('posts are limited to one a second and room after a burst of three, and 300 a minute and workspace', async () => {
  const clock = createVirtualClock();
  const limiter = createLimiter(clock);
  const post = (channel: string) => limiter.take('T1', 'chat.postMessage', channel);
  expect([post('C1'), post('C1'), post('C1'), post('C1')]).toEqual([0, 0, 0, 1]);
  await clock.pass(1_000);
  expect([post('C1'), post('C1')]).toEqual([0, 1]);
  for (let room = 0; room < 296; room += 1) expect(post(`C${room + 10}`)).toBe(0);
  expect(post('C9')).toBe(59);
});

test('over HTTP, a limit is 429 with Retry-After, and a refused call takes no slot', async () => {
  const fake = await fakeSlack({ limits: { rates: { 'chat.update': { calls: 1, per: 60_000 } } } });
  const channel = fake.workspace().channel();
  const { body } = await raw(fake, 'chat.postMessage', { channel: channel.id, text: 'x' });
  const edit = () => raw(fake, 'chat.update', { channel: channel.id, ts: body.ts, text: 'y' });
  expect((await edit()).status).toBe(200);
  const refused = await edit();
  expect(refused).toMatchObject({ status: 429, body: { ok: false, error: 'ratelimited' } });
  expect(refused.headers.get('retry-after')).toMatch(/^(59|60)$/);
  expect(fake.log.failed(429)).toMatchObject([{ method: 'chat.update', retryAfter: 60 }]);
});
