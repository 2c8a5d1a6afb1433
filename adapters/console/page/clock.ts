/** The page's only door to time: everything that waits or tells the hour passes here. */

/** Milliseconds since 1970, as the person's machine tells it. */
export function now(): number {
  return Date.now();
}

/** Runs once after a wait; the returned function calls it off. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** Runs again and again; the returned function ends it. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}

/** A hidden tab gets no frames; it catches up this often instead. */
const HIDDEN_FRAME_MS = 250;

/** Runs before the next paint. */
export function nextFrame(run: () => void): void {
  if (document.hidden) setTimeout(run, HIDDEN_FRAME_MS);
  else requestAnimationFrame(run);
}
