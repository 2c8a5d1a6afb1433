/** Tests the start of a claimed turn: how long it waits, and the reply's first document. */

import { describe, expect, test } from 'vitest';
import { agentName, turnId } from '../../../../src/core/ids.ts';
import {
  asksAnew,
  firstDocument,
  letEarlierArrive,
  letEdit,
} from '../../../../src/core/live-reply/opening.ts';
import type { Origin } from '../../../../src/core/message.ts';
import type { Turn } from '../../../../src/core/turn.ts';
import { claim, message, turn } from '../../../fakes/samples.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const press: Origin = { kind: 'retry', of: turnId('t-0'), by: 'ada' };

/**
 * Returns how many milliseconds `work` waits for a turn that was stored `keptAgoMs` ago. Returns undefined if `work`
 * has not ended after a minute.
 */
async function waited(
  over: Partial<Turn>,
  keptAgoMs: number,
  work: (
    turn: Turn,
    parts: { clock: ReturnType<typeof createVirtualClock>; signal: AbortSignal },
  ) => Promise<void>,
): Promise<number | undefined> {
  const clock = createVirtualClock();
  const begun = clock.now();
  let endedAt: number | undefined;
  const { signal } = new AbortController();
  void work(turn({ keptAt: begun - keptAgoMs, ...over }), { clock, signal }).then(() => {
    endedAt = clock.now();
  });
  await clock.pass(60_000);
  return endedAt === undefined ? undefined : endedAt - begun;
}

describe('messages of one thread that arrive out of order', () => {
  const settle = (over: Partial<Turn> = {}, keptAgoMs = 0, ordered = false) =>
    waited(over, keptAgoMs, (each, parts) => letEarlierArrive(each, { ...parts, ordered }));

  test('have 100 ms to take their places', async () => {
    expect(await settle()).toBe(100);
    expect(await settle({}, 1_000)).toBe(100);
    expect(await settle({}, -1_000)).toBe(100);
  });

  test('do not delay a turn that waited longer for its claim, even if the clock was set', async () => {
    expect(await settle({}, 1_001)).toBe(0);
    expect(await settle({}, -1_001)).toBe(0);
  });

  test('do not delay a channel that keeps the order, a press, an edit, or a second attempt', async () => {
    expect(await settle({}, 0, true)).toBe(0);
    expect(await settle({ origin: press })).toBe(0);
    expect(await settle({ message: message({ revision: 1 }) })).toBe(0);
    expect(await settle({ attempt: 2 })).toBe(0);
  });

  test('no longer delay a turn that was interrupted', async () => {
    const clock = createVirtualClock();
    const begun = clock.now();
    const stopped = new AbortController();
    const settling = letEarlierArrive(turn({ keptAt: begun }), {
      ...{ ordered: false, clock, signal: stopped.signal },
    });
    await clock.pass(25);
    stopped.abort();
    await settling;
    expect([clock.now() - begun, clock.waiting]).toEqual([25, 0]);
  });

  test('are handled between slices of 10 ms, so that a busy process reads them', async () => {
    const clock = createVirtualClock();
    const slices: number[] = [];
    const wait: typeof clock.wait = (ms, signal) => {
      slices.push(ms);
      return clock.wait(ms, signal);
    };
    const { signal } = new AbortController();
    void letEarlierArrive(turn({ keptAt: clock.now() }), {
      ordered: false,
      clock: { ...clock, wait },
      signal,
    });
    await clock.pass(1_000);
    expect(slices).toEqual(Array(10).fill(10));
  });
});

describe('an edited question', () => {
  const edited: Partial<Turn> = { reply: turnId('t-0') };
  const debounce = (over: Partial<Turn>, keptAgoMs: number) =>
    waited(over, keptAgoMs, (each, { clock, signal }) => letEdit(each, clock, signal));

  test('is asked again three seconds after it was stored', async () => {
    expect(await debounce(edited, 0)).toBe(3_000);
    expect(await debounce(edited, 1_200)).toBe(1_800);
    expect(await debounce(edited, 3_000)).toBe(0);
    expect(await debounce(edited, 9_000)).toBe(0);
  });

  test('waits no longer than three seconds, even if the clock was set back', async () => {
    expect(await debounce(edited, -100_000)).toBe(3_000);
  });

  test('is recognized by a reply that people have seen; a press is not an edit', async () => {
    expect(asksAnew(turn(edited))).toBe(true);
    expect(asksAnew(turn())).toBe(false);
    expect(asksAnew(turn({ ...edited, origin: press }))).toBe(false);
    expect(await debounce({}, 0)).toBe(0);
    expect(await debounce({ ...edited, origin: press }, 0)).toBe(0);
  });

  test('stops waiting when the signal aborts', async () => {
    const clock = createVirtualClock();
    const letting = letEdit(turn({ ...edited, keptAt: clock.now() }), clock, AbortSignal.abort('gone'));
    await expect(letting).rejects.toBe('gone');
  });
});

describe('the first document', () => {
  test('shows only that the agent thinks', () => {
    const document = firstDocument(claim());
    expect(document).toMatchObject({ turn: 'turn-1', state: 'thinking', text: '', version: 1 });
    expect(document).not.toHaveProperty('meanwhile');
    expect(document).not.toHaveProperty('agent');
  });

  test('shows the text recorded by an earlier attempt, with its agent and account', () => {
    const routed = turn({ agent: agentName('books'), account: 'ada@acme' });
    expect(firstDocument(claim({ turn: routed, text: 'Two' }))).toMatchObject({
      ...{ state: 'writing', text: 'Two', agent: 'books', account: 'ada@acme' },
    });
    expect(firstDocument(claim({ turn: turn({ agent: agentName('books') }) }))).toMatchObject({
      ...{ state: 'thinking', agent: 'books' },
    });
    expect(firstDocument(claim({ turn: turn({ agent: agentName('books') }) }))).not.toHaveProperty('account');
  });

  test('shows the whole answer as done if only its end was missing', () => {
    const ending = turn({ phase: 'ending', agent: agentName('books') });
    expect(firstDocument(claim({ turn: ending, text: 'Two years.' }))).toMatchObject({
      ...{ state: 'done', text: 'Two years.', agent: 'books' },
    });
    expect(firstDocument(claim({ turn: ending }))).toMatchObject({ state: 'done', text: '' });
  });

  test('says that an edited question is asked again', () => {
    const { meanwhile } = firstDocument(claim({ turn: turn({ reply: turnId('t-0') }) }));
    expect(meanwhile).toMatch(/anew|again/);
  });

  test('shows nothing of an answer whose question was deleted, but keeps its text to end an open stream', () => {
    const written = {
      text: 'Two years.',
      turn: turn({ agent: agentName('books'), phase: 'ending' }),
    } as const;
    const blank = { state: 'withdrawn', version: 2, rewrites: 1 };
    expect(firstDocument(claim({ ...written, interruption: { kind: 'withdrawn' } }))).toMatchObject({
      ...blank,
      text: 'Two years.',
    });
    const taking: Origin = { kind: 'withdraw', of: turnId('t-0'), key: 't-0' };
    expect(firstDocument(claim({ turn: turn({ origin: taking }), text: 'Two' }))).toMatchObject(blank);
    expect(firstDocument(claim({ ...written, interruption: { kind: 'stop', by: 'ada' } }))).toMatchObject({
      state: 'done',
    });
  });
});
