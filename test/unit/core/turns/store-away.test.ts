/** The store cannot be reached while turns prepare their questions. */

import { afterEach, expect, test } from 'vitest';
import type { Keyed } from '../../../../src/core/stores/keyed.ts';
import { storeUnavailable } from '../../../../src/sqlite.ts';
import { createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, seen, type World } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

/** Rejects every call to keyed state while `isAway` is true. */
function away() {
  const state = { isAway: false };
  const wrapKeyed = (keyed: Keyed): Keyed =>
    new Proxy(keyed, {
      get: (target, key, receiver) =>
        state.isAway
          ? () => Promise.reject(storeUnavailable(new Error('no connection')))
          : Reflect.get(target, key, receiver),
    });
  return { state, wrapKeyed };
}

const open = async () => {
  const agent = createScriptedAgent({ name: 'books', script: () => [{ say: 'Two years' }] });
  world = createWorld({ agents: [agent] });
  const { state, wrapKeyed } = away();
  const process = await world.boot({ wrapKeyed });
  state.isAway = true;
  const turn = await ask(process, 'How long?');
  return { agent, state, process, turn };
};

test.each([1_000, 10_000])('for %i ms: the question waits and is asked', async (ms) => {
  const { agent, state, turn } = await open();
  await world.clock.pass(ms);
  expect(agent.askings).toEqual([]);
  state.isAway = false;
  await world.clock.pass(3_000);
  expect(agent.askings).toHaveLength(1);
  expect(seen(world.channel, turn).document).toMatchObject({ state: 'done', text: 'Two years' });
});

test('for more than a minute: the question fails, and nobody is told to send it again', async () => {
  const { agent, process, turn } = await open();
  await world.clock.pass(70_000);
  expect(agent.askings).toEqual([]);
  expect((await process.inbox.find(turn))?.state).toBe('failed');
  const { notices } = seen(world.channel, turn).document;
  expect(notices.map(({ text }) => text).join()).toMatch(/could not be answered after several attempts/);
});
