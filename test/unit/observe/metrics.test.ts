import fc from 'fast-check';
import { expect, it } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import type { CoreEvent } from '../../../src/core/turn-events.ts';
import { createMetrics } from '../../../src/observe/metrics.ts';

const make = () => createMetrics(async () => ({ waiting: 3, running: 2 }));
const event = (
  turn: string,
  name: CoreEvent['name'],
  at: number,
  detail: CoreEvent['detail'] = {},
): CoreEvent => ({
  turn: turnId(turn),
  at,
  name,
  detail,
});

it('counts and times a turn from the moment its question was stored', async () => {
  const { turnEvents, text, called } = make();
  turnEvents.record(event('a', 'claimed', 1_000, { waitedMs: 400 }));
  turnEvents.record(event('a', 'routed', 1_000, { agent: 'helper' }));
  turnEvents.record(event('a', 'answering', 1_600));
  turnEvents.record(event('a', 'move', 1_700, { family: 'edit', outcome: 'done' }));
  turnEvents.record(event('a', 'trouble', 1_800, { code: 'platform-idle' }));
  turnEvents.record(event('a', 'settled', 2_600, { state: 'partial' }));
  called({ operation: 'expert-chat', outcome: 'ok', ms: 30 });
  const told = await text();
  for (const line of [
    'parley_turns{state="waiting"} 3',
    'parley_turns{state="running"} 2',
    'parley_turns_ended_total{agent="helper",state="partial"} 1',
    'parley_first_text_seconds_sum{agent="helper"} 1',
    'parley_turn_seconds_sum{agent="helper"} 2',
    'parley_moves_total{family="edit",outcome="done"} 1',
    'parley_troubles_total{code="platform-idle"} 1',
    'parley_platform_calls_total{operation="expert-chat",outcome="ok"} 1',
    'parley_platform_call_seconds_sum{operation="expert-chat"} 0.03',
  ]) {
    expect(told).toContain(line);
  }
});

it('limits the number of labels, whatever outsiders send', async () => {
  const { turnEvents, text } = make();
  for (let index = 0; index < 1_000; index++) {
    turnEvents.record(event('a', 'move', index, { family: `family-${index}`, outcome: 'done' }));
  }
  const families = (await text()).match(/parley_moves_total\{/g) ?? [];
  expect(families.length).toBeLessThanOrEqual(101);
  expect(await text()).toContain('family="other"');
  turnEvents.record(event('a', 'move', 1_000, { family: 'family-0', outcome: 'done' }));
  expect(await text()).toContain('parley_moves_total{family="family-0",outcome="done"} 2');
});

it('shows the replica and the oldest waiting turn as of the moment of reading', async () => {
  const replica = { replicas: 2, workspaces: 3, leaseMs: 5_500, takeovers: 1, checkpointsBehind: 4 };
  const states = [
    { waiting: 1, running: 0, oldestWaitingMs: 2_500, replica },
    { waiting: 0, running: 1, replica: { ...replica, replicas: 1 } },
  ];
  const { text } = createMetrics(
    async () => states.shift() ?? Promise.reject(new Error('the store is down')),
  );
  const first = await text();
  for (const line of [
    'parley_oldest_waiting_seconds 2.5',
    'parley_replicas 2',
    'parley_owned_workspaces 3',
    'parley_lease_seconds 5.5',
    'parley_takeovers 1',
    'parley_checkpoints_behind 4',
    'parley_store_readable 1',
  ]) {
    expect(first).toContain(`\n${line}\n`);
  }
  const second = await text();
  expect(second).toContain('\nparley_oldest_waiting_seconds 0\n');
  expect(second).toContain('\nparley_replicas 1\n');
  expect(await text()).toContain('\nparley_store_readable 0\n');
});

it('shows no replica in a bridge of one process', async () => {
  expect(await make().text()).not.toContain('parley_replicas');
});

it('agrees with a naive model, whatever order the events of several turns have', async () => {
  const NAMES = ['claimed', 'routed', 'answering', 'released', 'postponed', 'settled'] as const;
  const step = fc.record({
    turn: fc.constantFrom('t1', 't12', 't'),
    name: fc.constantFrom(...NAMES),
    agent: fc.constantFrom('a1', 'a12'),
    ms: fc.integer({ min: 1, max: 5_000 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 60, maxLength: 60 }), async (steps) => {
      const { turnEvents, text } = make();
      const open = new Map<string, { stored: number; agent: string; answering: boolean }>();
      const sums = new Map<string, number>();
      const add = (line: string, value: number) => sums.set(line, (sums.get(line) ?? 0) + value);
      let at = 10_000;
      for (const { turn, name, agent, ms } of steps) {
        at += ms;
        turnEvents.record(event(turn, name, at, { agent, waitedMs: ms, state: 'done' }));
        const known = open.get(turn);
        const seconds = known && (at - known.stored) / 1_000;
        if (name === 'claimed') open.set(turn, { stored: at - ms, agent: 'none', answering: false });
        if (name === 'routed' && known) open.set(turn, { ...known, agent });
        if (name === 'answering' && known && seconds !== undefined && !known.answering) {
          open.set(turn, { ...known, answering: true });
          add(`parley_first_text_seconds_sum{agent="${known.agent}"}`, seconds);
        }
        if (name === 'settled')
          add(`parley_turns_ended_total{agent="${known?.agent ?? 'none'}",state="done"}`, 1);
        if (name === 'settled' && known && seconds !== undefined)
          add(`parley_turn_seconds_sum{agent="${known.agent}"}`, seconds);
        if (['released', 'postponed', 'settled'].includes(name)) open.delete(turn);
      }
      const found = (await text()).matchAll(
        /^(parley_(?:first_text|turn)_seconds_sum\{.*\}|parley_turns_ended\S+) (\S+)$/gm,
      );
      const told = [...found].map(([, line = '', value]) => [line, Number(Number(value).toFixed(6))]);
      const due = [...sums].map(([line, value]) => [line, Number(value.toFixed(6))]);
      expect(Object.fromEntries(told)).toEqual(Object.fromEntries(due));
    }),
    { numRuns: 5 },
  );
});
