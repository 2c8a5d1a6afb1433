import type { Log } from '../../core/log.ts';
import type { Keyed } from '../../core/stores/keyed.ts';
import { BridgeError } from '../../errors.ts';
import { createChanges } from '../changes.ts';
import { textOf } from '../turn-rows.ts';
import type { Batches } from './batches.ts';
import type { Database, Query } from './database.ts';
import type { DatabaseTime } from './time.ts';

interface KeyedDeps {
  readonly database: Database;
  readonly batches: Batches;
  readonly time: DatabaseTime;
  readonly log: Log;
}

/** A value to store; undefined deletes the stored value. */
interface Change {
  readonly namespace: string;
  readonly key: string;
  readonly value: string | undefined;
  readonly expires: number;
}

/**
 * Creates small keyed state, separated by namespace. Rejects with `store-unavailable`. A damaged value is deleted and
 * reported once with `data-corrupt`.
 */
export function createKeyed({ database, batches, time, log }: KeyedDeps): (namespace: string) => Keyed {
  const sweep = createSweep(time);
  const change = batches.kind<Change, undefined>(async (changes) => {
    await database.transaction(async (query) => {
      await write(query, changes);
      await sweep(query);
    });
    return changes.map(() => undefined);
  });
  return (namespace) => {
    const remove = (key: string) => change({ namespace, key, value: undefined, expires: 0 });
    const read = async (key: string) => {
      const [row] = await database.query(
        'SELECT value FROM parley.keyed WHERE namespace = $1 AND key = $2 AND expires > $3',
        [namespace, key, time.now()],
      );
      if (row === undefined) return { raw: undefined, value: undefined };
      const raw = textOf(row.value);
      try {
        const value: unknown = JSON.parse(raw);
        return { raw, value };
      } catch (cause) {
        await remove(key);
        log.error({ namespace }, 'A stored value could not be read and was deleted.');
        throw damaged(namespace, cause);
      }
    };
    return {
      get: async (key) => (await read(key)).value,
      set: (key, value, ttlMs) =>
        change({ namespace, key, value: JSON.stringify(value), expires: time.now() + ttlMs }),
      change: createChanges({
        read,
        swap: (key, raw, value, ttlMs) =>
          swap(database.query, { namespace, key, raw, value, ttlMs, now: time.now() }),
      }),
      delete: remove,
    };
  };
}

const damaged = (namespace: string, cause: unknown): BridgeError =>
  new BridgeError(
    'data-corrupt',
    `A value of "${namespace}" could not be read and was deleted. If this happens again, check the database.`,
    { cause },
  );

interface Swap {
  readonly namespace: string;
  readonly key: string;
  /** The stored JSON that is replaced; undefined if there is none. */
  readonly raw: unknown;
  readonly value: unknown;
  readonly ttlMs: number;
  readonly now: number;
}

/** Replaces the stored value if it is still `raw`. Resolves to false if it is not. */
async function swap(query: Query, { namespace, key, raw, value, ttlMs, now }: Swap): Promise<boolean> {
  const stored = JSON.stringify(value);
  const rows =
    raw === undefined
      ? await query(
          `INSERT INTO parley.keyed VALUES ($1, $2, $3, $4)
          ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, expires = excluded.expires
            WHERE keyed.expires <= $5 RETURNING 1`,
          [namespace, key, stored, now + ttlMs, now],
        )
      : await query(
          `UPDATE parley.keyed SET value = $3, expires = $4
          WHERE namespace = $1 AND key = $2 AND expires > $5 AND value = $6 RETURNING 1`,
          [namespace, key, stored, now + ttlMs, now, textOf(raw)],
        );
  return rows.length > 0;
}

/** Writes the last change of each key. */
async function write(query: Query, changes: readonly Change[]): Promise<void> {
  const newest = new Map(changes.map((change) => [JSON.stringify([change.namespace, change.key]), change]));
  const all = [...newest.values()];
  const stored = all.filter(({ value }) => value !== undefined);
  const deleted = all.filter(({ value }) => value === undefined);
  if (stored.length > 0)
    await query(
      `INSERT INTO parley.keyed SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[])
      AS given (namespace, key, value, expires) ORDER BY namespace, key
      ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, expires = excluded.expires`,
      [
        stored.map(({ namespace }) => namespace),
        stored.map(({ key }) => key),
        stored.map(({ value = '' }) => value),
        stored.map(({ expires }) => expires),
      ],
    );
  if (deleted.length > 0)
    await query(
      `DELETE FROM parley.keyed USING unnest($1::text[], $2::text[]) AS gone (namespace, key)
      WHERE keyed.namespace = gone.namespace AND keyed.key = gone.key`,
      [deleted.map(({ namespace }) => namespace), deleted.map(({ key }) => key)],
    );
}

/** Minimum time between two deletions of expired values, in milliseconds. Each deletion is part of a write. */
const SWEEP_EVERY_MS = 60_000;
/** Maximum number of expired values that one statement deletes. */
const SWEPT_AT_ONCE = 1_000;

/** Returns a function that deletes expired values, at most once a minute. */
function createSweep(time: DatabaseTime): (query: Query) => Promise<void> {
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
