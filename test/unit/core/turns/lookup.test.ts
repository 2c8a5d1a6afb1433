import { afterEach, expect, test } from 'vitest';
import { BridgeError } from '../../../../src/errors.ts';
import { person } from '../../../fakes/samples.ts';
import { createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, seen, type World } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

function open(memory: 'session' | 'history' = 'session') {
  const agent = createScriptedAgent({ name: 'books', memory, script: () => [{ say: 'Two years.' }] });
  world = createWorld({ agents: [agent] });
  return agent;
}

test('facts that need the network are looked up before the agent is asked', async () => {
  const agent = open();
  world.channel.lookup = {
    complete: async (message) => ({
      ...message,
      sender: person({ name: 'Engineer', locale: 'de-DE' }),
      quoted: [{ author: 'Designer', text: 'It broke.' }],
    }),
  };
  const process = await world.boot();
  await ask(process, 'How long?');
  await world.clock.pass(1_000);
  expect(agent.askings[0]?.question).toMatchObject({
    locale: 'de-DE',
    quoted: [{ author: 'Designer', text: 'It broke.' }],
  });
});

test('a person who turns out to be a guest is refused, and the agent is not asked', async () => {
  const agent = open();
  world.channel.lookup = {
    complete: async (message) => ({ ...message, sender: person({ standing: 'guest' }) }),
  };
  const process = await world.boot();
  const turn = await ask(process, 'How long?');
  await world.clock.pass(1_000);
  expect(seen(world.channel, turn).document.state).toBe('failed');
  expect(agent.askings).toEqual([]);
});

test('a failed look-up ends the turn with its reason', async () => {
  const agent = open();
  world.channel.lookup = {
    complete: async () => {
      throw new BridgeError('access-denied', 'Nobody can tell who asks.');
    },
  };
  const process = await world.boot();
  const turn = await ask(process, 'How long?');
  await world.clock.pass(1_000);
  expect(seen(world.channel, turn).document.state).toBe('failed');
  expect(agent.askings).toEqual([]);
});

test('history is read from the channel if it must not be stored, and is then not stored', async () => {
  const agent = open('history');
  world.channel.lookup = {
    complete: async (message) => message,
    history: async (_, name) => [{ question: `To ${name}?`, answer: 'Yes.' }],
  };
  const process = await world.boot();
  await ask(process, 'How long?');
  await world.clock.pass(1_000);
  expect(agent.askings[0]?.question.history).toEqual([{ question: 'To books?', answer: 'Yes.' }]);
  await process.stop(0);
  delete world.channel.lookup;
  const next = await world.boot();
  await ask(next, 'And then?');
  await world.clock.pass(1_000);
  expect(agent.askings[1]?.question.history).toEqual([]);
});

test('an unreadable history loses the context, and the answer says so', async () => {
  const agent = open('history');
  world.channel.lookup = {
    complete: async (message) => message,
    history: async () => {
      throw new BridgeError('channel-unavailable', 'The thread could not be read.');
    },
  };
  const process = await world.boot();
  const turn = await ask(process, 'How long?');
  await world.clock.pass(1_000);
  expect(agent.askings[0]?.question.history).toEqual([]);
  const { document } = seen(world.channel, turn);
  expect(document.state).toBe('done');
  expect(document.notices).toHaveLength(1);
});
