import type { DatabaseSync, SQLTagStore } from 'node:sqlite';
import { Keyv } from 'keyv';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Keyed } from '../../core/stores/keyed.ts';
import { BridgeError } from '../../errors.ts';
import { orUnavailable } from '../../sqlite.ts';
import { createChanges } from '../changes.ts';
import type { Commits } from './commits.ts';

/**
 * Minimum time between two deletions of expired values, in milliseconds. Each deletion is part of a write.
 */
const SWEEP_EVERY_MS = 60_000;
/** Maximum number of values deleted at once, so that the event loop is not blocked. */
const SWEPT_AT_ONCE = 1_000;

interface KeyedDeps {
  readonly database: DatabaseSync;
  readonly commits: Commits;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Creates small keyed state in the store's file with keyv, separated by namespace. Rejects with `store-unavailable`. A
 * damaged value is deleted and reported once with `data-corrupt`.
 */
export function createKeyed(deps: KeyedDeps): (namespace: string) => Keyed {
  const sql = deps.database.createTagStore();
  const sweep = createSweep(sql, deps.clock);
  return (namespace) => {
    const store = createAdapter({ ...deps, sql, namespace, sweep });
    // keyv's own check of the time to live would use the system clock. It is off, because the adapter uses the bridge's
    // clock.
    const keyv = new Keyv({ store, checkExpired: false });
    // Without this setting, keyv returns undefined for a failed read if its errors have a listener.
    keyv.throwOnEmitError = true;
    /** Deletes a value that is not JSON, because it would fail on every read. */
    const readable = async <Value>(key: string, reading: Promise<Value>): Promise<Value> => {
      try {
        return await reading;
      } catch (thrown) {
        if (!(thrown instanceof SyntaxError)) throw thrown;
        await keyv.delete(key);
        deps.log.error({ namespace }, 'A stored value could not be read and was deleted.');
        throw damaged(namespace, thrown);
      }
    };
    const change = createChanges({
      async read(key) {
        const raw = await store.get(key);
        const decoded = raw === undefined ? undefined : await readable(key, keyv.decode(raw));
        return { raw, value: decoded?.value };
      },
      swap: async (key, raw, value, ttlMs) => store.swap(key, raw, await keyv.encode({ value }), ttlMs),
    });
    return {
      get: (key) => orUnavailable(() => readable(key, keyv.get(key))),
      change: (key, next, ttlMs) => orUnavailable(() => change(key, next, ttlMs)),
      set: async (key, value, ttlMs) => void (await orUnavailable(() => keyv.set(key, value, ttlMs))),
      delete: async (key) => void (await orUnavailable(() => keyv.delete(key))),
    };
  };
}

const damaged = (namespace: string, cause: SyntaxError): BridgeError =>
  new BridgeError(
    'data-corrupt',
    `A value of "${namespace}" could not be read and was deleted. If this happens again, check the disk.`,
    { cause },
  );

interface AdapterDeps extends KeyedDeps {
  readonly sql: SQLTagStore;
  readonly namespace: string;
  readonly sweep: () => void;
}

/**
 * The four methods of keyv's storage adapter, and `swap`. Times to live are milliseconds from now; keyv 6 uses an
 * adapter with such relative times through its `KeyvBridgeAdapter`.
 */
function createAdapter({ sql, namespace, commits, clock, sweep }: AdapterDeps) {
  const read = (key: string) =>
    sql.get`SELECT value FROM keyed
      WHERE namespace = ${namespace} AND key = ${key} AND expires > ${clock.now()}`?.value;
  const write = (key: string, value: unknown, ttlMs: number) => {
    sql.run`INSERT INTO keyed (namespace, key, value, expires)
      VALUES (${namespace}, ${key}, ${String(value)}, ${clock.now() + ttlMs})
      ON CONFLICT DO UPDATE SET value = excluded.value, expires = excluded.expires`;
    sweep();
  };
  return {
    get: async (key: string): Promise<unknown> => read(key),
    set: (key: string, value: string, ttlMs = 0): Promise<void> =>
      commits.writeSoon(() => write(key, value, ttlMs)),
    swap: (key: string, before: unknown, value: unknown, ttlMs: number): Promise<boolean> =>
      commits.write(() => {
        if (read(key) !== before) return false;
        write(key, value, ttlMs);
        return true;
      }),
    async delete(key: string): Promise<boolean> {
      const done = await commits.write(
        () => sql.run`DELETE FROM keyed WHERE namespace = ${namespace} AND key = ${key}`,
      );
      return Boolean(done.changes);
    },
    async clear(): Promise<void> {
      await commits.write(() => sql.run`DELETE FROM keyed WHERE namespace = ${namespace}`);
    },
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
