/** Tests attacks S16 and S17 on the core: presses that name a turn of another workspace, room or thread. */

import { afterEach, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import type { ThreadRef } from '../../../../src/core/message.ts';
import { message, person, thread } from '../../../fakes/samples.ts';
import { createScriptedAgent, growing } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, type Process, type World } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

const CANARY = 'CANARY of another room?';
const eve = person({ id: 'eve' });

const foreign: readonly (readonly [string, ThreadRef])[] = [
  ['another workspace with the same ids', thread({ tenant: 'umbrella' })],
  ['another room', thread({ room: 'elsewhere' })],
  ['another channel', thread({ channel: 'slack' })],
];
const acts: Readonly<Record<string, (process: Process, turn: TurnId, from: ThreadRef) => Promise<unknown>>> =
  {
    stop: (process, turn, from) => process.intake({ kind: 'stop', thread: from, turn, by: eve }),
    show: (process, turn, from) =>
      process.intake({ kind: 'show', thread: from, turn, edition: 1, by: eve, key: 'k' }),
    feedback: (process, turn, from) =>
      process.intake({ kind: 'feedback', thread: from, turn, by: eve, verdict: 'down' }),
    ...Object.fromEntries(
      (['retry', 'regenerate'] as const).map((kind) => [
        kind,
        (process: Process, of: TurnId, from: ThreadRef) =>
          process.intake({
            kind: 'ask',
            origin: { kind, of, by: 'eve' },
            message: message({ text: '', thread: from, sender: eve }),
          }),
      ]),
    ),
    'ask another': (process, of, from) =>
      process.intake({
        kind: 'ask',
        origin: { kind: 'act', key: 'k', of },
        message: message({ text: '', thread: from, sender: eve }),
      }),
  };

test.each(
  Object.keys(acts).flatMap((kind) => foreign.map(([where, from]) => [kind, where, from] as const)),
)('%s pressed from %s changes nothing and asks nothing', async (kind, _, from) => {
  const agent = createScriptedAgent({ name: 'books', script: () => [{ say: 'Two years.' }] });
  world = createWorld({ agents: [agent] });
  const process = await world.boot();
  const turn = await ask(process, CANARY);
  await world.clock.pass(3_000);
  const shown = JSON.stringify(world.channel.messages());
  const kept = await acts[kind]?.(process, turn, from);
  expect(JSON.stringify(kept)).toMatch(/"(?:refused|nothing|nothing-to-stop)"/);
  await world.clock.pass(3_000);
  expect(agent.askings).toHaveLength(1);
  expect(JSON.stringify(world.channel.messages())).toBe(shown);
  expect(await process.feedback.all()).toEqual([]);
});

test.each([
  'retry',
  'regenerate',
] as const)('%s pressed from another thread of the room neither asks there nor changes the reply', async (kind) => {
  const agent = createScriptedAgent({ name: 'books', script: () => [{ say: 'Two years.' }] });
  world = createWorld({ agents: [agent] });
  const process = await world.boot();
  const of = await ask(process, CANARY);
  await world.clock.pass(3_000);
  const elsewhere = message({ text: '', thread: thread({ key: 'another' }), sender: eve });
  const kept = await process.intake({ kind: 'ask', origin: { kind, of, by: 'eve' }, message: elsewhere });
  expect(kept.kind).toBe('refused');
  await world.clock.pass(3_000);
  expect(agent.askings).toHaveLength(1);
});

test('a press that claims to belong to another question starts no answer for that question', async () => {
  const agent = createScriptedAgent({ name: 'books', script: ({ text }) => [{ say: `To ${text}` }] });
  world = createWorld({ agents: [agent] });
  const process = await world.boot();
  const own = { id: 'of-eve', thread: thread({ key: 'of-eve' }), sender: eve };
  const asked = { id: 'of-ada', thread: thread({ key: 'of-ada' }) };
  const of = await ask(process, 'Mine?', own);
  await ask(process, 'Yours?', asked);
  await world.clock.pass(3_000);
  const origin = { kind: 'regenerate', of, by: 'eve' } as const;
  await process.intake({ kind: 'ask', origin, message: message({ ...own, text: '', id: asked.id }) });
  await world.clock.pass(3_000);
  const edited = message({ ...asked, text: 'Edited?', revision: 1 });
  await process.intake({ kind: 'edit', message: edited });
  await world.clock.pass(10_000);
  const shown = world.channel.messages().map(({ document }) => document.text);
  expect(shown).toEqual(['To Mine?', 'To Edited?']);
});

test('a person’s choice for private questions in a room does not apply to another person', async () => {
  const agents = ['books', 'tax'].map((name) =>
    createScriptedAgent({ name, script: () => [{ say: `I am ${name}.` }] }),
  );
  world = createWorld({ agents });
  const process = await world.boot();
  const inPrivate = (key: string) => thread({ kind: 'direct', room: 'C1', key });
  const askAs = async (id: string, text: string, key: string) => {
    const asked = { id: key, thread: inPrivate(key), sender: person({ id }) };
    await ask(process, text, asked);
    await world.clock.pass(3_000);
    return world.channel.messages().at(-1)?.document.agent;
  };
  await askAs('eve', 'use tax', 'one');
  expect(await askAs('ada', 'Who?', 'two')).toBe('books');
  expect(await askAs('eve', 'Who?', 'three')).toBe('tax');
});

test('a running answer is stopped from its own thread, but not from another thread of its room', async () => {
  const agent = createScriptedAgent({ name: 'books', script: () => growing('Two years.', 4, 1_000) });
  world = createWorld({ agents: [agent] });
  const process = await world.boot();
  const turn = await ask(process, 'How long?');
  await world.clock.pass(1_500);
  const stop = (key: string) =>
    process.intake({ kind: 'stop', thread: thread({ key }), turn, by: person({ id: 'eve' }) });
  expect(await stop('t2')).toEqual({ kind: 'nothing-to-stop' });
  expect(await stop('t1')).toEqual({ kind: 'stopped' });
});
