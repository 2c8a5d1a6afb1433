/** Tests the events of a turn's end, which metrics and receipts use. */

import { afterEach, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import { isFinal } from '../../../../src/core/reply.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { person, thread } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent } from '../../../fakes/scripted-agent.ts';
import { ask, asking, createWorld, type World } from '../../../fakes/world.ts';

let world: World;
afterEach(() => world.close());

async function open(script: readonly Act[], turnMs?: number) {
  const agent = createScriptedAgent({ name: 'books', script: () => script });
  world = createWorld({ agents: [agent], ...(turnMs !== undefined && { turnMs }) });
  return world.boot();
}
const told = (turn: TurnId, ...names: readonly string[]): readonly Readonly<Record<string, unknown>>[] =>
  world.events
    .filter((event) => event.turn === turn && names.includes(event.name))
    .map(({ name, detail }) => ({ name, ...detail }));
const ENDS = ['claimed', 'interrupted', 'trouble', 'settled', 'released'];

test('an answer: claimed after its wait, settled with its time and length', async () => {
  const process = await open([{ pause: 2_000 }, { say: 'Two years.' }]);
  const first = await ask(process, 'one');
  const second = await ask(process, 'two');
  await world.clock.pass(20_000);
  const [claimed, settled, ...more] = told(first, ...ENDS);
  expect(more).toEqual([]);
  expect(claimed).toEqual({ name: 'claimed', attempt: 1, waitedMs: 0 });
  expect(settled).toMatchObject({ name: 'settled', state: 'answered', chars: 10 });
  const ms = Number(settled?.ms);
  expect(ms).toBeGreaterThanOrEqual(2_000);
  expect(ms).toBeLessThan(4_000);
  expect(told(second, 'claimed')).toEqual([{ name: 'claimed', attempt: 1, waitedMs: expect.any(Number) }]);
  const waited = Number(told(second, 'claimed')[0]?.waitedMs);
  expect(Math.abs(waited - ms)).toBeLessThan(200);
});

test('a failure: its code and its message', async () => {
  const process = await open([{ fail: new BridgeError('platform-busy', 'The queue is full.') }]);
  const turn = await ask(process, 'one');
  await world.clock.pass(5_000);
  expect(told(turn, 'trouble', 'interrupted', 'settled')).toEqual([
    { name: 'trouble', code: 'platform-busy', cause: 'The queue is full.' },
    { name: 'settled', state: 'failed', ms: expect.any(Number), chars: 0 },
  ]);
});

test('a stop: its reason, and no trouble', async () => {
  const process = await open([{ say: 'Two' }, { silence: true }]);
  const turn = await ask(process, 'one');
  await world.clock.pass(1_000);
  await process.intake({ kind: 'stop', thread: thread(), by: person() });
  await world.clock.pass(5_000);
  expect(told(turn, 'trouble', 'interrupted', 'settled')).toEqual([
    { name: 'interrupted', why: 'stop' },
    { name: 'settled', state: 'stopped', ms: expect.any(Number), chars: 3 },
  ]);
});

test('a deadline: its reason; the text so far is kept', async () => {
  const process = await open([{ say: 'Two' }, { silence: true }], 30_000);
  const turn = await ask(process, 'one');
  await world.clock.pass(60_000);
  expect(told(turn, 'trouble', 'interrupted', 'settled')).toEqual([
    { name: 'interrupted', why: 'deadline' },
    { name: 'settled', state: 'partial', ms: expect.any(Number), chars: 3 },
  ]);
});

test('an end that the channel does not show: the refusal and the failure', async () => {
  const process = await open([{ say: 'Two' }]);
  world.channel.fault = ({ document }) =>
    isFinal(document) ? { kind: 'refuse', why: 'invalid' } : undefined;
  const turn = await ask(process, 'one');
  await world.clock.pass(300_000);
  expect(told(turn, 'trouble', 'settled')).toEqual([
    { name: 'trouble', code: 'channel-unavailable', cause: expect.stringContaining('8 calls') },
    { name: 'settled', state: 'failed', ms: expect.any(Number), chars: 3 },
  ]);
});

test('an edited question: its first turn is superseded, with its time', async () => {
  const process = await open([{ say: 'Two' }, { pause: 3_000 }, { say: ' years.' }]);
  const said = asking('one', { id: 'm' });
  const kept = await process.intake(said);
  if (kept.kind !== 'kept') throw new Error(kept.kind);
  await world.clock.pass(1_000);
  await process.intake({ kind: 'edit', message: { ...said.message, text: 'two', revision: 1 } });
  await world.clock.pass(1_000);
  const ends = told(kept.turn, 'interrupted', 'settled', 'released', 'trouble');
  expect(ends).toEqual([
    { name: 'interrupted', why: 'superseded' },
    { name: 'settled', state: 'superseded', ms: expect.any(Number) },
  ]);
  expect(Number(ends[1]?.ms)).toBeGreaterThanOrEqual(1_000);
  expect(Number(ends[1]?.ms)).toBeLessThan(2_000);
});

test('a turn that is passed on: released, not settled', async () => {
  const process = await open([{ pause: 60_000 }]);
  const turn = await ask(process, 'one');
  await world.clock.pass(1_000);
  const stopping = process.stop(500);
  await world.clock.pass(3_000);
  await stopping;
  expect(told(turn, 'interrupted', 'settled', 'released', 'trouble')).toEqual([
    { name: 'interrupted', why: 'release' },
    { name: 'released' },
  ]);
});

test('a turn that another process has taken over: neither settled nor released here', async () => {
  const process = await open([{ say: 'Two' }, { pause: 60_000 }]);
  const turn = await ask(process, 'one');
  await world.clock.pass(1_000);
  const found = await process.inbox.find(turn);
  await process.inbox.settle({ turn: found ?? never(), owner: 'bridge', text: '', until: 0 }, 'failed');
  await world.clock.pass(70_000);
  expect(told(turn, 'interrupted', 'settled', 'released')).toEqual([{ name: 'interrupted', why: 'lost' }]);
  expect(await process.finishedReplies.find(turn)).toBeUndefined();
});

function never(): never {
  throw new Error('no turn');
}
