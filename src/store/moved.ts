/**
 * The mark of a store that takes part in a move. Both stores of a move have the same id. A bridge starts only on a store
 * whose data is `here`, or that has no mark.
 */

import type { StoreName } from '../core/stores/shared-database.ts';
import { BridgeError } from '../errors.ts';
import { once, type Steps, sql } from './sql.ts';
import { textOf } from './turn-rows.ts';

export interface Mark {
  readonly id: string;
  /** `arriving`: a move into the store is not finished. `moved`: the data was moved to the other store. */
  readonly state: 'here' | 'arriving' | 'moved';
  /** Time at which the state changed, in milliseconds. */
  readonly at: number;
}

export function* readMark(): Steps<Mark | undefined> {
  const [row] = yield* once(sql`SELECT id, state, at FROM parley.moves`);
  if (row === undefined) return undefined;
  const state = row.state === 'here' || row.state === 'moved' ? row.state : 'arriving';
  return { id: textOf(row.id), state, at: Number(row.at) };
}

export function* writeMark({ id, state, at }: Mark): Steps<void> {
  yield sql`DELETE FROM parley.moves`;
  yield sql`INSERT INTO parley.moves (id, state, at) VALUES (${id}, ${state}, ${at})`;
}

/** The names of an engine: in a sentence, and as the target of the command. */
export const ENGINES = {
  sqlite: { title: 'SQLite', own: 'the data folder', start: 'Unset DATABASE_URL' },
  postgresql: { title: 'PostgreSQL', own: 'the database of DATABASE_URL', start: 'Set DATABASE_URL' },
} as const satisfies Record<StoreName, unknown>;

export const otherOf = (name: StoreName): StoreName => (name === 'sqlite' ? 'postgresql' : 'sqlite');

/** Throws `data-moved` if no bridge may use the store. */
export function refuseMoved(mark: Mark | undefined, engine: StoreName): void {
  const { title, own } = ENGINES[engine];
  if (mark?.state === 'arriving') {
    throw new BridgeError(
      'data-moved',
      `A move of the data to ${title} is not finished, so ${own} is incomplete. Run \`parley store move --to ${engine}\` again; it continues.`,
    );
  }
  if (mark?.state !== 'moved') return;
  const other = ENGINES[otherOf(engine)];
  throw new BridgeError(
    'data-moved',
    `The data in ${own} was moved to ${other.title} on ${new Date(mark.at).toISOString().slice(0, 10)}. ${other.start} to use it there. To move it back, run \`parley store move --to ${engine}\`.`,
  );
}
