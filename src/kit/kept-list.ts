import type { Keyed, Owner } from '../core/stores/keyed.ts';
import { words } from './json.ts';

/** A stored list of ids. Several processes that share the store may change it at the same time. */
export interface KeptList {
  all(): Promise<readonly string[]>;
  add(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** @param owner whom the whole list is about; `several` if its ids are about different places */
export function createKeptList(state: Keyed, key: string, ttlMs: number, owner: Owner): KeptList {
  const change = async (next: (ids: readonly string[]) => readonly string[] | undefined) => {
    await state.change(key, (ids) => next(words(ids)), ttlMs, owner);
  };
  return {
    all: async () => words(await state.get(key)),
    add: (id) => change((ids) => (ids.includes(id) ? undefined : [...ids, id])),
    remove: (id) => change((ids) => (ids.includes(id) ? ids.filter((each) => each !== id) : undefined)),
  };
}
