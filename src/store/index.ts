/** The store: what the bridge remembers, and the engines that keep it. */

import type { openPostgresStore } from './postgres/index.ts';

export type { KeyedRow, KeyedRows } from './keyed-rows.ts';
export { openSealed, type Sealing, sealKeyed } from './sealed.ts';
export { openStore } from './sqlite/index.ts';
export type { Store } from './store.ts';

/** Opens the store in PostgreSQL. The PostgreSQL client is loaded only when this function is called. */
export async function openSharedStore(
  ...[options]: Parameters<typeof openPostgresStore>
): ReturnType<typeof openPostgresStore> {
  const engine = await import('./postgres/index.ts');
  return engine.openPostgresStore(options);
}
