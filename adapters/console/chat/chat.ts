import { randomUUID } from 'node:crypto';
import type { DocumentEdit } from '../../../src/kit/ladder.ts';
import { type Clock, defined, type ReplyDocument } from '../../../src/kit.ts';
import { PAGE_MESSAGES } from '../limits.ts';
import type { FileView, MessageView, SharedView, Thumb } from '../wire.ts';
import type { Feed } from './feed.ts';
import { LiveReplies } from './live.ts';
import { type Asked, isRoot, type MessageRecord, type ReplyRecord } from './records.ts';
import {
  endOf,
  isOpen,
  lostReply,
  needsWholeMessage,
  type ReplyPlace,
  replyOf,
  restChanged,
  textChange,
  waitingReply,
  withEarlier,
} from './reply-record.ts';
import type { ChatStore, Durability } from './store.ts';
import { type ReplyExtras, viewMessage, viewRest } from './views.ts';

interface Said {
  readonly room: string;
  /** Id of the thread's first message, or `direct` in a direct room. If absent, the message begins a new thread. */
  readonly thread?: string | undefined;
  readonly author: MessageView['author'];
  readonly text: string;
  readonly files?: readonly FileView[];
  readonly asked?: Asked | undefined;
  /** Ids of the people whom the text mentions. */
  readonly mentions?: readonly string[];
  readonly shared?: SharedView;
  /** Idempotency key. If a message with this nonce exists, no second one is posted. */
  readonly nonce?: string;
}

/** Options for storing and publishing a changed message; see `ChatStore.saveMessage`. */
interface Replacing {
  readonly durability?: Durability;
  readonly due?: 0 | 1;
  /** True if a reply has just ended. */
  readonly arrived?: boolean | undefined;
}

interface Deps {
  readonly store: ChatStore;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly botName: string;
  readonly extras: ReplyExtras;
}

/** The team chat of the console. Stores messages and growing replies on disk, and publishes each change as an event. */
export class Chat {
  readonly #deps: Deps;
  readonly #live: LiveReplies;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#live = new LiveReplies(deps.store, deps.clock);
  }

  /** Stores and publishes a message. If a message with the same nonce exists, returns the existing message instead. */
  say(said: Said): MessageRecord {
    const { store } = this.#deps;
    const before = said.nonce === undefined ? undefined : store.ofNonce(said.nonce);
    if (before) return before;
    const id = randomUUID();
    const { asked, shared, mentions = [] } = said;
    const record: MessageRecord = {
      id,
      room: said.room,
      thread: said.thread ?? id,
      at: this.#deps.clock.now(),
      author: said.author,
      text: said.text,
      files: said.files ?? [],
      ...defined({ asked, shared, mentions: mentions.length > 0 ? mentions : undefined }),
      seq: this.#deps.feed.next,
    };
    store.addMessage(record, { nonce: said.nonce, due: asked ? 1 : 0 });
    const files = record.files.map((file) => file.id);
    store.attachFiles(files, record.room);
    this.#publish(record, true);
    this.#publishRoot(record);
    return record;
  }

  /** Posts a sentence of the bridge itself in a thread. */
  note(room: string, thread: string, text: string): MessageRecord {
    return this.say({ room, thread, author: this.#agent(undefined), text });
  }

  /** Posts a reply that says how many questions are ahead. Does nothing if the reply has begun or ended. */
  postWaiting(place: ReplyPlace, ahead: number): void {
    const found = this.#ofPlace(place);
    const begun = found?.reply?.turn === place.turn && found.reply.state !== 'waiting';
    if (begun || this.endOf(place) !== undefined) return;
    const reply = waitingReply(place, ahead);
    if (found) this.#turn(found, withEarlier(found.reply, reply));
    else this.#add(place, reply);
  }

  /**
   * Returns the state in which the turn's reply ended: undefined if it has not ended, `withdrawn` if the question was
   * deleted.
   */
  endOf(place: ReplyPlace): ReplyDocument['state'] | undefined {
    const ofReply = ({ reply }: MessageRecord) => reply?.root === place.root;
    const found = this.ofTurn(place.turn) ?? this.recent(place.room, place.thread).find(ofReply);
    if (found?.reply) return endOf(found.reply, place.turn);
    return this.message(place.question) ? undefined : 'withdrawn';
  }

  /** Ends the reply of a turn that was stopped before it ran. Such a turn has no writer that would end its reply. */
  endWaiting(turn: string): void {
    const record = this.ofTurn(turn);
    if (record?.reply?.state !== 'waiting') return;
    const { ahead: _ahead, ...reply } = record.reply;
    this.#turn(record, { ...reply, state: 'stopped', retry: true });
  }

  /** Ends a reply whose turn is no longer in the bridge's inbox. */
  endLost(record: MessageRecord): void {
    if (record.reply && isOpen(record.reply)) this.#turn(record, lostReply(record.reply));
  }

  /**
   * Shows the document in the turn's message. Creates the message if there is none. Returns the message's id; undefined
   * if the question was deleted.
   */
  postReply(place: ReplyPlace, document: ReplyDocument): string | undefined {
    const reply = replyOf(place, document, document.text);
    const found = this.#ofPlace(place);
    if (found) this.#edit(found, reply);
    if (found || !this.message(place.question)) return found?.id;
    return this.#add(place, reply).id;
  }

  /** Replaces the text from offset `at` on. Returns `behind` if the message's text is shorter than `at`. */
  editReply(place: ReplyPlace, { id, at, text, document }: DocumentEdit): 'done' | 'gone' | 'behind' {
    const record = this.message(id);
    if (!record?.reply) return 'gone';
    const { turn, text: held } = record.reply;
    if (at > (turn === document.turn ? held.length : 0)) return 'behind';
    this.#edit(record, replyOf(place, document, held.slice(0, at) + text));
    return 'done';
  }

  /** Removes a reply's message. Also removes the thread's root if that is a deleted question without other answers. */
  removeReply(place: ReplyPlace, id: string | undefined): void {
    const record = id === undefined ? this.#ofPlace(place) : this.message(id);
    if (!record?.reply) return;
    this.#remove(record);
    const root = this.message(record.thread);
    if (root?.deleted && this.#deps.store.answers(root.room, root.id).count === 0) this.#remove(root);
  }

  /** Replaces the text of a person's message. */
  rewrite(before: MessageRecord, text: string, asked: Asked | undefined): MessageRecord {
    const { asked: _asked, ...rest } = before;
    const revision = (before.revision ?? 0) + 1;
    return this.#replace({ ...rest, text, revision, ...(asked && { asked }) }, { due: asked ? 1 : 0 });
  }

  /** Removes a message. A root that has answers stays: empty, marked as deleted, and with the record's author. */
  removeMessage(record: MessageRecord): void {
    const { id, room, thread, at, author } = record;
    if (!isRoot(record) || this.#deps.store.answers(room, id).count === 0) this.#remove(record);
    else this.#replace({ id, room, thread, at, author, text: '', files: [], deleted: true }, { due: 0 });
  }

  /** Removes a person's ratings of a reply, and mentions of the person. */
  forgetPerson(record: MessageRecord, person: string): void {
    const kept = Object.entries(record.verdicts ?? {}).map(([turn, { [person]: _, ...others }]) => [
      turn,
      others,
    ]);
    const { mentions = [], verdicts, ...rest } = record;
    const others = mentions.filter((one) => one !== person);
    this.#replace({
      ...rest,
      ...(verdicts && { verdicts: Object.fromEntries(kept) }),
      ...(others.length > 0 && { mentions: others }),
    });
  }

  /** Removes the question from a shared answer. */
  forgetSharedQuestion(record: MessageRecord): void {
    const { shared } = record;
    if (shared) this.#replace({ ...record, shared: { ...shared, from: { ...shared.from, question: '' } } });
  }

  /** Stores a person's rating. The rating belongs to the version that the reply shows now. */
  judge(record: MessageRecord, person: string, verdict: Thumb | 'none'): void {
    const turn = record.reply?.turn ?? '';
    const { [person]: _, ...others } = record.verdicts?.[turn] ?? {};
    const given = verdict === 'none' ? others : { ...others, [person]: verdict };
    this.#replace({ ...record, verdicts: { ...record.verdicts, [turn]: given } }, { durability: 'process' });
  }

  message(id: string): MessageRecord | undefined {
    return this.#live.find(id) ?? this.#deps.store.message(id);
  }

  ofTurn(turn: string): MessageRecord | undefined {
    const found = this.#deps.store.ofTurn(turn);
    return found && this.#live.newest(found);
  }

  /** Returns the newest messages of a thread, oldest first. */
  recent(room: string, thread: string): readonly MessageRecord[] {
    return this.#deps.store.thread(room, thread).map((record) => this.#live.newest(record));
  }

  view(record: MessageRecord): MessageView {
    const answers = isRoot(record) ? this.#deps.store.answers(record.room, record.id) : undefined;
    return viewMessage(record, this.#deps.extras, answers);
  }

  roots(room: string, before?: string): readonly MessageView[] {
    return this.#deps.store.roots(room, before).map((record) => this.view(record));
  }

  /**
   * Returns a page of a thread. The newest page always begins with the root, even if the thread has more messages than
   * a page.
   */
  thread(room: string, thread: string, before?: string): readonly MessageView[] {
    const { store } = this.#deps;
    const page = store.thread(room, thread, before);
    const root = before === undefined && page.length === PAGE_MESSAGES ? store.message(thread) : undefined;
    const whole = root && page[0]?.id !== root.id ? [root, ...page] : page;
    return whole.map((record) => this.view(this.#live.newest(record)));
  }

  /** Writes to disk the growing replies whose newest text is only in memory. */
  flush(): void {
    this.#live.flush();
  }

  #ofPlace(place: ReplyPlace): MessageRecord | undefined {
    const { turn, of, root } = place;
    const found = this.ofTurn(turn) ?? (of === undefined ? undefined : this.ofTurn(of));
    if (found || root === turn) return found;
    return this.recent(place.room, place.thread).find(({ reply }) => reply?.root === root);
  }

  /** Stores a changed message under the number of the event that publishes it, and publishes it. */
  #replace(changed: Omit<MessageRecord, 'seq'>, how: Replacing = {}): MessageRecord {
    const record = { ...changed, seq: this.#deps.feed.next };
    this.#deps.store.saveMessage(record, how.durability ?? 'power', how.due);
    this.#publish(record, how.arrived);
    return record;
  }

  #remove(record: MessageRecord): void {
    const { id, room, thread } = record;
    this.#live.drop(id);
    this.#deps.store.removeMessage(id);
    this.#deps.feed.publish({ type: 'removed', id, room, thread });
    this.#publishRoot(record);
  }

  #add({ room, thread }: ReplyPlace, reply: ReplyRecord): MessageRecord {
    const record: MessageRecord = {
      id: randomUUID(),
      room,
      thread,
      at: this.#deps.clock.now(),
      author: this.#agent(reply.agent),
      text: '',
      files: [],
      reply,
      seq: this.#deps.feed.next,
    };
    this.#deps.store.addMessage(record, { due: 0 });
    if (isOpen(reply)) this.#live.written(record);
    this.#publish(record, !isOpen(reply));
    this.#publishRoot(record);
    return record;
  }

  #edit(record: MessageRecord, now: ReplyRecord): void {
    const reply = withEarlier(record.reply, now);
    if (!record.reply || needsWholeMessage(record.reply, reply)) this.#turn(record, reply);
    else this.#grow(record, record.reply, reply);
  }

  /** Stores a reply whose state, agent or turn has changed, and publishes the whole message. */
  #turn(before: MessageRecord, reply: ReplyRecord): void {
    const changed = { ...before, author: this.#agent(reply.agent), reply };
    if (isOpen(reply)) this.#live.written(this.#replace(changed, { durability: 'process' }));
    else {
      this.#live.drop(before.id);
      this.#replace(changed, { arrived: before.reply && isOpen(before.reply) });
    }
  }

  /** Stores a reply that has grown: in memory, and on disk at most once a second. Publishes only what changed. */
  #grow(before: MessageRecord, old: ReplyRecord, reply: ReplyRecord): void {
    const text = textChange(old, reply);
    const rest = restChanged(old, reply) ? viewRest(reply, this.#deps.extras, before) : undefined;
    if (!text && !rest) return;
    const record = { ...before, reply, seq: this.#deps.feed.next };
    if (isOpen(reply)) this.#live.grow(record);
    else this.#deps.store.saveMessage(record, 'power');
    const { id, room, thread } = record;
    const change = { ...(text && { text }), ...(rest && { rest }) };
    this.#deps.feed.publish({ type: 'reply', id, room, thread, ...change });
  }

  #publish(record: MessageRecord, arrived = false): void {
    this.#deps.feed.publish({ type: 'message', message: this.view(record), ...(arrived && { arrived }) });
  }

  /** Publishes the root of the message's thread again, because the root shows the number of answers. */
  #publishRoot(record: MessageRecord): void {
    const root = isRoot(record) ? undefined : this.message(record.thread);
    if (root) this.#publish({ ...root, seq: this.#deps.feed.next });
  }

  #agent(name: string | undefined): MessageView['author'] {
    const id = name ?? this.#deps.botName;
    return { kind: 'agent', id, name: id };
  }
}
