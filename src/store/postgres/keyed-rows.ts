import type { KeyedRow, KeyedRows } from '../keyed-rows.ts';
import { textOf } from '../turn-rows.ts';
import { insertRecords } from './audit.ts';
import type { Query } from './database.ts';

interface RowsDeps {
  readonly query: Query;
  /** Resolves with the time of the database's clock. All times are of this clock. */
  now(query: Query): Promise<number>;
  /** Runs `work` in a transaction. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
}

export function keyedRowsOf({ query, transaction, now }: RowsDeps): KeyedRows {
  return {
    list: async (namespace, start) => {
      const rows = await query(
        `SELECT key, value, expires FROM parley.keyed
          WHERE namespace = $1 AND starts_with(key, $2) AND expires > $3 ORDER BY key COLLATE "C"`,
        [namespace, start, await now(query)],
      );
      return rows.map(
        ({ key, value, expires }): KeyedRow => ({
          ...{ key: textOf(key), value: decoded(textOf(value)), expires: Number(expires) },
        }),
      );
    },
    remove: (namespace, keys, acts) =>
      transaction(async (within) => {
        await within('DELETE FROM parley.keyed WHERE namespace = $1 AND key = ANY($2::text[])', [
          ...[namespace, keys],
        ]);
        const at = await now(within);
        await insertRecords(
          within,
          acts.map((act) => ({ ...act, at })),
        );
      }),
  };
}

function decoded(stored: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}
