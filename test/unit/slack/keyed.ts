import type { Keyed } from '../../../src/kit.ts';

/** State in memory, where times to live do not matter. */
export function memoryKeyed(values = new Map<string, unknown>()): Keyed {
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => void values.set(key, value),
    delete: async (key) => void values.delete(key),
  };
}
