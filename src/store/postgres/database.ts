import pg from 'pg';
import type { Log } from '../../core/log.ts';
import type { DatabaseQuery, DatabaseValue } from '../../core/stores/shared-database.ts';
import { BridgeError } from '../../errors.ts';
import { storable } from '../sql.ts';
import { type Answers, createAnswers } from './answers.ts';

/**
 * Connections for questions and replies: two for batches of changes, one for batches of reads, and the remaining ones
 * for single queries.
 */
const CONNECTIONS = 6;
/** Maximum wait for a connection, in milliseconds. On a busy machine, opening a connection takes a second. */
const CONNECT_MS = 3_000;
/** Maximum duration of a statement, in milliseconds. Callers therefore do not wait for a server that hangs. */
const STATEMENT_MS = 2_500;
/** Extra time for the server to report that it ended a statement after the maximum duration, in milliseconds. */
const ANSWER_MS = 500;
/**
 * Time after which PostgreSQL ends a transaction that waits for its next statement, in milliseconds. A paused replica
 * therefore does not hold locks for which other replicas wait. The time is shorter than the lease, because a replica
 * cannot be ended while its row is locked.
 */
const IDLE_TRANSACTION_MS = 4_000;
/** Maximum duration of a statement that may touch every row, in milliseconds. */
const LONG_STATEMENT_MS = 60_000;
/** Maximum number of attempts of a transaction that PostgreSQL ended because of another transaction. */
const ATTEMPTS = 5;

/** SQLSTATE codes after which the same transaction may succeed: unique violation, serialization, deadlock. */
const CONTENDED: ReadonlySet<unknown> = new Set(['23505', '40001', '40P01']);
/**
 * SQLSTATE codes of a server that takes no writes: read only, shutting down, starting. Another server may be the
 * primary.
 */
const NOT_PRIMARY: ReadonlySet<unknown> = new Set(['25006', '57P01', '57P02', '57P03']);

export type Row = Readonly<Record<string, unknown>>;
/** Runs one statement; rejects with the error of `pg`. */
export type Query = DatabaseQuery;

export interface Database {
  /** Runs one statement outside a transaction. Rejects with `store-unavailable`. */
  readonly query: Query;
  /**
   * Runs `work` in one transaction. Repeats the transaction if PostgreSQL ended it because of another transaction.
   * Resolves after the commit. Rejects with `store-unavailable`.
   */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Runs `work` in one transaction whose statements may take a minute. */
  longTransaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Calls the listener when the pool of connections is replaced, because the address may lead to another server by
   * now.
   */
  onMove(listener: () => void): void;
  /**
   * Returns the time for which PostgreSQL has answered none of the statements in progress, in milliseconds; 0 if there
   * are none.
   */
  silentMs(): number;
  close(): Promise<void>;
}

/**
 * Opens a pool of connections. The first use connects.
 * @param connections maximum number of connections; 6 by default
 */
export function openDatabase(address: string, log: Log, connections: number = CONNECTIONS): Database {
  const open = () => createPool(address, connections, log);
  let pool = open();
  const answers = createAnswers();
  const listeners = new Set<() => void>();
  /** Replaces the pool, so that the next use connects again. */
  const move = (from: pg.Pool) => {
    if (from !== pool) return;
    pool = open();
    from
      .end()
      .catch((err: unknown) => log.debug({ err }, 'The connections of a replaced pool could not be closed.'));
    for (const listener of listeners) listener();
  };
  const run = async <T>(work: (on: Connected) => Promise<T>): Promise<T> => {
    const on = pool;
    try {
      return await repeated(() => work({ pool: on, answers }));
    } catch (thrown) {
      if (isServerGone(thrown, answers)) move(on);
      throw unavailable(thrown);
    }
  };
  return {
    query: (text, values) => run((on) => queryOf(on.pool, answers)(text, values)),
    transaction: (work) => run((on) => inTransaction(on, work)),
    longTransaction: (work) => run((on) => inTransaction(on, work, LONG_STATEMENT_MS)),
    onMove: (listener) => void listeners.add(listener),
    silentMs: answers.silentMs,
    close: () => pool.end(),
  };
}

interface Connected {
  readonly pool: pg.Pool;
  readonly answers: Answers;
}

/** True if all connections were in use for the maximum wait. */
const isPoolBusy = (thrown: unknown): boolean =>
  thrown instanceof Error && thrown.message.startsWith('timeout exceeded when trying to connect');

/**
 * True if the server takes no writes or does not answer, so that its other connections are useless as well. A server
 * that is only slow keeps its connections, because opening new ones would make it slower.
 */
function isServerGone(thrown: unknown, { sinceAnswerMs }: Answers): boolean {
  if (thrown instanceof BridgeError || isPoolBusy(thrown)) return false;
  const code = sqlState(thrown);
  if (code !== undefined) return NOT_PRIMARY.has(code);
  return !isTimeout(thrown) || sinceAnswerMs() >= STATEMENT_MS;
}

/** True if `pg` gave up waiting for a statement or for a new connection. */
const isTimeout = (thrown: unknown): boolean => thrown instanceof Error && /timeout/.test(thrown.message);

function createPool(address: string, connections: number, log: Log): pg.Pool {
  const pool = new pg.Pool({
    connectionString: address,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    // Idle connections are kept open, so that no event waits for a new connection.
    idleTimeoutMillis: 0,
    statement_timeout: STATEMENT_MS,
    query_timeout: STATEMENT_MS + ANSWER_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    keepAlive: true,
    application_name: 'parley',
    types: { getTypeParser },
  });
  // The pool handles errors of idle connections only. Without this listener, an error of a busy connection would end
  // the process.
  pool.on('connect', (client) => {
    client.on('error', (err) => {
      log.warn({ err }, 'A connection to PostgreSQL was lost. The next statement opens a new one.');
    });
  });
  pool.on('error', () => undefined);
  return pool;
}

async function inTransaction<T>(
  { pool, answers }: Connected,
  work: (query: Query) => Promise<T>,
  longestMs?: number,
): Promise<T> {
  const client = await pool.connect();
  const query = queryOf(client, answers, longestMs);
  // A connection goes back to the pool only if its state is known.
  let isClean = false;
  try {
    await query('BEGIN');
    if (longestMs !== undefined) await query(`SET LOCAL statement_timeout = ${longestMs}`);
    const value = await work(query).catch(async (thrown: unknown) => {
      // An error without an SQLSTATE code means that the server did not answer. The server would not answer a rollback
      // either.
      if (sqlState(thrown) !== undefined || thrown instanceof BridgeError) {
        await query('ROLLBACK');
        isClean = !NOT_PRIMARY.has(sqlState(thrown));
      }
      throw thrown;
    });
    await query('COMMIT');
    isClean = true;
    return value;
  } finally {
    client.release(!isClean);
  }
}

const queryOf =
  (on: pg.Pool | pg.PoolClient, answers: Answers, longestMs = STATEMENT_MS): Query =>
  async (text, values = []) => {
    // The type declarations of `pg` lack `query_timeout` for a single query.
    const config = { text, values: values.map(storableIn), query_timeout: longestMs + ANSWER_MS };
    return (await answers.watch(on.query<Row>(config))).rows;
  };

const storableIn = (value: DatabaseValue): DatabaseValue =>
  Array.isArray(value) ? value.map(storable) : storable(value);

async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (thrown) {
      if (attempt === ATTEMPTS || !CONTENDED.has(sqlState(thrown))) throw thrown;
    }
  }
}

/** Returns the SQLSTATE code of an error that the server reported; undefined for every other error. */
function sqlState(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || typeof thrown.code !== 'string') return undefined;
  return /^[0-9A-Z]{5}$/.test(thrown.code) ? thrown.code : undefined;
}

function unavailable(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new BridgeError(
    'store-unavailable',
    `PostgreSQL did not carry out a read or a write (${reason}). Check that the server of DATABASE_URL is running and has free disk space.`,
    { cause: thrown },
  );
}

/** `pg` returns 8-byte integers as text by default. All integers in the store fit into a JavaScript number. */
const INT8 = 20;

function getTypeParser(id: number, format?: 'text' | 'binary'): (value: string) => unknown {
  return id === INT8 ? Number : pg.types.getTypeParser(id, format as 'text');
}
