/** Direct access to the stored values of a namespace, for tasks that need more than single keys. */

import type { Act } from '../core/stores/audit.ts';
import { insertRecord } from './audit.ts';
import type { Engine } from './engine.ts';
import { begins, forEach, once, type Steps, sql } from './sql.ts';
import { parse, textOf } from './turn-rows.ts';

export interface KeyedRow {
  readonly key: string;
  /** The value as `Keyed.get` returns it; undefined if it cannot be read. */
  readonly value: unknown;
  /** Time at which the value expires, in milliseconds since the epoch. */
  readonly expires: number;
}

export interface KeyedRows {
  /** Resolves with the values whose keys begin with `start`, ordered by key. Leaves out expired ones. */
  list(namespace: string, start: string): Promise<readonly KeyedRow[]>;
  /** Deletes these values and adds the acts to the audit, in one transaction. */
  remove(namespace: string, keys: readonly string[], acts: readonly Act[]): Promise<void>;
}

export const keyedRowsOf = ({ read, transaction, now, wraps }: Engine): KeyedRows => ({
  async list(namespace, start) {
    const rows = await read(
      once(sql`SELECT key, value, expires FROM parley.keyed
        WHERE namespace = ${namespace} AND expires > ${await now()} AND ${begins('key', start)}`),
    );
    return rows
      .map(({ key, value, expires }) => ({
        key: textOf(key),
        value: unwrap(value, wraps).value,
        expires: Number(expires),
      }))
      .toSorted(({ key: one }, { key: other }) => (one < other ? -1 : 1));
  },
  async remove(namespace, keys, acts) {
    const at = await now();
    await transaction(function* (): Steps<void> {
      yield* forEach(
        keys,
        (list) => sql`DELETE FROM parley.keyed WHERE namespace = ${namespace} AND key IN (${list})`,
      );
      for (const act of acts) yield insertRecord({ ...act, at });
    });
  },
});

/** Returns the value in the column `value`, and a function that returns the column for another value. */
export function unwrap(column: unknown, wraps: boolean): { value: unknown; wrap(value: unknown): string } {
  const stored = parse(column);
  if (!wraps) return { value: stored, wrap: (value) => JSON.stringify(value) };
  const form: object = typeof stored === 'object' && stored !== null ? stored : {};
  return {
    value: 'value' in form ? form.value : undefined,
    wrap: (value) => JSON.stringify({ ...form, value }),
  };
}
