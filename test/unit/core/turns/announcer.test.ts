import { expect, test } from 'vitest';
import { turnId } from '../../../../src/core/ids.ts';
import type { KeptBefore, Waiting } from '../../../../src/core/stores/inbox.ts';
import type { CoreEvent } from '../../../../src/core/turn-events.ts';
import { createAnnouncer } from '../../../../src/core/turns/announcer.ts';
import { screenOf } from '../../../fakes/memory-channel.ts';
import { turn } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

function rig() {
  const clock = createVirtualClock();
  const unannounced: Waiting[] = [];
  const asked: KeptBefore[] = [];
  const said: string[] = [];
  const troubles: string[] = [];
  const events: CoreEvent[] = [];
  const ended = new AbortController();
  const isDown = { now: false };
  let say: (id: string) => Promise<void> = async () => undefined;
  const announcer = createAnnouncer({
    inbox: {
      async takeUnannounced(kept: KeptBefore, limit: number) {
        asked.push(kept);
        if (isDown.now) throw new Error('locked');
        return unannounced.splice(0, limit);
      },
    },
    clock,
    turnEvents: {
      record: (event) => events.push(event),
      trouble: ({ message }) => void troubles.push(message),
    },
    adapter(channel) {
      if (channel === 'off') throw new Error('That channel is off.');
      if (channel === 'silent') return { abilities: {} };
      return {
        abilities: {
          waiting: {
            async say({ id }) {
              said.push(id);
              await say(id);
            },
          },
        },
      };
    },
  });
  const running = announcer.run(ended.signal);
  return {
    announcer,
    asked,
    events,
    isDown,
    clock,
    said,
    troubles,
    unannounced,
    waits: (id: string, over = {}) => unannounced.push({ turn: turn({ id: turnId(id), ...over }), ahead: 1 }),
    says(next: typeof say) {
      say = next;
    },
    async stop() {
      ended.abort(new Error('stopped'));
      await running;
    },
  };
}

test('a turn whose reply is visible already, as after a takeover, gets no notice', async () => {
  const { clock, said, waits, stop } = rig();
  waits('visible', { screen: screenOf('m1') });
  waits('invisible', { screen: { ...screenOf('m1'), parts: [] } });
  waits('new');
  await clock.pass(1_000);
  expect(said).toEqual(['invisible', 'new']);
  await stop();
});

test('a slow notice does not delay the others', async () => {
  const { clock, said, says, waits, stop } = rig();
  const { promise, resolve } = Promise.withResolvers<void>();
  says((id) => (id === 'slow' ? promise : Promise.resolve()));
  waits('slow');
  await clock.pass(1_000);
  waits('quick');
  await clock.pass(1_000);
  expect(said).toEqual(['slow', 'quick']);
  resolve();
  await stop();
});

test('a limited number of notices is sent at once; the next follows when one ends', async () => {
  const { clock, said, says, waits, unannounced, stop } = rig();
  const open: (() => void)[] = [];
  says(() => new Promise((resolve) => open.push(resolve)));
  for (let each = 0; each < 210; each += 1) waits(`t${each}`);
  await clock.pass(10_000);
  expect(said).toHaveLength(200);
  expect(unannounced).toHaveLength(10);
  open.shift()?.();
  await clock.pass(2_000);
  expect(said).toHaveLength(201);
  says(() => Promise.resolve());
  for (const each of open) each();
  await clock.pass(2_000);
  expect(said).toHaveLength(210);
  await stop();
});

test('a failed notice is reported to the operator, and the others are sent', async () => {
  const { clock, said, troubles, waits, stop } = rig();
  const { message } = turn();
  waits('lost', { message: { ...message, thread: { ...message.thread, channel: 'off' } } });
  waits('said');
  await clock.pass(1_000);
  expect(said).toEqual(['said']);
  expect(troubles).toHaveLength(1);
  await stop();
});

test('queued questions are announced at once; questions that may start are announced after 2 s', async () => {
  const { announcer, asked, clock, stop } = rig();
  await clock.pass(10_000);
  const now = clock.now();
  asked.length = 0;
  announcer.nudge();
  await clock.pass(1);
  expect(asked).toEqual([{ behind: now + 1, ready: now - 2_000 }]);
  await stop();
});

test('the announcer looks every second for questions that have waited at least two seconds', async () => {
  const { asked, clock, stop } = rig();
  const begun = clock.now();
  await clock.pass(3_500);
  const looks = [1_000, 2_000, 3_000].map((ms) => begun + ms - 2_000);
  expect(asked).toEqual(looks.map((before) => ({ behind: before, ready: before })));
  await stop();
  expect(clock.waiting).toBe(0);
});

test('a nudge counts once, even during a sweep', async () => {
  const { announcer, asked, clock, stop } = rig();
  await clock.pass(10_000);
  asked.length = 0;
  announcer.nudge();
  announcer.nudge();
  await clock.pass(1_000);
  const now = clock.now();
  expect(asked).toEqual([
    { behind: now - 999, ready: now - 3_000 },
    { behind: now - 2_000, ready: now - 2_000 },
  ]);
  await stop();
});

test('a notice contains the number of questions ahead; turns that only change a reply get none', async () => {
  const { clock, events, said, waits, stop } = rig();
  waits('asked');
  waits('shown', { origin: { kind: 'show', of: turnId('t'), edition: 1, key: 'k' } });
  waits('withdrawn', { origin: { kind: 'withdraw', of: turnId('t'), key: 't' } });
  await clock.pass(1_000);
  expect(said).toEqual(['asked']);
  expect(events).toEqual([{ turn: 'asked', at: clock.now(), name: 'waits', detail: { ahead: 1 } }]);
  await stop();
});

test('a channel without notices is skipped; a failing one is reported', async () => {
  const { clock, events, says, troubles, waits, stop } = rig();
  const { message } = turn();
  says(() => Promise.reject(new Error('refused')));
  waits('silent', { message: { ...message, thread: { ...message.thread, channel: 'silent' } } });
  waits('failing');
  await clock.pass(1_000);
  expect(events.map(({ turn: of, name, detail }) => [of, name, detail])).toEqual([
    ['silent', 'waits', { ahead: 1 }],
    ['failing', 'waits', { ahead: 1 }],
    ['failing', 'trouble', { what: 'notice', cause: 'Error: refused' }],
  ]);
  expect(troubles).toEqual([]);
  await stop();
});

test('a failed store is read again at the next sweep', async () => {
  const { clock, isDown, said, troubles, waits, stop } = rig();
  waits('asked');
  isDown.now = true;
  await clock.pass(1_000);
  isDown.now = false;
  expect(said).toEqual([]);
  await clock.pass(1_000);
  expect([said, troubles]).toEqual([['asked'], []]);
  await stop();
});

test('the announcer ends once the last notice was sent', async () => {
  const { clock, says, waits, stop } = rig();
  const { promise, resolve } = Promise.withResolvers<void>();
  says(() => promise);
  waits('slow');
  await clock.pass(1_000);
  let hasEnded = false;
  const stopping = stop().then(() => {
    hasEnded = true;
  });
  await clock.pass(1_000);
  expect(hasEnded).toBe(false);
  resolve();
  await stopping;
});
