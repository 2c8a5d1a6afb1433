import { BridgeError } from '../../errors.ts';
import { readMark, refuseMoved } from '../moved.ts';
import type { Query } from './database.ts';
import { runSteps } from './engine.ts';

/** Key of the advisory lock of a move, which lasts as long as the move's connection. */
export const MOVING = 7_257_539_002;

/**
 * Rejects with `data-moved` or `data-in-use` if the data was moved or is being moved. A replica calls it after it has
 * joined: a move that did not see the replica has the lock by now.
 */
export async function refuseMovedDatabase(query: Query): Promise<void> {
  refuseMoved(await runSteps(query, readMark()), 'postgresql');
  const [lock] = await query('SELECT pg_try_advisory_xact_lock_shared($1) AS free', [MOVING]);
  if (lock?.free === true) return;
  throw new BridgeError(
    'data-in-use',
    '`parley store move` is reading or writing the database of DATABASE_URL. Start the bridge when it has ended.',
  );
}
