import { expect, test } from 'vitest';
import { createHourglass } from '../../../../adapters/slack/talk/hourglass.ts';
import { createBackground } from '../../../../src/kit/background.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import { message, thread, turn } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../keyed.ts';

const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
const place = thread({ channel: 'slack', tenant: 'T1', room: 'C1', key: '1.0' });
const waiting = turn({ message: message({ id: 'C1/1.5', thread: place }) });

function rig(state = new Map<string, unknown>()) {
  const calls: string[] = [];
  const background = createBackground(quiet);
  let answer: () => Promise<Plain> = async () => ({});
  const hourglass = createHourglass({
    reads: {
      async call(_, method, args) {
        const given = await answer();
        calls.push(`${method} ${args.channel} ${args.timestamp}`);
        return given;
      },
    },
    workspaces: {
      find: async () => undefined,
      ofTenant: async (tenant) => ({ tenant, botUser: 'U0', token: 'xoxb-1' }),
      disable: () => undefined,
      remove: async () => [],
    },
    state: memoryKeyed(state),
    background,
    clock: createVirtualClock(),
  });
  const answers = (next: typeof answer): void => {
    answer = next;
  };
  return { calls, background, hourglass, state, answers };
}

test('stands on a question that waits, and goes when its answer begins, in another process too', async () => {
  const { calls, hourglass, state } = rig();
  await hourglass.put(waiting);
  expect(calls).toEqual(['reactions.add C1 1.5']);
  const next = rig(state);
  next.hourglass.take(waiting);
  await next.background.settle();
  expect(next.calls).toEqual(['reactions.remove C1 1.5']);
  expect([...state]).toEqual([]);
});

test('is not taken away before it is there', async () => {
  const { calls, hourglass, background, answers } = rig();
  const { promise, resolve } = Promise.withResolvers<Plain>();
  answers(() => promise);
  const put = hourglass.put(waiting);
  hourglass.take(waiting);
  resolve({});
  await Promise.all([put, background.settle()]);
  expect(calls).toEqual(['reactions.add C1 1.5', 'reactions.remove C1 1.5']);
});

test('costs nothing where nobody waited, and has no place on private questions', async () => {
  const { calls, hourglass, background } = rig();
  hourglass.take(waiting);
  await hourglass.put(turn({ message: message({ thread: { ...place, key: 'private-1' } }) }));
  await background.settle();
  expect(calls).toEqual([]);
});

test('goes although the question waited only for a moment, and does not come once its answer has begun', async () => {
  const { calls, hourglass, background } = rig();
  await hourglass.put(turn({ ...waiting, keptAt: 0 }));
  hourglass.take(turn({ ...waiting, keptAt: 0 }));
  await background.settle();
  expect(calls).toEqual(['reactions.add C1 1.5', 'reactions.remove C1 1.5']);
  const late = rig();
  late.hourglass.take(waiting);
  await late.background.settle();
  await late.hourglass.put(waiting);
  expect(late.calls).toEqual([]);
});
