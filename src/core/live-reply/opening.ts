/** The start of a claimed turn: waits briefly for earlier messages, and creates the reply's first document. */

import { remaining } from '../bound.ts';
import type { Clock } from '../clock.ts';
import { change, type ReplyDocument } from '../reply.ts';
import type { Claim } from '../stores/inbox.ts';
import type { Turn } from '../turn.ts';
import { words } from '../words.ts';
import { begin, finish, keep, withAgent, withdraw } from './compose.ts';
import { endOf, interrupted, unreadable } from './ending.ts';

/**
 * Milliseconds that a claimed turn waits before it starts, so that a message that was written earlier but delivered
 * later can be queued before the turn.
 */
const SETTLING_MS = 100;
/**
 * Number of parts into which the wait of `SETTLING_MS` is divided. Between two parts, a busy process handles messages
 * that have arrived.
 */
const SLICES = 10;
/** Turns that were stored longer ago than this, in milliseconds, start without the wait of `SETTLING_MS`. */
const WAITED_MS = 1_000;

/**
 * Resolves once the turn may show something and ask its agent, after a short wait for earlier messages. Channels with
 * a look-up deliver events over a network, so messages of one thread may arrive out of order (fault F25). The turn's
 * look-ups run during the wait.
 */
export async function letEarlierArrive(
  { origin, message, keptAt, attempt }: Turn,
  {
    ordered,
    clock,
    signal,
  }: { readonly ordered: boolean; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  if (ordered || origin.kind !== 'message' || message.revision > 0 || attempt > 1) return;
  if (Math.abs(clock.now() - keptAt) > WAITED_MS) return;
  for (let slice = 0; slice < SLICES && !signal.aborted; slice++)
    await clock.wait(SETTLING_MS / SLICES, signal).catch(() => undefined);
}

/** Returns the document with which the reply starts: empty, or as an earlier attempt of the turn left it. */
export function firstDocument({ turn, text, interruption, damaged }: Claim): ReplyDocument {
  const blank = begin(turn.id);
  // Keep the text: the writer may have to end an open stream before it can delete the message, and some channels accept
  // only an end that begins with the text that the stream shows.
  if (interruption?.kind === 'withdrawn' || turn.origin.kind === 'withdraw')
    return { ...withdraw(blank), text };
  const start = asksAnew(turn) ? change(blank, { meanwhile: words.askedAnew }) : blank;
  const named = turn.agent === undefined ? start : withAgent(start, turn.agent, turn.account);
  if (turn.phase === 'ending') return finish(change(named, { text }));
  const before = text === '' ? named : change(named, { text, state: 'writing' });
  // The process that ran this turn before may already have shown the reply's end, so the first document of this
  // process contains the end.
  if (interruption !== undefined || damaged) return endOf(before, interruption?.kind, unreadable());
  if (turn.phase === 'answering') return endOf(before, undefined, interrupted());
  return turn.postponed !== undefined && text === '' ? keep(named) : before;
}

/** An edited question is asked after this many milliseconds without a further edit. */
const DEBOUNCE_MS = 3_000;

/** True if the turn asks a newer revision of a question that already has a reply. */
export function asksAnew({ origin, reply }: Turn): boolean {
  return origin.kind === 'message' && reply !== undefined;
}

/** Waits until the question has not been edited for 3 seconds. */
export async function letEdit(turn: Turn, clock: Clock, signal: AbortSignal): Promise<void> {
  if (asksAnew(turn)) await clock.wait(remaining(turn.keptAt, DEBOUNCE_MS, clock.now()), signal);
}
