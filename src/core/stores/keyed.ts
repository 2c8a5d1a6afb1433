/** Small state by key: sessions, choices, receipts. Values are JSON. Never for deduplication, leases or counters. */
export interface Keyed {
  get(key: string): Promise<unknown>;
  /** `ttlMs`: how long it is kept. */
  set(key: string, value: unknown, ttlMs: number): Promise<void>;
  delete(key: string): Promise<void>;
}
