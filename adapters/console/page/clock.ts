/** The page's access to time: only this file uses the clock, timers and frames. */

/** Returns the time of the person's machine, in milliseconds since the epoch. */
export function now(): number {
  return Date.now();
}

/** Runs once after a delay. The returned function cancels it. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** Runs at an interval. The returned function ends it. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}

/** Delay that replaces a frame in a hidden tab, which gets no frames. */
const HIDDEN_FRAME_MS = 250;

/** Runs before the next paint. */
export function nextFrame(run: () => void): void {
  if (document.hidden) setTimeout(run, HIDDEN_FRAME_MS);
  else requestAnimationFrame(run);
}
