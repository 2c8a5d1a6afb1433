/** Which reply a message of ours shows: feedback and reactions come with the message's id alone. */

import type { Begin } from '../../../src/kit/emission.ts';
import { isPlain, plain, text } from '../../../src/kit/json.ts';
import type { ReplyRef } from '../../../src/kit/reply-ref.ts';
import { type Keyed, type ReplyWriter, type ThreadRef, type Turn, turnId } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import { readConversation } from '../ids.ts';
import { type Call, callOf } from '../write/calls.ts';

/** As long as the reply itself is kept for its buttons. */
const KEPT_MS = 24 * 60 * 60_000;

export interface KnownReply {
  readonly reply: ReplyRef;
  /** Where in the answer's text the message begins. */
  readonly begin: Begin;
}

export interface Replies {
  /** The writer, and which messages it writes is known from then on. */
  watch(turn: Turn, writer: ReplyWriter): ReplyWriter;
  /** Nothing for what is no answer of ours, or an old one. */
  find(place: TeamsPlace, message: string): Promise<KnownReply | undefined>;
}

export interface RepliesDeps {
  readonly state: Keyed;
  /** Nobody waits for it. */
  later(what: string, work: () => Promise<unknown>): void;
}

const keyOf = (tenant: string, room: string, message: string): string => `reply ${tenant} ${room} ${message}`;

export function createReplies({ state, later }: RepliesDeps): Replies {
  const keep = ({ message: { thread } }: Turn, message: string, known: KnownReply): void =>
    later('which reply a message shows', () =>
      state.set(keyOf(thread.tenant, thread.room, message), known, KEPT_MS),
    );
  return {
    watch(turn, writer) {
      // By message: a version that is shown again is another turn's.
      const kept = new Map<string, string>();
      return {
        ...(writer.ends !== undefined && { ends: writer.ends }),
        blank: () => writer.blank(),
        next: (screen, document, now) => writer.next(screen, document, now),
        after: (screen, move, outcome, now) => writer.after(screen, move, outcome, now),
        resume: (screen) => writer.resume(screen),
        async perform(move, signal) {
          const outcome = await writer.perform(move, signal);
          const call = callOf(move);
          if (outcome.kind !== 'done' || showsNothing(call)) return outcome;
          const message = messageOf(call) ?? outcome.id;
          const { turn: shown } = call.document;
          if (message === undefined || kept.get(message) === shown) return outcome;
          kept.set(message, shown);
          const begin = 'part' in call ? call.part.begin : 'lost' in call ? call.lost.begin : call.begin;
          keep(turn, message, { reply: { turn: shown, ...refOf(turn) }, begin });
          return outcome;
        },
      };
    },
    async find({ tenant, conversation }, message) {
      const { room } = readConversation(conversation);
      return decode(await state.get(keyOf(tenant, room, message)));
    },
  };
}

type Shows = Exclude<Call, { kind: 'typing' | 'delete' | 'uncard' }>;

const showsNothing = (call: Call): call is Exclude<Call, Shows> =>
  call.kind === 'typing' || call.kind === 'delete' || call.kind === 'uncard';

/** The message that is changed; nothing for one that is made. What stands under a text is a message of its own. */
function messageOf(call: Shows): string | undefined {
  if (call.kind === 'card') return call.id;
  return 'part' in call ? call.part.id : undefined;
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

/** Written by this file alone: it is whole, or not there. */
const isBegin = (value: unknown): value is Begin => isPlain(value) && typeof value.at === 'number';
