/** Measures the throughput of the PostgreSQL engine with one replica, on a server that writes each commit to the disk. */

import { openSharedStore } from '../../src/store/index.ts';
import { installation, missing, startPostgres } from '../fakes/postgres/server.ts';
import { atLeast, type Figure, keep, QUIET, runAll, SYSTEM_CLOCK, timed } from './store.ts';

const EVENTS = 5_000;

export async function run(): Promise<Figure[]> {
  if (missing !== undefined) return [];
  const server = await startPostgres({ durable: true });
  try {
    const address = await server.database();
    const store = await openSharedStore({
      address,
      installation,
      clock: SYSTEM_CLOCK,
      log: QUIET,
      laneLimit: 100_000,
    });
    const apart = await timed(() => keep(store.inbox, { turns: EVENTS, lanes: EVENTS }));
    const ran = await timed(() => runAll(store.inbox));
    await store.close();
    const again = await openSharedStore({
      address: await server.database(),
      installation,
      clock: SYSTEM_CLOCK,
      log: QUIET,
      laneLimit: 100_000,
    });
    const queued = await timed(() => keep(again.inbox, { turns: EVENTS, lanes: EVENTS / 5 }));
    await again.close();
    return [
      atLeast('postgres: events kept, each in a thread of its own', EVENTS / apart, {
        unit: 'events/s',
        target: 1_500,
      }),
      atLeast('postgres: events kept, five in a thread', EVENTS / queued, { unit: 'events/s', target: 500 }),
      atLeast('postgres: turns claimed, recorded 3 times, settled', EVENTS / ran, {
        unit: 'turns/s',
        target: 100,
      }),
    ];
  } finally {
    await server.stop();
  }
}
