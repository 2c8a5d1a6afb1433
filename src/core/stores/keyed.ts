/** Stores small values by key, such as sessions, choices and receipts. Values are JSON. */
export interface KeyValues {
  get(key: string): Promise<unknown>;
  /** @param ttlMs time until the value expires, in milliseconds */
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
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
  change(key: string, next: (current: unknown) => unknown, ttlMs: number): Promise<boolean>;
}
