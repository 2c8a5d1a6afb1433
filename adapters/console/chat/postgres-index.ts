import type { SharedDatabase } from '../../../src/kit/ladder.ts';
import type { UnreadMessage } from '../wire.ts';
import type { MessageIndex } from './ports.ts';
import type { MessageRecord } from './records.ts';
import { isOpen } from './reply-record.ts';
import { hasAll, indexedText, type Query, searchTerms, termsOf } from './search-text.ts';
import { decode } from './sql.ts';

type Run = SharedDatabase['query'];

/** Maximum unread messages of a room. The page shows "99+" for more. */
const UNREAD = 100;
/** Maximum messages that a search ranks. */
const CANDIDATES = 100;

/** The message index in PostgreSQL, with its own text search. */
export class PostgresMessageIndex implements MessageIndex {
  readonly #query: Run;

  constructor(query: Run) {
    this.#query = query;
  }

  async unread(person: string, rooms: readonly string[]): Promise<readonly UnreadMessage[]> {
    const name = JSON.stringify(person);
    return (await this.#query(FIND_UNREAD, [person, rooms])).map(({ id, room, thread, mentions }) => ({
      id: String(id),
      room: String(room),
      thread: String(thread),
      ...(String(mentions).includes(name) && { mention: true }),
    }));
  }

  async search(query: Query, rooms: readonly string[]): Promise<readonly MessageRecord[]> {
    if (query.words.length === 0) return [];
    const rows = await this.#query(SEARCH, [searchTerms(query), rooms, CANDIDATES]);
    const records = rows.flatMap(decode<MessageRecord>);
    // The index knows pairs of letters of a script without spaces, but not whether the pairs stand together.
    return query.inside ? records.filter((record) => hasAll(record, query)) : records;
  }

  async openReplies(): Promise<readonly MessageRecord[]> {
    const rows = await this.#query(
      'SELECT body FROM parley.chat_messages JOIN parley.chat_found USING (id) WHERE open ORDER BY n',
    );
    return rows.flatMap(decode<MessageRecord>);
  }

  async fill(): Promise<void> {
    // The index has existed since the first message.
  }
}

/** Indexes a message that was added or changed. A growing answer is not found before its end. */
export async function indexMessage(query: Run, record: MessageRecord): Promise<void> {
  const { id, room, thread, author, mentions, reply, deleted, seq } = record;
  if (deleted) {
    await query('DELETE FROM parley.chat_found WHERE id = $1', [id]);
    return;
  }
  const open = reply !== undefined && isOpen(reply);
  await query(PUT, [
    id,
    room,
    thread,
    open ? null : seq,
    author.kind === 'person' ? author.id : '',
    mentions === undefined ? null : JSON.stringify(mentions),
    open,
    termsOf(indexedText(record)),
  ]);
}

const PUT = `INSERT INTO parley.chat_found (id, room, thread, k, author, mentions, open, words)
  VALUES ($1, $2, $3, $4, $5, $6, $7, array_to_tsvector($8::text[]))
  ON CONFLICT (id) DO UPDATE SET author = excluded.author, mentions = excluded.mentions, open = excluded.open,
    words = excluded.words,
    k = CASE WHEN chat_found.open AND NOT excluded.open THEN excluded.k ELSE chat_found.k END`;

const FIND_UNREAD = `SELECT found.* FROM unnest($2::text[]) WITH ORDINALITY AS rooms (room, nth)
  CROSS JOIN LATERAL (
    SELECT id, room, thread, mentions, k FROM parley.chat_found AS one
    WHERE one.room = rooms.room AND author <> $1
      AND k > (SELECT max(k) FROM parley.chat_reads
        WHERE person = $1 AND room IN ('', rooms.room) AND thread = '')
      AND k > coalesce((SELECT k FROM parley.chat_reads
        WHERE person = $1 AND room = rooms.room AND thread = one.thread), 0)
    ORDER BY k DESC LIMIT ${UNREAD}
  ) AS found ORDER BY nth, k`;

const SEARCH = `SELECT body FROM parley.chat_found JOIN parley.chat_messages USING (id)
  WHERE words @@ $1::tsquery AND chat_found.room = ANY($2::text[]) ORDER BY n DESC LIMIT $3`;
