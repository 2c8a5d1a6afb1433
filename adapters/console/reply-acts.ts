/**
 * Handles presses on buttons under an answer. The table of actions decides what a press may do; the chat shows the
 * result.
 */

import {
  actionWords,
  agentName,
  type CorrectableReply,
  type IntakeResult,
  noteShare,
  openCorrection,
  type PressContext,
  type Pressed,
  type PressQuestion,
  refused,
  type SeenReply,
  storeCorrection,
} from '../../src/kit/ladder.ts';
import { type ActionName, defined, openReply, type Press, press, turnId } from '../../src/kit.ts';
import type { Bodies } from './bodies.ts';
import { directRoom, threadRef, toPerson } from './chat/inbound.ts';
import {
  DIRECT_THREAD,
  type MessageRecord,
  type ReplyRecord,
  SHARED_QUESTION_CHARS,
} from './chat/records.ts';
import { isOpen } from './chat/reply-record.ts';
import type { ConsolePerson } from './config.ts';
import { CORRECTION_CHARS } from './limits.ts';
import { findOpenRoomFor, findReplyFor, findThread, type Handler, type Parts } from './lookups.ts';
import { badRequest, forbidden, notFound } from './refusal.ts';
import { viewSources } from './sources-view.ts';
import { say, toQuestion } from './talk.ts';
import type { Act, Acted, RoomView, SharedView, Thumb } from './wire.ts';

/** A press on a button under an answer. */
interface ReplyAct extends Partial<Act> {
  /** Value of the button: the number of a version, an agent's name, a suggestion or a verdict. */
  readonly detail?: string;
  readonly note?: string;
  /** Unique id of the press, so that a repeated request has no further effect. */
  readonly nonce?: string;
}

interface ResolvedPress {
  readonly person: ConsolePerson;
  readonly record: MessageRecord;
  readonly room: RoomView;
  readonly press: Press;
}

/** Actions that lead to a new answer in the room. */
const ASKS_HERE: ReadonlySet<ActionName> = new Set(['retry', 'regenerate', 'agent', 'suggestion']);

/** Returns the handler of presses with this action. */
export const pressHandler =
  (action: ActionName) =>
  async (parts: Parts, person: ConsolePerson, act: ReplyAct, turn: string): Promise<Acted> => {
    const resolved = await resolve(parts, person, turn, { ...act, action });
    const ask = (question: PressQuestion) => askAgain(parts, question, resolved);
    const { kind, sentence } = await press(resolved.press, contextOf(parts, resolved, ask));
    if (kind !== 'done') return { done: false, reason: sentence };
    if (action === 'stop') await parts.chat.endWaiting(turn);
    if (action === 'feedback')
      await parts.chat.judge(resolved.record, person.id, act.detail as Thumb | 'none');
    return { done: true };
  };

/** Returns the handler of presses that post a question as the person's message. It throws if the press is refused. */
export const questionHandler =
  (action: 'suggestion' | 'mine') =>
  async (parts: Parts, person: ConsolePerson, act: ReplyAct, turn: string): Promise<MessageRecord> => {
    const resolved = await resolve(parts, person, turn, { ...act, action });
    let post: MessageRecord | undefined;
    const ask = async (question: PressQuestion): Promise<IntakeResult | Pressed> => {
      const place = await placeOf(parts, question, resolved);
      if (place === undefined) return refused(actionWords.stale);
      const { room, ...message } = place;
      post = await say(parts, person, { files: [], nonce: act.nonce ?? '', ...message }, room);
      return { kind: 'noted' };
    };
    const { sentence } = await press(resolved.press, contextOf(parts, resolved, ask));
    if (post === undefined) throw forbidden(sentence);
    return post;
  };

/** Posts a finished answer, or one of its sources, in a thread or room, as the person's message. */
export async function share(
  parts: Parts,
  person: ConsolePerson,
  { turn, source, room: to, thread: into }: Bodies['/shares'],
): Promise<MessageRecord> {
  const { chat, rooms, store } = parts;
  const action = source === undefined ? 'share' : 'shareSource';
  const resolved = await resolve(parts, person, turn, { action });
  const { record } = resolved;
  const shared = sharedPart(record.reply, source);
  const opened = await openReply(resolved.press, contextOf(parts, resolved));
  if (opened.kind === 'refused') throw forbidden(opened.sentence);
  const room = findOpenRoomFor(parts, to, person);
  const thread = await findThread(parts, room, into);
  const question = (await questionOf(parts, record.reply))?.asked?.text ?? '';
  // Outside a private room, nothing names it.
  const leaves = resolved.room.members !== undefined && room.id !== record.room;
  const from = {
    ...(leaves ? { room: '', thread: '' } : { room: record.room, thread: record.thread }),
    agent: record.author.name,
    question: question.slice(0, SHARED_QUESTION_CHARS).toWellFormed(),
  };
  const author = { kind: 'person', id: person.id, name: person.name } as const;
  const message = await store.change(async (change) => {
    await rooms.keep(change, room);
    return chat.sayIn(change, { room: room.id, thread, author, text: '', shared: { ...shared, from } });
  });
  await noteShare({ press: resolved.press, host: parts.host }, opened.by, room.id);
  return message;
}

/** Returns the content of the form for a correction. Throws if the person cannot correct the reply. */
export const correction: Handler<'/replies/:id/correction'> = async (parts, person, _body, turn) => {
  const opened = await openCorrection(...(await toCorrect(parts, person, turn)), CORRECTION_CHARS);
  if (opened.kind === 'refused') throw forbidden(opened.sentence);
  const { question, answer, told } = opened;
  return { question, answer, told, limits: CORRECTION_CHARS };
};

/** Stores the corrected wording. Throws if the correction was refused, so that the form stays open. */
export const correct: Handler<'/replies/:id/correct'> = async (parts, person, { question, answer }, turn) => {
  const context = await toCorrect(parts, person, turn);
  const { kind, sentence } = await storeCorrection(...context, { question, answer });
  if (kind === 'refused') throw forbidden(sentence);
  return { sentence };
};

async function toCorrect(
  parts: Parts,
  person: ConsolePerson,
  turn: string,
): Promise<[Press, PressContext<CorrectableReply>]> {
  const resolved = await resolve(parts, person, turn, { action: 'correct' });
  const { press, record } = resolved;
  const reply = async () => {
    const stored = await parts.host.reply(press.turn, press.thread);
    // The bridge stores only finished replies. A reply that is still being written comes from the console's own
    // record.
    if (stored !== undefined || !record.reply || !isOpen(record.reply)) return stored;
    const { text, sources } = record.reply;
    return { ...(await seenReply(parts, record.reply, press)), text, sources };
  };
  return [press, { ...contextOf(parts, resolved), reply }];
}

/** Finds the answer that is pressed. Throws if the person may not see it. */
async function resolve(
  parts: Parts,
  person: ConsolePerson,
  turn: string,
  { action, detail = '', note, nonce }: ReplyAct & { readonly action: ActionName },
): Promise<ResolvedPress> {
  const { record, room } = await findReplyFor(parts, turn, person);
  if (ASKS_HERE.has(action)) findOpenRoomFor(parts, room.id, person);
  const thread = threadRef(room, record.thread);
  const press = {
    action,
    turn: turnId(turn),
    thread,
    detail,
    ...defined({ note, key: nonce === undefined ? undefined : JSON.stringify([person.id, nonce]) }),
  };
  return { person, record, room, press };
}

function contextOf(
  parts: Parts,
  { person, record, press }: ResolvedPress,
  ask: PressContext['ask'] = async () => ({ kind: 'nothing' }),
): PressContext {
  return {
    channel: 'the console',
    host: parts.host,
    // `resolve` has already refused rooms that the person may not see.
    isHere: true,
    person: async () => toPerson(person),
    reply: async () => record.reply && seenReply(parts, record.reply, press),
    ask,
  };
}

async function seenReply(parts: Parts, reply: ReplyRecord, { turn, thread }: Press): Promise<SeenReply> {
  const storedReply = await parts.host.reply(turn, thread);
  const askedBy = storedReply?.askedBy ?? (await questionOf(parts, reply))?.author.id;
  return {
    suggestions: reply.suggestions,
    state: reply.state === 'waiting' ? 'thinking' : reply.state,
    ...defined({ askedBy, agent: reply.agent === undefined ? undefined : agentName(reply.agent) }),
  };
}

async function questionOf(parts: Parts, reply: ReplyRecord | undefined): Promise<MessageRecord | undefined> {
  return parts.chat.reader.message(reply?.question ?? '');
}

/** Asks the reply's question again: in the same reply, or, with another agent, in a new reply. */
async function askAgain(
  parts: Parts,
  { origin, agent }: PressQuestion,
  { person, record: { reply }, room, press }: ResolvedPress,
) {
  const question = await questionOf(parts, reply);
  if (question?.asked === undefined) return refused(actionWords.stale);
  if (origin.kind === 'retry' && !reply?.retry)
    return refused('This answer can no longer be regenerated. Please ask the question again.');
  const message = await toQuestion(parts, question, question.asked, { room, sender: person });
  // The turn of a lost reply is not in the bridge's inbox, so Retry asks its question as a new question.
  const own = reply?.lost && origin.kind === 'retry';
  return parts.host.intake({
    kind: 'ask',
    origin: own ? { kind: 'act', key: JSON.stringify(['retry', press.turn]) } : origin,
    message: { ...message, ...(agent !== undefined && { agent }) },
  });
}

/**
 * Returns where the question is posted: a suggestion in the answer's thread, "Ask as me" in the person's direct room.
 */
async function placeOf(
  parts: Parts,
  { kind, text, agent }: PressQuestion,
  { person, record, room }: ResolvedPress,
) {
  if (kind === 'suggestion') return { room: room.id, thread: record.thread, text, agent };
  const card = parts.host.agents().find(({ name }) => name === agent);
  const question = (await questionOf(parts, record.reply))?.asked?.text;
  if (card === undefined || question === undefined) return undefined;
  return { room: directRoom(person, card).id, thread: DIRECT_THREAD, text: question };
}

/** Returns what is shared: the source with this key, or the reply's text with all its sources. */
function sharedPart(reply: ReplyRecord | undefined, key: string | undefined): Omit<SharedView, 'from'> {
  const sources = reply ? viewSources(reply.sources, reply.text) : [];
  if (key !== undefined) {
    const source = sources.find((one) => one.key === key);
    if (!source) throw notFound('That source is not part of the answer.');
    return { source };
  }
  if (!reply || isOpen(reply) || reply.text === '') throw badRequest('This answer cannot be shared yet.');
  return { answer: { text: reply.text, sources } };
}
