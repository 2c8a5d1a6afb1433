/** What people of a run can do with a question that they asked. */

import type { Happening, Planned } from './plan.ts';

export interface Asked {
  readonly id: string;
  /** Repeats the event, or lets the author edit, delete or stop the question. */
  happens(what: Happening): void;
  /** Presses Retry if a message of the reply offers it. Returns true if Retry was pressed. */
  retries(): boolean;
}

export type Ask = (planned: Planned) => Asked;

/** Returns how many rooms are needed to give each room about 15 questions: at least 2, and at most `most`. */
export const roomsFor = (events: number, most: number): number =>
  Math.max(2, Math.min(most, Math.ceil(events / 15)));

/** Returns the item at an index that wraps around. */
export function around<Item>(items: readonly Item[], at: number): Item {
  const item = items[at % items.length];
  if (item === undefined) throw new Error('There is no place.');
  return item;
}

const MEMBER_PLACES = 6;

/**
 * Returns the agent that is asked in a place. In every sixth place, it is the agent that signs in and keeps sessions.
 */
export const agentFor = (places: readonly unknown[], at: number): { readonly agent?: string } =>
  (at % places.length) % MEMBER_PLACES === 0 ? { agent: 'member' } : {};

/** Threads of each room that the next question may continue, the newest last. */
export function createThreads() {
  const threads = new Map<string, string[]>();
  return {
    /** Returns one of the room's three newest threads; undefined if there is none. */
    newest: (room: string, at: number): string | undefined => {
      const known = threads.get(room)?.slice(-3);
      return known?.[at % known.length];
    },
    add: (room: string, thread: string): void =>
      void threads.set(room, [...(threads.get(room) ?? []), thread]),
  };
}
