/** A database of PostgreSQL as a side of a move. */

import pg from 'pg';
import type { Clock } from '../../core/clock.ts';
import { quiet } from '../../core/log.ts';
import type { SharedDatabase } from '../../core/stores/shared-database.ts';
import { BridgeError } from '../../errors.ts';
import { type Database, openDatabase, type Query } from '../postgres/database.ts';
import { createEngine } from '../postgres/engine.ts';
import type { Installation } from '../postgres/installation.ts';
import { MOVING } from '../postgres/moving.ts';
import { openingFault } from '../postgres/opening-fault.ts';
import { takeOwnerless } from '../postgres/replica.ts';
import { migrate } from '../postgres/schema.ts';
import { createTurnTable } from '../postgres/table.ts';
import { storable } from '../sql.ts';
import { parse, type Row, turnOf } from '../turn-rows.ts';
import type { Side } from './side.ts';
import { storedColumns, type Table } from './tables.ts';
import { createValues, type ValueKeys } from './values.ts';

/** Maximum wait for a connection, in milliseconds. */
const CONNECT_MS = 10_000;
/** Number of rows that are fetched at once. */
const FETCHED = 200;

/**
 * Opens the database, and creates the tables if they are missing. Rejects with `data-in-use` while replicas run, with
 * `database-foreign` if the database belongs to another installation or key, and as the start of a bridge does.
 */
export async function openDatabaseSide(
  address: string,
  installation: Installation,
  keys: ValueKeys,
  clock: Pick<Clock, 'now'>,
): Promise<Side> {
  const opened = new AsyncDisposableStack();
  try {
    const database = opened.adopt(openDatabase(address, quiet), (it) => it.close());
    await migrate(database, installation);
    const reader = opened.adopt(await connect(address), (it) => it.end());
    await keepReplicasOut(reader, database.query);
    const close = () => opened.disposeAsync();
    return createSide({ database, reader, values: createValues(keys, false), clock, close });
  } catch (thrown) {
    await opened.disposeAsync();
    throw openingFault(thrown);
  }
}

/** Opens the database for the data of channels. Statements may take a minute, because nobody waits for them. */
export function openChannelDatabase(address: string): SharedDatabase & { close(): Promise<void> } {
  const { longTransaction, close } = openDatabase(address, quiet);
  return {
    query: (text, values) => longTransaction((query) => query(text, values)),
    transaction: longTransaction,
    hint: async () => undefined,
    onHint: () => () => undefined,
    close,
  };
}

async function connect(address: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: CONNECT_MS,
    // While the other side is written, the cursor waits.
    idle_in_transaction_session_timeout: 0,
    keepAlive: true,
    application_name: 'parley store move',
  });
  // The next statement reports a connection that was lost. Without this listener, the error would end the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/**
 * Takes the lock that every replica looks for after it has joined, until the connection ends. Rejects with
 * `data-in-use` if a replica or another move is there already.
 */
async function keepReplicasOut(reader: pg.Client, query: Query): Promise<void> {
  const { rows } = await reader.query<Row>('SELECT pg_try_advisory_lock($1) AS locked', [MOVING]);
  const [live] = await query('SELECT count(*) AS n FROM parley.replicas WHERE until > clock_timestamp()');
  if (rows[0]?.locked === true && Number(live?.n) === 0) return;
  throw new BridgeError(
    'data-in-use',
    'A bridge or another move is using the database of DATABASE_URL. Stop all replicas. After a crash, wait ten seconds.',
  );
}

interface Opened {
  readonly database: Database;
  readonly reader: pg.Client;
  readonly values: ReturnType<typeof createValues>;
  readonly clock: Pick<Clock, 'now'>;
  readonly close: () => Promise<void>;
}

function createSide({ database, reader, values, clock, close }: Opened): Side {
  const time = { now: clock.now, fromLocal: (at: number) => at, toLocal: (at: number) => at };
  const write = async (statement: string, rows: readonly Row[]) => {
    await database.longTransaction((query) =>
      query(statement, [JSON.stringify(rows, (_, value) => storable(value))]),
    );
  };
  return {
    name: 'postgresql',
    engine: createEngine({ ...database, transaction: database.longTransaction }),
    async settle() {
      await database.longTransaction(async (query) => {
        await query('DELETE FROM parley.replicas');
        await query('UPDATE parley.tenants SET owner = NULL, epoch = epoch + 1 WHERE owner IS NOT NULL');
      });
      await takeOwnerless(database, createTurnTable({ id: '', time }));
    },
    async *rows(table) {
      for await (const row of readAll(reader, table)) yield table.name === 'keyed' ? values.read(row) : row;
    },
    remove: (table, rows) => write(deletionOf(table), rows),
    async add(table, rows) {
      if (table.name === 'turns') return write(insertionOf(table, DERIVED), rows.map(withDerived));
      if (table.name !== 'keyed') return write(insertionOf(table), rows);
      const stored = rows.map(values.write);
      // The column is of the type jsonb.
      await write(
        insertionOf(table),
        stored.map((row) => ({ ...row, owner: parse(row.owner) ?? null })),
      );
    },
    async complete() {
      for (const statement of COMPLETE) await database.query(statement);
    },
    close,
  };
}

/** Reads a table with a cursor, so that only some rows are in memory. */
async function* readAll(reader: pg.Client, table: Table): AsyncIterable<Row> {
  try {
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await reader.query(`DECLARE moved NO SCROLL CURSOR FOR ${selectOf(table)}`);
    for (;;) {
      const { rows } = await reader.query<Row>(`FETCH ${FETCHED} FROM moved`);
      yield* rows;
      if (rows.length < FETCHED) return;
    }
  } catch (thrown) {
    throw openingFault(thrown);
  } finally {
    await reader.query('ROLLBACK').catch(() => undefined);
  }
}

/** Columns with numbers in the keys. All other columns of keys contain texts. */
const NUMBERS: readonly string[] = ['at', 'seq'];
/** `pg` returns 8-byte integers as text, and SQLite knows no booleans. */
const FORMS: Readonly<Record<string, string>> = {
  seq: 'seq::float8 AS seq',
  announced: 'announced::int AS announced',
};

function selectOf(table: Table): string {
  const columns = storedColumns(table).map((name) => FORMS[name] ?? name);
  // The order of SQLite: the bytes of the texts, in every collation of the database.
  const order = table.key.map(
    (name) => `${table.name}.${name}${NUMBERS.includes(name) ? '' : ' COLLATE "C"'}`,
  );
  return `SELECT ${columns.join(', ')} FROM parley.${table.name} ORDER BY ${order.join(', ')}`;
}

function deletionOf({ name, key }: Table): string {
  const isRow = key.map((column) => `moved.${column} = ${name}.${column}`);
  return `DELETE FROM parley.${name} USING json_populate_recordset(NULL::parley.${name}, $1) AS moved
    WHERE ${isRow.join(' AND ')}`;
}

function insertionOf(table: Table, others: readonly string[] = []): string {
  const columns = [...storedColumns(table), ...others].join(', ');
  return `INSERT INTO parley.${table.name} (${columns}) OVERRIDING SYSTEM VALUE
    SELECT ${columns} FROM json_populate_recordset(NULL::parley.${table.name}, $1)`;
}

/** Columns that only PostgreSQL has. They repeat parts of the message and of the origin. */
const DERIVED = ['channel', 'tenant', 'room', 'sent_at', 'revision', 'kind'];

function withDerived(row: Row): Row {
  const turn = turnOf({ ...row, state: 'waiting' });
  const { channel = '', tenant = '', room = '' } = turn?.message.thread ?? {};
  const { sentAt = row.kept_at, revision = 0 } = turn?.message ?? {};
  return { ...row, channel, tenant, room, sent_at: sentAt, revision, kind: turn?.origin.kind ?? 'message' };
}

/** New rows come after the moved ones, and replicas find the workspaces with open turns. */
const COMPLETE = [
  "SELECT setval('parley.places', greatest(1, ceil(max(place)))::bigint) FROM parley.turns",
  "SELECT setval(pg_get_serial_sequence('parley.audit', 'seq'), greatest(1, max(seq))) FROM parley.audit",
  `INSERT INTO parley.tenants (channel, tenant) SELECT DISTINCT channel, tenant FROM parley.turns
    WHERE state IN ('waiting', 'running') ON CONFLICT DO NOTHING`,
];
