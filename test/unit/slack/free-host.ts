import type { AdapterHost, Clock, Log } from '../../../src/kit.ts';

/** What calls of Slack need of the bridge, where nothing limits them. */
export const freeHost = (
  clock: Clock,
  log: Log,
): Pick<AdapterHost, 'leave' | 'leaveAtOnce' | 'clock' | 'log'> => ({
  leave: async () => ({ answered: () => undefined }),
  leaveAtOnce: () => ({ answered: () => undefined }),
  clock,
  log,
});
