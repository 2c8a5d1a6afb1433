/**
 * Small state by key: sessions, choices, receipts. Values are JSON. Must not be used for deduplication, leases or
 * counters.
 */
export interface Keyed {
  get(key: string): Promise<unknown>;
  /** @param ttlMs time until the value expires, in milliseconds */
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
}
