/** Calls that are no moves of a reply: each takes a permit from the budgets, so that replies keep what they hold. */

import { type Plain, text } from '../../../src/kit/json.ts';
import type { AdapterHost, SidePermit } from '../../../src/kit.ts';
import type { Answer, Sender } from './sender.ts';

/** Longer than this nobody remembers what they pressed. */
const LONGEST_WAIT_MS = 15_000;
/** An hourglass that comes late comes on a question that is answered. */
const REACTION_WAIT_MS = 1_000;
/** A form opens within 3 s of the press: https://docs.slack.dev/interactivity/handling-user-interaction */
const AT_ONCE = new Set(['views.open', 'views.push']);
/** As if Slack had refused it, without a word on when to try again. */
const NO_LEAVE: Answer = { kind: 'refused', why: 'rate', error: 'ratelimited' };

type Allowing = Pick<AdapterHost, 'permit' | 'permitAtOnce'>;

/** The sender for everything but replies, whose permit is taken with their moves. */
export function besideReplies(sender: Sender, host: Allowing): Sender {
  return {
    async call(tenant, method, args, signal) {
      const permit = await permitFor({ tenant, method, args }, host, signal);
      if (permit === undefined) return NO_LEAVE;
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

export interface Wanted {
  readonly tenant: string;
  readonly method: string;
  readonly args: Plain;
}

/** Resolves with undefined if the wait would be too long. Rejects with the signal's reason. */
export async function permitFor(
  { tenant, method, args }: Wanted,
  host: Allowing,
  signal: AbortSignal,
): Promise<SidePermit | undefined> {
  const call = { tenant, room: text(args.channel) ?? '', family: method };
  if (AT_ONCE.has(method)) return host.permitAtOnce(call);
  return host.permit(call, method === 'reactions.add' ? REACTION_WAIT_MS : LONGEST_WAIT_MS, signal);
}
