/** A sentence of the bridge's own to the person whose message it is about. */

import type { Refused } from '../../../src/kit/refusals.ts';
import type { ReplyPlace } from '../write/parts.ts';
import type { Posts } from './posts.ts';

export interface NoteParts {
  readonly posts: Pick<Posts, 'send'>;
  readonly places: { find(thread: Refused['thread']): Promise<ReplyPlace | undefined> };
  /** Whether Teams shows messages to one person only. */
  readonly targeted: boolean;
}

export interface Notes {
  /** Resolves when it was sent, or cannot be. */
  tell(about: Pick<Refused, 'thread' | 'sender'>, words: string): Promise<void>;
}

/** Without targeted messages everyone in the thread sees it: there is no other way to answer somebody in Teams. */
export function createNotes({ posts, places, targeted }: NoteParts): Notes {
  return {
    async tell({ thread, sender }, text) {
      const place = await places.find(thread);
      if (place === undefined) return;
      const isPrivate = place.targeted === true || (targeted && thread.kind !== 'direct');
      const activity = {
        ...{ type: 'message', text, textFormat: 'plain' },
        ...(isPrivate && { recipient: { id: sender.account ?? sender.id, name: sender.name } }),
      };
      await posts.send({ ...place, ...(isPrivate && { targeted: true as const }) }, activity);
    },
  };
}
