import { randomUUID } from 'node:crypto';
import type { Clock, ReplyDocument } from '../../../src/kit.ts';
import { PAGE_MESSAGES } from '../limits.ts';
import { orderSources } from '../sources-view.ts';
import { type LinkImage, viewMessage, viewRest } from '../views.ts';
import type { FileView, MessageView } from '../wire.ts';
import type { Feed } from './feed.ts';
import { type Asked, isRoot, type MessageRecord, type ReplyRecord, type SharedRecord } from './records.ts';
import type { ChatStore } from './store.ts';

/** Growing replies kept in memory; the oldest is written out when there are more. */
const LIVE_REPLIES = 1_000;
/** A growing reply is written to disk at most this often; after a crash the bridge writes it again anyway. */
const WRITE_GAP_MS = 1_000;

export interface Said {
  readonly room: string;
  /** The root to answer under, or the direct thread; absent begins a new thread. */
  readonly thread?: string;
  readonly author: MessageView['author'];
  readonly text: string;
  readonly files?: readonly FileView[];
  readonly asked?: Asked;
  readonly shared?: SharedRecord;
  /** A repeated message of the same nonce is the same message. */
  readonly nonce?: string;
}

/** Where a turn's reply belongs, and which turn it goes on from. */
export interface ReplyPlace {
  readonly turn: string;
  /** The turn whose message this one takes over: a retry. */
  readonly of?: string;
  readonly question: string;
  readonly room: string;
  readonly thread: string;
  readonly account?: string;
}

export interface ReplyEdit {
  readonly id: string;
  readonly place: ReplyPlace;
  /** `text` replaces the reply's text from here (UTF-16 units). */
  readonly at: number;
  readonly text: string;
  readonly document: ReplyDocument;
}

interface Live {
  record: MessageRecord;
  writtenAt: number;
}

interface Parts {
  readonly store: ChatStore;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly botName: string;
  readonly link: LinkImage;
}

/** The team chat itself: messages and growing replies, on disk and as events. */
export class Chat {
  readonly #parts: Parts;
  readonly #live = new Map<string, Live>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Keeps and shows a message. Resolves a repeated nonce to the message it first was. */
  say(said: Said): MessageRecord {
    const { store } = this.#parts;
    const before = said.nonce === undefined ? undefined : store.ofNonce(said.nonce);
    if (before) return before;
    const id = randomUUID();
    const record: MessageRecord = {
      id,
      room: said.room,
      thread: said.thread ?? id,
      at: this.#parts.clock.now(),
      author: said.author,
      text: said.text,
      files: said.files ?? [],
      ...(said.asked ? { asked: said.asked } : {}),
      ...(said.shared ? { shared: said.shared } : {}),
      seq: this.#parts.feed.next,
    };
    const nonce = said.nonce === undefined ? {} : { nonce: said.nonce };
    store.addMessage(record, { ...nonce, due: said.asked ? 1 : 0 });
    store.attachFiles(record.files.map((file) => file.id));
    this.#announce(record);
    return record;
  }

  /** A sentence of the bridge's own in a thread. */
  note(room: string, thread: string, text: string): MessageRecord {
    return this.say({ room, thread, author: this.#agent(undefined), text });
  }

  /** Says that a question waits; does nothing once its reply has begun. */
  postWaiting(place: ReplyPlace, ahead: number): void {
    const found = this.#ofPlace(place);
    if (found?.reply?.turn === place.turn && found.reply.state !== 'waiting') return;
    const reply: ReplyRecord = { ...blankReply(place), ahead };
    if (!found) this.#add(place, reply);
    else this.#change({ ...found, reply }, 'power');
  }

  /** The message that holds the turn's reply, made when there is none; `undefined` when its thread is gone. */
  postReply(place: ReplyPlace, document: ReplyDocument): string | undefined {
    const found = this.#ofPlace(place);
    if (found) {
      this.#edit(found, replyOf(place, document, document.text));
      return found.id;
    }
    if (!this.message(place.question)) return undefined;
    return this.#add(place, replyOf(place, document, document.text)).id;
  }

  /** `behind`: the message does not hold the text before `at` (any more); the whole is needed. */
  editReply(edit: ReplyEdit): 'done' | 'gone' | 'behind' {
    const record = this.message(edit.id);
    if (!record?.reply) return 'gone';
    const holds = record.reply.turn === edit.place.turn ? record.reply.text.length : 0;
    if (edit.at > holds) return 'behind';
    this.#edit(record, replyOf(edit.place, edit.document, record.reply.text.slice(0, edit.at) + edit.text));
    return 'done';
  }

  /** Closes a reply whose turn was stopped before it ran: nobody else will write it. */
  endWaiting(turn: string): void {
    const record = this.ofTurn(turn);
    if (record?.reply?.state !== 'waiting') return;
    const { ahead: _ahead, ...reply } = record.reply;
    this.#change({ ...record, reply: { ...reply, state: 'stopped', retry: true } }, 'power');
  }

  message(id: string): MessageRecord | undefined {
    return this.#live.get(id)?.record ?? this.#parts.store.message(id);
  }

  ofTurn(turn: string): MessageRecord | undefined {
    const found = this.#parts.store.ofTurn(turn);
    return found && this.#newest(found);
  }

  view(record: MessageRecord): MessageView {
    const answers = isRoot(record) ? this.#parts.store.answers(record.room, record.id) : undefined;
    return viewMessage(record, this.#parts.link, answers);
  }

  roots(room: string, before?: string): readonly MessageView[] {
    return this.#views(this.#parts.store.roots(room, PAGE_MESSAGES, before));
  }

  /** The newest messages of a thread; the newest page begins with the root, however long the thread. */
  thread(room: string, thread: string, before?: string): readonly MessageView[] {
    const newest = this.#parts.store.thread(room, thread, PAGE_MESSAGES, before);
    const root =
      before === undefined && newest[0]?.id !== thread ? this.#parts.store.message(thread) : undefined;
    return this.#views(root ? [root, ...newest] : newest);
  }

  /** Messages of a thread, newest last, as kept. */
  recent(room: string, thread: string): readonly MessageRecord[] {
    return this.#parts.store.thread(room, thread, PAGE_MESSAGES).map((record) => this.#newest(record));
  }

  /** Writes out what only memory holds. */
  flush(): void {
    for (const live of this.#live.values()) this.#parts.store.saveMessage(live.record, 'process');
    this.#live.clear();
  }

  #views(records: readonly MessageRecord[]): readonly MessageView[] {
    return records.map((record) => this.view(this.#newest(record)));
  }

  #newest(record: MessageRecord): MessageRecord {
    return this.#live.get(record.id)?.record ?? record;
  }

  #ofPlace(place: ReplyPlace): MessageRecord | undefined {
    return this.ofTurn(place.turn) ?? (place.of === undefined ? undefined : this.ofTurn(place.of));
  }

  #add(place: ReplyPlace, reply: ReplyRecord): MessageRecord {
    const record: MessageRecord = {
      id: randomUUID(),
      room: place.room,
      thread: place.thread,
      at: this.#parts.clock.now(),
      author: this.#agent(reply.agent),
      text: '',
      files: [],
      reply,
      seq: this.#parts.feed.next,
    };
    this.#parts.store.addMessage(record, { due: 0 });
    this.#announce(record);
    return record;
  }

  #edit(before: MessageRecord, reply: ReplyRecord): void {
    const old = before.reply;
    if (!old || old.turn !== reply.turn || old.agent !== reply.agent || old.state !== reply.state) {
      const turned = { ...before, author: this.#agent(reply.agent), reply };
      this.#change(turned, isEnd(reply) ? 'power' : 'process');
      return;
    }
    const text = patch(old.text, reply.text);
    const rest = restChanged(old, reply) ? viewRest(reply, this.#parts.link) : undefined;
    if (!text && !rest) return;
    const record = { ...before, reply, seq: this.#parts.feed.next };
    this.#grow(record);
    const { id, room, thread } = record;
    this.#parts.feed.publish({
      type: 'reply',
      id,
      room,
      thread,
      ...(text && { text }),
      ...(rest && { rest }),
    });
  }

  /** A change of kind: written at once and shown whole. */
  #change(changed: MessageRecord, durability: 'power' | 'process'): void {
    const record = { ...changed, seq: this.#parts.feed.next };
    this.#parts.store.saveMessage(record, durability);
    if (record.reply && isEnd(record.reply)) this.#live.delete(record.id);
    else this.#hold(record, this.#parts.clock.now());
    this.#parts.feed.publish({ type: 'message', message: this.view(record) });
  }

  /** More of the same: in memory, and on disk once a second. */
  #grow(record: MessageRecord): void {
    const now = this.#parts.clock.now();
    const writtenAt = this.#live.get(record.id)?.writtenAt ?? 0;
    const due = now - writtenAt >= WRITE_GAP_MS;
    if (due) this.#parts.store.saveMessage(record, 'process');
    this.#hold(record, due ? now : writtenAt);
  }

  #hold(record: MessageRecord, writtenAt: number): void {
    this.#live.set(record.id, { record, writtenAt });
    if (this.#live.size <= LIVE_REPLIES) return;
    const [oldest] = this.#live.values();
    if (!oldest) return;
    this.#parts.store.saveMessage(oldest.record, 'process');
    this.#live.delete(oldest.record.id);
  }

  /** Shows a new message, and on its root that the thread has grown. */
  #announce(record: MessageRecord): void {
    this.#parts.feed.publish({ type: 'message', message: this.view(record) });
    const root = isRoot(record) ? undefined : this.message(record.thread);
    if (!root) return;
    const grown = { ...root, seq: this.#parts.feed.next };
    this.#parts.feed.publish({ type: 'message', message: this.view(grown) });
  }

  #agent(name: string | undefined): MessageView['author'] {
    const id = name ?? this.#parts.botName;
    return { kind: 'agent', id, name: id };
  }
}

const isEnd = (reply: ReplyRecord): boolean =>
  reply.state !== 'waiting' && reply.state !== 'thinking' && reply.state !== 'writing';

function blankReply({ turn, question, account }: ReplyPlace): ReplyRecord {
  const own = { turn, question, ...(account === undefined ? {} : { account }) };
  const nothing = { steps: [], media: [], sources: [], suggestions: [], notices: [] };
  return { ...own, ...nothing, state: 'waiting', text: '', retry: false };
}

function replyOf(place: ReplyPlace, document: ReplyDocument, text: string): ReplyRecord {
  const { state, steps, media, sources, suggestions, notices, retry } = document;
  const agent = document.agent === undefined ? {} : { agent: document.agent };
  return { ...blankReply(place), ...agent, state, text, steps, media, sources, suggestions, notices, retry };
}

/** What makes the new text of the old: the suffix where it only grew. */
function patch(old: string, now: string): { readonly at: number; readonly text: string } | undefined {
  if (old === now) return undefined;
  return now.startsWith(old) ? { at: old.length, text: now.slice(old.length) } : { at: 0, text: now };
}

/** Members of a document keep their identity until they change; a second look at equal ones costs only bytes. */
function restChanged(old: ReplyRecord, now: ReplyRecord): boolean {
  const members = ['steps', 'media', 'sources', 'suggestions', 'notices', 'retry', 'account'] as const;
  return members.some((member) => old[member] !== now[member]) || renumbered(old, now);
}

function renumbered(old: ReplyRecord, now: ReplyRecord): boolean {
  const order = orderSources(old.sources, old.text);
  return orderSources(now.sources, now.text).some((source, index) => source !== order[index]);
}
