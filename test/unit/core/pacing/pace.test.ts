import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../../src/kit.ts';
import { aMove, paceReply } from '../../../fakes/pacing/paced-reply.ts';

const BUSY: Outcome = { kind: 'refused', why: 'busy' };
const RATE: Outcome = { kind: 'refused', why: 'rate' };
const DONE: Outcome = { kind: 'done' };

/** A reply whose calls have these outcomes in order; all further calls succeed. */
function answering(outcomes: readonly (Outcome | Error)[]) {
  let nth = 0;
  const paced = paceReply({
    writer: {
      async perform() {
        const outcome = outcomes[nth] ?? DONE;
        nth += 1;
        if (outcome instanceof Error) throw outcome;
        return outcome;
      },
    },
  });
  paced.finish();
  return paced;
}

describe('a call that the channel is too busy for', () => {
  it('is repeated after growing waits, plus the time that the channel asks for', async () => {
    const busy: Outcome = { kind: 'refused', why: 'busy', retryAfterMs: 10 };
    const { clock, screen, times } = answering([busy, busy, busy]);
    await clock.pass(5_000);
    expect(times).toEqual([0, 260, 770, 1_780]);
    expect((await screen).finished).toBe(true);
  });

  it('is given up after eight consecutive failures', async () => {
    const { clock, times, ended } = answering(Array(20).fill(BUSY));
    await clock.pass(120_000);
    expect(times).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 15_750, 31_750]);
    expect(ended()).toMatchObject({
      code: 'channel-unavailable',
      message: 'The channel refused 8 calls of "send" in a row.',
    });
  });

  it('is given up after eight successful calls that change nothing on the screen', async () => {
    const { clock, finish, times, ended } = paceReply({ writer: { after: (screen) => screen } });
    finish();
    await clock.pass(120_000);
    expect(times).toEqual([0, 250, 750, 1_750, 3_750, 7_750, 15_750, 31_750]);
    expect(ended()).toMatchObject({
      code: 'channel-unavailable',
      message: expect.stringContaining('its screen did not change'),
    });
  });

  it('ends the reply if the channel says that it is gone and the writer makes the call again', async () => {
    const { clock, screen, times, finish } = paceReply({
      writer: { perform: async () => ({ kind: 'refused', why: 'gone' }), after: (screen) => screen },
    });
    finish();
    await clock.pass(120_000);
    expect(times).toEqual([0]);
    expect((await screen).finished).toBe(true);
  });

  it('counts from zero after a successful call', async () => {
    let calls = 0;
    const { clock, finish, times, ended } = paceReply({
      writer: {
        async perform() {
          calls += 1;
          return calls === 8 || calls === 16 ? DONE : BUSY;
        },
        after: (screen, _, { kind }) => ({
          ...screen,
          status: `call ${calls}`,
          finished: kind === 'done' && calls === 16,
        }),
      },
    });
    finish();
    await clock.pass(120_000);
    expect(times).toHaveLength(16);
    expect((times[9] ?? 0) - (times[8] ?? 0)).toBe(250);
    expect(ended()).toBe('shown');
  });

  it.each([
    ['without an answer', new Error('socket hang up')],
    ['of unknown outcome', { kind: 'unknown' } as const],
  ])('a call %s counts as unknown, and the writer decides the next call', async (_, outcome) => {
    const { clock, outcomes, times, ended } = answering([outcome]);
    await clock.pass(1_000);
    expect(outcomes).toEqual([{ kind: 'unknown' }, DONE]);
    expect(times).toEqual([0, 250]);
    expect(ended()).toBe('shown');
  });
});

describe('a rate-limit refusal', () => {
  it('closes the family for the time that the channel names, or else for a second', async () => {
    const { clock, closed, times } = answering([{ ...RATE, retryAfterMs: 3_000 }, RATE]);
    await clock.pass(10_000);
    expect(times).toEqual([0, 3_000, 4_000]);
    expect(closed).toEqual([
      { tenant: 'T', room: 'r', family: 'send', ms: 3_000 },
      { tenant: 'T', room: 'r', family: 'send', ms: 1_000 },
    ]);
  });

  it('never counts as a failure', async () => {
    const { clock, times, ended } = answering([BUSY, ...Array(20).fill(RATE), BUSY]);
    await clock.pass(60_000);
    expect(times).toHaveLength(23);
    // The rate refusals in between do not count, so this is the second failure, and its wait doubles from 250 ms to
    // 500 ms.
    expect((times[22] ?? 0) - (times[21] ?? 0)).toBe(500);
    expect(ended()).toBe('shown');
  });

  it('names the thread if the reply has one', async () => {
    const { clock, closed, finish, requests } = paceReply({
      writer: { perform: async () => (closed.length === 0 ? RATE : DONE) },
      thread: 'th',
    });
    finish();
    await clock.pass(2_000);
    expect(closed).toEqual([{ tenant: 'T', room: 'r', thread: 'th', family: 'send', ms: 1_000 }]);
    expect(requests.map(({ thread }) => thread)).toEqual(['th', 'th']);
  });
});

describe('shown content', () => {
  it('is recorded before its call and after it', async () => {
    const { clock, write, finish, log } = paceReply({ writer: {} });
    write('Two years');
    finish();
    await clock.pass(0);
    expect(log).toEqual(['record "Two years" open', 'send at 0', 'record "Two years" finished']);
  });

  it('is not sent if it could not be recorded, and its slot is free again', async () => {
    const full = new Error('disk full');
    const { clock, finish, times, ended, budgets } = paceReply({
      writer: {},
      limits: { send: { gapMs: 0, perMinute: 1 } },
      record: () => Promise.reject(full),
    });
    finish();
    await clock.pass(0);
    expect(times).toEqual([]);
    expect(ended()).toBe(full);
    const call = { tenant: 'T', room: 'r', family: 'send' };
    expect(await budgets.permitSideCall(call, 0, new AbortController().signal)).toBeDefined();
  });

  it('is not sent if the lease was lost while it was recorded', async () => {
    const lost = new Error('lost');
    const { clock, finish, times, ended, showing, budgets } = paceReply({
      writer: {},
      limits: { send: { gapMs: 0, perMinute: 1 } },
      record: async () => showing.abort(lost),
    });
    finish();
    await clock.pass(0);
    expect(times).toEqual([]);
    expect(ended()).toBe(lost);
    const call = { tenant: 'T', room: 'r', family: 'send' };
    expect(await budgets.permitSideCall(call, 0, new AbortController().signal)).toBeDefined();
  });
});

describe('a call in flight', () => {
  const slow = () => {
    const answer = Promise.withResolvers<Outcome>();
    const paced = paceReply({
      writer: {
        perform: (_, signal) => {
          signal.addEventListener('abort', () => answer.reject(signal.reason));
          return answer.promise;
        },
      },
      limits: { send: { gapMs: 0, perMinute: 1 } },
    });
    paced.finish();
    return { ...paced, answer };
  };

  it('ends with the lease, and its outcome stays unknown', async () => {
    const { clock, showing, outcomes, log, ended } = slow();
    await clock.pass(10);
    showing.abort('lost');
    await clock.pass(10);
    expect(ended()).toBe('lost');
    expect(outcomes).toEqual([]);
    expect(log).toEqual(['record "" open', 'send at 0']);
  });

  it('uses its slot for a minute after it was given up', async () => {
    const { clock, showing, budgets } = slow();
    await clock.pass(10);
    showing.abort('lost');
    await clock.pass(0);
    const call = { tenant: 'T', room: 'r', family: 'send' };
    const { signal } = new AbortController();
    expect(await budgets.permitSideCall(call, 59_999, signal)).toBeUndefined();
    await clock.pass(60_000);
    expect(await budgets.permitSideCall(call, 0, signal)).toBeDefined();
  });

  it('is awaited at a shutdown, so that its outcome is recorded; no other call follows', async () => {
    const { clock, halt, answer, times, outcomes, log, ended } = slow();
    await clock.pass(10);
    halt.abort('released');
    await clock.pass(10);
    expect(ended()).toBeUndefined();
    answer.resolve(BUSY);
    await clock.pass(10_000);
    expect(ended()).toBe('released');
    expect(outcomes).toEqual([BUSY]);
    expect(log.at(-1)).toBe('record "" open');
    expect(times).toEqual([0]);
  });
});

it('the calls for the reply’s end are reserved from its beginning', () => {
  expect(paceReply({ writer: { ends: { send: 2 } } }).begins).toEqual([
    { reply: 't', tenant: 'T', needs: { send: 2 } },
  ]);
  expect(paceReply({ writer: {} }).begins).toEqual([{ reply: 't', tenant: 'T', needs: {} }]);
});

it('the pacer rejects with the reason of the signal that aborted, even before its start', async () => {
  for (const which of ['showing', 'halt'] as const) {
    const paced = paceReply({ writer: { next: () => [aMove('send')], perform: async () => RATE } });
    await paced.clock.pass(0);
    paced[which].abort(which);
    await paced.clock.pass(0);
    expect(paced.ended()).toBe(which);
    expect(paced.clock.waiting).toBe(0);
  }
});
