/**
 * Moves the chat between the file of one process and the database of several replicas. Sign-ins stay, so people sign in
 * again.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { MovedTable, SharedDatabase, StoreName } from '../../../src/kit/ladder.ts';
import { BridgeError } from '../../../src/kit.ts';
import type { FileView } from '../wire.ts';
import { createStatements, openChatDatabase, type Statements } from './database.ts';
import { type FileBytes, fileFolder, readWhole } from './file-folder.ts';
import { createIndex } from './message-index.ts';
import { sqlOn } from './postgres.ts';
import { filesInDatabase } from './postgres-files.ts';
import { indexMessage } from './postgres-index.ts';
import { createTables } from './postgres-tables.ts';
import type { MessageRecord } from './records.ts';
import { decode, type Row, type Sql, type Value } from './sql.ts';

/** Maximum number of rows in one statement. A message may have 100,000 characters, and an answer more. */
const BATCH = 100;

interface Table {
  readonly name: string;
  /** Columns that order the rows. Those of numbers are not copied, because each engine counts by itself. */
  readonly order: readonly string[];
  readonly columns: readonly string[];
}

const table = (name: string, order: string, columns: string): Table => ({
  name,
  order: order.split(' '),
  columns: columns.split(' '),
});

const MESSAGES = table('messages', 'n', 'id room thread at turn nonce engaged due body');
const FILES = table('files', 'id', 'id at attached body');
/** Both engines have these tables. */
const TABLES: readonly Table[] = [
  table('rooms', 'n', 'id body'),
  table('private_rooms', 'n', 'id body'),
  table('room_members', 'n', 'room person'),
  MESSAGES,
  table('reads', 'person room thread', 'person room thread k'),
  table('people', 'rowid', 'id body'),
  FILES,
  table('file_owners', 'file', 'file person'),
  table('file_rooms', 'file room', 'file room'),
];
/** The numbers of the messages in the order in which they could be read. `reads` refers to them. */
const ARRIVALS = table('arrivals', 'id', 'id k');

/** The chat of one engine. */
interface Side {
  readonly sql: Sql;
  readonly bytes: FileBytes;
  /** Name or query of a table. */
  readonly source: (table: Table) => string;
  /** Completes what the engine derives from messages. */
  readonly index: (messages: readonly Row[]) => Promise<void>;
  /** Gives messages their numbers, and removes all other numbers. */
  readonly setArrivals: (arrivals: readonly Row[]) => Promise<void>;
  /** Makes all numbers of later events larger than `newest`. */
  readonly continueAfter: (newest: number) => Promise<void>;
}

/** Resolves with the number of messages on one side. */
export async function countMessages(
  file: string,
  database: SharedDatabase,
  side: StoreName,
): Promise<number> {
  if (side === 'sqlite' && !existsSync(file)) return 0;
  await createTables(database);
  using opened = openSides(file, database);
  const [row] = await opened[side].sql(['SELECT count(*) AS n FROM main.messages']);
  return Number(row?.n);
}

/**
 * Replaces the chat of the side `to` by that of the other side, and compares all rows and files. A move that was
 * interrupted begins again. Resolves with the tables, none if there is no chat to move.
 */
export async function moveChat(
  file: string,
  database: SharedDatabase,
  to: StoreName,
): Promise<readonly MovedTable[]> {
  if (to === 'postgresql' && !existsSync(file)) return [];
  await createTables(database);
  using opened = openSides(file, database);
  const [from, target] =
    to === 'postgresql' ? [opened.sqlite, opened.postgresql] : [opened.postgresql, opened.sqlite];
  await target.bytes.prepare();
  await clear(target);
  for (const each of TABLES) await copy(from, target, each);
  const arrivals: Row[] = [];
  for await (const rows of batches(from, ARRIVALS)) arrivals.push(...rows);
  await target.setArrivals(arrivals);
  await target.continueAfter(await newestOf(from, arrivals));
  await copyFiles(from, target);
  return await compare(from, target);
}

function openSides(file: string, database: SharedDatabase) {
  const opened = openChatDatabase(file, createIndex);
  return {
    sqlite: sideInFile(createStatements(opened), `${file}.files`),
    postgresql: sideInDatabase(database),
    [Symbol.dispose]: () => opened.close(),
  };
}

function sideInFile(statements: Statements, folder: string): Side {
  const sql: Sql = async (parts, ...values) => statements.all(parts as TemplateStringsArray, ...values);
  return {
    sql,
    bytes: fileFolder(folder),
    source: ({ name }) =>
      name === 'arrivals'
        ? '(SELECT messages.id AS id, k FROM main.arrivals JOIN main.messages USING (n))'
        : `main.${name}`,
    // Triggers index the messages.
    index: async () => undefined,
    async setArrivals(arrivals) {
      statements.exec('BEGIN IMMEDIATE; UPDATE arrivals SET k = -k');
      for (const { id, k } of arrivals)
        statements.run`UPDATE arrivals SET k = ${Number(k)} WHERE n = (SELECT n FROM messages WHERE id = ${String(id)})`;
      statements.exec('DELETE FROM arrivals WHERE k < 0; COMMIT');
    },
    continueAfter: async (newest) =>
      void statements.run`INSERT INTO meta VALUES ('era', ${newest})
        ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)`,
  };
}

function sideInDatabase(database: SharedDatabase): Side {
  const { query } = database;
  return {
    sql: sqlOn(query),
    bytes: filesInDatabase(database),
    source: ({ name }) =>
      name === 'arrivals' ? '(SELECT id, k FROM main.found WHERE k IS NOT NULL) AS arrivals' : `main.${name}`,
    index: (messages) =>
      database.transaction(async (run) => {
        for (const row of messages) {
          const [record] = decode<MessageRecord>(row);
          if (record !== undefined) await indexMessage(run, record);
          else await run(ADD_UNREADABLE, [String(row.id), String(row.room), String(row.thread)]);
        }
      }),
    async setArrivals(arrivals) {
      await query('UPDATE parley.chat_found SET k = NULL');
      for (let at = 0; at < arrivals.length; at += BATCH) {
        const some = arrivals.slice(at, at + BATCH);
        await query(
          `UPDATE parley.chat_found SET k = moved.k
            FROM unnest($1::text[], $2::bigint[]) AS moved (id, k) WHERE chat_found.id = moved.id`,
          [some.map(({ id }) => String(id)), some.map(({ k }) => Number(k))],
        );
      }
    },
    async continueAfter(newest) {
      await query('DELETE FROM parley.chat_events');
      await query('UPDATE parley.chat_feed SET seq = greatest(seq, $1)', [newest]);
    },
  };
}

/** A message that cannot be read has a number, too. */
const ADD_UNREADABLE = `INSERT INTO parley.chat_found (id, room, thread, author, open, words)
  VALUES ($1, $2, $3, '', false, '')`;

async function clear({ sql, bytes }: Side): Promise<void> {
  for (const { id } of await sql(['SELECT id FROM main.files'])) await bytes.remove(String(id));
  for (const { name } of TABLES) await sql([`DELETE FROM main.${name}`]);
}

async function copy(from: Side, to: Side, of: Table): Promise<void> {
  for await (const rows of batches(from, of)) {
    const values = rows.flatMap((row) => of.columns.map((name) => row[name] as Value));
    await to.sql(insertionOf(of, rows.length), ...values);
    if (of === MESSAGES) await to.index(rows);
  }
}

/** Returns the parts of a statement that inserts so many rows. */
function insertionOf({ name, columns }: Table, rows: number): readonly string[] {
  const between = Array.from({ length: rows * columns.length - 1 }, (_, nth) =>
    (nth + 1) % columns.length === 0 ? '), (' : ', ',
  );
  return [`INSERT INTO main.${name} (${columns.join(', ')}) VALUES (`, ...between, ')'];
}

/** Yields the rows of a table in their order, with numbers as numbers. */
async function* batches({ sql, source }: Side, of: Table): AsyncIterable<readonly Row[]> {
  const order = of.order.join(', ');
  const names = [...new Set([...of.order, ...of.columns])].join(', ');
  const select = `SELECT ${names} FROM ${source(of)}`;
  const rest = ` ORDER BY ${order} LIMIT ${BATCH}`;
  const next = [`${select} WHERE (${order}) > (`, ...of.order.slice(1).map(() => ', '), `)${rest}`];
  for (let rows = await sql([select + rest]); rows.length > 0; ) {
    yield rows;
    if (rows.length < BATCH) return;
    const last = rows.at(-1) ?? {};
    rows = await sql(next, ...of.order.map((name) => last[name] as Value));
  }
}

/** Resolves with the largest number of an event or message. */
async function newestOf(from: Side, arrivals: readonly Row[]): Promise<number> {
  let newest = arrivals.reduce((most, { k }) => Math.max(most, Number(k)), 0);
  for await (const rows of batches(from, MESSAGES))
    for (const { seq = 0 } of rows.flatMap(decode<Partial<MessageRecord>>)) newest = Math.max(newest, seq);
  return newest;
}

async function copyFiles(from: Side, to: Side): Promise<void> {
  for await (const rows of batches(from, FILES))
    for (const row of rows)
      for (const file of decode<FileView>(row)) {
        const bytes = await readWhole(from.bytes, file);
        // After an interrupted move, bytes may exist without a row.
        await to.bytes.remove(file.id);
        if (bytes !== undefined) await to.bytes.write(file.id, bytes, Number(row.at));
      }
}

/** Compares all rows and files. Rejects with `data-corrupt` if some differ. */
async function compare(from: Side, to: Side): Promise<readonly MovedTable[]> {
  const moved: MovedTable[] = [];
  for (const each of [...TABLES, ARRIVALS]) {
    const name = `console ${each.name.replace('_', ' ')}`;
    const [source, target] = [await digestOf(from, each), await digestOf(to, each)];
    if (source.digest !== target.digest)
      throw new BridgeError(
        'data-corrupt',
        `After the move, the rows of "${name}" differ: ${source.rows} before, ${target.rows} after. No bridge starts on the target. Run the command again; if this happens again, report it.`,
      );
    moved.push({ name, ...source });
  }
  return moved;
}

/** Resolves with a digest that does not depend on the order of the rows, because engines order texts differently. */
async function digestOf(side: Side, of: Table): Promise<Omit<MovedTable, 'name'>> {
  const all = Buffer.alloc(32);
  let count = 0;
  for await (const rows of batches(side, of))
    for (const row of rows) {
      const words = [...of.columns.map((name) => row[name]), of === FILES && (await digestOfFile(side, row))];
      const digest = createHash('sha256').update(JSON.stringify(words)).digest();
      for (const [at, byte] of digest.entries()) all[at] = (all[at] ?? 0) ^ byte;
      count += 1;
    }
  return { rows: count, digest: createHash('sha256').update(all).digest('hex') };
}

async function digestOfFile(side: Side, row: Row): Promise<string | undefined> {
  const [file] = decode<FileView>(row);
  const bytes = file && (await readWhole(side.bytes, file));
  return bytes && createHash('sha256').update(bytes).digest('hex');
}
