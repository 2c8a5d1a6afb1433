import { DatabaseSync, type SQLTagStore } from 'node:sqlite';
import type { Clock } from '../../core/clock.ts';
import type { Act } from '../../core/stores/audit.ts';
import { inTransaction, mustExist, orUnavailable, storeUnavailable } from '../../sqlite.ts';
import type { KeyedRow, KeyedRows } from '../keyed-rows.ts';
import { textOf } from '../turn-rows.ts';
import { insertRecord } from './audit-table.ts';
import type { Commits } from './commits.ts';

export function createKeyedRows(database: DatabaseSync, commits: Commits, clock: Clock): KeyedRows {
  const sql = database.createTagStore();
  return {
    list: (namespace, start) => orUnavailable(() => readRows(sql, { namespace, start, now: clock.now() })),
    remove: (namespace, keys, acts) =>
      commits.write(() => removeRows(sql, { namespace, keys, acts, now: clock.now() })),
  };
}

/** Maximum wait for the bridge's lock on the file, in milliseconds. */
const LOCK_WAIT_MS = 5_000;

/**
 * Calls `work` with the rows of the store's file, which a bridge may have open at the same time. Throws
 * `store-unavailable`.
 */
export async function withRowsFile<T>(
  file: string,
  clock: Clock,
  work: (rows: KeyedRows) => Promise<T>,
): Promise<T> {
  const database = openFile(file);
  const sql = database.createTagStore();
  try {
    return await work({
      list: (namespace, start) => orUnavailable(() => readRows(sql, { namespace, start, now: clock.now() })),
      remove: (namespace, keys, acts) =>
        orUnavailable(() =>
          inTransaction(database, () => removeRows(sql, { namespace, keys, acts, now: clock.now() })),
        ),
    });
  } finally {
    database.close();
  }
}

function openFile(file: string): DatabaseSync {
  try {
    mustExist(file);
    return new DatabaseSync(file, { timeout: LOCK_WAIT_MS });
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}

interface Wanted {
  readonly namespace: string;
  readonly start: string;
  readonly now: number;
}

function readRows(sql: SQLTagStore, { namespace, start, now }: Wanted): readonly KeyedRow[] {
  const rows = sql.all`SELECT key, value, expires FROM keyed
    WHERE namespace = ${namespace} AND expires > ${now} AND substr(key, 1, length(${start})) = ${start}
    ORDER BY key`;
  return rows.map(({ key, value, expires }) => ({
    ...{ key: textOf(key), value: decoded(textOf(value)), expires: Number(expires) },
  }));
}

/** Returns the value in the JSON that keyv stores. */
function decoded(stored: string): unknown {
  try {
    const wrapped: unknown = JSON.parse(stored);
    return typeof wrapped === 'object' && wrapped !== null && 'value' in wrapped ? wrapped.value : undefined;
  } catch {
    return undefined;
  }
}

interface Removal {
  readonly namespace: string;
  readonly keys: readonly string[];
  readonly acts: readonly Act[];
  readonly now: number;
}

function removeRows(sql: SQLTagStore, { namespace, keys, acts, now }: Removal): void {
  for (const key of keys) sql.run`DELETE FROM keyed WHERE namespace = ${namespace} AND key = ${key}`;
  for (const act of acts) insertRecord(sql, { ...act, at: now });
}
