/** Time as the core sees it. All times are milliseconds since the epoch, all spans milliseconds. */
export interface Clock {
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}
