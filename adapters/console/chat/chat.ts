import { randomUUID } from 'node:crypto';
import type { DocumentEdit } from '../../../src/kit/ladder.ts';
import { type Clock, defined, type ReplyDocument } from '../../../src/kit.ts';
import type { FileView, MessageView, SharedView, Thumb } from '../wire.ts';
import { LiveReplies } from './live.ts';
import type { Change, ChatStore } from './ports.ts';
import { ChatReader } from './reader.ts';
import { type AgentQuestion, isRoot, type MessageRecord, type ReplyRecord } from './records.ts';
import {
  isOpen,
  isOutdated,
  lostReply,
  needsWholeMessage,
  type ReplyPlace,
  replyOf,
  restChanged,
  textChange,
  waitingReply,
  withEarlier,
} from './reply-record.ts';
import type { Durability } from './sql.ts';
import { type ReplyExtras, viewRest } from './views.ts';

interface NewMessage {
  readonly room: string;
  /** Id of the thread's first message, or `direct` in a direct room. If absent, the message begins a new thread. */
  readonly thread?: string | undefined;
  readonly author: MessageView['author'];
  readonly text: string;
  readonly files?: readonly FileView[];
  readonly asked?: AgentQuestion | undefined;
  /** Ids of the people whom the text mentions. */
  readonly mentions?: readonly string[];
  readonly shared?: SharedView;
  /** Idempotency key. If a message with this nonce exists, no second one is posted. */
  readonly nonce?: string;
}

/** Options for storing and publishing a changed message; see `ChatRows.saveMessage`. */
interface Replacing {
  readonly durability?: Durability;
  readonly due?: 0 | 1;
  /** True if a reply has just ended. */
  readonly arrived?: boolean | undefined;
}

interface Deps {
  readonly store: ChatStore;
  readonly clock: Clock;
  readonly botName: string;
  readonly extras: ReplyExtras;
}

/** The team chat of the console. Stores messages and growing replies, and publishes each change as an event. */
export class Chat {
  readonly #deps: Deps;
  /** Undefined if other processes change the chat too. Each change of a growing reply is then stored at once. */
  readonly #live: LiveReplies | undefined;
  readonly reader: ChatReader;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#live = deps.store.isShared ? undefined : new LiveReplies(deps.store.rows, deps.clock);
    this.reader = new ChatReader(deps.store, this.#live, deps.extras);
  }

  /** Stores and publishes a message. If a message with the same nonce exists, returns the existing message instead. */
  say(post: NewMessage): Promise<MessageRecord> {
    return this.#deps.store.change((change) => this.sayIn(change, post));
  }

  /** Does what `say` does, in a change in progress. */
  async sayIn(change: Change, post: NewMessage): Promise<MessageRecord> {
    const { rows } = change;
    const before = post.nonce === undefined ? undefined : await rows.ofNonce(post.nonce);
    if (before) return before;
    const id = randomUUID();
    const { asked, shared, mentions = [] } = post;
    const record: MessageRecord = {
      id,
      room: post.room,
      thread: post.thread ?? id,
      at: this.#deps.clock.now(),
      author: post.author,
      text: post.text,
      files: post.files ?? [],
      ...defined({ asked, shared, mentions: mentions.length > 0 ? mentions : undefined }),
      seq: change.next,
    };
    await rows.addMessage(record, { nonce: post.nonce, due: asked ? 1 : 0 });
    const files = record.files.map((file) => file.id);
    await rows.attachFiles(files, record.room);
    await this.#publish(change, record, true);
    await this.#publishRoot(change, record);
    return record;
  }

  /** Posts a sentence of the bridge itself in a thread. */
  note(room: string, thread: string, text: string): Promise<MessageRecord> {
    return this.say({ room, thread, author: this.#agent(undefined), text });
  }

  /** Posts a reply that says how many questions are ahead. Does nothing if the reply has begun or ended. */
  postWaiting(place: ReplyPlace, ahead: number): Promise<void> {
    return this.#deps.store.change(async (change) => {
      const found = await this.reader.ofPlace(place, change.rows);
      const begun = found?.reply?.turn === place.turn && found.reply.state !== 'waiting';
      if (begun || (await this.reader.endOf(place, change.rows)) !== undefined) return;
      const reply = waitingReply(place, ahead);
      if (found) await this.#turn(change, found, withEarlier(found.reply, reply));
      else await this.#add(change, place, reply);
    });
  }

  /** Ends the reply of a turn that was stopped before it ran. Such a turn has no writer that would end its reply. */
  endWaiting(turn: string): Promise<void> {
    return this.#deps.store.change(async (change) => {
      const record = await this.reader.ofTurn(turn, change.rows);
      if (record?.reply?.state !== 'waiting') return;
      const { ahead: _ahead, ...reply } = record.reply;
      await this.#turn(change, record, { ...reply, state: 'stopped', retry: true });
    });
  }

  /** Ends a reply whose turn is no longer in the bridge's inbox. Does nothing if it has ended meanwhile. */
  endLost({ id }: MessageRecord): Promise<void> {
    return this.#deps.store.change(async (change) => {
      const record = await this.reader.message(id, change.rows);
      if (record?.reply && isOpen(record.reply)) await this.#turn(change, record, lostReply(record.reply));
    });
  }

  /**
   * Shows the document in the turn's message. Creates the message if there is none. Returns the message's id; undefined
   * if the question was deleted.
   */
  postReply(place: ReplyPlace, document: ReplyDocument): Promise<string | undefined> {
    return this.#deps.store.change(async (change) => {
      const reply = replyOf(place, document, document.text);
      const found = await this.reader.ofPlace(place, change.rows);
      if (found) await this.#edit(change, found, place, reply);
      if (found || !(await this.reader.message(place.question, change.rows))) return found?.id;
      return (await this.#add(change, place, reply)).id;
    });
  }

  /** Replaces the text from offset `at` on. Returns `behind` if the message's text is shorter than `at`. */
  editReply(
    place: ReplyPlace,
    { id, at, text, document }: DocumentEdit,
  ): Promise<'done' | 'gone' | 'behind'> {
    return this.#deps.store.change(async (change) => {
      const record = await this.reader.message(id, change.rows);
      if (!record?.reply) return 'gone';
      const { turn, text: held } = record.reply;
      if (at > (turn === document.turn ? held.length : 0)) return 'behind';
      await this.#edit(change, record, place, replyOf(place, document, held.slice(0, at) + text));
      return 'done';
    });
  }

  /** Removes a reply's message. Also removes the thread's root if that is a deleted question without other answers. */
  removeReply(place: ReplyPlace, id: string | undefined): Promise<void> {
    return this.#deps.store.change(async (change) => {
      const { rows } = change;
      const record = await (id === undefined
        ? this.reader.ofPlace(place, rows)
        : this.reader.message(id, rows));
      if (!record?.reply || isOutdated(place, record.reply)) return;
      await this.#remove(change, record);
      const root = await this.reader.message(record.thread, rows);
      if (root?.deleted && !(await this.reader.hasAnswers(root, change.rows)))
        await this.#remove(change, root);
    });
  }

  /**
   * Replaces the text of a person's message, unless another request has made the same edit. Resolves with undefined if the
   * message was deleted meanwhile.
   */
  rewrite(id: string, text: string, question: AgentQuestion | undefined): Promise<MessageRecord | undefined> {
    return this.#replaceBy(
      id,
      (before) => {
        if (before.deleted) return undefined;
        if (before.text === text) return before;
        const { asked: _asked, ...rest } = before;
        const revision = (before.revision ?? 0) + 1;
        return { ...rest, text, revision, ...(question && { asked: question }) };
      },
      { due: question ? 1 : 0 },
    );
  }

  /** Removes a message. A root that has answers stays: empty, marked as deleted, and with the author. */
  removeMessage(record: MessageRecord, author = record.author): Promise<void> {
    const { id, room, thread, at } = record;
    return this.#deps.store.change(async (change) => {
      if (!isRoot(record) || !(await this.reader.hasAnswers(record, change.rows)))
        return this.#remove(change, record);
      const empty = { id, room, thread, at, author, text: '', files: [], deleted: true } as const;
      await this.#replace(change, empty, { due: 0 });
    });
  }

  /** Removes a person's ratings of a reply, and mentions of the person. */
  async forgetPerson({ id }: MessageRecord, person: string): Promise<void> {
    await this.#replaceBy(id, ({ mentions = [], verdicts, ...rest }) => {
      const remaining = Object.entries(verdicts ?? {}).map(([turn, { [person]: _, ...others }]) => [
        turn,
        others,
      ]);
      const others = mentions.filter((one) => one !== person);
      return {
        ...rest,
        ...(verdicts && { verdicts: Object.fromEntries(remaining) }),
        ...(others.length > 0 && { mentions: others }),
      };
    });
  }

  /** Removes the question from a shared answer. */
  async forgetSharedQuestion({ id }: MessageRecord): Promise<void> {
    await this.#replaceBy(id, ({ shared, ...rest }) => ({
      ...rest,
      ...(shared && { shared: { ...shared, from: { ...shared.from, question: '' } } }),
    }));
  }

  /** Stores a person's rating. The rating belongs to the version that the reply shows now. */
  async judge({ id }: MessageRecord, person: string, verdict: Thumb | 'none'): Promise<void> {
    const judged = (record: MessageRecord) => {
      const turn = record.reply?.turn ?? '';
      const { [person]: _, ...others } = record.verdicts?.[turn] ?? {};
      const given = verdict === 'none' ? others : { ...others, [person]: verdict };
      return { ...record, verdicts: { ...record.verdicts, [turn]: given } };
    };
    await this.#replaceBy(id, judged, { durability: 'process' });
  }

  /** Writes to disk the growing replies whose newest text is only in memory. */
  async flush(): Promise<void> {
    await this.#live?.flush();
  }

  /**
   * Replaces the message with what `changed` returns for its current state. Changes nothing for undefined, and for the
   * message itself.
   */
  #replaceBy(
    id: string,
    changed: (record: MessageRecord) => Omit<MessageRecord, 'seq'> | undefined,
    how?: Replacing,
  ): Promise<MessageRecord | undefined> {
    return this.#deps.store.change(async (change) => {
      const before = await this.reader.message(id, change.rows);
      const after = before && changed(before);
      if (after === before) return before;
      return after && this.#replace(change, after, how);
    });
  }

  /** Stores a changed message under the number of the event that publishes it, and publishes it. */
  async #replace(
    change: Change,
    changed: Omit<MessageRecord, 'seq'>,
    how: Replacing = {},
  ): Promise<MessageRecord> {
    const record = { ...changed, seq: change.next };
    await change.rows.saveMessage(record, how.durability ?? 'power', how.due);
    await this.#publish(change, record, how.arrived);
    return record;
  }

  async #remove(change: Change, record: MessageRecord): Promise<void> {
    const { id, room, thread } = record;
    this.#live?.drop(id);
    await change.rows.removeMessage(id);
    change.publish({ type: 'removed', id, room, thread });
    await this.#publishRoot(change, record);
  }

  async #add(change: Change, { room, thread }: ReplyPlace, reply: ReplyRecord): Promise<MessageRecord> {
    const record: MessageRecord = {
      id: randomUUID(),
      room,
      thread,
      at: this.#deps.clock.now(),
      author: this.#agent(reply.agent),
      text: '',
      files: [],
      reply,
      seq: change.next,
    };
    await change.rows.addMessage(record, { due: 0 });
    if (isOpen(reply)) await this.#live?.written(record);
    await this.#publish(change, record, !isOpen(reply));
    await this.#publishRoot(change, record);
    return record;
  }

  async #edit(change: Change, record: MessageRecord, place: ReplyPlace, now: ReplyRecord): Promise<void> {
    if (record.reply && isOutdated(place, record.reply)) return;
    const reply = withEarlier(record.reply, now);
    if (!record.reply || needsWholeMessage(record.reply, reply)) await this.#turn(change, record, reply);
    else await this.#grow(change, record, { old: record.reply, reply });
  }

  /** Stores a reply whose state, agent or turn has changed, and publishes the whole message. */
  async #turn(change: Change, before: MessageRecord, reply: ReplyRecord): Promise<void> {
    const changed = { ...before, author: this.#agent(reply.agent), reply };
    if (isOpen(reply)) {
      const record = await this.#replace(change, changed, { durability: 'process' });
      await this.#live?.written(record);
    } else {
      this.#live?.drop(before.id);
      await this.#replace(change, changed, { arrived: before.reply && isOpen(before.reply) });
    }
  }

  /** Stores a reply that has grown, and publishes only what changed. */
  async #grow(
    change: Change,
    before: MessageRecord,
    { old, reply }: { readonly old: ReplyRecord; readonly reply: ReplyRecord },
  ): Promise<void> {
    const text = textChange(old, reply);
    const rest = restChanged(old, reply) ? viewRest(reply, this.#deps.extras, before) : undefined;
    if (!text && !rest) return;
    const record = { ...before, reply, seq: change.next };
    if (!isOpen(reply)) await change.rows.saveMessage(record, 'power');
    else if (this.#live) await this.#live.grow(record);
    else await change.rows.growMessage(record);
    const { id, room, thread } = record;
    change.publish({ type: 'reply', id, room, thread, ...(text && { text }), ...(rest && { rest }) });
  }

  async #publish(change: Change, record: MessageRecord, arrived = false): Promise<void> {
    const [message] = await this.reader.views([record], change.rows);
    if (message) change.publish({ type: 'message', message, ...(arrived && { arrived }) });
  }

  /** Publishes the root of the message's thread again, because the root shows the number of answers. */
  async #publishRoot(change: Change, record: MessageRecord): Promise<void> {
    const root = isRoot(record) ? undefined : await this.reader.message(record.thread, change.rows);
    if (root) await this.#publish(change, { ...root, seq: change.next });
  }

  #agent(name: string | undefined): MessageView['author'] {
    const id = name ?? this.#deps.botName;
    return { kind: 'agent', id, name: id };
  }
}
