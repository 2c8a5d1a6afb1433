/**
 * Moves one reply's screen towards its newest document under the channel's budgets. Latest wins: what is done is
 * computed from the newest document once a permit is given, one call is in flight at a time, and it ends on the last
 * state.
 */

import { BridgeError } from '../../errors.ts';
import type { ReplyWriter } from '../channel/adapter.ts';
import { type Clock, OVER, openWait, type Wait } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Move, Outcome, Screen } from '../screen.ts';
import type { Budgets } from './budgets.ts';
import type { Latest } from './latest.ts';
import type { Permit } from './permit.ts';

/**
 * Consecutive failed calls that end a reply. More than the five failed edits after which a writer posts anew (fault
 * F18).
 */
const MAX_FAILURES = 8;
/** First wait after a call that was not done; doubled each time. */
const BACK_OFF_MS = 250;
/** Wait after a refusal for the rate that did not say how long. */
const RATE_PAUSE_MS = 1_000;
/** Interval between checks of an idle screen with a live stream, in milliseconds, because streams end after a while. */
const LIVE_REVIEW_MS = 5_000;

export interface Pacing {
  readonly reply: TurnId;
  readonly tenant: string;
  readonly room: string;
  /** Unique in the tenant; absent: the room is one thread. */
  readonly thread?: string;
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
 * with `channel-unavailable` when the channel would not take the reply.
 */
export async function pace(document: Latest<ReplyDocument>, from: Screen, pacing: Pacing): Promise<Screen> {
  const { writer, clock } = pacing;
  const between = AbortSignal.any([pacing.signal, pacing.halt]);
  let screen = from;
  let failures = 0;
  let since = clock.now();
  pacing.budgets.begin({ reply: pacing.reply, tenant: pacing.tenant, needs: writer.ends ?? {} });
  for (;;) {
    between.throwIfAborted();
    const wanted = document.get();
    const moves = writer.next(screen, wanted, clock.now());
    if (moves.length === 0) {
      if (document.closed) return screen;
      await news({ document, wanted, screen, clock, signal: between });
      since = clock.now();
      continue;
    }
    const permit = await permitFor({ document, screen, moves, since, pacing, between });
    if (permit === undefined) continue;
    const asked = clock.now();
    const made = await make(permit, document.get(), screen, pacing);
    if (made === undefined) continue;
    screen = made.screen;
    since = asked;
    failures = made.outcome.kind === 'done' ? 0 : failures + Number(!isRate(made.outcome));
    await afterFailure(made, failures, pacing, between);
  }
}

interface Waiting {
  readonly document: Latest<ReplyDocument>;
  readonly wanted: ReplyDocument;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Resolves when the document changes, when what the screen shows fades, or when a live stream may have to be closed.
 */
async function news({ document, wanted, screen, clock, signal }: Waiting): Promise<void> {
  const isLive = screen.parts.some(({ live }) => live);
  const fades = (screen.reviewAt ?? 0) - clock.now();
  const spans = [...(isLive ? [LIVE_REVIEW_MS] : []), ...(fades > 0 ? [fades] : [])];
  const ms = Math.min(...spans);
  if (ms === Number.POSITIVE_INFINITY) return document.change(wanted, signal);
  const wait = openWait(signal);
  const review = clock.wait(ms, wait.signal).catch(() => undefined);
  await Promise.race([document.change(wanted, wait.signal), review]).finally(() => wait.end());
}

interface Asking {
  readonly document: Latest<ReplyDocument>;
  readonly screen: Screen;
  readonly moves: readonly Move[];
  readonly since: number;
  readonly pacing: Pacing;
  readonly between: AbortSignal;
}

function placeOf({ tenant, room, thread }: Pacing) {
  return { tenant, room, ...(thread !== undefined && { thread }) };
}

/** Waits for a permit for one of the moves; `undefined` when the document came to need others meanwhile. */
async function permitFor(asking: Asking): Promise<Permit | undefined> {
  const { document, screen, moves, since, pacing, between } = asking;
  const first = screen.parts.every(({ shown }) => shown === undefined || shown.length === 0);
  const { reply, budgets } = pacing;
  const wait = openWait(between);
  const unwatch = document.watch(() => endIfOutdated(wait, asking));
  try {
    return await budgets.permit({ reply, ...placeOf(pacing), moves, first, since }, wait.signal);
  } catch (thrown) {
    if (thrown === OVER) return undefined;
    throw thrown;
  } finally {
    unwatch();
    wait.end();
  }
}

/** Ends the wait when the newest document needs other moves than those that are waited for. */
function endIfOutdated(wait: Wait, { document, screen, moves, pacing }: Asking): void {
  const { writer, clock } = pacing;
  try {
    if (!sameKinds(moves, writer.next(screen, document.get(), clock.now()))) wait.end();
  } catch (thrown) {
    wait.end(thrown);
  }
}

const sameKinds = (one: readonly Move[], other: readonly Move[]): boolean =>
  one.length === other.length && one.every((move, at) => isSameKind(move, other[at]));

const isSameKind = (one: Move, other: Move | undefined): boolean =>
  one.family === other?.family &&
  one.essential === other.essential &&
  (one.needs === other.needs || JSON.stringify(one.needs) === JSON.stringify(other.needs));

interface Made {
  readonly move: Move;
  readonly outcome: Outcome;
  readonly screen: Screen;
}

/**
 * Makes the move that the permit is for, as the newest document wants it; `undefined` when it wants none of the kind.
 */
async function make(
  permit: Permit,
  document: ReplyDocument,
  screen: Screen,
  pacing: Pacing,
): Promise<Made | undefined> {
  const { writer, clock, signal } = pacing;
  const wanted = writer.next(screen, document, clock.now());
  const move = wanted.find((each) => isSameKind(permit.move, each));
  if (move === undefined) {
    permit.giveBack();
    return undefined;
  }
  try {
    await pacing.record(document, screen);
    signal.throwIfAborted();
  } catch (thrown) {
    permit.giveBack();
    throw thrown;
  }
  const outcome = await attempt(move, pacing).finally(permit.answered);
  const shown = writer.after(screen, move, outcome, clock.now());
  await pacing.record(document, shown);
  return { move, outcome, screen: shown };
}

async function attempt(move: Move, pacing: Pacing): Promise<Outcome> {
  const outcome = await pacing.writer.perform(move, pacing.signal).catch((): Outcome => {
    pacing.signal.throwIfAborted();
    return { kind: 'unknown' };
  });
  pacing.moved(move, outcome);
  return outcome;
}

const isRate = (outcome: Outcome): boolean => outcome.kind === 'refused' && outcome.why === 'rate';

async function afterFailure(
  { move, outcome }: Made,
  failures: number,
  pacing: Pacing,
  between: AbortSignal,
): Promise<void> {
  if (outcome.kind === 'done') return;
  if (failures >= MAX_FAILURES) {
    throw new BridgeError(
      'channel-unavailable',
      `The channel refused ${failures} calls of "${move.family}" in a row.`,
    );
  }
  if (outcome.kind === 'refused' && outcome.why === 'rate') {
    const ms = outcome.retryAfterMs ?? RATE_PAUSE_MS;
    pacing.budgets.close({ ...placeOf(pacing), family: move.family, ms });
    return;
  }
  const { retryAfterMs = 0 } = outcome;
  await pacing.clock.wait(BACK_OFF_MS * 2 ** Math.max(0, failures - 1) + retryAfterMs, between);
}
