/**
 * Calls of Slack's Web API outside replies. Makes a call at most 3 times, and repeats it only if that cannot duplicate
 * anything.
 */

import type { Plain } from '../../../src/kit/ladder.ts';
import { BridgeError, type Clock, type Log } from '../../../src/kit.ts';
import { UNREADABLE } from './errors.ts';
import type { Answer, Sender } from './sender.ts';
import type { Workspace } from './workspace.ts';

export type Calls = ReturnType<typeof createCalls>;
export type Reads = Pick<Calls, 'read'>;
/** Reads with the token of one workspace, until a signal aborts. Rejects if Slack does not answer. */
export type Read = (method: string, args: Plain) => Promise<Plain>;
type Tenant = Pick<Workspace, 'tenant'>;

const TRIES = 3;
/** Pause before a call with an unknown outcome is repeated, in milliseconds. */
const PAUSE_MS = 1_000;
/**
 * Methods that may be repeated after an unknown outcome: they only read, or a second call leaves no lasting duplicate of
 * the first.
 */
const repeatable =
  /^(?:views\.(?:update|publish)|agents\.sessions\.rename|assistant\.threads\.|conversations\.|chat\.postEphemeral|users\.|usergroups\.|files\.info)/;

/**
 * @param sender waits for a permit before each call, as the rate limits require
 * @param ended aborts waiting calls and running calls
 */
export function createCalls(sender: Sender, clock: Clock, log: Log, ended: AbortSignal) {
  /** Makes the call, with repetitions. Never rejects. */
  const call = async ({ tenant }: Tenant, method: string, args: Plain, signal = ended): Promise<Answer> => {
    /** Makes the call and its repetitions. Rejects only when `signal` aborts. */
    const repeated = async (): Promise<Answer> => {
      for (let tried = 1; ; tried++) {
        const answer = await sender.call(tenant, method, args, signal);
        const again =
          answer.kind === 'unknown'
            ? answer.error !== UNREADABLE && repeatable.test(method)
            : answer.kind === 'refused' && answer.retryAfterMs !== undefined;
        if (!again || tried >= TRIES) return answer;
        // After a mistaken refusal of the token, no pause is needed: the check of the token took time.
        if (answer.kind === 'unknown' && answer.error !== 'token_refused') await clock.wait(PAUSE_MS, signal);
      }
    };
    const answer = await repeated().catch((): Answer => ({ kind: 'unknown', error: 'stopped' }));
    if (answer.kind !== 'done') log.info({ method, tenant, error: answer.error }, 'a call to Slack failed');
    return answer;
  };
  return {
    call,
    /**
     * Makes a call that only reads, and resolves with Slack's answer. Rejects with `channel-unavailable`, whose fact
     * `error` contains Slack's error code.
     */
    async read(tenant: Tenant, method: string, args: Plain, signal?: AbortSignal): Promise<Plain> {
      const answer = await call(tenant, method, args, signal);
      signal?.throwIfAborted();
      if (answer.kind === 'done') return answer.body;
      const { error } = answer;
      throw new BridgeError('channel-unavailable', `Slack did not answer ${method}: ${error}`, {
        facts: { method, error },
      });
    },
  };
}
