import type { Clock } from '../clock.ts';
import type { Database } from './database.ts';

/** Returns when an id was issued, in milliseconds since the epoch. */
export const timeOf = (id: string): number => Number(BigInt(id) / PER_MILLISECOND);

const PER_MILLISECOND = 1_000_000n;
/**
 * First of the ids that contain no time, such as the ids of the workspaces that ship with the sandbox. Read as times,
 * they would be in the year 2096 or later.
 */
const TIMELESS = 4_000_000_000_000_000_000n;

export type Ids = ReturnType<typeof createIds>;

/**
 * Issues ids of 19 digits, each higher than the last, that contain their creation time (platform contract GEN-9: ids).
 * Begins above the highest id in the database, so that no id is repeated if the clock is set back.
 */
export function createIds(database: Database, clock: Clock) {
  const highest = database
    .prepare(
      `SELECT max(id) AS id FROM (SELECT max(record) AS id FROM turns UNION ALL SELECT max(id) FROM documents
       UNION ALL SELECT max(id) FROM chunks UNION ALL SELECT max(id) FROM sessions WHERE kind = 'open')`,
    )
    .get();
  let last = 0n;
  /** Makes all further ids higher than this one. Each store calls it with the ids in the tables that it opens. */
  const startAbove = (id: string): void => {
    const known = BigInt(id);
    if (known > last && known < TIMELESS) last = known;
  };
  startAbove(String(highest?.id ?? '0'));
  return {
    startAbove,
    next: (): string => {
      const fromClock = BigInt(clock.now()) * PER_MILLISECOND;
      last = fromClock > last ? fromClock : last + 1n;
      return last.toString();
    },
  };
}
