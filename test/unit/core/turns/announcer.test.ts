import { expect, test } from 'vitest';
import { turnId } from '../../../../src/core/ids.ts';
import type { KeptBefore, Waiting } from '../../../../src/core/stores/inbox.ts';
import { createAnnouncer } from '../../../../src/core/turns/announcer.ts';
import { turn } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

function rig() {
  const clock = createVirtualClock();
  const unannounced: Waiting[] = [];
  const asked: KeptBefore[] = [];
  const said: string[] = [];
  const troubles: string[] = [];
  const ended = new AbortController();
  let say: (id: string) => Promise<void> = async () => undefined;
  const announcer = createAnnouncer({
    inbox: {
      async takeUnannounced(kept: KeptBefore, limit: number) {
        asked.push(kept);
        return unannounced.splice(0, limit);
      },
    },
    clock,
    witness: { see: () => undefined, trouble: ({ message }) => void troubles.push(message) },
    adapter(channel) {
      if (channel === 'off') throw new Error('That channel is off.');
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

test('a channel that takes its time with one wait holds up no other', async () => {
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

test('so many are said at once, and the others as soon as one of them is said', async () => {
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

test('a wait that cannot be said is told to the operator, and the others are said', async () => {
  const { clock, said, troubles, waits, stop } = rig();
  const { message } = turn();
  waits('lost', { message: { ...message, thread: { ...message.thread, channel: 'off' } } });
  waits('said');
  await clock.pass(1_000);
  expect(said).toEqual(['said']);
  expect(troubles).toHaveLength(1);
  await stop();
});

test('what waits behind others is told at once, and what may begin is given its moment', async () => {
  const { announcer, asked, clock, stop } = rig();
  await clock.pass(10_000);
  const now = clock.now();
  asked.length = 0;
  announcer.nudge();
  await clock.pass(1);
  expect(asked).toEqual([{ behind: now + 1, ready: now - 2_000 }]);
  await stop();
});
