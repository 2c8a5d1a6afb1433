import { type AdapterHost, BridgeError, type Kept, type Message, turnId } from '../../src/kit.ts';
import type { Chat } from './chat/chat.ts';
import type { FileStore } from './chat/files.ts';
import { type Asked, DIRECT_THREAD, type MessageRecord, type RoomView } from './chat/records.ts';
import { isOpen } from './chat/reply-record.ts';
import type { Rooms } from './chat/rooms.ts';
import type { ChatStore } from './chat/store.ts';
import type { ConsoleConfig, ConsolePerson } from './config.ts';
import { badRequest, forbidden, notFound } from './http/refusal.ts';
import { readAsked, threadRef, toMessage, toPerson } from './inbound.ts';
import { viewSources } from './sources-view.ts';
import type { Act, Acted, FileView, NewMessage, NewShare } from './wire.ts';

/** UTF-16 units of the question shown with a shared source. */
const SHARED_QUESTION_CHARS = 200;

interface Parts {
  readonly config: ConsoleConfig;
  readonly host: AdapterHost;
  readonly store: ChatStore;
  readonly chat: Chat;
  readonly rooms: Rooms;
  readonly files: FileStore;
}

/** What people do in the chat, and what of it the bridge hears. */
export class Talk {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Keeps the message, then offers it to the bridge where it addresses an agent. */
  async say(roomId: string, wanted: NewMessage): Promise<MessageRecord> {
    const { chat, rooms } = this.#parts;
    const person = this.#person(wanted.as);
    const room = this.#room(roomId, person);
    const thread = this.#thread(room, wanted.thread);
    const files = wanted.files.map((id) => this.#file(id));
    const asked = this.#asked(room, thread, wanted.text);
    rooms.keep(room);
    const record = chat.say({
      room: room.id,
      thread,
      author: { kind: 'person', id: person.id, name: person.name },
      text: wanted.text,
      files,
      asked,
      nonce: JSON.stringify([person.id, wanted.nonce]),
    });
    await this.#offer(record);
    return record;
  }

  /** Offers again what a crash kept from the bridge; it knows what it has already. */
  async offerDue(): Promise<void> {
    for (const record of this.#parts.store.due()) {
      await this.#offer(record).catch((error: unknown) =>
        this.#parts.host.log.warn(
          { message: record.id, error: String(error) },
          'A kept message was not taken',
        ),
      );
    }
  }

  async stop(turn: string, { as }: Act): Promise<Acted> {
    const person = this.#person(as);
    const record = this.#reply(turn);
    const room = this.#room(record.room, person);
    const thread = threadRef(room, record.thread);
    const kept = await this.#parts.host.intake({
      kind: 'stop',
      thread,
      turn: turnId(turn),
      by: toPerson(person),
    });
    if (kept.kind !== 'stopped') return { done: false, reason: 'This answer had already ended.' };
    this.#parts.chat.endWaiting(turn);
    return { done: true };
  }

  /** Asks the reply's question again, as the person who wants it. */
  async retry(turn: string, { as }: Act): Promise<Acted> {
    const person = this.#person(as);
    const record = this.#reply(turn);
    const room = this.#room(record.room, person);
    const question = record.reply && this.#parts.chat.message(record.reply.question);
    if (!question?.asked) return { done: false, reason: 'The question of this answer is no longer kept.' };
    if (!record.reply?.retry) return { done: false, reason: 'This answer cannot be asked for again.' };
    const message = this.#message(question, question.asked, { room, sender: person });
    const origin = { kind: 'retry', of: turnId(turn), by: person.id } as const;
    const kept = await this.#parts.host.intake({ kind: 'ask', origin, message });
    return kept.kind === 'refused' ? { done: false, reason: kept.tellUser } : { done: true };
  }

  /** Puts a source of a reply into a thread or a room, with who shared it. */
  share(wanted: NewShare): MessageRecord {
    const { chat, rooms } = this.#parts;
    const person = this.#person(wanted.as);
    const origin = this.#reply(wanted.turn);
    this.#room(origin.room, person);
    const reply = origin.reply;
    const source = reply && viewSources(reply.sources, reply.text).find((one) => one.key === wanted.source);
    if (!source) throw notFound('That source is not part of the answer.');
    const room = this.#room(wanted.room, person);
    const thread = this.#thread(room, wanted.thread);
    rooms.keep(room);
    const question = chat.message(reply.question)?.asked?.text ?? '';
    return chat.say({
      room: room.id,
      thread,
      author: { kind: 'person', id: person.id, name: person.name },
      text: '',
      shared: {
        source,
        from: {
          room: origin.room,
          thread: origin.thread,
          agent: origin.author.name,
          question: question.slice(0, SHARED_QUESTION_CHARS).toWellFormed(),
        },
      },
    });
  }

  addRoom(as: string, name: string, topic: string): RoomView {
    this.#person(as);
    const room = this.#parts.rooms.add(name, topic);
    if (!room) throw badRequest('There are too many rooms already. Please use one of them.');
    return room;
  }

  async #offer(record: MessageRecord): Promise<void> {
    const { chat, host, rooms, store } = this.#parts;
    if (!record.asked || !store.isDue(record.id)) return;
    const room = rooms.find(record.room);
    const sender = this.#parts.config.people.find((person) => person.id === record.author.id);
    if (!room || !sender) return store.settleDue(record.id);
    const message = this.#message(record, record.asked, { room, sender });
    const kept: Kept = await host.intake({
      kind: 'ask',
      origin: { kind: 'message', key: record.id, revision: 0 },
      message,
    });
    store.settleDue(record.id);
    if (kept.kind === 'refused') chat.note(record.room, record.thread, kept.tellUser);
    if (kept.kind === 'stopped') this.#endFirstWaiting(record);
  }

  /** Said with words, a stop ends what runs in the thread, else what waits longest: that one nobody writes again. */
  #endFirstWaiting({ room, thread }: MessageRecord): void {
    const replies = this.#parts.chat.recent(room, thread).flatMap(({ reply }) => reply ?? []);
    const [first] = replies.filter(isOpen);
    if (first) this.#parts.chat.endWaiting(first.turn);
  }

  #message(record: MessageRecord, asked: Asked, who: { room: RoomView; sender: ConsolePerson }): Message {
    const earlier = who.room.kind === 'direct' ? [] : this.#parts.chat.recent(record.room, record.thread);
    return toMessage(record, { ...who, asked, earlier });
  }

  #asked(room: RoomView, thread: string | undefined, text: string): Asked | undefined {
    const { config, host, store } = this.#parts;
    return readAsked(text, {
      kind: room.kind,
      engaged: thread !== undefined && store.isEngaged(room.id, thread),
      botName: config.botName,
      agents: host.agents().map((agent) => agent.name),
      people: config.people,
    });
  }

  #person(id: string): ConsolePerson {
    const person = this.#parts.config.people.find((one) => one.id === id);
    if (!person) throw badRequest('Nobody of that name is known here. Please reload the page.');
    return person;
  }

  #room(id: string, person: ConsolePerson): RoomView {
    const room = this.#parts.rooms.find(id);
    if (!room) throw notFound('There is no such room.');
    if (room.kind === 'direct' && room.person !== person.id) {
      throw forbidden('This is a private conversation of somebody else.');
    }
    return room;
  }

  #thread(room: RoomView, thread: string | undefined): string | undefined {
    if (room.kind === 'direct') return DIRECT_THREAD;
    if (thread === undefined) return undefined;
    const root = this.#parts.chat.message(thread);
    if (root?.room !== room.id || root.thread !== root.id) throw notFound('There is no such thread here.');
    return thread;
  }

  #file(id: string): FileView {
    const file = this.#parts.files.find(id);
    if (!file) throw badRequest('One of the files is no longer kept. Please add it again.');
    return file;
  }

  #reply(turn: string): MessageRecord {
    const record = this.#parts.chat.ofTurn(turn);
    if (!record) throw notFound('There is no such answer, or it was asked for again meanwhile.');
    return record;
  }
}

/** The content of a file that people shared. @throws BridgeError `image-refused` beyond the limit or when it is gone */
export async function openShared(
  files: FileStore,
  id: string,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const file = files.find(id);
  if (!file) throw new BridgeError('image-refused', `The console does not keep the file ${id}.`);
  if (file.bytes > limit) {
    throw new BridgeError('image-refused', `The file ${id} has ${file.bytes} bytes; ${limit} are allowed.`);
  }
  return files.read(file, signal);
}
