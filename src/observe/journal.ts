import { LRUCache } from 'lru-cache';
import type { TurnId } from '../core/ids.ts';
import type { KeyValues } from '../core/stores/keyed.ts';
import { createTasks } from '../core/tasks.ts';
import type { CoreEvent } from '../core/turn-events.ts';

/** Maximum number of turns whose events are in memory: the highest value of the setting `limits.turns`. */
const TURNS = 10_000;
/** Maximum number of events per turn. A turn with more keeps its first and its newest events. */
const ENTRIES = 200;
/**
 * If a turn has more than `ENTRIES` events, this many of its first events are kept. They include storing, claiming and
 * asking.
 */
const FIRST = 50;
/** Milliseconds for which a timeline is stored: one day, so that `why` also works for an answer from yesterday. */
const KEPT_MS = 24 * 3600 * 1000;

/**
 * Records the events of each turn, and stores them as the timeline when the turn ends. The events then leave the
 * memory, unless the store failed.
 */
export function createJournal(store: KeyValues, failed: (error: unknown) => void) {
  const turns = new LRUCache<TurnId, CoreEvent[]>({ max: TURNS, memoMethod: () => [] });
  const tasks = createTasks(failed);

  return {
    turnEvents: {
      record(event: CoreEvent) {
        const entries = turns.memo(event.turn);
        if (entries.length >= ENTRIES) entries.splice(FIRST, 1);
        entries.push(event);
        if (event.name !== 'settled') return;
        tasks.start(async () => {
          await store.set(keyOf(event.turn), entries, KEPT_MS, { turn: event.turn });
          turns.delete(event.turn);
        });
      },
      trouble: () => undefined,
    },
    /** Resolves with the events of a turn, oldest first; empty if there are none, or if they are no longer stored. */
    async receipt(turn: TurnId) {
      const known = turns.get(turn) ?? [];
      if (known.some(({ name }) => name === 'settled')) return [...known];
      // If another process ran the turn, only the timeline that it stored is complete.
      const stored = decode(await store.get(keyOf(turn)));
      return stored.length > 0 ? stored : [...known];
    },
    /** Resolves once the timelines of all ended turns are stored. */
    flush: () => tasks.allEnded(),
  };
}

const keyOf = (turn: TurnId): string => `receipt:${turn}`;

/** Reads a stored receipt. Returns an empty list if the value is not a receipt. */
function decode(value: unknown): readonly CoreEvent[] {
  return Array.isArray(value) ? value.filter(isEvent) : [];
}

function isEvent(value: unknown): value is CoreEvent {
  return typeof value === 'object' && value !== null && 'turn' in value && 'at' in value && 'name' in value;
}
