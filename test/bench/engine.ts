/** Chooses the store of a bridge: SQLite in its data folder, or a new PostgreSQL server. */

import { missing, startPostgres } from '../fakes/postgres/server.ts';

export type EngineName = 'sqlite' | 'postgres';

/** Engines that can run on this machine. */
export const engines: readonly EngineName[] = missing === undefined ? ['sqlite', 'postgres'] : ['sqlite'];

/** The key of all bridges of a bench. */
const KEY = { PARLEY_KEY: 'a key of thirty-two characters or more' };

/** Resolves with the variables of a bridge on this engine. Disposing `opened` stops the server. */
export async function openEngine(
  opened: AsyncDisposableStack,
  name: EngineName,
): Promise<Readonly<Record<string, string>>> {
  if (name === 'sqlite') return KEY;
  const server = opened.adopt(await startPostgres({ durable: true }), (it) => it.stop());
  return { ...KEY, DATABASE_URL: await server.database() };
}
