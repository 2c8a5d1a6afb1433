/** Tests sources that arrive before the end of an answer, after it, or never. */

import { afterEach, describe, expect, test } from 'vitest';
import type { TurnId } from '../../../../src/core/ids.ts';
import type { CoreEvent } from '../../../../src/core/turn-events.ts';
import { BridgeError } from '../../../../src/errors.ts';
import { source } from '../../../fakes/samples.ts';
import { type Act, createScriptedAgent, type ScriptedAgentOptions } from '../../../fakes/scripted-agent.ts';
import { ask, createWorld, seen, type World, type WorldOptions } from '../../../fakes/world.ts';

const ANSWER = 'The warranty runs for two years from the day of purchase.';
let world: World;
afterEach(() => world.close());

function open(
  script: readonly Act[],
  over: Partial<ScriptedAgentOptions> = {},
  options: Partial<WorldOptions> = {},
) {
  world = createWorld({
    agents: [createScriptedAgent({ name: 'books', script: () => script, ...over })],
    ...options,
  });
}
const stateOf = (turn: TurnId) => seen(world.channel, turn).document.state;
const eventsOf = (name: CoreEvent['name']) =>
  world.events.filter((event) => event.name === name).map(({ detail }) => detail);

describe('sources', () => {
  const told = [source({ key: 'a' }), source({ key: 'b' })];
  const finals = (turn: TurnId) =>
    world.channel.showings.filter((each) => each.turn === turn && each.document.state === 'done');

  test('that arrive quickly are shown with the end, in one edit', async () => {
    open([{ say: ANSWER }], { sources: () => ({ afterMs: 10, sources: told }) });
    const turn = await ask(await world.boot(), 'How long?');
    await world.clock.pass(5_000);
    expect(finals(turn).map(({ document }) => document.sources.length)).toEqual([2]);
  });

  test('that arrive late do not delay the answer, and are added under the same text', async () => {
    open([{ say: ANSWER }], { sources: () => ({ afterMs: 5_000, sources: told }) });
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(100);
    expect(stateOf(turn)).toBe('done');
    await world.clock.pass(10_000);
    expect(finals(turn).map(({ document }) => document.sources.length)).toEqual([0, 2]);
    expect(new Set(finals(turn).map(({ document }) => document.text))).toEqual(new Set([ANSWER]));
    expect((await process.inbox.find(turn))?.state).toBe('answered');
    expect(eventsOf('sources')).toEqual([{ count: 2 }]);
  });

  test.each([
    ['none', []],
    ['those that the answer had', told],
  ])('that arrive late and are %s change nothing visible', async (_, known) => {
    const script: readonly Act[] = [{ tell: { type: 'sources', sources: known } }, { say: ANSWER }];
    open(script, { sources: () => ({ afterMs: 5_000, sources: known }) });
    const turn = await ask(await world.boot(), 'How long?');
    await world.clock.pass(15_000);
    expect(finals(turn).map(({ document }) => document.sources.length)).toEqual([known.length]);
  });

  test('that never arrive leave the answer without sources, and the lane continues', async () => {
    const signals: AbortSignal[] = [];
    open([{ say: ANSWER }], {
      sources: (_, { signal }) => {
        signals.push(signal);
        return { afterMs: 3_600_000, sources: told };
      },
    });
    const process = await world.boot();
    const first = await ask(process, 'one');
    const second = await ask(process, 'two');
    await world.clock.pass(60_000);
    expect(finals(first)).toHaveLength(1);
    expect(stateOf(second)).toBe('done');
    expect(await process.inbox.counts()).toEqual({ waiting: 0, running: 0 });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(eventsOf('trouble')).toEqual([]);
  });

  test('that fail are reported to the operator; people see the answer', async () => {
    const failed = new BridgeError('platform-server', 'no references');
    open([{ say: ANSWER }], { sources: () => ({ afterMs: 100, sources: failed }) });
    const turn = await ask(await world.boot(), 'How long?');
    await world.clock.pass(5_000);
    expect(seen(world.channel, turn).document).toMatchObject({ state: 'done', notices: [] });
    expect(eventsOf('trouble')).toEqual([{ code: 'platform-server', what: 'sources' }]);
  });

  test('are requested with the record from the stream, under the asking account', async () => {
    const asked: unknown[] = [];
    const sources: ScriptedAgentOptions['sources'] = (answer, { account }) => {
      asked.push([answer, account]);
      return { afterMs: 0, sources: [] };
    };
    open(
      [{ tell: { type: 'record', chatRecord: 'r7' } }, { say: ANSWER }],
      { sources },
      { room: { account: 'room@p' } },
    );
    await ask(await world.boot(), 'How long?');
    await world.clock.pass(2_000);
    world.close();
    open([{ say: ANSWER }], { sources });
    await ask(await world.boot(), 'How long?');
    await world.clock.pass(2_000);
    expect(asked).toEqual([
      [{ known: [], chatRecord: 'r7' }, 'room@p'],
      [{ known: [] }, undefined],
    ]);
  });

  test('that arrive late do not delay the storing of the answer as done, so its buttons work meanwhile', async () => {
    open([{ say: ANSWER }], { sources: () => ({ afterMs: 4_000, sources: told }) });
    const process = await world.boot();
    const turn = await ask(process, 'How long?');
    await world.clock.pass(1_000);
    expect(await process.finishedReplies.find(turn)).toMatchObject({
      document: { state: 'done', text: ANSWER },
    });
  });
});
