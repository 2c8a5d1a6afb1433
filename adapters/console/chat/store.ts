import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { storeUnavailable } from '../../../src/sqlite.ts';
import type { FileView } from '../wire.ts';
import { openChatDatabase } from './database.ts';
import type { Answers, MessageRecord, RoomView } from './records.ts';
import { isOpen } from './reply-record.ts';

/** Distance between the first event numbers of two runs: more events than one run can have. */
const ERA = 1_000_000_000;

type Row = Readonly<Record<string, unknown>>;

/** Durability of a write when the call returns: against power loss, or against the end of the process. */
type Durability = 'power' | 'process';

/** The chat's SQLite file. Calls are synchronous; every failure to write is `store-unavailable`. */
export class ChatStore {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** Total bytes of all files; undefined until it is first needed. */
  #fileBytes: number | undefined;

  /** @throws BridgeError `data-corrupt`, `data-in-use` or `data-not-writable` */
  constructor(file: string) {
    this.#database = openChatDatabase(file);
  }

  close(): void {
    this.#database.close();
  }

  /** Throws `store-unavailable` if the file takes no write. */
  probe(): void {
    this.#durably('process', () =>
      this.#run('INSERT INTO meta VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET value = 1 - value', [
        'probe',
      ]),
    );
  }

  /** The number after which this run's events begin: above every number of earlier runs. */
  nextEra(): number {
    const row = this.#one(
      'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = value + ? RETURNING value',
      ['era', ERA, ERA],
    );
    return Number(row?.value ?? ERA);
  }

  rooms(): readonly RoomView[] {
    return this.#all('SELECT body FROM rooms ORDER BY n', []).flatMap((row) => decode<RoomView>(row));
  }

  addRoom(room: RoomView): void {
    this.#run('INSERT OR IGNORE INTO rooms (id, body) VALUES (?, ?)', [room.id, JSON.stringify(room)]);
  }

  addMessage(
    record: MessageRecord,
    keep: { readonly nonce?: string | undefined; readonly due: 0 | 1 },
  ): void {
    this.#durably('power', () =>
      this.#run(
        `INSERT INTO messages (id, room, thread, at, turn, nonce, engaged, due, body)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          record.id,
          record.room,
          record.thread,
          record.at,
          record.reply?.turn ?? null,
          keep.nonce ?? null,
          record.asked || record.reply ? 1 : 0,
          keep.due,
          JSON.stringify(record),
        ],
      ),
    );
  }

  saveMessage(record: MessageRecord, durability: Durability): void {
    this.#durably(durability, () =>
      this.#run('UPDATE messages SET turn = ?, body = ? WHERE id = ?', [
        record.reply?.turn ?? null,
        JSON.stringify(record),
        record.id,
      ]),
    );
  }

  /** A message written anew, that still has to be offered to the bridge where `due`. */
  rewriteMessage(record: MessageRecord, due: 0 | 1): void {
    this.#durably('power', () =>
      this.#run('UPDATE messages SET body = ?, due = ?, engaged = max(engaged, ?) WHERE id = ?', [
        JSON.stringify(record),
        due,
        record.asked ? 1 : 0,
        record.id,
      ]),
    );
  }

  removeMessage(id: string): void {
    this.#durably('power', () => this.#run('DELETE FROM messages WHERE id = ?', [id]));
  }

  message(id: string): MessageRecord | undefined {
    return this.#message('SELECT body FROM messages WHERE id = ?', id);
  }

  ofTurn(turn: string): MessageRecord | undefined {
    return this.#message('SELECT body FROM messages WHERE turn = ?', turn);
  }

  ofNonce(nonce: string): MessageRecord | undefined {
    return this.#message('SELECT body FROM messages WHERE nonce = ?', nonce);
  }

  /** True if the message still has to be offered to the bridge. */
  isDue(id: string): boolean {
    return this.#one('SELECT 1 AS due FROM messages WHERE id = ? AND due = 1', [id]) !== undefined;
  }

  /** Messages whose replies have not ended. Reads all messages, so call it at startup only. */
  openReplies(): readonly MessageRecord[] {
    const written = ['waiting', 'thinking', 'writing'].map((state) => `instr(body, '"state":"${state}"')`);
    return this.#messages(
      `SELECT body FROM messages WHERE turn IS NOT NULL AND (${written.join(' OR ')}) ORDER BY n`,
      [],
    ).filter(({ reply }) => reply !== undefined && isOpen(reply));
  }

  due(): readonly MessageRecord[] {
    return this.#messages('SELECT body FROM messages WHERE due = 1 ORDER BY n', []);
  }

  /** Losing this mark costs a second offer, which the bridge knows as a duplicate. */
  settleDue(id: string): void {
    this.#durably('process', () => this.#run('UPDATE messages SET due = 0 WHERE id = ?', [id]));
  }

  isEngaged(room: string, thread: string): boolean {
    const found = 'SELECT 1 AS found FROM messages WHERE room = ? AND thread = ? AND engaged = 1 LIMIT 1';
    return this.#one(found, [room, thread]) !== undefined;
  }

  /** The newest `limit` roots before the message `before`, oldest first. */
  roots(room: string, limit: number, before?: string): readonly MessageRecord[] {
    return this.#messages(
      `SELECT body FROM messages WHERE room = ? AND thread = id AND n < ${place(before)} ORDER BY n DESC LIMIT ?`,
      before === undefined ? [room, limit] : [room, before, limit],
    ).toReversed();
  }

  /** The newest `limit` messages of a thread before the message `before`, oldest first. */
  thread(room: string, thread: string, limit: number, before?: string): readonly MessageRecord[] {
    return this.#messages(
      `SELECT body FROM messages WHERE room = ? AND thread = ? AND n < ${place(before)} ORDER BY n DESC LIMIT ?`,
      before === undefined ? [room, thread, limit] : [room, thread, before, limit],
    ).toReversed();
  }

  answers(room: string, root: string): Answers {
    const row = this.#one(
      'SELECT count(*) AS count, max(at) AS last FROM messages WHERE room = ? AND thread = ? AND id <> thread',
      [room, root],
    );
    return { count: Number(row?.count ?? 0), lastAt: Number(row?.last ?? 0) };
  }

  addFile(file: FileView, at: number): void {
    const before = this.fileBytes();
    this.#run('INSERT INTO files (id, at, attached, body) VALUES (?, ?, 0, ?)', [
      file.id,
      at,
      JSON.stringify(file),
    ]);
    this.#fileBytes = before + file.bytes;
  }

  file(id: string): FileView | undefined {
    const row = this.#one('SELECT body FROM files WHERE id = ?', [id]);
    return row && decode<FileView>(row)[0];
  }

  attachFiles(ids: readonly string[]): void {
    for (const id of ids) this.#run('UPDATE files SET attached = 1 WHERE id = ?', [id]);
  }

  /** Files that no message uses. */
  unattachedFiles(): readonly { readonly id: string; readonly bytes: number }[] {
    const rows = this.#all("SELECT id, body ->> '$.bytes' AS bytes FROM files WHERE attached = 0", []);
    return rows.map(({ id, bytes }) => ({ id: String(id), bytes: Number(bytes) }));
  }

  /** Total bytes of all files. Reads the table once, because each upload asks for it. */
  fileBytes(): number {
    this.#fileBytes ??= Number(
      this.#one("SELECT sum(body ->> '$.bytes') AS bytes FROM files", [])?.bytes ?? 0,
    );
    return this.#fileBytes;
  }

  /** Deletes the records of unused files uploaded before `before`. Returns their ids. */
  dropUnattachedFiles(before: number): readonly string[] {
    const dropped = this.#all('DELETE FROM files WHERE attached = 0 AND at < ? RETURNING id', [before]);
    if (dropped.length > 0) this.#fileBytes = undefined;
    return dropped.map(({ id }) => String(id));
  }

  #message(sql: string, key: string): MessageRecord | undefined {
    const row = this.#one(sql, [key]);
    return row && decode<MessageRecord>(row)[0];
  }

  #messages(sql: string, values: SQLInputValue[]): readonly MessageRecord[] {
    return this.#all(sql, values).flatMap((row) => decode<MessageRecord>(row));
  }

  /** One fsync of the log makes everything before it safe too, so only what must survive power loss pays for it. */
  #durably(durability: Durability, write: () => void): void {
    this.#database.exec(`PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
    write();
  }

  #run(sql: string, values: SQLInputValue[]): void {
    this.#guarded(() => this.#statement(sql).run(...values));
  }

  #one(sql: string, values: SQLInputValue[]): Row | undefined {
    return this.#guarded(() => this.#statement(sql).get(...values));
  }

  #all(sql: string, values: SQLInputValue[]): readonly Row[] {
    return this.#guarded(() => this.#statement(sql).all(...values));
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw storeUnavailable(cause);
    }
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const made = this.#database.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}

/** Returns the SQL for the end of a page of older messages. */
const place = (before: string | undefined): string =>
  before === undefined ? '9e15' : '(SELECT n FROM messages WHERE id = ?)';

/** A body that this store wrote; a damaged one is left out, so that one bad row does not hide the others. */
function decode<T>(row: Row): readonly T[] {
  try {
    return [JSON.parse(String(row.body)) as T];
  } catch {
    return [];
  }
}
