import type { SharedDatabase } from '../../../src/kit/ladder.ts';
import type { Clock, Log } from '../../../src/kit.ts';
import type { NewEvent } from '../wire.ts';
import { Feed, type InnerEvent } from './feed.ts';
import type { Change, ChatStore } from './ports.ts';
import { indexMessage, PostgresMessageIndex } from './postgres-index.ts';
import { createTables } from './postgres-tables.ts';
import type { Row, Sql } from './sql.ts';
import { ChatRows } from './store.ts';

type AnyEvent = NewEvent | InnerEvent;
type Run = SharedDatabase['query'];

/** Number of events that are read at once, and that a starting replica reads for pages that reconnect. */
const EVENTS = 1_000;
/** Maximum time until a replica learns a change whose hint was lost, in milliseconds. */
const LOOK_EVERY_MS = 500;
/**
 * Time after the last successful reading of events at which a replica disconnects its pages, so that they connect to
 * another replica, in milliseconds. Longer than a short pause of the database, and shorter than the lease of a replica
 * (7 s).
 */
const LOST_MS = 5_000;
/** Time for which events are kept, and the interval at which older ones are deleted, in milliseconds. */
const KEPT_MS = 10 * 60_000;
const TRIM_EVERY_MS = 60_000;

/**
 * The chat in the PostgreSQL database that the replicas share. Each change locks the row with the number of the newest
 * event, so changes happen one after another. Each replica reads the events of all replicas in their order, and passes
 * them to its own pages.
 */
export class PostgresChat implements ChatStore {
  readonly isShared = true;
  readonly rows: ChatRows;
  readonly index: PostgresMessageIndex;
  readonly feed: Feed;
  readonly #database: SharedDatabase;
  readonly #stopHints: () => void;
  /** Ends when the last change that has begun here is done, so that changes take only one connection. */
  #changes: Promise<unknown> = Promise.resolve();
  /** The reading of events in progress, and the one that begins after it. */
  #reading: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  /** Number of successful readings. */
  #readings = 0;

  private constructor(database: SharedDatabase, feed: Feed) {
    this.#database = database;
    this.feed = feed;
    this.rows = rowsOn(database.query);
    this.index = new PostgresMessageIndex(database.query);
    this.#stopHints = database.onHint(() => void this.fresh().catch(() => undefined));
  }

  /** Opens the chat, and creates its tables if needed. Rejects with `store-unavailable`. */
  static async open(database: SharedDatabase): Promise<PostgresChat> {
    await createTables(database);
    const [newest] = await database.query('SELECT seq FROM parley.chat_feed');
    const first = Number(newest?.seq) - EVENTS;
    const events = await readEvents(database.query, first);
    const feed = new Feed((events.all[0]?.seq ?? events.newest + 1) - 1);
    for (const { event, seq } of events.all) feed.restore(event, seq);
    return new PostgresChat(database, feed);
  }

  change<T>(work: (change: Change) => Promise<T>): Promise<T> {
    const done = this.#changes.then(async () => {
      const value = await this.#database.transaction((query) => this.#changeIn(query, work));
      // Another attempt follows soon if this one fails.
      await this.fresh().catch(() => undefined);
      return value;
    });
    this.#changes = done.catch(() => undefined);
    return done;
  }

  async #changeIn<T>(query: Run, work: (change: Change) => Promise<T>): Promise<T> {
    const [row] = await query('SELECT seq FROM parley.chat_feed FOR UPDATE');
    const newest = Number(row?.seq);
    if (newest !== this.feed.seq) await this.#take(query);
    const events: AnyEvent[] = [];
    let isCleared = false;
    const value = await work({
      rows: rowsOn(query),
      get next() {
        return newest + events.length + 1;
      },
      publish: (event) => void events.push(event),
      clearEvents: () => {
        isCleared = true;
        events.push({ type: 'events-cleared' });
      },
    });
    if (isCleared) await query('DELETE FROM parley.chat_events');
    const gone = events.flatMap((event) => (event.type === 'removed' ? [event.id] : []));
    if (gone.length > 0)
      await query('UPDATE parley.chat_events SET body = NULL WHERE message = ANY($1::text[])', [gone]);
    if (events.length > 0) {
      const bodies = events.map((event) => JSON.stringify(event));
      await query(ADD_EVENTS, [newest, events.length, events.map(messageOf), bodies]);
      await this.#database.hint(query);
    }
    return value;
  }

  /** Calls that come while events are read share the next reading, because the current one may miss their events. */
  fresh(): Promise<void> {
    this.#next ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        this.#reading = this.#take(this.#database.query);
        return this.#reading;
      });
    return this.#next;
  }

  /** Reads the events that this replica does not know yet, and publishes them. */
  async #take(query: Run): Promise<void> {
    for (;;) {
      const before = this.feed.seq;
      const { newest, all } = await readEvents(query, before);
      this.#readings += 1;
      const first = all[0]?.seq ?? Number.POSITIVE_INFINITY;
      // Events were deleted before this replica had read them, or the database is an older copy.
      const isMissing = newest > this.feed.seq && first > this.feed.seq + 1;
      if (isMissing || newest < before) return this.feed.skipTo(newest);
      // Another reading may have published some of them meanwhile.
      for (const { event, seq } of all) if (seq === this.feed.seq + 1) this.feed.publish(event, seq);
      if (all.length < EVENTS) return;
    }
  }

  /** Looks for events at intervals, in case a hint is lost, and deletes old ones, until the signal aborts. */
  async run(clock: Clock, log: Log, signal: AbortSignal): Promise<void> {
    let trimmedAt = clock.now();
    let last = { readings: this.#readings, at: clock.now() };
    while (!signal.aborted) {
      await clock.wait(LOOK_EVERY_MS, signal).catch(() => undefined);
      // Not awaited, because a broken connection may neither answer nor fail for a long time.
      void this.fresh().catch((err: unknown) => log.debug({ err }, 'New events could not be read.'));
      if (last.readings !== this.#readings) last = { readings: this.#readings, at: clock.now() };
      if (clock.now() - last.at < LOST_MS) this.feed.recover();
      else this.feed.lose();
      if (this.feed.isLost || Math.abs(clock.now() - trimmedAt) < TRIM_EVERY_MS) continue;
      trimmedAt = clock.now();
      await this.#database
        .query(TRIM)
        .catch((err: unknown) => log.debug({ err }, 'Old events could not be deleted.'));
    }
  }

  async fileBytes(): Promise<number> {
    const [row] = await this.#database.query(
      'SELECT coalesce(sum(octet_length(bytes)), 0)::bigint AS bytes FROM parley.chat_file_bytes',
    );
    return Number(row?.bytes);
  }

  async probe(): Promise<void> {
    await this.#database.query('SELECT seq FROM parley.chat_feed');
  }

  async purge(): Promise<void> {
    // PostgreSQL removes deleted rows by itself.
  }

  async close(): Promise<void> {
    this.#stopHints();
    await this.#changes;
    await this.#next?.catch(() => undefined);
    await this.#reading.catch(() => undefined);
  }
}

const ADD_EVENTS = `WITH counted AS (UPDATE parley.chat_feed SET seq = $1::bigint + $2::bigint)
  INSERT INTO parley.chat_events (seq, message, body) SELECT $1::bigint + nth, message, body
    FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS event (message, body, nth)`;

const TRIM = `DELETE FROM parley.chat_events WHERE at < clock_timestamp() - interval '${KEPT_MS} milliseconds'`;

/** The number of the newest event is read in the same statement, so that no event is missed between the two. */
const READ_EVENTS = `SELECT chat_feed.seq AS newest, event.seq, event.body
  FROM parley.chat_feed LEFT JOIN parley.chat_events AS event ON event.seq > $1
  ORDER BY event.seq LIMIT ${EVENTS}`;

interface NumberedEvent {
  readonly seq: number;
  /** Undefined if its message was deleted. */
  readonly event: AnyEvent | undefined;
}

async function readEvents(query: Run, after: number) {
  const rows = await query(READ_EVENTS, [after]);
  const all = rows.flatMap(({ seq, body }): readonly NumberedEvent[] =>
    seq === null ? [] : [{ seq: Number(seq), event: body === null ? undefined : eventIn(body) }],
  );
  return { newest: Number(rows[0]?.newest), all };
}

const eventIn = (body: unknown): AnyEvent => JSON.parse(String(body)) as AnyEvent;

/** Returns the id of the message whose text is in the event. */
function messageOf(event: AnyEvent): string | null {
  if (event.type === 'message') return event.message.id;
  return event.type === 'reply' ? event.id : null;
}

/** Returns the tag that runs statements on the tables of the chat. */
export const sqlOn =
  (query: Run): Sql =>
  async (parts, ...values): Promise<readonly Row[]> => {
    const text = parts.reduce((before, part, nth) => `${before}$${nth}${part}`);
    return query(text.replaceAll('main.', 'parley.chat_'), values);
  };

function rowsOn(query: Run): ChatRows {
  const sql = sqlOn(query);
  // Every write survives a power loss of the server.
  return new ChatRows(sql, () => sql, { stored: (record) => indexMessage(query, record) });
}
