import type { ThreadRef } from '../message.ts';

/** The person, place or turn that a stored value is about. */
interface About {
  /** May be absent in the state of a channel. */
  readonly channel?: string;
  readonly tenant: string;
  readonly room?: string;
  readonly thread?: string;
  readonly person?: string;
  readonly turn?: string;
}

/**
 * Whom a stored value is about. Stored beside the value, so that forgetting finds the value whatever its key looks
 * like. `several`: the value is a list, each element of which may name another person. `nobody`: neither the key nor the
 * value names people, places or turns.
 */
export type Owner = About | Required<Pick<About, 'turn'>> | 'several' | 'nobody';

/**
 * Returns the owner of a value about a thread; with a person, of a value about this person in the thread. In a direct
 * thread without a person, the value belongs to everybody who asked in the thread.
 */
export const ownerIn = ({ channel, tenant, room, key }: Omit<ThreadRef, 'kind'>, person?: string) => ({
  channel,
  tenant,
  room,
  thread: key,
  ...(person !== undefined && { person }),
});

/** Stores small values by key, such as sessions, choices and receipts. Values are JSON. */
export interface KeyValues {
  get(key: string): Promise<unknown>;
  /** @param ttlMs time until the value expires, in milliseconds */
  set(key: string, value: unknown, ttlMs: number, owner: Owner): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Small state that several processes may share: a value that depends on the previous one is written with `change`. */
export interface Keyed extends KeyValues {
  /**
   * Replaces the value in one atomic step. `next` gets the current value, or undefined if there is none; if it returns
   * undefined, the value stays as it is. If another process changes the value meanwhile, `next` is called again, so it
   * must be safe to repeat. Resolves to true if the value was replaced.
   * @param ttlMs time until the new value expires, in milliseconds
   */
  change(key: string, next: (current: unknown) => unknown, ttlMs: number, owner: Owner): Promise<boolean>;
}
