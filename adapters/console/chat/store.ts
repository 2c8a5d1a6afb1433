import type { DatabaseSync } from 'node:sqlite';
import type { ConsolePerson } from '../config.ts';
import type { Session } from '../identity/sessions.ts';
import { PAGE_MESSAGES } from '../limits.ts';
import type { FileView, RoomView } from '../wire.ts';
import { createStatements, decode, openChatDatabase, type Statements } from './database.ts';
import { createIndex, SqliteMessageIndex } from './message-index.ts';
import type { MessageIndex, RoomStore } from './ports.ts';
import type { Answers, MessageRecord } from './records.ts';
import { isOpen } from './reply-record.ts';

/**
 * Difference between the first event numbers of two consecutive runs of the bridge. No run has so many events, so
 * numbers never repeat.
 */
const ERA = 1_000_000_000;

/** The event that a completed write must survive: a power loss, or only the end of the process. */
export type Durability = 'power' | 'process';

/** The chat's SQLite file. All calls are synchronous, and throw `store-unavailable` if reading or writing fails. */
export class ChatStore implements RoomStore {
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly index: MessageIndex;
  /** Total bytes of all files, cached; undefined until it is first needed. */
  #fileBytes: number | undefined;

  /** Opens the chat's file. @throws BridgeError `data-corrupt`, `data-in-use` or `data-not-writable` */
  constructor(file: string) {
    this.#database = openChatDatabase(file, createIndex);
    this.#sql = createStatements(this.#database);
    this.index = new SqliteMessageIndex(this.#sql);
  }

  close(): void {
    this.#database.close();
  }

  /** Checks that the file can be written. Throws `store-unavailable` if not. */
  probe(): void {
    this.#write('process')
      .run`INSERT INTO meta VALUES ('probe', 1) ON CONFLICT (key) DO UPDATE SET value = 1 - value`;
  }

  /**
   * Returns a number that is larger than all event numbers of earlier runs. The event numbers of this run follow it.
   */
  nextEra(): number {
    const row = this.#sql.get`INSERT INTO meta VALUES ('era', ${ERA})
        ON CONFLICT (key) DO UPDATE SET value = value + ${ERA} RETURNING value`;
    return Number(row?.value ?? ERA);
  }

  rooms(): readonly RoomView[] {
    return this.#sql.all`SELECT body FROM rooms ORDER BY n`.flatMap(decode<RoomView>);
  }

  addRoom(room: RoomView): void {
    const body = JSON.stringify(room);
    this.#sql.run`INSERT OR IGNORE INTO rooms (id, body) VALUES (${room.id}, ${body})`;
  }

  addMessage(
    message: MessageRecord,
    keep: { readonly nonce?: string | undefined; readonly due: 0 | 1 },
  ): void {
    const { id, room, thread, at, reply } = message;
    // `engaged` is a column of earlier versions.
    this.#write('power').run`INSERT INTO messages (id, room, thread, at, turn, nonce, engaged, due, body)
        VALUES (${id}, ${room}, ${thread}, ${at}, ${reply?.turn ?? null}, ${keep.nonce ?? null},
          0, ${keep.due}, ${JSON.stringify(message)})`;
  }

  /**
   * Stores a changed message. `due` is 1 if the bridge has not been offered an edit yet; without `due`, whether the
   * message is due does not change.
   */
  saveMessage(message: MessageRecord, durability: Durability, due?: 0 | 1): void {
    const turn = message.reply?.turn ?? null;
    const body = JSON.stringify(message);
    this.#write(durability)
      .run`UPDATE messages SET turn = ${turn}, body = ${body}, due = coalesce(${due ?? null}, due)
        WHERE id = ${message.id}`;
  }

  removeMessage(id: string): void {
    this.#write('power').run`DELETE FROM messages WHERE id = ${id}`;
  }

  #messages(...sql: Parameters<Statements['all']>): MessageRecord[] {
    return this.#sql.all(...sql).flatMap(decode<MessageRecord>);
  }

  /** Returns all messages, or those whose record contains `part`. Reads the whole table. */
  allMessages(part = ''): MessageRecord[] {
    return this.#messages`SELECT body FROM messages WHERE instr(body, ${part}) > 0 ORDER BY n`;
  }

  ofRoom(room: string): MessageRecord[] {
    return this.#messages`SELECT body FROM messages WHERE room = ${room} ORDER BY n`;
  }

  /** Returns the replies to questions. Reads the whole table. */
  repliesTo(questions: readonly string[]): readonly MessageRecord[] {
    const asked = new Set(questions);
    return this.#messages`SELECT body FROM messages WHERE turn IS NOT NULL`.filter(({ reply }) =>
      asked.has(reply?.question ?? ''),
    );
  }

  /**
   * Empties the write-ahead log, which would keep deleted text. Does nothing while another process reads the database.
   */
  truncateLog(): void {
    this.#sql.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  dropRoom(id: string): void {
    this.#sql.run`DELETE FROM private_rooms WHERE id = ${id}`;
    this.#sql.run`DELETE FROM room_members WHERE room = ${id}`;
    this.#sql.run`DELETE FROM reads WHERE room = ${id}`;
    this.#write('power').run`DELETE FROM rooms WHERE id = ${id}`;
  }

  async privateRooms(): Promise<readonly RoomView[]> {
    const rows = this.#sql.all`SELECT json_insert(body, '$.members', json(
        (SELECT json_group_array(person ORDER BY n) FROM room_members WHERE room = id))) AS body
      FROM private_rooms WHERE json_valid(body) ORDER BY n`;
    return rows.flatMap(decode<RoomView>);
  }

  /**
   * Stores private rooms in a table of their own, because earlier versions would show every room of `rooms` to everyone.
   * Removes members before anything else, so that a crash gives nobody access.
   */
  async saveRoom({ members, opening: _opening, ...room }: RoomView): Promise<void> {
    const [body, people] = [JSON.stringify(room), JSON.stringify(members ?? [])];
    this.#sql.run`DELETE FROM room_members WHERE room = ${room.id}
        AND person NOT IN (SELECT value FROM json_each(${people}))`;
    this.#sql.run`INSERT OR IGNORE INTO room_members (room, person)
        SELECT ${room.id}, value FROM json_each(${people}) ORDER BY key`;
    const sql = this.#write('power');
    if (members) {
      sql.run`INSERT INTO private_rooms (id, body) VALUES (${room.id}, ${body})
          ON CONFLICT (id) DO UPDATE SET body = excluded.body`;
    } else {
      sql.run`INSERT INTO rooms (id, body) VALUES (${room.id}, ${body})
          ON CONFLICT (id) DO UPDATE SET body = excluded.body`;
    }
  }

  async forgetMember(person: string): Promise<void> {
    this.#write('power').run`DELETE FROM room_members WHERE person = ${person}`;
  }

  async messagesAfter(
    room: string,
    limit: number,
    after: string | null = null,
  ): Promise<readonly MessageRecord[]> {
    return this.#messages`SELECT body FROM messages WHERE room = ${room}
        AND n > iif(${after} IS NULL, 0, (SELECT n FROM messages WHERE id = ${after}))
        ORDER BY n LIMIT ${limit}`;
  }

  dropPerson(id: string): void {
    this.#write('power').run`DELETE FROM people WHERE id = ${id}`;
  }

  /** Returns the ids of the files that the person uploaded; without a person, of all files. */
  filesOf(person: string | null = null): readonly string[] {
    const rows = this.#sql.all`SELECT id FROM files WHERE ${person} IS NULL
        UNION SELECT file FROM file_owners WHERE ${person} IS NULL OR person = ${person}`;
    return rows.map(({ id }) => String(id));
  }

  /** Returns the ids of the oldest files that were uploaded before the time `before`, at most `limit`. */
  filesBefore(before: number, limit: number): readonly string[] {
    const rows = this.#sql.all`SELECT id FROM files WHERE at < ${before} ORDER BY at LIMIT ${limit}`;
    return rows.map(({ id }) => String(id));
  }

  dropFile(id: string): void {
    this.#sql.run`DELETE FROM file_rooms WHERE file = ${id}`;
    this.#sql.run`DELETE FROM file_owners WHERE file = ${id}`;
    this.#write('power').run`DELETE FROM files WHERE id = ${id}`;
    this.#fileBytes = undefined;
  }

  message(id: string): MessageRecord | undefined {
    return this.#messages`SELECT body FROM messages WHERE id = ${id}`[0];
  }

  ofTurn(turn: string): MessageRecord | undefined {
    return this.#messages`SELECT body FROM messages WHERE turn = ${turn}`[0];
  }

  ofNonce(nonce: string): MessageRecord | undefined {
    return this.#messages`SELECT body FROM messages WHERE nonce = ${nonce}`[0];
  }

  /** True if the bridge has not been offered the message yet. */
  isDue(id: string): boolean {
    return this.#sql.get`SELECT 1 FROM messages WHERE id = ${id} AND due = 1` !== undefined;
  }

  /** Returns the messages whose replies have not ended. Reads all messages, so it must only be called at the start. */
  openReplies(): readonly MessageRecord[] {
    return this
      .#messages`SELECT body FROM messages WHERE turn IS NOT NULL AND (instr(body, '"state":"waiting"')
        OR instr(body, '"state":"thinking"') OR instr(body, '"state":"writing"')) ORDER BY n`.filter(
      ({ reply }) => reply !== undefined && isOpen(reply),
    );
  }

  due(): readonly MessageRecord[] {
    return this.#messages`SELECT body FROM messages WHERE due = 1 ORDER BY n`;
  }

  /**
   * Records that the bridge was offered the message. If a crash loses this record, the message is offered again, and
   * the bridge recognizes the duplicate.
   */
  settleDue(id: string): void {
    this.#write('process').run`UPDATE messages SET due = 0 WHERE id = ${id}`;
  }

  /** Returns a page of roots before the message with id `before` (null: of the whole room), oldest first. */
  roots(room: string, before: string | null = null): readonly MessageRecord[] {
    return this.#messages`SELECT body FROM messages WHERE room = ${room} AND thread = id
        AND n < iif(${before} IS NULL, 9e15, (SELECT n FROM messages WHERE id = ${before}))
        ORDER BY n DESC LIMIT ${PAGE_MESSAGES}`.toReversed();
  }

  /** Returns a page of a thread before the message with id `before` (null: of the whole thread), oldest first. */
  thread(room: string, thread: string, before: string | null = null): readonly MessageRecord[] {
    return this.#messages`SELECT body FROM messages WHERE room = ${room} AND thread = ${thread}
        AND n < iif(${before} IS NULL, 9e15, (SELECT n FROM messages WHERE id = ${before}))
        ORDER BY n DESC LIMIT ${PAGE_MESSAGES}`.toReversed();
  }

  answers(room: string, root: string): Answers {
    const row = this.#sql.get`SELECT count(*) AS count, max(at) AS last FROM messages
        WHERE room = ${room} AND thread = ${root} AND id <> thread`;
    return { count: Number(row?.count ?? 0), lastAt: Number(row?.last ?? 0) };
  }

  addFile(file: FileView, at: number): void {
    const before = this.fileBytes();
    const body = JSON.stringify(file);
    this.#sql.run`INSERT INTO files (id, at, attached, body) VALUES (${file.id}, ${at}, 0, ${body})`;
    this.#fileBytes = before + file.bytes;
  }

  file(id: string): FileView | undefined {
    return this.#sql.all`SELECT body FROM files WHERE id = ${id}`.flatMap(decode<FileView>)[0];
  }

  /** Records that a message in the room contains the files, so that readers of the room may open them. */
  attachFiles(ids: readonly string[], room: string): void {
    for (const id of ids) {
      this.#sql.run`UPDATE files SET attached = 1 WHERE id = ${id}`;
      this.#sql.run`INSERT OR IGNORE INTO file_rooms VALUES (${id}, ${room})`;
    }
  }

  setFileOwner(id: string, person: string): void {
    this.#sql.run`INSERT OR IGNORE INTO file_owners VALUES (${id}, ${person})`;
  }

  fileOwner(id: string): string | undefined {
    const row = this.#sql.get`SELECT person FROM file_owners WHERE file = ${id}`;
    return row && String(row.person);
  }

  /** Returns the rooms in which the file was posted. */
  roomsOfFile(id: string): readonly string[] {
    const rows = this.#sql.all`SELECT room FROM file_rooms WHERE file = ${id}`;
    return rows.map(({ room }) => String(room));
  }

  people(): readonly ConsolePerson[] {
    return this.#sql.all`SELECT body FROM people ORDER BY rowid`.flatMap(decode<ConsolePerson>);
  }

  savePerson(person: ConsolePerson): void {
    const body = JSON.stringify(person);
    this.#write('power').run`INSERT INTO people VALUES (${person.id}, ${body})
        ON CONFLICT (id) DO UPDATE SET body = excluded.body`;
  }

  sessions(): readonly Session[] {
    return this.#sql.all`SELECT body FROM sign_ins`.flatMap(decode<Session>);
  }

  saveSession(session: Session): void {
    const body = JSON.stringify(session);
    this.#write('process').run`INSERT INTO sign_ins VALUES (${session.key}, ${body})
        ON CONFLICT (key) DO UPDATE SET body = excluded.body`;
  }

  /** Deletes a session. The deletion survives a power loss, so that a session that has ended never comes back. */
  dropSession(key: string): void {
    this.#write('power').run`DELETE FROM sign_ins WHERE key = ${key}`;
  }

  /** Returns the uploaded files that no message uses, with the people who uploaded them. */
  unattachedFiles(): readonly { id: string; by: string; at: number; bytes: number }[] {
    const rows = this.#sql.all`SELECT id, person, at, body ->> '$.bytes' AS bytes
        FROM files LEFT JOIN file_owners ON file = id WHERE attached = 0`;
    return rows.map(({ id, person, at, bytes }) => ({
      id: String(id),
      by: String(person),
      at: Number(at),
      bytes: Number(bytes),
    }));
  }

  /** Returns the total bytes of all files. Counts them once and then caches the total, because each upload needs it. */
  fileBytes(): number {
    this.#fileBytes ??= Number(this.#sql.get`SELECT sum(body ->> '$.bytes') AS bytes FROM files`?.bytes ?? 0);
    return this.#fileBytes;
  }

  /**
   * Returns the statements for a write. Waits for an fsync, which is slow, only if the write must survive a power loss.
   * The fsync also saves all earlier writes.
   */
  #write(durability: Durability): Statements {
    this.#database.exec(`PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
    return this.#sql;
  }
}
