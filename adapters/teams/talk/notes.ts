/** A sentence of the bridge's own to the person whose message it is about. */

import type { Refused } from '../../../src/kit/refusals.ts';
import type { Places } from '../receive/places.ts';
import type { Posts } from './posts.ts';

export interface NoteParts {
  readonly posts: Pick<Posts, 'send'>;
  readonly places: Pick<Places, 'find'>;
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
      const isPrivate = targeted && thread.kind !== 'direct';
      const activity = {
        ...{ type: 'message', text, textFormat: 'plain' },
        ...(isPrivate && { recipient: { id: sender.id, name: sender.name } }),
      };
      await posts.send({ ...place, ...(isPrivate && { targeted: true as const }) }, activity);
    },
  };
}
