/** Small keyed state, separated by namespace, with statements that both engines run. */

import type { Log } from '../core/log.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import { createChanges, damagedValue } from './changes.ts';
import { ownerColumn } from './owners.ts';
import { rowsOf, type Sql, type Steps, sql } from './sql.ts';
import { type Row, textOf } from './turn-rows.ts';
import type { StoreTime } from './turns/table.ts';

/** Minimum time between two deletions of expired values, in milliseconds. Each deletion is part of a write. */
const SWEEP_EVERY_MS = 60_000;
/** Maximum number of expired values deleted at once, so that the event loop is not blocked. */
const SWEPT_AT_ONCE = 1_000;

/** Adds a kind of call, whose concurrent calls may share their statements. */
type Grouped = <Call, Result>(
  work: (calls: readonly Call[]) => Steps<readonly Result[]>,
) => (call: Call) => Promise<Result>;

export interface KeyedDeps {
  readonly time: Pick<StoreTime, 'now'>;
  readonly log: Log;
  /** The part that may be defective if a value cannot be read. */
  readonly medium: 'disk' | 'database';
  encode(value: unknown): string;
  /** Throws a `SyntaxError` if the text is damaged. */
  decode(text: string): unknown;
  readonly reading: Grouped;
  /** Replaces a value that is compared first. */
  readonly swapping: Grouped;
  writing(
    work: (changes: readonly Change[]) => Steps<readonly undefined[]>,
  ): (change: Change) => Promise<undefined>;
}

interface Key {
  readonly namespace: string;
  readonly key: string;
}

/** A value to store; undefined deletes the stored value. */
export interface Change extends Key {
  readonly value: string | undefined;
  readonly expires: number;
  /** The column `owner`. */
  readonly owner: string | null;
}

interface Swap extends Change {
  /** The stored text that is replaced; undefined if there is none. */
  readonly raw: string | undefined;
}

/** Rejects with `store-unavailable`. A damaged value is deleted and reported once with `data-corrupt`. */
export function createKeyed(deps: KeyedDeps): (namespace: string) => Keyed {
  const { time, log, medium, encode, decode } = deps;
  const find = deps.reading((keys: readonly Key[]) => readValues(keys, time.now()));
  const swap = deps.swapping((swaps: readonly Swap[]) => swapValues(swaps, time.now()));
  const sweep = createSweep(time);
  const write = deps.writing((changes) => writeValues(changes, sweep));
  const open = (namespace: string): Keyed => {
    const remove = async (key: string): Promise<void> =>
      write({ namespace, key, value: undefined, expires: 0, owner: null });
    const read = async (key: string) => {
      const raw = await find({ namespace, key });
      try {
        return { raw, value: raw === undefined ? undefined : decode(raw) };
      } catch (thrown) {
        if (!(thrown instanceof SyntaxError)) throw thrown;
        await remove(key);
        throw damagedValue(namespace, medium, log, thrown);
      }
    };
    const columns = (value: unknown, ttlMs: number, owner: Parameters<typeof ownerColumn>[0]) => ({
      value: encode(value),
      expires: time.now() + ttlMs,
      owner: ownerColumn(owner, namespace),
    });
    return {
      get: async (key) => (await read(key)).value,
      set: async (key, value, ttlMs, owner) => write({ namespace, key, ...columns(value, ttlMs, owner) }),
      change: createChanges({
        read,
        swap: async (key, raw, value, { ttlMs, owner }) =>
          swap({ namespace, key, raw, ...columns(value, ttlMs, owner) }),
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

const nameOf = ({ namespace, key }: Key | Row): string => JSON.stringify([namespace, key]);

/** Returns the condition for the rows with these keys. SQLite, whose groups have one call, needs a third of the time without a list. */
function isOneOf(keys: readonly Key[]): Sql {
  const [only, ...others] = keys;
  if (only !== undefined && others.length === 0)
    return sql`namespace = ${only.namespace} AND key = ${only.key}`;
  return sql`(namespace, key) IN (VALUES ${rowsOf(keys.map(({ namespace, key }) => [namespace, key]))})`;
}

/** Returns the stored text of each key; undefined for a key without a value. */
function* readValues(keys: readonly Key[], now: number): Steps<readonly (string | undefined)[]> {
  const rows = yield sql`SELECT namespace, key, value FROM parley.keyed
    WHERE ${isOneOf(keys)} AND expires > ${now}`;
  const values = new Map(rows.map((row) => [nameOf(row), textOf(row.value)]));
  return keys.map((key) => values.get(nameOf(key)));
}

const rowOf = ({ namespace, key, value = '', expires, owner }: Change) =>
  [namespace, key, value, expires, owner] as const;

const insertion = (changes: readonly Change[]): Sql =>
  sql`INSERT INTO parley.keyed (namespace, key, value, expires, owner) VALUES ${rowsOf(changes.map(rowOf))}
    ON CONFLICT (namespace, key)
      DO UPDATE SET value = excluded.value, expires = excluded.expires, owner = excluded.owner`;

function replacement(swaps: readonly Swap[], now: number): Sql {
  const rows = rowsOf(swaps.map((swap) => [...rowOf(swap), swap.raw ?? null]));
  return sql`WITH given (namespace, key, value, expires, owner, raw) AS (VALUES ${rows})
    UPDATE parley.keyed SET value = given.value, expires = given.expires::float8, owner = given.owner::jsonb FROM given
    WHERE keyed.namespace = given.namespace AND keyed.key = given.key AND keyed.value = given.raw
      AND keyed.expires > ${now}
    RETURNING keyed.namespace, keyed.key`;
}

/** Returns the changes by their keys, in the order in which every replica locks them. The last of equal keys counts. */
const byName = <Each extends Change>(changes: readonly Each[]): ReadonlyMap<string, Each> =>
  new Map(
    [...new Map(changes.map((change) => [nameOf(change), change]))].toSorted(([one], [other]) =>
      one < other ? -1 : 1,
    ),
  );

/**
 * Replaces each stored value that still equals `raw`. Returns true for each swap that took effect, and false for the
 * others. Of several swaps of one key, only the first can take effect.
 */
function* swapValues(swaps: readonly Swap[], now: number): Steps<readonly boolean[]> {
  const first = byName(swaps.toReversed());
  const { absent = [], known = [] } = Object.groupBy(first.values(), ({ raw }) =>
    raw === undefined ? 'absent' : 'known',
  );
  const rows: Row[] = [];
  if (absent.length > 0)
    rows.push(...(yield sql`${insertion(absent)} WHERE keyed.expires <= ${now} RETURNING namespace, key`));
  if (known.length > 0) rows.push(...(yield replacement(known, now)));
  const done = new Set(rows.map(nameOf));
  return swaps.map((swap) => first.get(nameOf(swap)) === swap && done.has(nameOf(swap)));
}

/** Writes the last change of each key. */
function* writeValues(changes: readonly Change[], sweep: () => Steps<void>): Steps<readonly undefined[]> {
  const { stored = [], deleted = [] } = Object.groupBy(byName(changes).values(), ({ value }) =>
    value === undefined ? 'deleted' : 'stored',
  );
  if (stored.length > 0) yield insertion(stored);
  if (deleted.length > 0) yield sql`DELETE FROM parley.keyed WHERE ${isOneOf(deleted)}`;
  yield* sweep();
  return changes.map(() => undefined);
}

/** Returns steps that delete expired values, at most once a minute. */
function createSweep(time: KeyedDeps['time']): () => Steps<void> {
  let sweptAt = Number.NEGATIVE_INFINITY;
  return function* () {
    const now = time.now();
    if (now - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = now;
    yield sql`DELETE FROM parley.keyed WHERE (namespace, key) IN (
      SELECT namespace, key FROM parley.keyed WHERE expires <= ${now} LIMIT ${SWEPT_AT_ONCE} FOR UPDATE SKIP LOCKED)`;
  };
}
