import type { Log } from '../../core/log.ts';
import type { Keyed } from '../../core/stores/keyed.ts';
import { createChanges, damagedValue, type Terms } from '../changes.ts';
import { ownerColumn } from '../owners.ts';
import { textOf } from '../turn-rows.ts';
import type { StoreTime } from '../turns/table.ts';
import type { Batches } from './batches.ts';
import type { Database, Query, Row } from './database.ts';

/** A value to store; undefined deletes the stored value. */
interface Change {
  readonly namespace: string;
  readonly key: string;
  readonly value: string | undefined;
  readonly expires: number;
  /** The column `owner`. */
  readonly owner: string | null;
}

/**
 * Creates small keyed state, separated by namespace. Rejects with `store-unavailable`. A damaged value is deleted and
 * reported once with `data-corrupt`.
 * @param single batches whose groups need only one statement: reads, and replacements of a value that is compared first
 */
export function createKeyed(
  database: Database,
  { batches, single }: { readonly batches: Batches; readonly single: Batches },
  time: StoreTime,
  log: Log,
): (namespace: string) => Keyed {
  const change = createWrites(database, batches, time);
  const find = single.kind<Key, string | undefined>((keys) => readValues(database.query, keys, time.now()));
  const swap = single.kind<Swap, boolean>((swaps) => swapValues(database.query, swaps, time.now()));
  const open = (namespace: string): Keyed => {
    const remove = (key: string) => change({ namespace, key, value: undefined, expires: 0, owner: '' });
    const read = async (key: string) => {
      const raw = await find({ namespace, key });
      if (raw === undefined) return { raw, value: undefined };
      try {
        const value: unknown = JSON.parse(raw);
        return { raw, value };
      } catch (cause) {
        await remove(key);
        throw damagedValue(namespace, 'database', log, cause);
      }
    };
    return {
      get: async (key) => (await read(key)).value,
      set: (key, value, ttlMs, owner) =>
        change({
          namespace,
          key,
          value: JSON.stringify(value),
          expires: time.now() + ttlMs,
          owner: ownerColumn(owner, namespace),
        }),
      change: createChanges({
        read,
        swap: (key, raw, value, { ttlMs, owner }: Terms) =>
          swap({
            namespace,
            key,
            raw: raw === undefined ? undefined : textOf(raw),
            value,
            ttlMs,
            owner: ownerColumn(owner, namespace),
          }),
      }),
      delete: remove,
    };
  };
  // One `Keyed` for each namespace, so that concurrent changes of a key are written together.
  const opened = new Map<string, Keyed>();
  return (namespace) => {
    const known = opened.get(namespace) ?? open(namespace);
    opened.set(namespace, known);
    return known;
  };
}

function createWrites(database: Database, batches: Batches, time: StoreTime) {
  const sweep = createSweep(time);
  return batches.kind<Change, undefined>(async (changes) => {
    await database.transaction(async (query) => {
      await write(query, changes);
      await sweep(query);
    });
    return changes.map(() => undefined);
  });
}

interface Key {
  readonly namespace: string;
  readonly key: string;
}

const nameOf = ({ namespace, key }: Key): string => JSON.stringify([namespace, key]);
const keyOf = ({ namespace, key }: Row): Key => ({ namespace: textOf(namespace), key: textOf(key) });
const columnsOf = (keys: readonly Key[]) => [
  keys.map(({ namespace }) => namespace),
  keys.map(({ key }) => key),
];

/** Resolves with the stored JSON of each key; undefined for a key without a value. */
async function readValues(
  query: Query,
  keys: readonly Key[],
  now: number,
): Promise<readonly (string | undefined)[]> {
  const rows = await query(
    `SELECT namespace, key, value FROM parley.keyed
    JOIN (SELECT DISTINCT * FROM unnest($1::text[], $2::text[]) AS given (namespace, key)) AS given
      USING (namespace, key) WHERE expires > $3`,
    [...columnsOf(keys), now],
  );
  const values = new Map(rows.map((row) => [nameOf(keyOf(row)), textOf(row.value)]));
  return keys.map((key) => values.get(nameOf(key)));
}

interface Swap extends Key {
  /** The stored JSON that is replaced; undefined if there is none. */
  readonly raw: string | undefined;
  readonly value: unknown;
  readonly ttlMs: number;
  readonly owner: string | null;
}

const INSERT = `INSERT INTO parley.keyed (namespace, key, value, expires, owner)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::jsonb[])
    AS given (namespace, key, value, expires, owner) ORDER BY namespace, key
  ON CONFLICT (namespace, key)
    DO UPDATE SET value = excluded.value, expires = excluded.expires, owner = excluded.owner`;

const INSERT_ABSENT = `${INSERT} WHERE keyed.expires <= $6 RETURNING namespace, key`;

const REPLACE_EQUAL = `UPDATE parley.keyed SET value = given.value, expires = given.expires, owner = given.owner
  FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::jsonb[], $7::text[])
    AS given (namespace, key, value, expires, owner, raw)
  WHERE keyed.namespace = given.namespace AND keyed.key = given.key AND keyed.expires > $6 AND keyed.value = given.raw
  RETURNING keyed.namespace, keyed.key`;

/**
 * Replaces each stored value that still equals `raw`. Resolves with true for each swap that took effect, and with
 * false for the others. Of several swaps of one key, only the first can take effect.
 */
async function swapValues(query: Query, swaps: readonly Swap[], now: number): Promise<readonly boolean[]> {
  const first = new Map(swaps.toReversed().map((swap) => [nameOf(swap), swap]));
  const done = new Set<string>();
  const write = async (statement: string, some: readonly Swap[], raws: readonly string[][]) => {
    if (some.length === 0) return;
    const stored = some.map(({ value }) => JSON.stringify(value));
    const expires = some.map(({ ttlMs }) => now + ttlMs);
    const owners = some.map(({ owner }) => owner);
    const rows = await query(statement, [...columnsOf(some), stored, expires, owners, now, ...raws]);
    for (const row of rows) done.add(nameOf(keyOf(row)));
  };
  const { absent = [], known = [] } = Object.groupBy(first.values(), ({ raw }) =>
    raw === undefined ? 'absent' : 'known',
  );
  await write(INSERT_ABSENT, absent, []);
  await write(REPLACE_EQUAL, known, [known.map(({ raw = '' }) => raw)]);
  return swaps.map((swap) => first.get(nameOf(swap)) === swap && done.has(nameOf(swap)));
}

/** Writes the last change of each key. */
async function write(query: Query, changes: readonly Change[]): Promise<void> {
  const newest = new Map(changes.map((change) => [JSON.stringify([change.namespace, change.key]), change]));
  const all = [...newest.values()];
  const stored = all.filter(({ value }) => value !== undefined);
  const deleted = all.filter(({ value }) => value === undefined);
  if (stored.length > 0)
    await query(INSERT, [
      ...columnsOf(stored),
      stored.map(({ value = '' }) => value),
      stored.map(({ expires }) => expires),
      stored.map(({ owner }) => owner),
    ]);
  if (deleted.length > 0)
    await query(
      `DELETE FROM parley.keyed USING unnest($1::text[], $2::text[]) AS gone (namespace, key)
      WHERE keyed.namespace = gone.namespace AND keyed.key = gone.key`,
      columnsOf(deleted),
    );
}

/** Minimum time between two deletions of expired values, in milliseconds. Each deletion is part of a write. */
const SWEEP_EVERY_MS = 60_000;
/** Maximum number of expired values that one statement deletes. */
const SWEPT_AT_ONCE = 1_000;

/** Returns a function that deletes expired values, at most once a minute. */
function createSweep(time: StoreTime): (query: Query) => Promise<void> {
  let sweptAt = Number.NEGATIVE_INFINITY;
  return async (query) => {
    const now = time.now();
    if (now - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = now;
    await query(
      `DELETE FROM parley.keyed WHERE (namespace, key) IN (
        SELECT namespace, key FROM parley.keyed WHERE expires <= $1 LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)`,
      [now],
    );
  };
}
