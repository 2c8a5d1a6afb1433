/** Finds the reply that a message shows. Feedback and reactions contain only the message's id. */

import { z } from 'zod';
import {
  type Background,
  type Begin,
  type Keyed,
  ownerIn,
  plain,
  type ReplyEvents,
} from '../../../src/kit/ladder.ts';
import { turnId } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import { readConversation } from '../ids.ts';

/**
 * Time for which the bridge stores which reply a message shows, in milliseconds: as long as the reply is kept for its
 * buttons.
 */
const KEPT_MS = 24 * 60 * 60_000;

const knownReply = z.object({
  reply: z.object({
    turn: z.string().min(1).transform(turnId),
    question: z.string().min(1),
    room: z.string().min(1),
    key: z.string().min(1),
    kind: z.enum(['direct', 'group', 'room']),
  }),
  /**
   * Where in the answer's text the message begins. Only the offset is checked; that is enough, because no other file
   * writes the value.
   */
  begin: z.custom<Begin>((value) => typeof plain(value).at === 'number'),
});

type KnownReply = z.output<typeof knownReply>;

export interface Replies extends Required<Pick<ReplyEvents, 'messageShown'>> {
  /**
   * Returns the reply that the message shows. Returns undefined if it shows none, if the reply is more than a day old, or
   * if the message is unknown.
   */
  find(place: TeamsPlace, message: string | undefined): Promise<KnownReply | undefined>;
}

const keyOf = (tenant: string, room: string, message: string): string => `reply ${tenant} ${room} ${message}`;

export function createReplies(state: Keyed, background: Background): Replies {
  return {
    // Stored per message and not per turn: when a person views an older version, the same message shows another turn's
    // answer.
    messageShown({ message: { id: question, thread, sender } }, { id, begin, document }) {
      const { tenant, room, key, kind } = thread;
      const known: KnownReply = { reply: { turn: document.turn, question, room, key, kind }, begin };
      background.run('storing the link from a message to its reply', () =>
        state.set(keyOf(tenant, room, id), known, KEPT_MS, {
          ...ownerIn(thread, sender.id),
          turn: document.turn,
        }),
      );
    },
    async find({ tenant, conversation }, message) {
      if (message === undefined) return undefined;
      const { room } = readConversation(conversation);
      return knownReply.safeParse(await state.get(keyOf(tenant, room, message))).data;
    },
  };
}
