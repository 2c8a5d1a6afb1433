/**
 * Moves one reply's screen towards its newest document under the channel's budgets. Latest wins: what waits for
 * leave is recomputed from the newest document, one call is in flight at a time, and it ends on the last state.
 */

import { BridgeError } from '../errors.ts';
import type { ReplyWriter } from './channel.ts';
import type { Clock } from './clock.ts';
import type { TurnId } from './ids.ts';
import type { Latest } from './latest.ts';
import type { ReplyDocument } from './reply.ts';
import type { Move, Outcome, Screen } from './screen.ts';
import type { Budgets } from './stores.ts';

/** Calls in a row that were not done before a reply is given up (fault F18: five tries, then posted anew). */
const MAX_FAILURES = 8;
/** First wait after a call that was not done; doubled each time. */
const BACK_OFF_MS = 250;

export interface Pacing {
  readonly reply: TurnId;
  readonly tenant: string;
  readonly writer: ReplyWriter;
  readonly budgets: Budgets;
  readonly clock: Clock;
  /** Aborts when we may no longer write. */
  readonly signal: AbortSignal;
  /** Aborts when no further call is to be made; the one in flight ends, so that its outcome is known. */
  readonly halt: AbortSignal;
  /** Puts on disk what is about to be shown. */
  record(document: ReplyDocument, screen: Screen): Promise<void>;
  /** Sees each call's outcome. */
  moved(move: Move, outcome: Outcome): void;
}

/**
 * Resolves with the last screen when the document is closed and wholly shown. Rejects with a signal's reason,
 * with `channel-unavailable` when the channel would not take the reply, or `gone` as the reason of the refusal.
 */
export async function pace(document: Latest<ReplyDocument>, from: Screen, pacing: Pacing): Promise<Screen> {
  let screen = from;
  let failures = 0;
  const between = AbortSignal.any([pacing.signal, pacing.halt]);
  for (;;) {
    between.throwIfAborted();
    const wanted = document.get();
    const move = pacing.writer.next(screen, wanted, pacing.clock.now());
    if (move === undefined) {
      if (document.closed && document.get() === wanted) return screen;
      await document.change(wanted, between);
      continue;
    }
    if (await waitForLeave(move, pacing, between)) continue;
    await pacing.record(wanted, screen);
    pacing.signal.throwIfAborted();
    const outcome = await attempt(move, pacing);
    screen = pacing.writer.after(screen, move, outcome, pacing.clock.now());
    await pacing.record(wanted, screen);
    failures = outcome.kind === 'done' ? 0 : failures + 1;
    await afterFailure(outcome, failures, { move, pacing, between });
  }
}

/** True when time has passed, so that the move must be computed anew. */
async function waitForLeave(move: Move, pacing: Pacing, signal: AbortSignal): Promise<boolean> {
  const { reply, tenant } = pacing;
  const leave = pacing.budgets.take({ reply, tenant, family: move.family, essential: move.essential });
  if (leave.ok) return false;
  await pacing.clock.wait(leave.waitMs, signal);
  return true;
}

async function attempt(move: Move, pacing: Pacing): Promise<Outcome> {
  const outcome = await pacing.writer.perform(move, pacing.signal).catch((): Outcome => {
    pacing.signal.throwIfAborted();
    return { kind: 'unknown' };
  });
  pacing.moved(move, outcome);
  return outcome;
}

async function afterFailure(
  outcome: Outcome,
  failures: number,
  at: { move: Move; pacing: Pacing; between: AbortSignal },
): Promise<void> {
  if (outcome.kind === 'done') return;
  const { move, pacing, between } = at;
  if (failures >= MAX_FAILURES) {
    throw new BridgeError(
      'channel-unavailable',
      `The channel refused ${failures} calls of "${move.family}" in a row.`,
    );
  }
  if (outcome.kind === 'refused' && outcome.why === 'rate') {
    const ms = outcome.retryAfterMs ?? BACK_OFF_MS;
    pacing.budgets.close({ tenant: pacing.tenant, family: move.family, ms });
    return;
  }
  await pacing.clock.wait(BACK_OFF_MS * 2 ** (failures - 1), between);
}
