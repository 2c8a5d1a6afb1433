/** Finds the reply that a message shows, because feedback and reactions carry only the message's id. */

import type { Begin } from '../../../src/kit/emission.ts';
import { isPlain, plain, text } from '../../../src/kit/json.ts';
import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import { type Keyed, type ReplyEvents, type ThreadRef, type Turn, turnId } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import { readConversation } from '../ids.ts';

/** Equals the time for which a reply is kept for its buttons. */
const KEPT_MS = 24 * 60 * 60_000;

interface KnownReply {
  readonly reply: ReplyRef;
  /** The place in the answer's text at which the message begins. */
  readonly begin: Begin;
}

export interface Replies extends Required<Pick<ReplyEvents, 'messageShown'>> {
  /** Returns undefined if the message shows no answer of the app, or one older than a day. */
  find(place: TeamsPlace, message: string): Promise<KnownReply | undefined>;
}

interface RepliesDeps {
  readonly state: Keyed;
  /** Runs in the background. */
  later(what: string, work: () => Promise<unknown>): void;
}

const keyOf = (tenant: string, room: string, message: string): string => `reply ${tenant} ${room} ${message}`;

export function createReplies({ state, later }: RepliesDeps): Replies {
  const keep = ({ message: { thread } }: Turn, message: string, known: KnownReply): void =>
    later('which reply a message shows', () =>
      state.set(keyOf(thread.tenant, thread.room, message), known, KEPT_MS),
    );
  return {
    // Stored by message: showing an older version puts another turn's document into the same message.
    messageShown: (turn, { id, begin, document }) =>
      keep(turn, id, { reply: { turn: document.turn, ...refOf(turn) }, begin }),
    async find({ tenant, conversation }, message) {
      const { room } = readConversation(conversation);
      return decode(await state.get(keyOf(tenant, room, message)));
    },
  };
}

function refOf({ message: { id, thread } }: Turn): Omit<ReplyRef, 'turn'> {
  const { room, key, kind } = thread;
  return { question: id, room, key, kind };
}

function decode(value: unknown): KnownReply | undefined {
  const { reply, begin } = plain(value);
  if (!isPlain(reply) || !isBegin(begin)) return undefined;
  const { kind } = reply;
  const [turn, question, room, key] = [reply.turn, reply.question, reply.room, reply.key].map(text);
  if (!turn || !question || !room || !key || !isKind(kind)) return undefined;
  return { reply: { turn: turnId(turn), question, room, key, kind }, begin };
}

const isKind = (value: unknown): value is ThreadRef['kind'] =>
  value === 'direct' || value === 'group' || value === 'room';

/** Checks the offset only: this file alone writes the value, so it is complete or absent. */
const isBegin = (value: unknown): value is Begin => isPlain(value) && typeof value.at === 'number';
