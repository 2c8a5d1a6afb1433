/** Reads the store while a turn is prepared. */

import { asBridgeError, BridgeError } from '../../errors.ts';
import type { TurnContext } from './turn-context.ts';

/** Pause before the store is read again, in milliseconds. */
const AGAIN_MS = 1_000;
/**
 * Number of reads after which a question is given up: a minute, or less than four minutes if PostgreSQL does not answer
 * within its time limit. A count, because the machine's clock may jump.
 */
const READS = 60;

/**
 * Resolves with the result of `read`. While the store cannot be reached, repeats `read`, because the question is stored
 * already, and the person need not send it again. Throws `turn-gave-up` after `READS` reads, and the abort reason if the
 * turn was interrupted.
 */
export async function fromStore<Value>(
  { deps: { clock }, liveReply, scope }: Pick<TurnContext, 'deps' | 'liveReply' | 'scope'>,
  read: () => Promise<Value>,
): Promise<Value> {
  for (let reads = 1; ; reads += 1) {
    try {
      return await read();
    } catch (thrown) {
      const { code, message } = asBridgeError(thrown);
      if (code !== 'store-unavailable') throw thrown;
      liveReply.emit('trouble', { code, what: 'prepare' });
      if (reads >= READS)
        throw new BridgeError('turn-gave-up', `The turn was not prepared: ${message}`, { cause: thrown });
      await clock.wait(AGAIN_MS, scope.asking);
    }
  }
}
