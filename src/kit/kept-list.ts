import type { Keyed, Owner } from '../core/stores/keyed.ts';
import { words } from './json.ts';

/** A stored list of ids. Several processes that share the store may change it at the same time. */
export type KeptList = ReturnType<typeof createKeptList>;

/** @param owner whom the whole list is about; `several` if its ids are about different places */
export function createKeptList(state: Keyed, key: string, ttlMs: number, owner: Owner) {
  const change = async (next: (ids: readonly string[]) => readonly string[] | undefined) => {
    await state.change(key, (ids) => next(words(ids)), ttlMs, owner);
  };
  return {
    all: async () => words(await state.get(key)),
    add: (id: string) => change((ids) => (ids.includes(id) ? undefined : [...ids, id])),
    remove: (id: string) =>
      change((ids) => (ids.includes(id) ? ids.filter((each) => each !== id) : undefined)),
  };
}
