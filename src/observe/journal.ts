import { LRUCache } from 'lru-cache';
import type { TurnId } from '../core/ids.ts';
import type { KeyValues } from '../core/stores/keyed.ts';
import { createTasks } from '../core/tasks.ts';
import type { CoreEvent, TurnEvents } from '../core/turn-events.ts';

/** Maximum turns whose entries are in memory. */
const TURNS = 1_000;
/** Maximum entries of one turn. A longer turn keeps its first and its newest entries. */
const ENTRIES = 200;
/** Number of first entries that a long turn keeps: storing, claiming and asking. */
const FIRST = 50;
/** Lifetime of a receipt, in milliseconds, so that it can be read for a reply of the day before. */
const KEPT_MS = 24 * 3600 * 1000;

export interface Journal {
  readonly turnEvents: TurnEvents;
  /** Events of a turn, oldest first; empty if they are unknown or no longer stored. */
  receipt(turn: TurnId): Promise<readonly CoreEvent[]>;
  /** Resolves once all pending receipts are stored. */
  flush(): Promise<void>;
}

/** Records the events of each reply, and stores them when the turn settles. */
export function createJournal(store: KeyValues, failed: (error: unknown) => void): Journal {
  const turns = new LRUCache<TurnId, CoreEvent[]>({ max: TURNS, memoMethod: () => [] });
  const tasks = createTasks(failed);

  return {
    turnEvents: {
      record(event) {
        const entries = turns.memo(event.turn);
        if (entries.length >= ENTRIES) entries.splice(FIRST, 1);
        entries.push(event);
        if (event.name !== 'settled') return;
        tasks.start(() => store.set(keyOf(event.turn), entries, KEPT_MS));
      },
      trouble: () => undefined,
    },
    async receipt(turn) {
      const known = turns.get(turn);
      return known === undefined ? decode(await store.get(keyOf(turn))) : [...known];
    },
    flush: () => tasks.allEnded(),
  };
}

const keyOf = (turn: TurnId): string => `receipt:${turn}`;

/** Decodes a stored receipt; returns an empty list for any other value. */
function decode(value: unknown): readonly CoreEvent[] {
  return Array.isArray(value) ? value.filter(isEvent) : [];
}

function isEvent(value: unknown): value is CoreEvent {
  return typeof value === 'object' && value !== null && 'turn' in value && 'at' in value && 'name' in value;
}
