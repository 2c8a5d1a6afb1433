/** Shows an hourglass on a question that waits for its turn. */

import {
  createWaitingSigns,
  type RemovalResult,
  type SignDeps,
  type WaitingSign,
  type WaitingSigns,
} from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import type { Answer, Sender } from '../api/sender.ts';
import { tsOf } from '../ids.ts';
import { isPrivate } from '../private-places.ts';

const NAME = 'hourglass_flowing_sand';
/** Maximum number of hourglasses removed per workspace and minute (Tier 2 on Slack's page about reactions.remove). */
const PER_MINUTE = 20;

export type Hourglass = WaitingSigns;

type Own = Pick<SignDeps, 'host' | 'background' | 'signal'>;

export function createHourglass(sender: Sender, { host, background, signal }: Own): Promise<Hourglass> {
  /** Adds or removes a reaction. Never rejects: if the adapter stops, returns `unknown`. */
  const react = (method: string, { tenant, room, on }: WaitingSign): Promise<Answer> =>
    sender
      .call(tenant, method, { channel: room, timestamp: on, name: NAME }, signal)
      .catch((): Answer => ({ kind: 'unknown', error: 'stopped' }));
  return createWaitingSigns({
    host,
    background,
    signal,
    key: 'hourglasses',
    perMinute: PER_MINUTE,
    placeOf({ message: { id, thread } }) {
      if (isPrivate(thread)) return undefined;
      return { tenant: thread.tenant, room: thread.room, on: tsOf(id) };
    },
    put: async (sign) => ({ kind: (await react('reactions.add', sign)).kind }),
    take: async (sign) => takenBy(await react('reactions.remove', sign)),
  });
}

/**
 * Translates Slack's response to a removal. Any refusal, except one by the rate limit, means that the hourglass is
 * gone.
 */
function takenBy(answer: Answer): RemovalResult {
  if (answer.kind === 'unknown') return { kind: 'retry' };
  if (answer.kind !== 'refused' || answer.why !== 'rate') return { kind: 'gone' };
  return { kind: 'retry', ...defined({ afterMs: answer.retryAfterMs }) };
}
