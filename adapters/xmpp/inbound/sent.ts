/** Remembers which message shows which reply, because people's reactions, messages and commands refer to messages. */

import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Background } from '../../../src/kit/background.ts';
import {
  type AdapterHost,
  type Message,
  type ReplyEvents,
  type ThreadRef,
  type Turn,
  type TurnId,
  turnId,
} from '../../../src/kit.ts';
import { CHANNEL } from '../protocol.ts';

/** Time for which a message's reply is remembered, in milliseconds: as long as the bridge keeps the reply. */
const KEPT_MS = 24 * 60 * 60_000;
/** Maximum number of messages in memory. */
const IN_MEMORY = 10_000;

const stored = z.object({
  turn: z.string().min(1).transform(turnId),
  question: z.string(),
  key: z.string().min(1),
  kind: z.enum(['direct', 'group', 'room']),
});

export type ShownReply = z.output<typeof stored>;

/** Sender and id of the question that an answer refers to. In a room, `id` is the one that the room assigned. */
interface Asked {
  readonly from: string;
  readonly id: string;
}

export interface Sent extends Required<Pick<ReplyEvents, 'messageShown'>> {
  /** Notes the id that the room gave to a message of ours. */
  confirmed(thread: ThreadRef, id: string, stanzaId: string | undefined): void;
  stanzaIdOf(thread: ThreadRef, id: string): Promise<string | undefined>;
  /** Notes how an answer must refer to this question. */
  asked(message: Message, asked: Asked): void;
  questionOf(message: Message): Asked | undefined;
  /** Returns the id of the question to which a room gave the id `stanzaId`. */
  questionBy(room: string, stanzaId: string): Promise<string | undefined>;
  /** Returns the reply that a message shows. `id`: the message's id, from the room or from the client that sent it. */
  replyBy(room: string, id: string): Promise<ShownReply | undefined>;
  /** Returns the last reply of a thread. */
  lastIn(thread: Pick<ThreadRef, 'room' | 'key'>): Promise<ShownReply | undefined>;
  /** Returns the last reply to a person in a room or direct chat. */
  lastBy(room: string, person: string): Promise<ShownReply | undefined>;
}

interface SentDeps {
  readonly host: Pick<AdapterHost, 'state'>;
  readonly background: Background;
  /** The account's own bare address. */
  readonly tenant: string;
}

export function createSent({ host: { state }, background, tenant }: SentDeps): Sent {
  const stanzaIds = new LRUCache<string, string>({ max: IN_MEMORY });
  const questions = new LRUCache<string, Asked>({ max: IN_MEMORY });
  const keyOf = (what: string, room: string, id: string) => `${what} ${tenant} ${room} ${id}`;
  const keep = (key: string, value: unknown): void =>
    background.run('storing which reply a message shows', () => state.set(key, value, KEPT_MS));
  const read = async (key: string): Promise<ShownReply | undefined> =>
    stored.safeParse(await state.get(key)).data;
  const shownOf = ({ message: { id, thread } }: Turn, turn: TurnId) => ({
    ...{ turn, question: id, key: thread.key, kind: thread.kind },
  });
  return {
    confirmed(thread, id, stanzaId) {
      if (stanzaId === undefined) return;
      stanzaIds.set(`${thread.room} ${id}`, stanzaId);
      keep(keyOf('id', thread.room, id), stanzaId);
    },
    async stanzaIdOf({ room }, id) {
      const found = stanzaIds.get(`${room} ${id}`) ?? (await state.get(keyOf('id', room, id)));
      return typeof found === 'string' ? found : undefined;
    },
    asked(message, asked) {
      const { room, kind } = message.thread;
      questions.set(message.id, asked);
      if (kind !== 'direct') keep(keyOf('question', room, asked.id), message.id);
    },
    questionOf: ({ id }) => questions.get(id),
    async questionBy(room, stanzaId) {
      const found = await state.get(keyOf('question', room, stanzaId));
      return typeof found === 'string' ? found : undefined;
    },
    messageShown(turn, { id, document }) {
      const { thread, sender } = turn.message;
      const { room } = thread;
      const stanzaId = stanzaIds.get(`${room} ${id}`);
      const shown = shownOf(turn, document.turn);
      for (const each of new Set([id, stanzaId ?? id])) keep(keyOf('reply', room, each), shown);
      keep(keyOf('last', room, shown.key), shown);
      keep(keyOf('own', room, sender.id), shown);
    },
    replyBy: (room, id) => read(keyOf('reply', room, id)),
    lastBy: (room, person) => read(keyOf('own', room, person)),
    lastIn: ({ room, key }) => read(keyOf('last', room, key)),
  };
}

/** Returns the thread of a shown reply. */
export const threadOf = (tenant: string, room: string, { key, kind }: ShownReply): ThreadRef => ({
  ...{ channel: CHANNEL, tenant, room, key, kind },
});
