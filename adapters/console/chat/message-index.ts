import type { DatabaseSync } from 'node:sqlite';
import type { UnreadMessage } from '../wire.ts';
import type { Statements } from './database.ts';
import type { MessageIndex } from './ports.ts';
import type { MessageRecord } from './records.ts';
import { isOpen } from './reply-record.ts';
import type { Query } from './search-text.ts';
import { decode } from './sql.ts';

/** Maximum unread messages of a room. The page shows "99+" for more. */
const UNREAD = 100;
/** Maximum messages that a search ranks. */
const CANDIDATES = 100;
/** Maximum terms of the index into which a word of one or two letters is expanded. */
const EXPANDED = 200;
/** Maximum messages of a step of `fill`, and characters after which a step ends. */
const STEP_MESSAGES = 50;
const STEP_CHARS = 32 * 1024;

/** The message index in the chat's SQLite file. Triggers keep it up to date in the transaction of each change. */
export class SqliteMessageIndex implements MessageIndex {
  readonly #sql: Statements;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  async unread(person: string, rooms: readonly string[]): Promise<readonly UnreadMessage[]> {
    return rooms.flatMap((room) => this.#unreadIn(room, person));
  }

  #unreadIn(room: string, person: string): readonly UnreadMessage[] {
    const rows = this.#sql.all`SELECT messages.id, arrivals.thread,
        iif(author <> '' AND json_valid(body), body ->> '$.mentions', NULL) AS mentions
      FROM arrivals JOIN messages USING (n)
      WHERE arrivals.room = ${room} AND author <> ${person}
        AND k > (SELECT max(k) FROM reads WHERE person = ${person} AND room IN ('', ${room}) AND thread = '')
        AND k > coalesce((SELECT k FROM reads
          WHERE person = ${person} AND room = ${room} AND thread = arrivals.thread), 0)
      ORDER BY k DESC LIMIT ${UNREAD}`;
    const name = JSON.stringify(person);
    return rows.toReversed().map(({ id, thread, mentions }) => ({
      id: String(id),
      room,
      thread: String(thread),
      ...(String(mentions).includes(name) && { mention: true }),
    }));
  }

  async search({ words, inside }: Query, rooms: readonly string[]): Promise<readonly MessageRecord[]> {
    if (words.length === 0) return [];
    const match = words.map((word) => (inside ? this.#part(word) : `"${word}"*`)).join(' AND ');
    const may = JSON.stringify(rooms);
    const rows = inside
      ? this.#sql.all`SELECT body FROM message_parts JOIN messages ON n = message_parts.rowid
          WHERE message_parts MATCH ${match} AND room IN (SELECT value FROM json_each(${may}))
          ORDER BY message_parts.rowid DESC LIMIT ${CANDIDATES}`
      : this.#sql.all`SELECT body FROM message_words JOIN messages ON n = message_words.rowid
          WHERE message_words MATCH ${match} AND room IN (SELECT value FROM json_each(${may}))
          ORDER BY message_words.rowid DESC LIMIT ${CANDIDATES}`;
    return rows.flatMap(decode<MessageRecord>);
  }

  /** Returns the expression for a word in the index of parts of three letters. Expands a shorter word to such parts. */
  #part(word: string): string {
    if ([...word].length >= 3) return `"${word}"`;
    const rows = this.#sql.all`SELECT term FROM message_part_terms
      WHERE term >= ${word} AND term < ${`${word}\u{10ffff}`} LIMIT ${EXPANDED}`;
    const terms = rows.map(({ term }) => `"${String(term).replaceAll('"', '""')}"`);
    return terms.length === 0 ? `"${word}  "` : `(${terms.join(' OR ')})`;
  }

  async openReplies(): Promise<readonly MessageRecord[]> {
    const rows = this.#sql.all`SELECT body FROM messages WHERE turn IS NOT NULL
        AND (instr(body, '"state":"waiting"') OR instr(body, '"state":"thinking"')
          OR instr(body, '"state":"writing"')) ORDER BY n`;
    return rows.flatMap(decode<MessageRecord>).filter(({ reply }) => reply !== undefined && isOpen(reply));
  }

  async fill(pause: () => Promise<void>): Promise<void> {
    while (this.#fillSome()) await pause();
  }

  /** Indexes some messages, the newest first. Returns false once all messages are in the index. */
  #fillSome(): boolean {
    const row = this.#sql.get`SELECT min(n) AS n FROM (
        SELECT n, sum(length(body)) OVER (ORDER BY n DESC) - length(body) AS before FROM (
          SELECT n, body FROM messages WHERE n < (SELECT value FROM meta WHERE key = 'indexed_from')
            ORDER BY n DESC LIMIT ${STEP_MESSAGES}))
      WHERE before < ${STEP_CHARS}`;
    if (row?.n === null || row?.n === undefined) return false;
    // The trigger on `meta` indexes the messages in the same transaction.
    this.#sql.run`UPDATE meta SET value = ${Number(row.n)} WHERE key = 'indexed_from'`;
    return true;
  }
}

/** Returns the SQL of the text by which a message is found. A growing answer is not found before its end. */
const textOf = (
  row: string,
): string => `iif(json_valid(${row}.body), concat_ws(char(10), ${row}.body ->> '$.text',
  iif(${openIn(row)}, NULL, ${row}.body ->> '$.reply.text'), ${row}.body ->> '$.shared.answer.text',
  ${row}.body ->> '$.shared.source.title'), '')`;
const openIn = (row: string): string => `iif(json_valid(${row}.body),
  coalesce(${row}.body ->> '$.reply.state', '') IN ('waiting', 'thinking', 'writing'), 0)`;
const authorOf = (row: string): string =>
  `iif(${row}.body ->> '$.author.kind' = 'person', ${row}.body ->> '$.author.id', '')`;
/** The spaces complete the last part of three letters. */
const insertText = (row: string, from: string): string => `
  INSERT INTO message_words (rowid, text) SELECT ${row}.n, ${textOf(row)} ${from};
  INSERT INTO message_parts (rowid, text) SELECT ${row}.n, ${textOf(row)} || '  ' ${from};`;
const deleteText = (where: string): string => `
  INSERT INTO message_words (message_words, rowid, text) SELECT 'delete', old.n, ${textOf('old')} ${where};
  INSERT INTO message_parts (message_parts, rowid, text) SELECT 'delete', old.n, ${textOf('old')} || '  ' ${where};`;
const INDEXED = "old.n >= (SELECT value FROM meta WHERE key = 'indexed_from')";
const CHANGED = `WHERE ${INDEXED} AND ${textOf('old')} <> ${textOf('new')}`;
const arrive = (where: string): string => `INSERT OR REPLACE INTO arrivals (n, room, thread, author)
  SELECT new.n, new.room, new.thread, ${authorOf('new')} WHERE ${where} NOT ${openIn('new')};`;

/**
 * `arrivals` numbers messages in the order in which they can be read: an answer arrives when it ends. `reads` contains
 * the number up to which a person has read a room or a thread; the row without a room is for all rooms.
 * `message_words` indexes words, and `message_parts` parts of three letters, for scripts without spaces. Both contain
 * no text that could be read back, and deleted words leave them at once. `meta` contains the number of the first
 * message that is indexed.
 */
const INDEX = `
  CREATE TABLE arrivals (
    k INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER NOT NULL UNIQUE,
    room TEXT NOT NULL, thread TEXT NOT NULL, author TEXT NOT NULL
  ) STRICT;
  CREATE INDEX arrivals_of_room ON arrivals (room, k, author, thread);
  CREATE TABLE reads (
    person TEXT NOT NULL, room TEXT NOT NULL, thread TEXT NOT NULL, k INTEGER NOT NULL,
    PRIMARY KEY (person, room, thread)
  ) STRICT, WITHOUT ROWID;
  CREATE VIRTUAL TABLE message_words USING fts5 (text, content = '', columnsize = 0,
    tokenize = 'unicode61 remove_diacritics 2');
  CREATE VIRTUAL TABLE message_parts USING fts5 (text, content = '', columnsize = 0,
    tokenize = 'trigram remove_diacritics 1');
  CREATE VIRTUAL TABLE message_part_terms USING fts5vocab (message_parts, row);
  INSERT INTO message_words (message_words, rank) VALUES ('secure-delete', 1);
  INSERT INTO message_parts (message_parts, rank) VALUES ('secure-delete', 1);
  INSERT INTO meta SELECT 'indexed_from', coalesce(max(n), 0) + 1 FROM messages;
  CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
    ${insertText('new', '')} ${arrive('')}
  END;
  CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
    DELETE FROM arrivals WHERE n = old.n;
    ${deleteText(`WHERE ${INDEXED}`)}
  END;
  CREATE TRIGGER message_changed AFTER UPDATE OF body ON messages BEGIN
    UPDATE arrivals SET author = ${authorOf('new')} WHERE n = new.n AND author <> ${authorOf('new')};
    DELETE FROM arrivals WHERE n = new.n AND new.body ->> '$.deleted';
    ${arrive(`${openIn('old')} AND`)}
    ${deleteText(CHANGED)} ${insertText('new', CHANGED)}
  END;
  CREATE TRIGGER messages_indexed AFTER UPDATE ON meta WHEN old.key = 'indexed_from' BEGIN
    ${insertText('messages', 'FROM messages WHERE n >= new.value AND n < old.value')}
  END;
`;

/** Names and numbers of the messages that can be read, as PostgreSQL has them in a table. */
const FOUND = `CREATE VIEW IF NOT EXISTS found AS
  SELECT messages.id, messages.room, messages.thread, k FROM arrivals JOIN messages USING (n)`;

/** Creates the index, empty, in a file that has none. `fill` then indexes the messages that exist. */
export function createIndex(database: DatabaseSync): void {
  const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'arrivals'").get();
  if (known === undefined) database.exec(`BEGIN IMMEDIATE; ${INDEX} COMMIT;`);
  database.exec(FOUND);
}
