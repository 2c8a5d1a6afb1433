/** Opens the bridge's store: a file of the data folder, or the PostgreSQL database that replicas share. */

import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { openSharedStore, openStore, type Store } from '../store/index.ts';
import { checkStore, closeToOthers } from './data.ts';
import { fingerprintOf } from './keys.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Opens the store that the configuration names. Rejects with `data-not-writable`, `data-in-use` or
 * `data-corrupt`, and for a database with `database-unreachable`, `database-refused` or `database-foreign`.
 * @param version version of the bridge, which replicas show in their status
 */
export async function openStorage(
  config: Config,
  clock: Clock,
  log: Log,
  version: string | undefined = '',
): Promise<Store> {
  const { database, key } = config;
  const { laneWaiting: laneLimit } = config.limits;
  const sessionIdleMs = config.retention.sessionDays * DAY_MS;
  if (database === undefined || key === undefined) {
    const file = join(config.data, 'parley.sqlite');
    await checkStore(file, config.data, log);
    await closeToOthers(config.data, log);
    return openStore({ file, clock, log, laneLimit, sessionIdleMs });
  }
  const installation = { name: database.installation, fingerprint: fingerprintOf(key) };
  const address = database.url.reveal().trim();
  return openSharedStore({ address, installation, version, clock, log, laneLimit, sessionIdleMs });
}
