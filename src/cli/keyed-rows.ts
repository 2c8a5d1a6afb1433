/** Opens the stored values of a namespace for a command, also while the bridge runs. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openKeys } from '../bridge/keys.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Log } from '../core/log.ts';
import type { KeyedRows, Sealing } from '../store/index.ts';
import { withRowsFile } from '../store/sqlite/keyed-rows.ts';
import { plain } from './print.ts';

export interface OpenRows {
  readonly rows: KeyedRows;
  readonly sealing: Omit<Sealing, 'namespace'>;
}

/**
 * Calls `work` with the store's values; with undefined if there is no store yet, because opening the keys would create
 * one. Throws `store-unavailable` and the like if they cannot be read.
 */
export async function withRows<T>(
  config: Config,
  work: (open: OpenRows | undefined) => Promise<T>,
): Promise<T> {
  const { database, data } = config;
  const read = async (rows: KeyedRows) => {
    const { state } = await openKeys(config);
    return work({ rows, sealing: { key: state, log: toStandardError } });
  };
  if (database !== undefined) {
    const { databaseNow, keyedRowsOf, withStore } = await import('../store/postgres/outside.ts');
    return withStore(database.url.reveal().trim(), (_, all) =>
      read(keyedRowsOf({ ...all, now: databaseNow })),
    );
  }
  const file = join(data, 'parley.sqlite');
  return existsSync(file) ? withRowsFile(file, systemClock, read) : work(undefined);
}

const silence = () => undefined;
const toStandardError: Log = {
  ...{ debug: silence, info: silence, warn: silence },
  error: (_, text) => console.error(plain(text)),
};
