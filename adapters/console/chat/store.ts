import type { ConsolePerson } from '../config.ts';
import type { Session } from '../identity/sessions.ts';
import { PAGE_MESSAGES } from '../limits.ts';
import type { FileView, RoomView } from '../wire.ts';
import type { Answers, MessageRecord } from './records.ts';
import { DIRECT_THREAD } from './records.ts';
import { type Durability, decode, type Row, type Sql } from './sql.ts';

/** Number of messages that one statement reads when all messages are read. */
const SCANNED = 1_000;
/** Number of messages of a conversation among which its first words are. */
const FIRST_MESSAGES = 5;

/** A message up to which a person has read: in a whole room or, with `thread`, only in that thread. */
interface ReadPosition {
  readonly person: string;
  readonly room: string;
  readonly thread?: string | undefined;
  readonly message: string;
}

/** Storage of what a change of a message means for the index of messages. */
interface Indexing {
  /** Called after a message was added or changed, in the same change; not for an open reply that has only grown. */
  stored(message: MessageRecord): Promise<void>;
}

/** Reads and writes the chat's tables. All calls reject with `store-unavailable` if reading or writing fails. */
export class ChatRows {
  readonly #sql: Sql;
  readonly #durable: (durability: Durability) => Sql;
  readonly #indexing: Indexing;

  /** @param durable returns statements whose writes survive that event */
  constructor(sql: Sql, durable: (durability: Durability) => Sql, indexing: Indexing) {
    this.#sql = sql;
    this.#durable = durable;
    this.#indexing = indexing;
  }

  async rooms(): Promise<readonly RoomView[]> {
    const rows = await this.#sql`SELECT body FROM main.rooms ORDER BY n`;
    return rows.flatMap(decode<RoomView>);
  }

  async addRoom(room: RoomView): Promise<void> {
    const body = JSON.stringify(room);
    await this.#sql`INSERT INTO main.rooms (id, body) VALUES (${room.id}, ${body}) ON CONFLICT DO NOTHING`;
  }

  async addMessage(
    message: MessageRecord,
    keep: { readonly nonce?: string | undefined; readonly due: 0 | 1 },
  ): Promise<void> {
    const { id, room, thread, at, reply } = message;
    // `engaged` is a column of earlier versions.
    await this.#durable(
      'power',
    )`INSERT INTO main.messages (id, room, thread, at, turn, nonce, engaged, due, body)
        VALUES (${id}, ${room}, ${thread}, ${at}, ${reply?.turn ?? null}, ${keep.nonce ?? null},
          0, ${keep.due}, ${JSON.stringify(message)})`;
    await this.#indexing.stored(message);
  }

  /**
   * Stores a changed message. `due` is 1 if the bridge has not been offered an edit yet; without `due`, whether the
   * message is due does not change.
   */
  async saveMessage(message: MessageRecord, durability: Durability, due?: 0 | 1): Promise<void> {
    const turn = message.reply?.turn ?? null;
    const body = JSON.stringify(message);
    await this.#durable(durability)`UPDATE main.messages
        SET turn = ${turn}, body = ${body}, due = coalesce(${due ?? null}, due) WHERE id = ${message.id}`;
    await this.#indexing.stored(message);
  }

  /** Stores an open reply that has grown. */
  async growMessage(message: MessageRecord): Promise<void> {
    await this.#durable(
      'process',
    )`UPDATE main.messages SET body = ${JSON.stringify(message)} WHERE id = ${message.id}`;
  }

  async removeMessage(id: string): Promise<void> {
    await this.#durable('power')`DELETE FROM main.messages WHERE id = ${id}`;
  }

  async #messages(...statement: Parameters<Sql>): Promise<readonly MessageRecord[]> {
    return (await this.#sql(...statement)).flatMap(decode<MessageRecord>);
  }

  /** Returns all messages, or those whose record contains `part`. Reads the whole table. */
  async allMessages(part = ''): Promise<readonly MessageRecord[]> {
    const found: MessageRecord[] = [];
    for (let after = 0; ; ) {
      const rows = await this.#sql`SELECT n,
          CASE WHEN ${part} = '' OR replace(body, ${part}, '') <> body THEN body END AS body
        FROM main.messages WHERE n > ${after} ORDER BY n LIMIT ${SCANNED}`;
      found.push(...rows.filter(({ body }) => body !== null).flatMap(decode<MessageRecord>));
      if (rows.length < SCANNED) return found;
      after = Number(rows.at(-1)?.n);
    }
  }

  async ofRoom(room: string): Promise<readonly MessageRecord[]> {
    return this.#messages`SELECT body FROM main.messages WHERE room = ${room} ORDER BY n`;
  }

  /** Returns the replies to questions. Reads the whole table. */
  async repliesTo(questions: readonly string[]): Promise<readonly MessageRecord[]> {
    const questionIds = new Set(questions);
    const replies = await this.allMessages('"reply"');
    return replies.filter(({ reply }) => questionIds.has(reply?.question ?? ''));
  }

  async dropRoom(id: string): Promise<void> {
    await this.#sql`DELETE FROM main.private_rooms WHERE id = ${id}`;
    await this.#sql`DELETE FROM main.room_members WHERE room = ${id}`;
    await this.#sql`DELETE FROM main.reads WHERE room = ${id}`;
    await this.#durable('power')`DELETE FROM main.rooms WHERE id = ${id}`;
  }

  /** Returns the private rooms with their members. */
  async privateRooms(): Promise<readonly RoomView[]> {
    const rows = await this.#sql`SELECT body FROM main.private_rooms ORDER BY n`;
    const members = await this.#sql`SELECT room, person FROM main.room_members ORDER BY n`;
    const byRoom = Map.groupBy(members, ({ room }) => String(room));
    return rows.flatMap(decode<RoomView>).map((room) => ({
      ...room,
      members: (byRoom.get(room.id) ?? []).map(({ person }) => String(person)),
    }));
  }

  /**
   * Stores a room with its members, or replaces it. The first words of a conversation are not stored. Stores private
   * rooms in a table of their own, because earlier versions would show every room of `rooms` to everyone. Removes
   * members before anything else, so that a crash gives nobody access.
   */
  async saveRoom({ members, opening: _opening, ...room }: RoomView): Promise<void> {
    const { id } = room;
    const body = JSON.stringify(room);
    const rows = await this.#sql`SELECT person FROM main.room_members WHERE room = ${id}`;
    const before = rows.map(({ person }) => String(person));
    for (const person of before.filter((one) => !members?.includes(one)))
      await this.#sql`DELETE FROM main.room_members WHERE room = ${id} AND person = ${person}`;
    for (const person of (members ?? []).filter((one) => !before.includes(one)))
      await this.#sql`INSERT INTO main.room_members (room, person) VALUES (${id}, ${person})`;
    const sql = this.#durable('power');
    if (members) {
      await sql`INSERT INTO main.private_rooms (id, body) VALUES (${id}, ${body})
          ON CONFLICT (id) DO UPDATE SET body = excluded.body`;
    } else {
      await sql`INSERT INTO main.rooms (id, body) VALUES (${id}, ${body})
          ON CONFLICT (id) DO UPDATE SET body = excluded.body`;
    }
  }

  /** Removes the person from all rooms. */
  async forgetMember(person: string): Promise<void> {
    await this.#durable('power')`DELETE FROM main.room_members WHERE person = ${person}`;
  }

  /** From the first call on, what arrives later counts as unread for the person, and everything earlier as read. */
  async beginReading(person: string): Promise<void> {
    await this.#sql`INSERT INTO main.reads (person, room, thread, k)
        SELECT CAST(${person} AS text), '', '', coalesce((SELECT k FROM main.found
          WHERE k IS NOT NULL ORDER BY k DESC LIMIT 1), 0) WHERE true ON CONFLICT DO NOTHING`;
  }

  /** Stores a read position. Returns false if the person has read further, or the message is not in that place. */
  async read({ person, room, thread = '', message }: ReadPosition): Promise<boolean> {
    const [found] = await this.#sql`SELECT k FROM main.found WHERE id = ${message} AND room = ${room}
        AND ${thread} IN ('', thread) AND k IS NOT NULL`;
    if (found === undefined) return false;
    const k = Number(found.k);
    const stored = await this.#sql`INSERT INTO main.reads AS old (person, room, thread, k)
        SELECT CAST(${person} AS text), CAST(${room} AS text), CAST(${thread} AS text), CAST(${k} AS bigint)
          WHERE ${k} > coalesce((SELECT max(k) FROM main.reads
            WHERE person = ${person} AND room IN ('', ${room}) AND thread IN ('', ${thread})), 0)
        ON CONFLICT (person, room, thread) DO UPDATE SET k = excluded.k WHERE old.k < excluded.k RETURNING 1`;
    if (thread === '')
      await this.#sql`DELETE FROM main.reads
          WHERE person = ${person} AND room = ${room} AND thread <> '' AND k <= ${k}`;
    return stored.length > 0;
  }

  /** Counts as read all messages of the room that have arrived. */
  async readAll(person: string, room: string): Promise<void> {
    await this.#sql`INSERT INTO main.reads (person, room, thread, k)
        SELECT CAST(${person} AS text), CAST(${room} AS text), '', coalesce((SELECT k FROM main.found
          WHERE k IS NOT NULL ORDER BY k DESC LIMIT 1), 0) WHERE true
        ON CONFLICT (person, room, thread) DO UPDATE SET k = excluded.k`;
  }

  /** Deletes the read positions of the person; without a person, of everyone. */
  async forgetReads(person: string | null = null): Promise<void> {
    await this.#sql`DELETE FROM main.reads WHERE CAST(${person} AS text) IS NULL OR person = ${person}`;
  }

  /** Returns the first messages of a room, oldest first: at most `limit` after the message with the id `after`. */
  async messagesAfter(
    room: string,
    limit: number,
    after: string | null = null,
  ): Promise<readonly MessageRecord[]> {
    return this.#messages`SELECT body FROM main.messages WHERE room = ${room} AND n > CASE
        WHEN CAST(${after} AS text) IS NULL THEN 0 ELSE (SELECT n FROM main.messages WHERE id = ${after}) END
        ORDER BY n LIMIT ${limit}`;
  }

  /** Returns the first messages of a conversation, oldest first; without a room, of all conversations. */
  async firstMessages(room?: string): Promise<readonly MessageRecord[]> {
    if (room !== undefined) return this.messagesAfter(room, FIRST_MESSAGES);
    return this.#messages`SELECT body FROM main.messages WHERE n IN (SELECT n FROM (
        SELECT n, row_number() OVER (PARTITION BY room ORDER BY n) AS nth
          FROM main.messages WHERE thread = ${DIRECT_THREAD}) AS numbered WHERE nth <= ${FIRST_MESSAGES})
        ORDER BY n`;
  }

  async dropPerson(id: string): Promise<void> {
    await this.#durable('power')`DELETE FROM main.people WHERE id = ${id}`;
  }

  /** Returns the ids of the files that the person uploaded; without a person, of all files. */
  async filesOf(person: string | null = null): Promise<readonly string[]> {
    const rows = await this.#sql`SELECT id FROM main.files WHERE CAST(${person} AS text) IS NULL
        UNION SELECT file FROM main.file_owners WHERE CAST(${person} AS text) IS NULL OR person = ${person}`;
    return rows.map(({ id }) => String(id));
  }

  /** Returns the ids of the oldest files that were uploaded before the time `before`, at most `limit`. */
  async filesBefore(before: number, limit: number): Promise<readonly string[]> {
    const rows = await this.#sql`SELECT id FROM main.files WHERE at < ${before} ORDER BY at LIMIT ${limit}`;
    return rows.map(({ id }) => String(id));
  }

  async dropFile(id: string): Promise<void> {
    await this.#sql`DELETE FROM main.file_rooms WHERE file = ${id}`;
    await this.#sql`DELETE FROM main.file_owners WHERE file = ${id}`;
    await this.#durable('power')`DELETE FROM main.files WHERE id = ${id}`;
  }

  async message(id: string): Promise<MessageRecord | undefined> {
    return (await this.#messages`SELECT body FROM main.messages WHERE id = ${id}`)[0];
  }

  async ofTurn(turn: string): Promise<MessageRecord | undefined> {
    return (await this.#messages`SELECT body FROM main.messages WHERE turn = ${turn}`)[0];
  }

  async ofNonce(nonce: string): Promise<MessageRecord | undefined> {
    return (await this.#messages`SELECT body FROM main.messages WHERE nonce = ${nonce}`)[0];
  }

  /** True if the bridge has not been offered the message yet. */
  async isDue(id: string): Promise<boolean> {
    return (await this.#sql`SELECT 1 FROM main.messages WHERE id = ${id} AND due = 1`).length > 0;
  }

  /** Returns the messages of before the time `before` that the bridge has not been offered yet. */
  async due(before: number): Promise<readonly MessageRecord[]> {
    return this.#messages`SELECT body FROM main.messages WHERE due = 1 AND at <= ${before} ORDER BY n`;
  }

  /**
   * Records that the bridge was offered the message. If a crash loses this record, the message is offered again, and
   * the bridge recognizes the duplicate.
   */
  async settleDue(id: string): Promise<void> {
    await this.#durable('process')`UPDATE main.messages SET due = 0 WHERE id = ${id}`;
  }

  /** Returns a page of roots before the message with id `before` (null: of the whole room), oldest first. */
  async roots(room: string, before: string | null = null): Promise<readonly MessageRecord[]> {
    const found = await this.#messages`SELECT body FROM main.messages WHERE room = ${room} AND thread = id
        AND n < CASE WHEN CAST(${before} AS text) IS NULL THEN 9000000000000000
          ELSE (SELECT n FROM main.messages WHERE id = ${before}) END
        ORDER BY n DESC LIMIT ${PAGE_MESSAGES}`;
    return found.toReversed();
  }

  /** Returns a page of a thread before the message with id `before` (null: of the whole thread), oldest first. */
  async thread(
    room: string,
    thread: string,
    before: string | null = null,
  ): Promise<readonly MessageRecord[]> {
    const found = await this
      .#messages`SELECT body FROM main.messages WHERE room = ${room} AND thread = ${thread}
        AND n < CASE WHEN CAST(${before} AS text) IS NULL THEN 9000000000000000
          ELSE (SELECT n FROM main.messages WHERE id = ${before}) END
        ORDER BY n DESC LIMIT ${PAGE_MESSAGES}`;
    return found.toReversed();
  }

  /** Returns the answers below roots of the room, by root. Roots without answers are absent. */
  async answers(room: string, roots: readonly string[]): Promise<ReadonlyMap<string, Answers>> {
    if (roots.length === 0) return new Map();
    const rows = await this.#sql(
      [
        'SELECT thread, count(*) AS count, max(at) AS last FROM main.messages WHERE room = ',
        ' AND thread IN (',
        ...roots.slice(1).map(() => ', '),
        ') AND id <> thread GROUP BY thread',
      ],
      room,
      ...roots,
    );
    return new Map(rows.map((row) => [String(row.thread), answersOf(row)]));
  }

  async addFile(file: FileView, at: number, owner: string): Promise<void> {
    const body = JSON.stringify(file);
    await this.#sql`INSERT INTO main.files (id, at, attached, body) VALUES (${file.id}, ${at}, 0, ${body})`;
    await this.#sql`INSERT INTO main.file_owners (file, person) VALUES (${file.id}, ${owner})`;
  }

  async file(id: string): Promise<FileView | undefined> {
    return (await this.#sql`SELECT body FROM main.files WHERE id = ${id}`).flatMap(decode<FileView>)[0];
  }

  /** Records that a message in the room contains the files, so that readers of the room may open them. */
  async attachFiles(ids: readonly string[], room: string): Promise<void> {
    for (const id of ids) {
      await this.#sql`UPDATE main.files SET attached = 1 WHERE id = ${id}`;
      await this
        .#sql`INSERT INTO main.file_rooms (file, room) VALUES (${id}, ${room}) ON CONFLICT DO NOTHING`;
    }
  }

  async fileOwner(id: string): Promise<string | undefined> {
    const [row] = await this.#sql`SELECT person FROM main.file_owners WHERE file = ${id}`;
    return row && String(row.person);
  }

  /** Returns the rooms in which the file was posted. */
  async roomsOfFile(id: string): Promise<readonly string[]> {
    const rows = await this.#sql`SELECT room FROM main.file_rooms WHERE file = ${id}`;
    return rows.map(({ room }) => String(room));
  }

  async people(): Promise<readonly ConsolePerson[]> {
    return (await this.#sql`SELECT body FROM main.people ORDER BY rowid`).flatMap(decode<ConsolePerson>);
  }

  async savePerson(person: ConsolePerson): Promise<void> {
    const body = JSON.stringify(person);
    await this.#durable('power')`INSERT INTO main.people (id, body) VALUES (${person.id}, ${body})
        ON CONFLICT (id) DO UPDATE SET body = excluded.body`;
  }

  async sessions(): Promise<readonly Session[]> {
    return (await this.#sql`SELECT body FROM main.sign_ins`).flatMap(decode<Session>);
  }

  async saveSession(session: Session): Promise<void> {
    const body = JSON.stringify(session);
    await this.#durable('process')`INSERT INTO main.sign_ins (key, body) VALUES (${session.key}, ${body})
        ON CONFLICT (key) DO UPDATE SET body = excluded.body`;
  }

  /** Deletes a session. The deletion survives a power loss, so that a session that has ended never comes back. */
  async dropSession(key: string): Promise<void> {
    await this.#durable('power')`DELETE FROM main.sign_ins WHERE key = ${key}`;
  }

  /** Returns the uploaded files that no message uses, with the people who uploaded them. */
  async unattachedFiles(): Promise<readonly { id: string; by: string; at: number; bytes: number }[]> {
    const rows = await this.#sql`SELECT id, person, at, body FROM main.files
        LEFT JOIN main.file_owners ON file = id WHERE attached = 0`;
    return rows.map((row) => ({
      id: String(row.id),
      by: String(row.person),
      at: Number(row.at),
      bytes: decode<FileView>(row)[0]?.bytes ?? 0,
    }));
  }
}

const answersOf = ({ count, last }: Row): Answers => ({ count: Number(count), lastAt: Number(last) });
