/**
 * Moves everything that a bridge remembers from one store to the other. Rows that the target already has are not written
 * again, so a move that was interrupted continues, and a move back writes only what has changed.
 */

import { createHash, randomUUID } from 'node:crypto';
import type { ChannelMove, MovedTable } from '../../core/stores/shared-database.ts';
import { BridgeError } from '../../errors.ts';
import type { Engine } from '../engine.ts';
import { ENGINES, type Mark, readMark, refuseMoved, writeMark } from '../moved.ts';
import { once, sql } from '../sql.ts';
import type { Row } from '../turn-rows.ts';
import type { Side } from './side.ts';
import { canonical, compareKeys, TABLES, type Table } from './tables.ts';

/** Maximum number of rows in one transaction. */
const BATCH = 500;

/** The parts of a move that the command provides. */
export interface MoveParts {
  /** True if the values of the namespace are encrypted. */
  isSealed(namespace: string): boolean;
  /** Called after each batch with the number of rows that were written to the table. */
  tell(table: string, written: number): void;
  /** The data that channels keep by themselves. */
  readonly channels: readonly ChannelMove[];
}

export async function move(
  from: Side,
  to: Side,
  { isSealed, tell, channels }: MoveParts,
): Promise<readonly MovedTable[]> {
  const id = await prepare(from, to, channels);
  await from.settle();
  await refuseUnreadable(from, isSealed);
  await mark(from, { id, state: 'here' });
  await mark(to, { id, state: 'arriving' });
  const moved: MovedTable[] = [];
  for (const table of TABLES) {
    await copy(from, to, table, (written) => tell(table.name, written));
    moved.push(await verify(from, to, table));
  }
  for (const channel of channels) moved.push(...(await channel.move()));
  await to.complete();
  // In this order, there is no moment at which a bridge starts on either side.
  await mark(from, { id, state: 'moved' });
  await mark(to, { id, state: 'here' });
  return moved;
}

async function mark({ engine }: Side, { id, state }: Omit<Mark, 'at'>): Promise<void> {
  const at = await engine.now();
  await engine.transaction(() => writeMark({ id, state, at }));
}

/** Resolves with the id of the move. Rejects if the source has no data of its own, or the target has others'. */
async function prepare(from: Side, to: Side, channels: readonly ChannelMove[]): Promise<string> {
  const [source, target] = [await from.engine.read(readMark()), await to.engine.read(readMark())];
  // A move that was killed between its last two steps.
  const isEnding = source?.state === 'moved' && target?.state === 'arriving' && source.id === target.id;
  if (!isEnding) refuseMoved(source, from.name);
  const isOwn = target !== undefined && target.id === source?.id && target.state !== 'here';
  if (isOwn) return target.id;
  const counts = [...(await countRows(to.engine))];
  for (const { name, countInTarget } of channels) counts.push({ name, rows: await countInTarget() });
  const others = counts.filter(({ rows }) => rows > 0).map(({ name, rows }) => `${rows} in ${name}`);
  if (others.length === 0) return source?.id ?? randomUUID();
  const { own } = ENGINES[to.name];
  const cure =
    to.name === 'sqlite'
      ? 'Name a new folder with PARLEY_DATA.'
      : 'Name another database in DATABASE_URL, or delete its data with DROP SCHEMA parley CASCADE.';
  throw new BridgeError(
    to.name === 'sqlite' ? 'data-in-use' : 'database-foreign',
    `The target of the move, ${own}, already contains other data (rows: ${others.join(', ')}). Nothing was changed. ${cure}`,
  );
}

/** Resolves with the number of rows of each table. */
export async function countRows({ read }: Engine): Promise<readonly { name: string; rows: number }[]> {
  const counts = [];
  for (const { name } of TABLES) {
    const [row] = await read(once(sql`SELECT count(*) AS n FROM ${sql([`parley.${name}`])}`));
    counts.push({ name, rows: Number(row?.n) });
  }
  return counts;
}

/**
 * Rejects if no encrypted value can be read, because then the key is wrong. Single values that an earlier key
 * encrypted stay as they are.
 */
async function refuseUnreadable(from: Side, isSealed: (namespace: string) => boolean): Promise<void> {
  const counts = { sealed: 0, unreadable: 0 };
  for await (const { form, namespace } of from.rows(tableOf('keyed'))) {
    if (form === 'sealed') counts.sealed += 1;
    else if (isSealed(String(namespace))) counts.unreadable += 1;
  }
  if (counts.sealed > 0 || counts.unreadable === 0) return;
  throw new BridgeError(
    'config-invalid',
    `None of the ${counts.unreadable} encrypted values in ${ENGINES[from.name].own} can be read. Nothing was moved. Set PARLEY_KEY to the key that the bridge used, and keep state.key in the data folder.`,
  );
}

function tableOf(name: string): Table {
  const found = TABLES.find((table) => table.name === name);
  if (found === undefined) throw new TypeError(`There is no table ${name}.`);
  return found;
}

/** Deletes what the target has and the source has not, and then adds what the target lacks. */
async function copy(from: Side, to: Side, table: Table, tell: (written: number) => void): Promise<void> {
  await inBatches(differences(to, from, table), (rows) => to.remove(table, rows));
  let written = 0;
  await inBatches(differences(from, to, table), async (rows) => {
    await to.add(table, rows);
    written += rows.length;
    tell(written);
  });
}

async function inBatches(rows: AsyncIterable<Row>, work: (some: readonly Row[]) => Promise<void>) {
  let some: Row[] = [];
  for await (const row of rows) {
    some.push(row);
    if (some.length < BATCH) continue;
    await work(some);
    some = [];
  }
  if (some.length > 0) await work(some);
}

/** Yields the rows of one side for which the other side has no equal row. */
async function* differences(one: Side, other: Side, table: Table): AsyncIterable<Row> {
  const others = other.rows(table)[Symbol.asyncIterator]();
  try {
    let next = await others.next();
    for await (const row of one.rows(table)) {
      while (next.done !== true && compareKeys(table, next.value, row) < 0) next = await others.next();
      const isEqual = next.done !== true && canonical(table, next.value) === canonical(table, row);
      if (!isEqual) yield row;
    }
  } finally {
    await others.return?.();
  }
}

async function verify(from: Side, to: Side, table: Table): Promise<MovedTable> {
  const [source, target] = [await digestOf(from, table), await digestOf(to, table)];
  if (source.digest === target.digest && source.rows === target.rows) return { name: table.name, ...source };
  throw new BridgeError(
    'data-corrupt',
    `After the move, the rows of "${table.name}" differ: ${source.rows} in ${ENGINES[from.name].title}, ${target.rows} in ${ENGINES[to.name].title}. No bridge starts on the target. Run the command again; if this happens again, report it.`,
  );
}

async function digestOf(side: Side, table: Table): Promise<Omit<MovedTable, 'name'>> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const row of side.rows(table)) {
    hash.update(canonical(table, row)).update('\n');
    rows += 1;
  }
  return { rows, digest: hash.digest('hex') };
}
