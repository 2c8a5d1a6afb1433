import type { Query } from './database.ts';

/**
 * Resolves with the current time of the database's clock. For commands in the terminal: they are no replicas, so they
 * have no `StoreTime`.
 */
export async function databaseNow(query: Query): Promise<number> {
  const [clock] = await query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
  return Number(clock?.now);
}
