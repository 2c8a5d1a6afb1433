import type { Engine } from '../engine.ts';
import { inLists, listOf, once, type Steps, sql } from '../sql.ts';
import type { Held } from '../store.ts';
import { textOf } from '../turn-rows.ts';
import { lanesOf, promote } from './lanes.ts';
import type { TurnTable } from './table.ts';

/**
 * Releases the turns of the given channels if an earlier start held them. Holds the waiting turns of all other
 * channels, because no adapter can show their answers. Must be called at the start, before any turn runs.
 */
export async function serveChannels(
  { read, write, transaction }: Pick<Engine, 'read' | 'write' | 'transaction'>,
  table: TurnTable,
  channels: readonly string[],
): Promise<readonly Held[]> {
  const { channel } = table;
  // No channel has an empty name; it keeps the list from being empty.
  const served = listOf([...channels, '']);
  const held = await write(sql`UPDATE parley.turns INDEXED BY turns_waiting SET ready = 0, announced = true
    WHERE state = 'waiting' AND ${channel} NOT IN (${served}) RETURNING ${channel} AS channel`);
  await write(sql`UPDATE parley.turns INDEXED BY turns_waiting SET ready = 2
    WHERE state = 'waiting' AND ready = 0 AND interruption IS NOT NULL AND ${channel} IN (${served})`);
  const stopped = await read(
    once(sql`SELECT DISTINCT lane FROM parley.turns INDEXED BY turns_waiting
      WHERE state = 'waiting' AND ready = 0 AND ${channel} IN (${served})
        AND NOT EXISTS (SELECT 1 FROM parley.turns AS other INDEXED BY turns_waiting
          WHERE other.lane = turns.lane AND other.state = 'waiting' AND other.ready <> 0)
        AND NOT EXISTS (SELECT 1 FROM parley.turns AS other INDEXED BY turns_running
          WHERE other.lane = turns.lane AND other.state = 'running')`),
  );
  for (const some of inLists(lanesOf(stopped))) {
    await transaction(function* (): Steps<void> {
      yield* table.lock(some);
      yield* promote(table, some);
    });
  }
  const byChannel = Map.groupBy(held, (row) => textOf(row.channel));
  return [...byChannel].map(([channel, turns]) => ({ channel, waiting: turns.length }));
}
