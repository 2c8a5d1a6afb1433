/** Remembers which message shows which reply, because people's reactions, messages and commands refer to messages. */

import { LRUCache } from 'lru-cache';
import { type AdapterHost, defined, type Message, type ThreadRef, type Turn, turnId, z } from 'parley/kit';
import { type Background, type Owner, ownerIn, type ReplyEvents } from 'parley/kit/ladder';
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
export type AskedQuestion = z.output<typeof storedQuestion>;

/** Sender and id of the message to which an answer refers. In a room, `id` is the one that the room assigned. */
type QuestionReference = Pick<AskedQuestion, 'from' | 'id'>;

export type Sent = ReturnType<typeof createSent>;

/** @param tenant the account's own bare address */
export function createSent(state: AdapterHost['state'], background: Background, tenant: string) {
  const stanzaIds = new LRUCache<string, string>({ max: IN_MEMORY });
  /** Questions by the ids of their messages. An answer may be posted before the question is stored. */
  const questions = new LRUCache<string, QuestionReference>({ max: IN_MEMORY });
  const keyOf = (what: string, room: string, id: string) => `${what} ${tenant} ${room} ${id}`;
  const keep = (key: string, value: unknown, owner: Owner): void =>
    background.run('storing which reply a message shows', () => state.set(key, value, KEPT_MS, owner));
  const read = async (what: string, room: string, id: string): Promise<ShownReply | undefined> =>
    stored.safeParse(await state.get(keyOf(what, room, id))).data;
  const readQuestion = async (key: string) => storedQuestion.safeParse(await state.get(key)).data;
  const askedKey = (room: string, person: string, id: string) => keyOf('asked', room, `${person} ${id}`);
  return {
    /** Notes the id that the room gave to a message of ours. */
    confirmed(thread: ThreadRef, id: string, stanzaId: string | undefined) {
      if (stanzaId === undefined) return;
      stanzaIds.set(`${thread.room} ${id}`, stanzaId);
      // In a direct chat, the room is the person.
      const owner = ownerIn(thread, thread.kind === 'direct' ? thread.room : undefined);
      keep(keyOf('id', thread.room, id), stanzaId, owner);
    },
    async stanzaIdOf({ room }: ThreadRef, id: string): Promise<string | undefined> {
      const found = stanzaIds.get(`${room} ${id}`) ?? (await state.get(keyOf('id', room, id)));
      return typeof found === 'string' ? found : undefined;
    },
    /**
     * Stores how an answer must refer to this question, and who asked it. `occupantId`: the author's, if the room has
     * occupant ids. Rejects with `store-unavailable`.
     */
    async asked(
      { id, thread, sender }: Message,
      reference: QuestionReference,
      occupantId: string | undefined,
    ) {
      const { room, kind } = thread;
      const by = sender.id;
      questions.set(id, reference);
      const value = { ...reference, message: id, by, ...defined({ occupantId }) };
      const own = id.slice(by.length + 1);
      const people = new Set([by, occupantId === undefined ? by : hiddenId(room, occupantId)]);
      const keys = [...people].map((person) => askedKey(room, person, own));
      if (kind !== 'direct') keys.push(keyOf('question', room, reference.id));
      await Promise.all(keys.map((key) => state.set(key, value, KEPT_MS, ownerIn(thread, by))));
    },
    async questionOf({ id, thread: { room }, sender }: Message): Promise<QuestionReference | undefined> {
      const key = askedKey(room, sender.id, id.slice(sender.id.length + 1));
      return questions.get(id) ?? readQuestion(key);
    },
    /** Removes a person's questions from memory. */
    forget(person: string) {
      for (const id of [...questions.keys()]) if (id.startsWith(`${person}/`)) questions.delete(id);
    },
    /** Returns the question to which a room gave the id `stanzaId`. */
    questionBy: (room: string, stanzaId: string) => readQuestion(keyOf('question', room, stanzaId)),
    /** Returns a person's question. `person`: the id with which it was asked, or the id from `hiddenId`. */
    questionFrom: (room: string, person: string, id: string) => readQuestion(askedKey(room, person, id)),
    messageShown({ message }: Turn, { id, document: { turn } }: ShownMessage) {
      const { thread, sender } = message;
      const { room, key, kind } = thread;
      const reply = { turn, question: message.id, key, kind };
      const keys = new Set(
        [id, stanzaIds.get(`${room} ${id}`) ?? id].map((each) => keyOf('reply', room, each)),
      );
      for (const each of [...keys, keyOf('last', room, key), keyOf('own', room, sender.id)])
        keep(each, reply, { ...ownerIn(thread, sender.id), turn });
    },
    /** Returns the reply that a message shows. `id`: the message's id, from the room or from the client that sent it. */
    replyBy: (room: string, id: string) => read('reply', room, id),
    /** Returns the last reply to a person in a room or direct chat. */
    lastBy: (room: string, person: string) => read('own', room, person),
    /** Returns the last reply of a thread. */
    lastIn: ({ room, key }: Pick<ThreadRef, 'room' | 'key'>) => read('last', room, key),
  };
}

type ShownMessage = Parameters<NonNullable<ReplyEvents['messageShown']>>[1];

/** Returns the thread of a shown reply. */
export const threadOf = (tenant: string, room: string, { key, kind }: ShownReply): ThreadRef => ({
  channel: CHANNEL,
  tenant,
  room,
  key,
  kind,
});
