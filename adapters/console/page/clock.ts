/** The page's clock, timers and animation frames. No other file of the page uses them. */

/** Returns the time by the person's machine, in milliseconds since the epoch. */
export function now(): number {
  return Date.now();
}

/** Runs `run` once after a delay. Returns a function that cancels it. */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** Runs `run` at an interval. Returns a function that ends it. */
export function every(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  return () => clearInterval(timer);
}

/** Delay used in a hidden tab, in milliseconds, because a hidden tab has no animation frames. */
const HIDDEN_FRAME_MS = 250;

/** Runs `run` before the page is next painted. */
export function nextFrame(run: () => void): void {
  if (document.hidden) setTimeout(run, HIDDEN_FRAME_MS);
  else requestAnimationFrame(run);
}
