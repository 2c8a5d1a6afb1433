import type { DatabaseSync, SQLTagStore } from 'node:sqlite';
import { Keyv } from 'keyv';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Keyed } from '../../core/stores/keyed.ts';
import { orUnavailable } from '../../sqlite.ts';
import { createChanges, damagedValue, type Terms } from '../changes.ts';
import { ownerColumn } from '../owners.ts';
import { textOf } from '../turn-rows.ts';
import type { Commits } from './commits.ts';

/**
 * Minimum time between two deletions of expired values, in milliseconds. Each deletion is part of a write.
 */
const SWEEP_EVERY_MS = 60_000;
/** Maximum number of values deleted at once, so that the event loop is not blocked. */
const SWEPT_AT_ONCE = 1_000;

export interface KeyedDeps {
  readonly database: DatabaseSync;
  readonly commits: Commits;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Creates small keyed state in the store's file, separated by namespace. Values have keyv's form, because earlier
 * versions stored them with keyv. Rejects with `store-unavailable`. A damaged value is deleted and reported once with
 * `data-corrupt`.
 */
export function createKeyed({ database, commits, clock, log }: KeyedDeps): (namespace: string) => Keyed {
  const sql = database.createTagStore();
  const sweep = createSweep(sql, clock);
  const keyv = new Keyv();
  return (namespace) => {
    const read = (key: string) =>
      sql.get`SELECT value FROM keyed
        WHERE namespace = ${namespace} AND key = ${key} AND expires > ${clock.now()}`?.value;
    const write = (key: string, value: unknown, { ttlMs, owner }: Terms) => {
      sql.run`INSERT INTO keyed (namespace, key, value, expires, owner)
        VALUES (${namespace}, ${key}, ${String(value)}, ${clock.now() + ttlMs}, ${ownerColumn(owner, namespace)})
        ON CONFLICT DO UPDATE SET value = excluded.value, expires = excluded.expires, owner = excluded.owner`;
      sweep();
    };
    const remove = async (key: string): Promise<void> => {
      // A `set` encodes its value first. A deletion waits as long, so that it does not overtake an earlier `set`.
      await keyv.encode({ value: true });
      await commits.write(() => sql.run`DELETE FROM keyed WHERE namespace = ${namespace} AND key = ${key}`);
    };
    /** Deletes a value that is not JSON, because it would fail on every read. */
    const find = async (key: string) => {
      const raw = read(key);
      try {
        return { raw, value: raw === undefined ? undefined : (await keyv.decode(textOf(raw)))?.value };
      } catch (thrown) {
        if (!(thrown instanceof SyntaxError)) throw thrown;
        await remove(key);
        throw damagedValue(namespace, 'disk', log, thrown);
      }
    };
    const change = createChanges({
      read: find,
      async swap(key, raw, value, terms) {
        const encoded = await keyv.encode({ value });
        return commits.write(() => {
          if (read(key) !== raw) return false;
          write(key, encoded, terms);
          return true;
        });
      },
    });
    return {
      get: (key) => orUnavailable(async () => (await find(key)).value),
      change: (...given) => orUnavailable(() => change(...given)),
      set: (key, value, ttlMs, owner) =>
        orUnavailable(async () => {
          const encoded = await keyv.encode({ value });
          await commits.writeSoon(() => write(key, encoded, { ttlMs, owner }));
        }),
      delete: (key) => orUnavailable(() => remove(key)),
    };
  };
}

function createSweep(sql: SQLTagStore, clock: Clock): () => void {
  let due = clock.now();
  return () => {
    const now = clock.now();
    if (now < due) return;
    due = now + SWEEP_EVERY_MS;
    sql.run`DELETE FROM keyed WHERE (namespace, key) IN (
      SELECT namespace, key FROM keyed WHERE expires <= ${now} LIMIT ${SWEPT_AT_ONCE})`;
  };
}
