/** Does what people do in the chat (post, edit, delete), and passes questions, edits and deletions to the bridge. */

import type { AgentName, IntakeResult } from '../../src/kit/ladder.ts';
import { BridgeError, type Message, turnId } from '../../src/kit.ts';
import type { Bodies } from './bodies.ts';
import { readWhole } from './chat/file-folder.ts';
import type { FileStore } from './chat/files.ts';
import {
  mentionedIn,
  personIn,
  readAsked,
  readMentioned,
  type ThreadContext,
  threadRef,
  toMessage,
  toPerson,
} from './chat/inbound.ts';
import type { AgentQuestion, MessageRecord } from './chat/records.ts';
import { isOpen } from './chat/reply-record.ts';
import { mayRead } from './chat/rooms.ts';
import type { ConsolePerson } from './config.ts';
import {
  findFileFor,
  findOpenRoomFor,
  findOwn,
  findRoomFor,
  findThread,
  type Handler,
  type Parts,
} from './lookups.ts';
import { badRequest, forbidden, HttpRefusal, notFound } from './refusal.ts';
import type { FileView, RoomView } from './wire.ts';

const ON_ANSWER = /^\s*\/?(?:stop|instead|sources)\s*$/i;

interface NewMessage extends Omit<Bodies['/rooms/:id/messages'], 'as'> {
  /** The agent to ask, even if the text mentions another agent. */
  readonly agent?: AgentName | undefined;
}

/** Posts the message. If the message asks an agent, offers it to the bridge. */
export async function say(
  parts: Parts,
  person: ConsolePerson,
  wanted: NewMessage,
  roomId: string,
): Promise<MessageRecord> {
  const { chat, people, rooms, store } = parts;
  const room = findOpenRoomFor(parts, roomId, person);
  const thread = await findThread(parts, room, wanted.thread);
  const files = await Promise.all(wanted.files.map((id) => findFile(parts, id, person)));
  const { text, agent } = wanted;
  const question =
    agent === undefined ? await questionIn(parts, wanted, { room, thread, by: person.id }) : { agent, text };
  const record = await store.change(async (change) => {
    // The person may have left the room meanwhile, or the room may be archived.
    findOpenRoomFor(parts, roomId, person);
    await rooms.keep(change, room);
    return chat.sayIn(change, {
      room: room.id,
      thread,
      author: { kind: 'person', id: person.id, name: person.name },
      text,
      files,
      asked: question,
      mentions: mentionedIn(
        text,
        people.list().filter((one) => mayRead(one, room)),
      ),
      nonce: JSON.stringify([person.id, wanted.nonce]),
    });
  });
  await rooms.retitle(room.id);
  await offer(parts, record);
  return record;
}

/** Replaces the text of the author's message. A question is then asked again. */
export async function edit(
  parts: Parts,
  person: ConsolePerson,
  { text }: Bodies['/messages/:id/edit'],
  id: string,
): Promise<MessageRecord> {
  const { chat, rooms } = parts;
  const before = await findOwn(parts, id, person);
  if (before.text === text) {
    // The replica that stored this edit may have ended before it could offer it.
    await offer(parts, before);
    return before;
  }
  const room = findOpenRoomFor(parts, before.room, person);
  const context = contextOf(parts);
  // A question stays a question. An edit turns another message into one only by mentioning an agent.
  const question = before.asked ? readAsked(text, room.kind, context) : readMentioned(text, context);
  const record = await chat.rewrite(id, text, question);
  if (record === undefined) throw notFound('That message no longer exists.');
  await rooms.retitle(room.id);
  await offer(parts, record);
  return record;
}

/** Deletes the author's message and the answers to it. */
export const removeMessage: Handler<'/messages/:id/delete'> = async (parts, person, _body, id) => {
  const { chat, host, rooms } = parts;
  const record = await findOwn(parts, id, person);
  const thread = threadRef(findRoomFor(parts, record.room, person), record.thread);
  await host.intake({ kind: 'delete', thread, message: record.id, by: toPerson(person) });
  await chat.removeMessage(record);
  await rooms.retitle(record.room);
  return { done: true };
};

/**
 * Offers the bridge messages that were stored but, because of a crash, not offered. The bridge recognizes duplicates.
 * @param ageMs minimum age of the messages, in milliseconds
 */
export async function offerDue(parts: Parts, ageMs: number): Promise<void> {
  const { host, store } = parts;
  for (const record of await store.rows.due(host.clock.now() - ageMs)) {
    await offer(parts, record).catch((error: unknown) =>
      host.log.warn(
        { message: record.id, error: String(error) },
        'a stored message could not be given to the bridge; the console tries again when it starts',
      ),
    );
  }
}

/** Ends replies whose turns are not in the bridge's inbox, because its store was lost or restored from a backup. */
export async function endLost(parts: Parts): Promise<void> {
  const { chat, host, store } = parts;
  let ended = 0;
  for (const record of await store.index.openReplies()) {
    if (await host.pending(turnId(record.reply?.turn ?? ''))) continue;
    await chat.endLost(record);
    ended += 1;
  }
  if (ended > 0)
    host.log.warn(
      { replies: ended },
      'Replies in the console were ended because parley.sqlite does not contain their questions. parley.sqlite was lost, or restored without the other files of the data folder.',
    );
}

async function offer(parts: Parts, record: MessageRecord): Promise<void> {
  const { chat, host, people, rooms, store } = parts;
  if (!record.asked || !(await store.rows.isDue(record.id))) return;
  const room = rooms.find(record.room);
  const sender = people.find(record.author.id);
  if (!room || !sender) return store.rows.settleDue(record.id);
  const message = await toQuestion(parts, record, record.asked, { room, sender });
  const result: IntakeResult = await host.intake(
    message.revision > 0
      ? { kind: 'edit', message, fresh: true }
      : { kind: 'ask', origin: { kind: 'message', key: record.id, revision: 0 }, message },
  );
  await store.rows.settleDue(record.id);
  // Commands that act on an answer are refused as its buttons are: only the person who sent the command reads why.
  if (result.kind === 'refused' && ON_ANSWER.test(record.asked.text)) throw forbidden(result.tellUser);
  if (result.kind === 'refused') await chat.note(record.room, record.thread, result.tellUser);
  if (result.kind === 'stopped') await endFirstWaiting(parts, record);
}

/**
 * If the thread's first open reply is still waiting, ends it. A typed `stop` stops the running turn or, if none runs,
 * the turn that has waited longest. A running turn ends its own reply, but a waiting turn has no writer that could
 * end its reply.
 */
async function endFirstWaiting({ chat }: Parts, { room, thread }: MessageRecord): Promise<void> {
  const replies = (await chat.reader.recent(room, thread)).flatMap(({ reply }) => reply ?? []);
  const [first] = replies.filter(isOpen);
  if (first) await chat.endWaiting(first.turn);
}

/** Converts a message into a question for the bridge, asked as this person. */
export async function toQuestion(
  { chat, locales }: Parts,
  record: MessageRecord,
  question: AgentQuestion,
  who: { room: RoomView; sender: ConsolePerson },
): Promise<Message> {
  const isDirect = who.room.kind === 'direct';
  const earlier = isDirect ? [] : await chat.reader.recent(record.room, record.thread);
  return toMessage(record, { ...who, asked: question, earlier, locale: locales.get(who.sender.id) });
}

/**
 * Returns the question in a new message; undefined if it asks no agent. Without a thread, the message begins one.
 */
async function questionIn(
  parts: Parts,
  { text, files }: NewMessage,
  { room, thread, by }: { readonly room: RoomView; readonly thread: string | undefined; readonly by: string },
): Promise<AgentQuestion | undefined> {
  const { engagement, host, people } = parts;
  const context = contextOf(parts);
  const mentioned = readMentioned(text, context);
  if (mentioned !== undefined) return mentioned;
  const place = threadRef(room, thread ?? '');
  const isQuestion = await engagement.isQuestion(
    {
      thread: place,
      by,
      at: host.clock.now(),
      text,
      hasMore: files.length > 0,
      other: personIn(text, people.list()),
      place: thread === undefined ? 'start' : 'thread',
    },
    host.mentionRule(place),
  );
  return isQuestion ? readAsked(text, room.kind, context) : undefined;
}

function contextOf({ config, host, people }: Parts): ThreadContext {
  return {
    botName: config.botName,
    agents: host.agents().map((agent) => agent.name),
    people: people.list(),
  };
}

async function findFile(parts: Parts, id: string, person: ConsolePerson): Promise<FileView> {
  try {
    return await findFileFor(parts, id, parts.guarded ? person : 'anyone');
  } catch (thrown) {
    if (!(thrown instanceof HttpRefusal)) throw thrown;
    throw badRequest('One of the files is no longer kept. Please add it again.');
  }
}

/** Reads a file that a person uploaded. @throws BridgeError `image-refused` if it is too large or missing */
export async function openShared(
  files: FileStore,
  id: string,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const file = await files.find(id);
  if (!file) throw new BridgeError('image-refused', `The console does not keep the file ${id}.`);
  if (file.bytes > limit) {
    throw new BridgeError('image-refused', `The file ${id} has ${file.bytes} bytes; ${limit} are allowed.`);
  }
  const bytes = await readWhole(files.bytes, file, signal);
  if (!bytes)
    throw new BridgeError(
      'image-refused',
      `The bytes of the file ${id} are missing or were changed on disk.`,
    );
  return bytes;
}
