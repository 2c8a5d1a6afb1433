/** Translates Teams' responses to calls into outcomes. */

import { REFUSED } from '../../../src/kit/ladder.ts';
import { defined, type Outcome } from '../../../src/kit.ts';
import type { Sent } from '../api/connector.ts';
import { CONVERSATION_GONE, isClosed } from '../api/errors.ts';
import type { Performing } from './deps.ts';
import type { Call, SideCall } from './screen.ts';

/** Value of `detail` in a refusal that concerns only one message; the conversation still exists. */
export const MESSAGE = 'message';

/** Pause after a 429 without Retry-After, in milliseconds. */
const RATE_PAUSE_MS = 2_000;
/**
 * Maximum random delay of a repeated call, in milliseconds, so that calls do not repeat all at once ("back-off with a
 * random jitter": Microsoft's page on rate limits).
 */
const JITTER_MS = 500;

/**
 * Returns the outcome of a call, with a random delay before the call may be repeated.
 * @param random returns a number from 0 to 1
 */
export function outcomeOf(sent: Sent, random: () => number): Outcome {
  if (sent.kind === 'done') return sent;
  const jitterMs = Math.floor(random() * JITTER_MS);
  if (sent.kind === 'unsent') return { kind: 'refused', why: 'busy', retryAfterMs: jitterMs };
  if (sent.kind === 'unknown') return { kind: 'unknown', retryAfterMs: jitterMs };
  const { meaning, retryAfterMs = RATE_PAUSE_MS } = sent;
  switch (meaning) {
    case 'unknown':
      return { kind: 'unknown', retryAfterMs: jitterMs };
    case 'busy':
    case 'denied':
      return { kind: 'refused', why: 'busy', retryAfterMs: jitterMs };
    case 'rate':
      return { kind: 'refused', why: 'rate', retryAfterMs: retryAfterMs + jitterMs };
    case 'gone':
      return { kind: 'refused', why: 'gone', ...(!isClosed(sent) && { detail: MESSAGE }) };
    default:
      return { kind: 'refused', ...final[meaning] };
  }
}

/** Refusals for which waiting does not help. */
const final = {
  invalid: { why: 'invalid' },
  'not-live': { why: 'not-live' },
  stopped: { why: 'not-live', detail: REFUSED.stopped },
  dropped: { why: 'not-live', detail: REFUSED.dropped },
  'too-big': { why: 'invalid', detail: REFUSED.tooBig },
  streamless: { why: 'invalid', detail: 'streamless' },
} as const;

/** Number of consecutive failed calls after which the pacer gives a reply up (`docs/pacing.md`). */
export const MAX_FAILURES = 8;
/** Number of consecutive refusals after which a call that shows no text is not repeated. */
const MAX_SIDE_FAILURES = 3;
/** Number of consecutive refusals with `ConversationNotFound` after which the conversation counts as closed. */
const MAX_MISSING = 5;
/**
 * Pause that is added before the last two attempts, in milliseconds. With the pacer's own pauses, they are made after
 * about 25 s and 50 s.
 */
const LATE_PAUSE_MS = 10_000;

type Judging = Pick<Performing, 'deps' | 'run'>;
type TextKind = Exclude<Call['kind'], SideCall['kind'] | 'find'>;

/**
 * Returns the outcome of a call that shows the text. A call that Teams refuses without a documented reason is repeated.
 * Before the pacer gives up, the text is shown in another way: by edits in place of a stream, or in a new message in place
 * of the one that accepts no more calls.
 */
export function textOutcome({ kind }: { readonly kind: TextKind }, sent: Sent, at: Judging): Outcome {
  const { deps, run } = at;
  const outcome = counted(outcomeOf(sent, deps.random), at);
  run.missing = sent.kind === 'refused' && sent.code === CONVERSATION_GONE ? run.missing + 1 : 0;
  if (run.missing >= MAX_MISSING) return { kind: 'refused', why: 'gone' };
  if (sent.kind !== 'refused' || outcome.kind !== 'refused' || outcome.why !== 'busy') return outcome;
  if (run.failures >= MAX_FAILURES - 1 && kind !== 'post') return { kind: 'refused', ...otherWay[kind] };
  const { retryAfterMs = 0 } = outcome;
  return run.failures < MAX_FAILURES - 2
    ? outcome
    : { ...outcome, retryAfterMs: retryAfterMs + LATE_PAUSE_MS };
}

const anew = { why: 'not-live', detail: REFUSED.unwritable } as const;
const otherWay = {
  start: final.invalid,
  delete: final.invalid,
  append: anew,
  stop: anew,
  update: anew,
} as const;

/** Returns the outcome of a call that shows no text. Such an outcome is never `gone`, so it cannot end the reply. */
export function sideOutcome({ kind }: SideCall, sent: Sent, at: Judging): Outcome {
  const outcome = outcomeOf(sent, at.deps.random);
  const isRate = outcome.kind === 'refused' && outcome.why === 'rate';
  // The indicator fades by itself, and the next one follows soon.
  if (kind === 'typing' && !isRate) return { kind: 'done' };
  at.run.sideFailures = outcome.kind === 'done' ? 0 : at.run.sideFailures + 1;
  const isOver = at.run.sideFailures >= MAX_SIDE_FAILURES && !isRate;
  if (outcome.kind === 'refused' && outcome.why === 'gone')
    return counted({ ...final.invalid, kind: 'refused', ...defined({ detail: outcome.detail }) }, at);
  const isUseless = kind === 'uncard' ? outcome.kind !== 'done' : outcome.kind === 'refused';
  return counted(isOver && isUseless ? { kind: 'refused', ...final.invalid } : outcome, at);
}

/** Counts failed calls in a row as the pacer does. */
function counted(outcome: Outcome, { run }: Judging): Outcome {
  if (outcome.kind === 'done') run.failures = 0;
  else if (outcome.kind === 'unknown' || outcome.why !== 'rate') run.failures += 1;
  return outcome;
}
