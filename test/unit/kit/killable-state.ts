import type { Keyed } from '../../../src/core/stores/keyed.ts';
import { memoryKeyed } from '../slack/keyed.ts';

export const never = (): Promise<never> => new Promise(() => undefined);

/** The stored state as one process sees it. After `kill`, its writes have no effect and never settle. */
export function killableState(values: Map<string, unknown>): { readonly state: Keyed; kill(): void } {
  const kept = memoryKeyed(values);
  let alive = true;
  return {
    state: {
      get: kept.get,
      set: (key, value, ttlMs) => (alive ? kept.set(key, value, ttlMs) : never()),
      change: (key, next, ttlMs) => (alive ? kept.change(key, next, ttlMs) : never()),
      delete: (key) => (alive ? kept.delete(key) : never()),
    },
    kill: () => {
      alive = false;
    },
  };
}
