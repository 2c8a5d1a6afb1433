/** Opens the stored values of a namespace for a command, also while the bridge runs. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openKeys } from '../bridge/keys.ts';
import type { Config } from '../config/schema.ts';
import { type Log, quiet } from '../core/log.ts';
import type { KeyedRows, Sealing } from '../store/index.ts';
import { keyedRowsOf } from '../store/keyed-rows.ts';
import { plain } from './print.ts';
import { withEngine } from './store.ts';

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
  if (config.database === undefined && !existsSync(join(config.data, 'parley.sqlite')))
    return work(undefined);
  return withEngine(config, async (engine) => {
    const { state } = await openKeys(config);
    return work({ rows: keyedRowsOf(engine), sealing: { key: state, log: toStandardError } });
  });
}

const toStandardError: Log = { ...quiet, error: (_, text) => console.error(plain(text)) };
