/** Opens the store for a command, also while the bridge runs. */

import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/schema.ts';
import type { Engine } from '../store/engine.ts';
import { withFile } from '../store/sqlite/engine.ts';

/** Calls `work` with the store. Throws `store-unavailable` and the like if it cannot be read. */
export async function withEngine<T>(
  { data, database }: Pick<Config, 'data' | 'database'>,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  if (database === undefined) return withFile(join(data, 'parley.sqlite'), systemClock, work);
  const { createEngine, withStore } = await import('../store/postgres/outside.ts');
  return withStore(database.url.reveal().trim(), (_, all) => work(createEngine(all)));
}
