import { expect, test } from 'vitest';
import { createChannelWatch } from '../../../../src/core/pacing/channel-watch.ts';
import { recordingLog } from '../../../contract/store/manual-clock.ts';
import { message, thread } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const HOUR_MS = 3_600_000;

function make(down: readonly string[]) {
  const clock = createVirtualClock();
  const log = recordingLog();
  const channel = { down, probes: 0 };
  const watch = createChannelWatch({
    ...{ channel: 'memory', clock, log },
    probe: async (each) => {
      channel.probes += 1;
      return !channel.down.includes(each.thread.tenant);
    },
  });
  const stalled: string[] = [];
  const wait = (tenant: string, signal = new AbortController().signal) => {
    const state = { ended: 'waiting' };
    const asked = message({ thread: thread({ tenant }) });
    watch
      .answering(asked, signal, () => void stalled.push(tenant))
      .then(
        () => {
          state.ended = 'answers';
        },
        (thrown: unknown) => {
          state.ended = thrown instanceof Error ? thrown.message : String(thrown);
        },
      );
    return state;
  };
  return { clock, log, channel, stalled, wait };
}

test('a channel that answers lets the reply continue at once, without a line in the log', async () => {
  const { clock, log, stalled, wait } = make([]);
  const reply = wait('t1');
  await clock.pass(0);
  expect(reply.ended).toBe('answers');
  expect(stalled).toEqual([]);
  expect(log.lines).toEqual([]);
});

test('replies wait an hour for a channel that is down, share its probes, and leave other tenants alone', async () => {
  const { clock, log, channel, stalled, wait } = make(['t1']);
  const [one, two, other] = [wait('t1'), wait('t1'), wait('t12')];
  await clock.pass(HOUR_MS);
  expect([one.ended, two.ended, other.ended]).toEqual(['waiting', 'waiting', 'answers']);
  expect(stalled).toEqual(['t1', 't1']);
  // The probes are 1, 2, 4, 8, 16, 30, 30 … seconds apart.
  expect(channel.probes).toBeLessThan(130);
  channel.down = [];
  await clock.pass(30_000);
  expect([one.ended, two.ended]).toEqual(['answers', 'answers']);
  expect(log.lines.map(({ level, facts }) => [level, facts])).toEqual([
    ['warn', { channel: 'memory', tenant: 't1' }],
    ['info', { channel: 'memory', tenant: 't1', downMs: expect.any(Number), waiting: 2 }],
  ]);
});

test('a reply that ends stops waiting; without any reply, the probes end', async () => {
  const { clock, channel, wait } = make(['t1']);
  const leaves = new AbortController();
  const [one, two] = [wait('t1', leaves.signal), wait('t1')];
  await clock.pass(10_000);
  leaves.abort('left');
  await clock.pass(0);
  expect([one.ended, two.ended]).toEqual(['left', 'waiting']);

  const alone = make(['t1']);
  const leaving = new AbortController();
  alone.wait('t1', leaving.signal);
  await alone.clock.pass(10_000);
  leaving.abort('left');
  const { probes } = alone.channel;
  await alone.clock.pass(HOUR_MS);
  expect(alone.channel.probes).toBe(probes);
  expect(channel.probes).toBeGreaterThan(1);
});

test('after two hours, the replies are given up', async () => {
  const { clock, wait } = make(['t1']);
  const reply = wait('t1');
  await clock.pass(2 * HOUR_MS + 60_000);
  expect(reply.ended).toBe('The channel "memory" did not answer for 2 h.');
});

test('a second outage is noticed like the first one', async () => {
  const { clock, channel, stalled, wait } = make([]);
  for (const outage of [1, 2, 3]) {
    const before = wait('t1');
    await clock.pass(0);
    expect(before.ended).toBe('answers');
    channel.down = ['t1'];
    const during = wait('t1');
    await clock.pass(60_000);
    expect([during.ended, stalled.length]).toEqual(['waiting', outage]);
    channel.down = [];
    await clock.pass(60_000);
    expect(during.ended).toBe('answers');
  }
});
