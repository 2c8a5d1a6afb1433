import type { AdapterHost, Clock, Log } from '../../../src/kit.ts';

/** What calls of Slack need of the bridge, where nothing limits them. */
export const freeHost = (
  clock: Clock,
  log: Log,
): Pick<AdapterHost, 'permit' | 'permitAtOnce' | 'clock' | 'log'> => ({
  permit: async () => ({ answered: () => undefined }),
  permitAtOnce: () => ({ answered: () => undefined }),
  clock,
  log,
});
