import type { Clock } from '../clock.ts';
import type { Database } from './database.ts';

/** Returns the time when an id was issued, in milliseconds since the epoch. */
export const timeOf = (id: string): number => Number(BigInt(id) / PER_MILLISECOND);

const PER_MILLISECOND = 1_000_000n;
/**
 * Fixed ids of the fixtures start here and contain no time. Read as times, they would be in or after the year
 * 2096.
 */
const TIMELESS = 4_000_000_000_000_000_000n;

export type Ids = ReturnType<typeof createIds>;

/**
 * Issues ids of 19 digits in strictly increasing order that contain their time of creation (platform contract GEN-9).
 * Starts above the highest id in the database, so that no id is repeated when the clock is set back.
 */
export function createIds(database: Database, clock: Clock) {
  const highest = database
    .prepare(
      `SELECT max(id) AS id FROM (SELECT max(record) AS id FROM turns UNION ALL SELECT max(id) FROM documents
       UNION ALL SELECT max(id) FROM chunks UNION ALL SELECT max(id) FROM sessions WHERE kind = 'open')`,
    )
    .get();
  let last = 0n;
  /**
   * Makes all new ids higher than this one. Each store calls this function with the ids of the tables that it
   * opens.
   */
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
