import type { Keyed } from '../../../src/kit/ladder.ts';
import type { Clock } from '../../../src/kit.ts';
import { withOwners } from '../../fakes/owners.ts';

/** State in memory, which checks the owners of its values. Values expire only if a clock is given. */
export function memoryKeyed(values = new Map<string, unknown>(), clock?: Pick<Clock, 'now'>): Keyed {
  const ends = new Map<string, number>();
  const get = (key: string): unknown => {
    if (clock !== undefined && clock.now() >= (ends.get(key) ?? Number.POSITIVE_INFINITY)) values.delete(key);
    return values.get(key);
  };
  const set = (key: string, value: unknown, ttlMs: number) => {
    values.set(key, value);
    if (clock !== undefined) ends.set(key, clock.now() + ttlMs);
  };
  return withOwners({
    get: async (key) => get(key),
    set: async (key, value, ttlMs) => set(key, value, ttlMs),
    async change(key, next, ttlMs) {
      const after = next(get(key));
      if (after !== undefined) set(key, after, ttlMs);
      return after !== undefined;
    },
    delete: async (key) => void values.delete(key),
  });
}
