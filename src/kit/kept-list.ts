import type { Keyed } from '../core/stores/keyed.ts';
import { words } from './json.ts';

/** A stored list of ids. Changes run one after another, so that no change is lost. */
export interface KeptList {
  all(): Promise<readonly string[]>;
  add(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

export function createKeptList(state: Keyed, key: string, ttlMs: number): KeptList {
  let last: Promise<unknown> = Promise.resolve();
  const all = async (): Promise<readonly string[]> => words(await state.get(key));
  const change = (next: (ids: readonly string[]) => readonly string[]): Promise<void> => {
    const changed = last.then(async () => {
      const before = await all();
      const after = next(before);
      if (after.length !== before.length) await state.set(key, after, ttlMs);
    });
    last = changed.catch(() => undefined);
    return changed;
  };
  return {
    all,
    add: (id) => change((ids) => (ids.includes(id) ? ids : [...ids, id])),
    remove: (id) => change((ids) => ids.filter((each) => each !== id)),
  };
}

/** Returns a save function that runs one write at a time: calls during a write share the next write. */
export function createSharedSave(write: () => Promise<void>): () => Promise<void> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= last.then(() => {
      next = undefined;
      return write();
    });
    last = next.catch(() => undefined);
    return next;
  };
}
