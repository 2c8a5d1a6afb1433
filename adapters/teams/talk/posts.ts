/** Messages of the bridge beside its answers: notes, shares, questions that were pressed. */

import type { Clock } from '../../../src/kit.ts';
import type { Connector, Sent, Where, Written } from '../api/connector.ts';
import { sendPatiently } from '../api/patience.ts';
import { createAllowance } from './allowance.ts';

/** Far below what Teams takes of a bot in one thread, so that answers have their room beside. */
const WINDOWS = [
  { calls: 1, ms: 1_000 },
  { calls: 10, ms: 30_000 },
];

export interface PostParts {
  readonly connector: Pick<Connector, 'send' | 'delete'>;
  readonly clock: Clock;
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

/** Each resolves when it is done, or cannot be. */
export interface Posts {
  send(where: Where, activity: object): Promise<Sent>;
  remove(where: Written): Promise<Sent>;
}

export function createPosts({ connector, clock, signal }: PostParts): Posts {
  const allowance = createAllowance(WINDOWS, clock);
  const patience = { clock, signal };
  return {
    async send(where, activity) {
      await allowance(where.conversation, signal);
      return sendPatiently(() => connector.send(where, activity, signal), patience);
    },
    async remove(where) {
      await allowance(where.conversation, signal);
      return sendPatiently(() => connector.delete(where, signal), patience);
    },
  };
}
