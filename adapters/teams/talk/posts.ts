/** Messages of the bridge beside its answers: notes, shares, questions that were pressed. */

import type { AdapterHost } from '../../../src/kit.ts';
import type { Connector, Sent, Where } from '../api/connector.ts';
import { isClosed } from '../api/errors.ts';
import { sendPatiently } from '../api/patience.ts';
import { readConversation } from '../ids.ts';
import type { Places } from '../receive/places.ts';

/** What answers leave of a conversation's calls has come by then, or it is given up. */
const LEAVE_MS = 30_000;

/** Where a message is put. */
export interface PostPlace extends Where {
  readonly tenant: string;
}

export interface PostParts {
  readonly connector: Pick<Connector, 'send' | 'delete'>;
  readonly host: Pick<AdapterHost, 'leave' | 'clock'>;
  readonly places: Pick<Places, 'forget'>;
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

/** Each resolves when it is done, or cannot be; rejects when the adapter stops. */
export interface Posts {
  send(place: PostPlace, activity: object): Promise<Sent>;
  remove(place: PostPlace, id: string): Promise<Sent>;
}

export function createPosts({ connector, host, places, signal }: PostParts): Posts {
  const allowed = async ({ tenant, conversation }: PostPlace, call: () => Promise<Sent>): Promise<Sent> => {
    const { room } = readConversation(conversation);
    const leave = await host.leave({ tenant, room, family: 'activity' }, LEAVE_MS, signal);
    if (leave === undefined) return { kind: 'unsent', reason: 'no-leave' };
    let refusedMs: number | undefined;
    try {
      const sent = await call();
      if (sent.kind === 'refused' && sent.meaning === 'rate') refusedMs = sent.retryAfterMs ?? 0;
      return sent;
    } finally {
      leave.answered(refusedMs);
    }
  };
  const patience = { clock: host.clock, signal };
  const forget = ({ tenant, conversation }: PostPlace): Promise<void> =>
    places.forget(tenant, readConversation(conversation).room).catch(() => undefined);
  return {
    async send(place, activity) {
      const call = () => allowed(place, () => connector.send(whereOf(place), activity, signal));
      const sent = await sendPatiently(call, patience);
      // Where nothing of ours is taken any more nothing is sent again (fault F27).
      if (sent.kind === 'refused' && isClosed(sent)) await forget(place);
      return sent;
    },
    remove: (place, id) =>
      sendPatiently(
        () => allowed(place, () => connector.delete({ ...whereOf(place), id }, signal)),
        patience,
      ),
  };
}

const whereOf = ({ serviceUrl, conversation, targeted }: PostPlace): Where => ({
  serviceUrl,
  conversation,
  ...(targeted && { targeted }),
});
