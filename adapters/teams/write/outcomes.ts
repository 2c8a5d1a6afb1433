/** Translates Teams' responses to calls into outcomes. */

import { type Outcome, REFUSED } from '../../../src/kit.ts';
import type { Sent } from '../api/connector.ts';
import { isClosed } from '../api/errors.ts';

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
