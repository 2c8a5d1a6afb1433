import type { Keyed } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import { memoryKeyed } from '../slack/keyed.ts';

export const never = (): Promise<never> => new Promise(() => undefined);

/** Processes that share the values. After its `kill`, a process's writes have no effect and never settle. */
export function sharedState(values: Map<string, unknown>, clock: Pick<Clock, 'now'>): () => KillableState {
  const kept = memoryKeyed(values, clock);
  return () => killable(kept);
}

interface KillableState {
  readonly state: Keyed;
  kill(): void;
}

function killable(kept: Keyed): KillableState {
  let alive = true;
  return {
    state: {
      get: kept.get,
      set: (key, value, ttlMs, owner) => (alive ? kept.set(key, value, ttlMs, owner) : never()),
      change: (key, next, ttlMs, owner) => (alive ? kept.change(key, next, ttlMs, owner) : never()),
      delete: (key) => (alive ? kept.delete(key) : never()),
    },
    kill: () => {
      alive = false;
    },
  };
}
