/** Remembers which message shows which reply, because people's reactions, messages and commands refer to messages. */

import { LRUCache } from 'lru-cache';
import {
  type AdapterHost,
  type Background,
  type Message,
  type ThreadRef,
  type Turn,
  type TurnId,
  turnId,
  z,
} from 'parley/kit';
import { type Owner, ownerIn, type ReplyEvents } from 'parley/kit/ladder';
import { CHANNEL } from '../protocol.ts';
import { hiddenId } from './people.ts';

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

const storedQuestion = z.object({
  from: z.string(),
  id: z.string(),
  /** Id of the question's message. */
  message: z.string(),
  /** Id of the person who asked. */
  by: z.string(),
  occupantId: z.string().optional(),
});

/** A question that was asked or refused. */
export type AskedQuestion = Partial<z.output<typeof storedQuestion>> & { readonly message: string };

/** Versions before 2026-11-23 stored only the id of the question's message. */
const anyQuestion = z.union([
  z.string().transform((message): AskedQuestion => ({ message })),
  storedQuestion,
]);

export interface Sent extends Required<Pick<ReplyEvents, 'messageShown'>> {
  /** Notes the id that the room gave to a message of ours. */
  confirmed(thread: ThreadRef, id: string, stanzaId: string | undefined): void;
  stanzaIdOf(thread: ThreadRef, id: string): Promise<string | undefined>;
  /**
   * Stores how an answer must refer to this question, and who asked it. `occupantId`: the author's, if the room has
   * occupant ids. Rejects with `store-unavailable`.
   */
  asked(message: Message, asked: Asked, occupantId: string | undefined): Promise<void>;
  questionOf(message: Message): Promise<Asked | undefined>;
  /** Returns the question to which a room gave the id `stanzaId`. */
  questionBy(room: string, stanzaId: string): Promise<AskedQuestion | undefined>;
  /** Returns a person's question. `person`: the id with which it was asked, or the id from `hiddenId`. */
  questionFrom(room: string, person: string, id: string): Promise<AskedQuestion | undefined>;
  /** Removes a person's questions from memory. */
  forget(person: string): void;
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
  const keep = (key: string, value: unknown, owner: Owner): void =>
    background.run('storing which reply a message shows', () => state.set(key, value, KEPT_MS, owner));
  const read = async (key: string): Promise<ShownReply | undefined> =>
    stored.safeParse(await state.get(key)).data;
  const askedKey = (room: string, person: string, id: string) => keyOf('asked', room, `${person} ${id}`);
  const readQuestion = async (key: string) => anyQuestion.safeParse(await state.get(key)).data;
  const shownOf = ({ message: { id, thread } }: Turn, turn: TurnId) => ({
    ...{ turn, question: id, key: thread.key, kind: thread.kind },
  });
  return {
    confirmed(thread, id, stanzaId) {
      if (stanzaId === undefined) return;
      stanzaIds.set(`${thread.room} ${id}`, stanzaId);
      // In a direct chat, the room is the person.
      const owner = ownerIn(thread, thread.kind === 'direct' ? thread.room : undefined);
      keep(keyOf('id', thread.room, id), stanzaId, owner);
    },
    async stanzaIdOf({ room }, id) {
      const found = stanzaIds.get(`${room} ${id}`) ?? (await state.get(keyOf('id', room, id)));
      return typeof found === 'string' ? found : undefined;
    },
    async asked({ id: message, thread, sender: { id: by } }, asked, occupantId) {
      const { room } = thread;
      questions.set(message, asked);
      const value = { ...asked, message, by, ...(occupantId !== undefined && { occupantId }) };
      const own = message.slice(by.length + 1);
      const hidden = occupantId === undefined ? [] : [hiddenId(room, occupantId)];
      const keys = [
        ...[...new Set([by, ...hidden])].map((person) => askedKey(room, person, own)),
        ...(thread.kind === 'direct' ? [] : [keyOf('question', room, asked.id)]),
      ];
      await Promise.all(keys.map((key) => state.set(key, value, KEPT_MS, ownerIn(thread, by))));
    },
    async questionOf({ id, thread: { room }, sender }) {
      const own = id.slice(sender.id.length + 1);
      const inMemory = questions.get(id);
      return inMemory ?? storedQuestion.safeParse(await state.get(askedKey(room, sender.id, own))).data;
    },
    questionBy: (room, stanzaId) => readQuestion(keyOf('question', room, stanzaId)),
    questionFrom: (room, person, id) => readQuestion(askedKey(room, person, id)),
    forget(person) {
      for (const id of [...questions.keys()]) if (id.startsWith(`${person}/`)) questions.delete(id);
    },
    messageShown(turn, { id, document }) {
      const { thread, sender } = turn.message;
      const owner = { ...ownerIn(thread, sender.id), turn: document.turn };
      const stanzaId = stanzaIds.get(`${thread.room} ${id}`);
      const shown = shownOf(turn, document.turn);
      for (const each of new Set([id, stanzaId ?? id])) keep(keyOf('reply', thread.room, each), shown, owner);
      keep(keyOf('last', thread.room, shown.key), shown, owner);
      keep(keyOf('own', thread.room, sender.id), shown, owner);
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
