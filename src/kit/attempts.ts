import type { Clock } from '../core/clock.ts';
import { createCache } from './cache.ts';

/** Maximum failed and running attempts of one source within a minute, and running attempts of all sources. */
const OF_ONE = 20;
const RUNNING = 50;
const WINDOW_MS = 60_000;
/** Maximum number of sources in memory. */
const SOURCES = 1_000;

/** Ends the attempt. */
export type EndAttempt = (failed: boolean) => void;

/**
 * Limits requests to another server that outsiders can cause with codes they made up, such as codes of a sign-in. Returns
 * a function that begins an attempt of a source, such as an address; it returns undefined if the source must wait.
 */
export function createAttempts(clock: Clock): (source: string) => EndAttempt | undefined {
  const failures = createCache<number>({ clock, max: SOURCES, ttlMs: WINDOW_MS });
  const running: string[] = [];
  return (source) => {
    const own = running.filter((each) => each === source).length;
    const isFull = running.length >= RUNNING || own + (failures.get(source) ?? 0) >= OF_ONE;
    if (isFull) return undefined;
    running.push(source);
    return (failed) => {
      running.splice(running.indexOf(source), 1);
      // The window begins with the first failure.
      if (failed) failures.set(source, (failures.get(source) ?? 0) + 1, { noUpdateTTL: true });
    };
  };
}
