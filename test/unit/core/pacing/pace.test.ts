import { describe, expect, it } from 'vitest';
import { turnId } from '../../../../src/core/ids.ts';
import { createBudgets } from '../../../../src/core/pacing/budgets.ts';
import { createLatest } from '../../../../src/core/pacing/latest.ts';
import { pace } from '../../../../src/core/pacing/pace.ts';
import { begin, finish } from '../../../../src/core/stage/compose.ts';
import type { Outcome, ReplyWriter, Screen } from '../../../../src/kit.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const reply = turnId('t');
const BLANK: Screen = { rung: 'once', parts: [], finished: false };

function setUp(writer: Pick<ReplyWriter, 'next' | 'after' | 'perform'>) {
  const clock = createVirtualClock();
  const document = createLatest(begin(reply));
  const live = new AbortController().signal;
  const screen = pace(document, BLANK, {
    ...{ reply, tenant: 'T', room: 'r', clock, signal: live, halt: live },
    writer: { ...writer, blank: () => BLANK, resume: (screen) => screen },
    budgets: createBudgets({ limits: {}, clock }),
    record: async () => undefined,
    moved: () => undefined,
  });
  return { clock, document, screen, begun: clock.now() };
}

describe('a call that the channel is too busy for', () => {
  it('is made again, later each time, by as much as the channel asks for besides', async () => {
    const times: number[] = [];
    const { clock, document, screen, begun } = setUp({
      next: (screen) => (screen.finished ? [] : [{ family: 'send', essential: true, call: undefined }]),
      after: (screen, _, { kind }) => ({ ...screen, finished: kind === 'done' }),
      async perform(): Promise<Outcome> {
        times.push(clock.now() - begun);
        return times.length < 4 ? { kind: 'refused', why: 'busy', retryAfterMs: 10 } : { kind: 'done' };
      },
    });
    document.set(finish(document.get()));
    document.close();
    await clock.pass(5_000);
    expect(times).toEqual([0, 260, 770, 1_780]);
    expect((await screen).finished).toBe(true);
  });
});

describe('a screen that fades', () => {
  it('is looked at again when it does, although nothing new came', async () => {
    const times: number[] = [];
    const { clock, document, screen, begun } = setUp({
      next: ({ reviewAt = 0 }, { state }, now) =>
        state === 'thinking' && now >= reviewAt
          ? [{ family: 'typing', essential: false, call: undefined }]
          : [],
      after: (screen, _, __, now) => ({ ...screen, reviewAt: now + 4_000 }),
      async perform(): Promise<Outcome> {
        times.push(clock.now() - begun);
        return { kind: 'done' };
      },
    });
    await clock.pass(9_000);
    expect(times).toEqual([0, 4_000, 8_000]);
    document.set(finish(document.get()));
    document.close();
    await clock.pass(10_000);
    await screen;
    expect(times).toHaveLength(3);
  });
});
