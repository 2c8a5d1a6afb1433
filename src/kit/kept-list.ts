import type { Keyed } from '../core/stores/keyed.ts';
import { words } from './json.ts';

/** A stored list of ids. Several processes that share the store may change it at the same time. */
export interface KeptList {
  all(): Promise<readonly string[]>;
  add(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export function createKeptList(state: Keyed, key: string, ttlMs: number): KeptList {
  return {
    all: async () => words(await state.get(key)),
    async add(id) {
      await state.change(key, (ids) => (words(ids).includes(id) ? undefined : [...words(ids), id]), ttlMs);
    },
    async remove(id) {
      const without = (ids: readonly string[]) => ids.filter((each) => each !== id);
      await state.change(key, (ids) => (words(ids).includes(id) ? without(words(ids)) : undefined), ttlMs);
    },
  };
}
