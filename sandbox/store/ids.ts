import type { Clock } from '../clock.ts';
import type { Database } from './database.ts';

/** When an id was issued, milliseconds since the epoch. */
export const timeOf = (id: string): number => Number(BigInt(id) / PER_MILLISECOND);

const PER_MILLISECOND = 1_000_000n;
/** The fixtures' fixed ids from here on carry no time: going on above them would date every new id to the year 2096. */
const TIMELESS = 4_000_000_000_000_000_000n;

export type Ids = ReturnType<typeof createIds>;

/**
 * Issues 19-digit ids in strictly increasing order; they carry their creation time (platform contract GEN-9). Goes on
 * above the highest id that the database holds, so that a clock set back repeats none.
 */
export function createIds(database: Database, clock: Clock) {
  const highest = database
    .prepare(
      `SELECT max(id) AS id FROM (SELECT max(record) AS id FROM turns UNION ALL SELECT max(id) FROM documents
       UNION ALL SELECT max(id) FROM chunks UNION ALL SELECT max(id) FROM sessions WHERE kind = 'open')`,
    )
    .get();
  let last = 0n;
  /** Never issues this id or a lower one again. A store calls it with the ids of each table that it opens. */
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
