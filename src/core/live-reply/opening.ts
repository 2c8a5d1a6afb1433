/** The start of a claimed turn: a short wait for earlier messages, and the reply's first document. */

import { remaining } from '../bound.ts';
import type { Clock } from '../clock.ts';
import { change, type ReplyDocument } from '../reply.ts';
import type { Claim } from '../stores/inbox.ts';
import type { Turn } from '../turn.ts';
import { words } from '../words.ts';
import { begin, finish, withAgent, withdraw } from './compose.ts';

/** Wait of a claimed turn, in milliseconds, so that a message that was written earlier can still take its place. */
const SETTLING_MS = 100;
/** Number of slices of the wait. A busy process handles the messages that arrived meanwhile between two slices. */
const SLICES = 10;
/** Turns that waited longer for their claim start immediately. In milliseconds. */
const WAITED_MS = 1_000;

/**
 * Resolves once the turn may show something and ask its agent. Channels that deliver events over a network (those with
 * a look-up) may deliver messages of one thread out of order (fault F25). The turn's look-ups run during this wait.
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

/** Returns the document as the turn's earlier attempt left it. */
export function firstDocument({ turn, text, interruption }: Claim): ReplyDocument {
  const blank = begin(turn.id);
  if (interruption?.kind === 'withdrawn' || turn.origin.kind === 'withdraw') return withdraw(blank);
  const said = asksAnew(turn) ? change(blank, { meanwhile: words.askedAnew }) : blank;
  const named = turn.agent === undefined ? said : withAgent(said, turn.agent, turn.account);
  if (turn.phase === 'ending') return finish(change(named, { text }));
  return text === '' ? named : change(named, { text, state: 'writing' });
}

/** Time without a further edit before an edited question is asked again, in milliseconds. */
const DEBOUNCE_MS = 3_000;

/** True if the turn asks a newer revision in a reply that people have seen. */
export function asksAnew({ origin, reply }: Turn): boolean {
  return origin.kind === 'message' && reply !== undefined;
}

/**
 * Resolves once a further edit of the question is unlikely. Meanwhile the reply shows that the question will be asked
 * again.
 */
export async function letEdit(turn: Turn, clock: Clock, signal: AbortSignal): Promise<void> {
  if (asksAnew(turn)) await clock.wait(remaining(turn.keptAt, DEBOUNCE_MS, clock.now()), signal);
}
