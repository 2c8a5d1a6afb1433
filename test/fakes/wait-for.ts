import { vi } from 'vitest';

/** Repeats the work until it succeeds. The long limit delays only failures, and a busy machine needs it. */
export const waitFor = <Value>(work: () => Value | Promise<Value>): Promise<Value> =>
  vi.waitFor(work, { timeout: 60_000 });
