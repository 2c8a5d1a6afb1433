import type { Keyed, Owner } from '../core/stores/keyed.ts';
import { list, text } from './json.ts';

/** Lifetime of what an outbox keeps, in milliseconds. */
export const KEPT_MS = 24 * 60 * 60_000;
/** Maximum number of entries. An entry has at most some hundred bytes, and all entries are stored as one value. */
const MAX_ENTRIES = 200;

interface OutboxDeps<Entry> {
  /** Reads a stored entry; undefined if it is not readable. The next change of the list drops such an entry. */
  decode(stored: unknown): Entry | undefined;
  idOf(entry: Entry): string;
  /** Milliseconds from the last change until all entries expire. */
  readonly ttlMs?: number;
  /** Maximum number of entries. */
  readonly max?: number;
  /** Returns false if the list has no room for the entry, although it has fewer entries than the maximum. */
  hasRoom?(entry: Entry, entries: readonly Entry[]): boolean;
  /** Owner of the list, if all entries have the same one. */
  readonly owner?: Owner;
}

/**
 * Creates a stored list of what a process must still do, so that another process does it if this one ends. Several
 * processes that share the store may change the list at the same time. A process that does the work of an entry first
 * claims it, with `once`.
 * @param key the key under which all entries are stored, as one value
 */
export function createOutbox<Entry>(state: Keyed, key: string, deps: OutboxDeps<Entry>) {
  const { decode, idOf, ttlMs = KEPT_MS, max = MAX_ENTRIES, hasRoom = () => true, owner = 'several' } = deps;
  const read = (value: unknown): readonly Entry[] => list(value).flatMap((each) => decode(each) ?? []);
  const change = (next: (entries: readonly Entry[]) => readonly Entry[] | undefined): Promise<boolean> =>
    state.change(key, (value) => next(read(value)), ttlMs, owner);
  return {
    all: async () => read(await state.get(key)),
    /**
     * Stores the entry. If an entry with this id is stored already, replaces it with the result of `merge`, or by default
     * keeps it. Resolves with the entry that is stored now: `entry` itself if it is new; undefined if the list is full.
     */
    async put(entry: Entry, merge = (known: Entry): Entry => known): Promise<Entry | undefined> {
      let stored: Entry | undefined;
      await change((entries) => {
        const known = entries.find((each) => idOf(each) === idOf(entry));
        if (known !== undefined) stored = merge(known);
        else stored = entries.length < max && hasRoom(entry, entries) ? entry : undefined;
        if (stored === undefined || stored === known) return undefined;
        return [...entries.filter((each) => each !== known), stored];
      });
      return stored;
    },
    /** Removes the entry with this id, if `condition` returns true for it. */
    async remove(id: string, condition = (_: Entry): boolean => true): Promise<void> {
      await change((entries) => {
        const others = entries.filter((each) => idOf(each) !== id || !condition(each));
        return others.length < entries.length ? others : undefined;
      });
    },
  };
}

/** Creates a stored list of ids without a maximum. */
export const createKeptList = (state: Keyed, key: string, ttlMs: number, owner: Owner) =>
  createOutbox(state, key, { decode: text, idOf: (id) => id, ttlMs, owner, max: Number.POSITIVE_INFINITY });
