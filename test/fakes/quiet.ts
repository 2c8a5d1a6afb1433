import type { Log } from '../../src/core/log.ts';

/** A log that keeps nothing. */
export const quiet: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
