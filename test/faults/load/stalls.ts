/** Records when the machine was overloaded, because that time counts toward none of the bounds. */

import type { Span } from '../../fakes/history/kept.ts';

const EVERY_MS = 100;
/** Delay of a timer above which the machine counts as overloaded, in milliseconds. */
const LATE_MS = 150;

/** Adds the times of overload to `spans` until the returned function is called. */
export function watchStalls(spans: Span[]): () => void {
  let due = Date.now() + EVERY_MS;
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - due > LATE_MS) spans.push({ at: due, until: now });
    due = now + EVERY_MS;
  }, EVERY_MS);
  return () => clearInterval(timer);
}
