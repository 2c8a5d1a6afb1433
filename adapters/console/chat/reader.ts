import type { ReplyDocument } from '../../../src/kit.ts';
import { PAGE_MESSAGES } from '../limits.ts';
import type { MessageView, RoomView } from '../wire.ts';
import type { LiveReplies } from './live.ts';
import type { ChatStore } from './ports.ts';
import { DIRECT_THREAD, isRoot, type MessageRecord } from './records.ts';
import { endOf, type ReplyPlace } from './reply-record.ts';
import type { ChatRows } from './store.ts';
import { type ReplyExtras, viewMessage } from './views.ts';

/** Reads messages: as stored, or newer if this process has a newer version in memory. */
export class ChatReader {
  readonly #store: ChatStore;
  readonly #live: Pick<LiveReplies, 'find'> | undefined;
  readonly #extras: ReplyExtras;

  constructor(store: ChatStore, live: Pick<LiveReplies, 'find'> | undefined, extras: ReplyExtras) {
    this.#store = store;
    this.#live = live;
    this.#extras = extras;
  }

  /** Returns a page of a room: its roots, or all messages of a direct room. */
  page(room: RoomView, before?: string): Promise<readonly MessageView[]> {
    if (room.kind === 'direct') return this.thread(room.id, DIRECT_THREAD, before);
    return this.roots(room.id, before);
  }

  /**
   * Returns the state in which the turn's reply ended: undefined if it has not ended, `withdrawn` if the question was
   * deleted.
   */
  async endOf(place: ReplyPlace, rows = this.#store.rows): Promise<ReplyDocument['state'] | undefined> {
    const ofReply = ({ reply }: MessageRecord) => reply?.root === place.root;
    const found =
      (await this.ofTurn(place.turn, rows)) ??
      (await this.recent(place.room, place.thread, rows)).find(ofReply);
    if (found?.reply) return endOf(found.reply, place.turn);
    return (await this.message(place.question, rows)) ? undefined : 'withdrawn';
  }

  async message(id: string, rows = this.#store.rows): Promise<MessageRecord | undefined> {
    return this.#live?.find(id) ?? rows.message(id);
  }

  async ofTurn(turn: string, rows = this.#store.rows): Promise<MessageRecord | undefined> {
    const found = await rows.ofTurn(turn);
    return found && this.#newest(found);
  }

  /** Returns the newest messages of a thread, oldest first. */
  async recent(room: string, thread: string, rows = this.#store.rows): Promise<readonly MessageRecord[]> {
    return (await rows.thread(room, thread)).map((record) => this.#newest(record));
  }

  async view(record: MessageRecord): Promise<MessageView> {
    const [view] = await this.views([record]);
    return view ?? viewMessage(record, this.#extras);
  }

  async views(records: readonly MessageRecord[], rows = this.#store.rows): Promise<readonly MessageView[]> {
    const roots = records.filter(isRoot);
    const answers = await rows.answers(
      roots[0]?.room ?? '',
      roots.map(({ id }) => id),
    );
    return records.map((record) => viewMessage(record, this.#extras, answers.get(record.id)));
  }

  async roots(room: string, before?: string): Promise<readonly MessageView[]> {
    return this.views(await this.#store.rows.roots(room, before));
  }

  /**
   * Returns a page of a thread. The newest page always begins with the root, even if the thread has more messages than
   * a page.
   */
  async thread(room: string, thread: string, before?: string): Promise<readonly MessageView[]> {
    const { rows } = this.#store;
    const page = await rows.thread(room, thread, before);
    const isCut = before === undefined && page.length === PAGE_MESSAGES;
    const root = isCut ? await rows.message(thread) : undefined;
    const whole = root && page[0]?.id !== root.id ? [root, ...page] : page;
    return this.views(whole.map((record) => this.#newest(record)));
  }

  /** Returns the version in memory if there is one, because it is newer; otherwise the given record. */
  #newest(record: MessageRecord): MessageRecord {
    return this.#live?.find(record.id) ?? record;
  }

  async hasAnswers({ room, id }: MessageRecord, rows: ChatRows): Promise<boolean> {
    return (await rows.answers(room, [id])).size > 0;
  }

  async ofPlace(place: ReplyPlace, rows: ChatRows): Promise<MessageRecord | undefined> {
    const { turn, of, root } = place;
    const found =
      (await this.ofTurn(turn, rows)) ?? (of === undefined ? undefined : await this.ofTurn(of, rows));
    if (found || root === turn) return found;
    return (await this.recent(place.room, place.thread, rows)).find(({ reply }) => reply?.root === root);
  }
}
