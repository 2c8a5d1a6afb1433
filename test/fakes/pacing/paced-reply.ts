/** One reply under the real pacer and real budgets, with a scripted writer; records events with their times. */

import type { FamilyLimit } from '../../../src/core/channel/limits.ts';
import { turnId } from '../../../src/core/ids.ts';
import { begin, finish } from '../../../src/core/live-reply/compose.ts';
import { type Budgets, createBudgets } from '../../../src/core/pacing/budgets.ts';
import { createLatest, type Latest } from '../../../src/core/pacing/latest.ts';
import { type Pacing, pace } from '../../../src/core/pacing/pace.ts';
import type { PermitRequest, Refusal } from '../../../src/core/pacing/permit.ts';
import { change, type ReplyDocument } from '../../../src/core/reply.ts';
import type { Screen } from '../../../src/kit/ladder.ts';
import type { Move, Outcome, ReplyWriter } from '../../../src/kit.ts';
import { createVirtualClock } from '../virtual-clock.ts';

export const BLANK: Screen = { rung: 'once', parts: [], finished: false };

export const aMove = (family: string, over: Partial<Move> = {}): Move => ({
  family,
  essential: false,
  call: undefined,
  ...over,
});

export interface PacedOptions {
  readonly writer: Partial<ReplyWriter>;
  readonly limits?: Readonly<Record<string, FamilyLimit>>;
  readonly from?: Screen;
  readonly thread?: string;
  readonly record?: Pacing['record'];
  /** Returns a replacement for the budgets' `permit`, which it receives as `original`. */
  readonly permit?: (original: Budgets['permit'], document: Latest<ReplyDocument>) => Budgets['permit'];
}

/** Shows one reply. The default writer waits until the document is final, then finishes with one call of "send". */
export function paceReply({ writer, limits = {}, from = BLANK, thread, record, permit }: PacedOptions) {
  const clock = createVirtualClock();
  const begun = clock.now();
  const document = createLatest(begin(turnId('t')));
  const showing = new AbortController();
  const halt = new AbortController();
  const real = createBudgets(limits, clock);
  const requests: (Omit<PermitRequest, 'since'> & { since: number; at: number })[] = [];
  const closed: Refusal[] = [];
  const begins: Parameters<Budgets['begin']>[0][] = [];
  const log: string[] = [];
  const times: number[] = [];
  const outcomes: Outcome[] = [];
  const budgets: Budgets = {
    ...real,
    begin(reply) {
      begins.push(reply);
      real.begin(reply);
    },
    permit(request, signal) {
      requests.push({ ...request, since: request.since - begun, at: clock.now() - begun });
      return (permit?.(real.permit, document) ?? real.permit)(request, signal);
    },
    close(refusal) {
      closed.push(refusal);
      real.close(refusal);
    },
  };
  const complete: ReplyWriter = {
    blank: () => BLANK,
    resume: (screen) => screen,
    next: (screen, { state }) =>
      state === 'done' && !screen.finished ? [aMove('send', { essential: true })] : [],
    after: (screen, _, { kind }) => ({ ...screen, finished: kind === 'done' }),
    perform: async () => ({ kind: 'done' }),
    ...writer,
  };
  const perform: ReplyWriter['perform'] = (move, signal) => {
    times.push(clock.now() - begun);
    log.push(`${move.family} at ${clock.now() - begun}`);
    return complete.perform(move, signal);
  };
  const screen = pace(document, from, {
    reply: turnId('t'),
    place: { tenant: 'T', room: 'r', ...(thread !== undefined && { thread }) },
    ...{ clock, budgets, signal: showing.signal, halt: halt.signal },
    mayWrite: () => true,
    writer: { ...complete, perform },
    async record(now, shown) {
      log.push(`record "${now.text}" ${shown.finished ? 'finished' : 'open'}`);
      await record?.(now, shown);
    },
    moved: (_, outcome) => outcomes.push(outcome),
  });
  let ended: unknown;
  screen.then(
    () => {
      ended = 'shown';
    },
    (thrown: unknown) => {
      ended = thrown;
    },
  );
  return {
    ...{
      clock,
      document,
      showing,
      halt,
      screen,
      budgets: real,
      requests,
      closed,
      begins,
      log,
      times,
      outcomes,
    },
    since: () => clock.now() - begun,
    /** The result: "shown", the error thrown, or undefined while the reply runs. */
    ended: () => ended,
    write: (text: string) => document.set(change(document.get(), { text, state: 'writing' })),
    finish() {
      document.set(finish(document.get()));
      document.close();
    },
  };
}
