/** Translates Teams' answers into outcomes. */

import { type Outcome, REFUSED } from '../../../src/kit.ts';
import type { Sent } from '../api/connector.ts';
import { isClosed, type Refusal } from '../api/errors.ts';

/** Detail of a refusal: only a message is gone, and not the conversation. */
export const MESSAGE = 'message';

/** Milliseconds to wait after a 429 that does not say how long. */
const RATE_PAUSE_MS = 2_000;
/** Milliseconds by which repeated calls are spread ("back-off with a random jitter": Microsoft's page on rate limits). */
const JITTER_MS = 500;

/** @param random 0 to 1 */
export function outcomeOf(sent: Sent, random: () => number): Outcome {
  switch (sent.kind) {
    case 'done':
      return { kind: 'done', ...(sent.id !== undefined && { id: sent.id }) };
    case 'unknown':
      return unknown(random);
    case 'unsent':
      return busy(random);
    case 'refused':
      return refused(sent, random);
  }
}

const jitter = (random: () => number): number => Math.floor(random() * JITTER_MS);

const unknown = (random: () => number): Outcome => ({ kind: 'unknown', retryAfterMs: jitter(random) });

export const busy = (random: () => number): Outcome => ({
  kind: 'refused',
  why: 'busy',
  retryAfterMs: jitter(random),
});

function refused(refusal: Refusal, random: () => number): Outcome {
  const { meaning, retryAfterMs = RATE_PAUSE_MS } = refusal;
  switch (meaning) {
    case 'gone':
      return { kind: 'refused', why: 'gone', ...(!isClosed(refusal) && { detail: MESSAGE }) };
    case 'invalid':
    case 'not-live':
      return { kind: 'refused', why: meaning };
    case 'stopped':
    case 'dropped':
      return { kind: 'refused', why: 'not-live', detail: REFUSED[meaning] };
    case 'too-big':
      return { kind: 'refused', why: 'invalid', detail: REFUSED.tooBig };
    case 'streamless':
      return { kind: 'refused', why: 'invalid', detail: meaning };
    case 'rate':
      return { kind: 'refused', why: 'rate', retryAfterMs: retryAfterMs + jitter(random) };
    case 'busy':
      return busy(random);
    case 'unknown':
      return unknown(random);
  }
}
