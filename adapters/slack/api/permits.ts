/**
 * Permits for calls outside replies. Each such call needs a permit, so that it does not use up calls reserved for
 * replies.
 */

import { text } from '../../../src/kit/ladder.ts';
import type { AdapterHost } from '../../../src/kit.ts';
import type { Answer, Sender } from './sender.ts';

/**
 * Maximum wait for a permit, in milliseconds. Many calls outside replies answer a press, and an effect long after the
 * press would surprise people.
 */
const LONGEST_WAIT_MS = 15_000;
/**
 * Maximum wait for a permit to add an hourglass, in milliseconds, because a later hourglass could mark a question that
 * is already answered.
 */
const REACTION_WAIT_MS = 1_000;
/**
 * Methods that never wait for a permit, because Slack opens a form only within 3 s of the press:
 * https://docs.slack.dev/interactivity/handling-user-interaction
 */
const IMMEDIATE_METHODS = new Set(['views.open', 'views.push']);
/** Returned if no permit came in time: the same result as after Slack's status 429 without Retry-After. */
const NO_PERMIT: Answer = { kind: 'refused', why: 'rate', error: 'ratelimited' };

/**
 * Returns a sender that takes a permit before each call and returns `NO_PERMIT` if none came in time. Replies must not
 * use it, because their moves already have permits.
 */
export function withPermits(sender: Sender, host: Pick<AdapterHost, 'permit' | 'permitAtOnce'>): Sender {
  return {
    async call(tenant, method, args, signal) {
      const call = { tenant, room: text(args.channel) ?? '', family: method };
      const waitMs = method === 'reactions.add' ? REACTION_WAIT_MS : LONGEST_WAIT_MS;
      const permit = IMMEDIATE_METHODS.has(method)
        ? host.permitAtOnce(call)
        : await host.permit(call, waitMs, signal);
      if (permit === undefined) return NO_PERMIT;
      let refusedMs: number | undefined;
      try {
        const answer = await sender.call(tenant, method, args, signal);
        if (answer.kind === 'refused' && answer.why === 'rate') refusedMs = answer.retryAfterMs;
        return answer;
      } finally {
        permit.answered(refusedMs);
      }
    },
  };
}
