/** A question that was edited is asked anew in the reply of its earlier words. */

import type { Clock } from '../clock.ts';
import { remaining } from '../pacing/bound.ts';
import type { Turn } from '../turn.ts';

/** How long a person may go on editing before the question is asked again (experience page, E5). */
const DEBOUNCE_MS = 3_000;

/** Whether the turn asks a newer revision, in a reply that people have seen. */
export function asksAnew({ origin, reply }: Turn): boolean {
  return origin.kind === 'message' && reply !== undefined;
}

/** Resolves when nobody is likely to edit the question once more. The reply says meanwhile that it is asked anew. */
export async function letEdit(turn: Turn, clock: Clock, signal: AbortSignal): Promise<void> {
  if (asksAnew(turn)) await clock.wait(remaining(turn.keptAt, DEBOUNCE_MS, clock.now()), signal);
}
