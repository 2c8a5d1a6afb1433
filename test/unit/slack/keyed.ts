import type { Keyed } from '../../../src/kit.ts';

/** State in memory, which ignores times to live. */
export function memoryKeyed(values = new Map<string, unknown>()): Keyed {
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    async change(key, next) {
      const after = next(values.get(key));
      if (after !== undefined) values.set(key, after);
      return after !== undefined;
    },
    delete: async (key) => void values.delete(key),
  };
}
