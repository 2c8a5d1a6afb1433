/**
 * Two processes that share a store show and remove the signs of edited questions in random order, and processes end at
 * random times. In the end, no sign may be left.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import { createBackground } from '../../../src/kit/background.ts';
import { createWaitingSigns, type RemovalResult, type WaitingSigns } from '../../../src/kit/waiting-sign.ts';
import { quiet } from '../../fakes/quiet.ts';
import { message, turn } from '../../fakes/samples.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { sharedState } from './killable-state.ts';

const QUESTIONS = ['a', 'b'];
const PROCESSES = 2;
const RUNS = 200;
/** Longer than any pause before a sign is removed. */
const SETTLED_MS = 5 * 60_000;

const index = (count: number) => fc.nat(count - 1);
const step = fc.record({
  kind: fc.constantFrom('ask', 'ask', 'begin', 'end', 'restart'),
  process: index(PROCESSES),
  question: fc.constantFrom(...QUESTIONS),
  restMs: fc.constantFrom(0, 0, 1, 500, 2_500, 9_000, 20_000),
  callMs: fc.constantFrom(0, 1, 1_200),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A channel whose signs are messages, which can be removed only by their ids. */
function house() {
  const clock = createVirtualClock();
  const values = new Map<string, unknown>();
  const stateOfProcess = sharedState(values, clock);
  const signs = new Set<string>();
  /** The turn of each question that waits, or else its last turn. */
  const newest = new Map<string, string>();
  const waiting = new Set<string>();
  let posted = 0;
  let callMs = 0;
  const start = async () => {
    const { state, kill } = stateOfProcess();
    const stopping = new AbortController();
    const created: WaitingSigns = await createWaitingSigns({
      host: { clock, state, log: quiet, waits: async (id) => waiting.has(id) },
      background: createBackground(quiet),
      signal: stopping.signal,
      key: 'signs',
      perMinute: 1_000,
      placeOf: ({ message: { id } }) => ({ tenant: 't', room: 'r', on: id }),
      async put() {
        // A process that ends during a call posts nothing.
        await clock.wait(callMs, stopping.signal);
        posted += 1;
        const id = `sign ${posted}`;
        signs.add(id);
        return { kind: 'done', id };
      },
      async take({ id = 'unknown' }): Promise<RemovalResult> {
        await clock.wait(callMs, stopping.signal);
        signs.delete(id);
        return { kind: 'gone' };
      },
    });
    return {
      ...created,
      end() {
        kill();
        stopping.abort();
      },
    };
  };
  const turnOf = (id: string, question: string) =>
    turn({ id: turnId(id), message: message({ id: question }) });
  return {
    clock,
    signs,
    start,
    values,
    run({ kind, question, ...done }: Step, signsOf: WaitingSigns, nth: number): void {
      callMs = done.callMs;
      const before = newest.get(question) ?? '';
      if (kind === 'ask') {
        waiting.delete(before);
        const id = `turn ${nth} of ${question}`;
        newest.set(question, id);
        waiting.add(id);
        signsOf.put(turnOf(id, question), 1);
      } else if (kind === 'begin' && waiting.delete(before)) signsOf.take(turnOf(before, question));
      else if (kind === 'end') waiting.delete(before);
    },
    endAll: () => waiting.clear(),
  };
}

async function play(steps: readonly Step[]) {
  const { clock, signs, start, values, run, endAll } = house();
  const processes = [await start(), await start()];
  for (const [nth, each] of steps.entries()) {
    const chosen = processes[each.process];
    if (chosen === undefined) throw new Error(`There is no process ${each.process}.`);
    if (each.kind === 'restart') {
      chosen.end();
      processes[each.process] = await start();
    } else run(each, chosen, nth);
    await clock.pass(each.restMs);
  }
  endAll();
  await clock.pass(SETTLED_MS);
  for (const process of processes) process.end();
  return { signs: [...signs], stored: values.get('signs') ?? [] };
}

test('no sign is left, whichever process shows it, removes it or ends', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
    expect(await play(steps)).toEqual({ signs: [], stored: [] });
  });
  await fc.assert(property, { numRuns: RUNS });
});
