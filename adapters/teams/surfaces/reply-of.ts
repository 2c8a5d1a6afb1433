/** The reply that a press names. It comes back from outside, so that it counts only in its own thread (attack S16). */

import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import type { LinkOf } from '../../../src/kit/sources.ts';
import type { ReplyDocument, ThreadRef } from '../../../src/kit.ts';
import { CHANNEL } from '../ids.ts';
import type { TeamsPlace } from '../receive/activity.ts';
import type { Press, Scene } from './parts.ts';

export function threadAt({ tenant }: TeamsPlace, { room, key, kind }: ReplyRef): ThreadRef {
  return { channel: CHANNEL, tenant, room, key, kind };
}

/** Returns a function that links each source of the reply. */
export function linksOf({ parts }: Scene, { thread }: Press): LinkOf {
  return (source, turn) => parts.host.sourceLink(source, { turn, thread });
}

export function replyOf({ parts }: Scene, { reply, thread }: Press): Promise<ReplyDocument | undefined> {
  return parts.host.reply(reply.turn, thread);
}
