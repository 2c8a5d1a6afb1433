import type { DatabaseSync } from 'node:sqlite';
import { createStatements, openChatDatabase, type Statements } from './database.ts';
import { Feed, isInner } from './feed.ts';
import { createIndex, SqliteMessageIndex } from './message-index.ts';
import type { Change, ChatStore } from './ports.ts';
import type { Durability, Sql } from './sql.ts';
import { ChatRows } from './store.ts';

/**
 * Difference between the first event numbers of two consecutive runs of the bridge. No run has so many events, so
 * numbers never repeat.
 */
const ERA = 1_000_000_000;

/** The chat's SQLite file, for one process. Statements run without waiting. */
export class SqliteChat implements ChatStore {
  readonly isShared = false;
  readonly #database: DatabaseSync;
  readonly #sql: Statements;
  readonly rows: ChatRows;
  readonly index: SqliteMessageIndex;
  readonly feed: Feed;
  /** Ends when the last change that has begun is done. */
  #changes: Promise<unknown> = Promise.resolve();

  /** Opens the chat's file. @throws BridgeError `data-corrupt`, `data-in-use` or `data-not-writable` */
  constructor(file: string) {
    this.#database = openChatDatabase(file, createIndex);
    this.#sql = createStatements(this.#database);
    const sql: Sql = async (parts, ...values) => this.#sql.all(parts as TemplateStringsArray, ...values);
    const durable = (durability: Durability) => {
      this.#durable(durability);
      return sql;
    };
    // Triggers keep the index up to date.
    this.rows = new ChatRows(sql, durable, { stored: async () => undefined });
    this.index = new SqliteMessageIndex(this.#sql);
    this.feed = new Feed(this.#nextEra());
  }

  change<T>(work: (change: Change) => Promise<T>): Promise<T> {
    const { feed, rows } = this;
    const done = this.#changes.then(() =>
      work({
        rows,
        get next() {
          return feed.seq + 1;
        },
        publish: (event) => feed.publish(event, isInner(event) ? feed.seq : feed.seq + 1),
        clearEvents: () => feed.clear(),
      }),
    );
    this.#changes = done.catch(() => undefined);
    return done;
  }

  async fresh(): Promise<void> {
    // No other process writes to the file.
  }

  async run(): Promise<void> {
    // No other process writes to the file.
  }

  async fileBytes(): Promise<number> {
    return Number(this.#sql.get`SELECT sum(body ->> '$.bytes') AS bytes FROM files`?.bytes ?? 0);
  }

  async probe(): Promise<void> {
    this.#durable('process');
    this.#sql.run`INSERT INTO meta VALUES ('probe', 1) ON CONFLICT (key) DO UPDATE SET value = 1 - value`;
  }

  /**
   * Empties the write-ahead log, which would keep deleted text. Does nothing while another process reads the database.
   */
  async purge(): Promise<void> {
    this.#sql.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  async close(): Promise<void> {
    await this.#changes;
    this.#database.close();
  }

  /**
   * Returns a number that is larger than all event numbers of earlier runs. The event numbers of this run follow it.
   */
  #nextEra(): number {
    const row = this.#sql.get`INSERT INTO meta VALUES ('era', ${ERA})
        ON CONFLICT (key) DO UPDATE SET value = value + ${ERA} RETURNING value`;
    return Number(row?.value ?? ERA);
  }

  /**
   * Makes the writes that follow wait for an fsync, which is slow, only if they must survive a power loss. The fsync
   * also saves all earlier writes.
   */
  #durable(durability: Durability): void {
    this.#database.exec(`PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'}`);
  }
}
