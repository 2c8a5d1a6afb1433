import type { AdapterHost, Clock, Log } from '../../../src/kit.ts';

/** The part of the host that calls to Slack need, without rate limits. */
export const freeHost = (
  clock: Clock,
  log: Log,
): Pick<AdapterHost, 'permit' | 'permitAtOnce' | 'clock' | 'log'> => ({
  permit: async () => ({ answered: () => undefined }),
  permitAtOnce: () => ({ answered: () => undefined }),
  clock,
  log,
});
