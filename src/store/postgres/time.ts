import type { Query } from './database.ts';

/** Converts between the local clock and the database's, which may be minutes apart. Times are in milliseconds. */
export interface DatabaseTime {
  /** Time of the database's clock; all times in the database are of this clock. */
  now(): number;
  fromLocal(time: number): number;
  toLocal(time: number): number;
}

/**
 * Resolves with the current time of the database's clock. For commands in the terminal: they are no replicas, so they
 * have no `DatabaseTime`.
 */
export async function databaseNow(query: Query): Promise<number> {
  const [clock] = await query('SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now');
  return Number(clock?.now);
}
