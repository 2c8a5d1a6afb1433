import type { AdapterHost, Clock, Log } from '../../../src/kit.ts';

/** The parts of the host that are needed to call Slack, without rate limits. */
export const freeHost = (
  clock: Clock,
  log: Log,
): Pick<AdapterHost, 'permit' | 'permitAtOnce' | 'clock' | 'log'> => ({
  permit: async () => ({ answered: () => undefined }),
  permitAtOnce: () => ({ answered: () => undefined }),
  clock,
  log,
});
