import type { Log } from '../../src/core/log.ts';

/** A log that discards its entries. */
export const quiet: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
