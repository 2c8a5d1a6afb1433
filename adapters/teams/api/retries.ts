/** Repeats calls that failed temporarily. Used by callers that can wait. */

import type { Clock } from '../../../src/kit.ts';
import type { Got, Sent } from './connector.ts';

/**
 * Maximum pause before a call is repeated, in milliseconds. If Teams demands a longer pause, the call is not repeated.
 */
const MAX_PAUSE_MS = 15_000;
/**
 * Maximum number of reads and of messages. Reads are repeated for at least 15 s, because a question whose asker cannot
 * be looked up is not answered.
 */
const READ_TRIES = 6;
const SEND_TRIES = 3;
/** Pause before the second try, in milliseconds. It doubles with each try. */
const FIRST_PAUSE_MS = 500;

/**
 * Makes a read up to 6 times. Repeats it even after an unknown outcome, because a read changes nothing, and after a
 * refusal without a documented reason. A 404 says that a person or a message is missing.
 */
export const readWithRetries = <Value>(
  read: () => Promise<Got<Value>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Got<Value>> => withRetries(read, clock, signal, { most: READ_TRIES, repeats: mayBeRead });

const mayBeRead = (outcome: Got<unknown>): boolean =>
  outcome.kind === 'unknown' ||
  (outcome.kind === 'refused' && outcome.status !== 404 && /^(?:unknown|denied)$/.test(outcome.meaning));

/** Sends up to 3 times, also after a refusal without a documented reason. Does not repeat after an unknown outcome, because the message could appear twice. */
export const sendWithRetries = (
  send: () => Promise<Sent>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Sent> =>
  withRetries(send, clock, signal, {
    most: SEND_TRIES,
    repeats: (sent) => sent.kind === 'refused' && sent.meaning === 'denied',
  });

interface Rule<Outcome> {
  readonly most: number;
  readonly repeats: (outcome: Outcome) => boolean;
}

async function withRetries<Outcome extends Sent | Got<unknown>>(
  call: () => Promise<Outcome>,
  clock: Clock,
  signal: AbortSignal,
  { most, repeats }: Rule<Outcome>,
): Promise<Outcome> {
  for (let tried = 1; ; tried++) {
    const outcome = await call();
    const pause = repeats(outcome) ? 0 : pauseOf(outcome);
    if (pause === undefined || pause > MAX_PAUSE_MS || tried >= most) return outcome;
    await clock.wait(Math.max(pause, FIRST_PAUSE_MS * 2 ** (tried - 1)), signal);
  }
}

/** Reasons after which repeating cannot help: the address is not one of Microsoft's, or no permit came in time. */
const finalReasons: ReadonlySet<string> = new Set(['foreign-address', 'no-permit']);

/**
 * Returns the pause before the next attempt, in milliseconds: the pause that Teams demands, otherwise 0. Returns
 * undefined if another attempt cannot help.
 */
function pauseOf(outcome: Sent | Got<unknown>): number | undefined {
  if (outcome.kind === 'unsent') return finalReasons.has(outcome.reason) ? undefined : 0;
  if (outcome.kind !== 'refused') return undefined;
  if (outcome.meaning === 'rate') return outcome.retryAfterMs ?? 0;
  return outcome.meaning === 'busy' ? 0 : undefined;
}
