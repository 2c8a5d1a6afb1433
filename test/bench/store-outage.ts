/** Measures how soon an event is refused while PostgreSQL is paused, and how soon a turn starts when its hint is lost. */

import { Worker } from '../../src/core/turns/worker.ts';
import { openPostgresStore } from '../../src/store/postgres/index.ts';
import { newTurn } from '../contract/turn-makers.ts';
import { startProxy } from '../fakes/postgres/proxy.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../fakes/postgres/server.ts';
import { atMost, type Figure } from './figure.ts';
import { QUIET, SYSTEM_CLOCK } from './store.ts';

const REFUSAL_MS = 1_000;
/** The worker looks for turns every second. */
const START_MS = 3_000;
const TIMES = 5;
const LOOK_EVERY_MS = 10;
const MAX_WAIT_MS = 30_000;

export async function run(): Promise<readonly Figure[]> {
  if (missing !== undefined) return [];
  const server = await startPostgres();
  try {
    return [
      atMost(
        'postgres is paused: longest time to the refusal of an event',
        await refusal(server),
        REFUSAL_MS,
      ),
      atMost('postgres: longest time to the start of a turn without its hint', await start(server), START_MS),
    ];
  } finally {
    await server.stop();
  }
}

const open = (address: string) =>
  openPostgresStore({ address, installation, clock: SYSTEM_CLOCK, log: QUIET });

async function refusal(server: PostgresServer): Promise<number> {
  const store = await open(await server.database());
  await store.inbox.add(newTurn('first'));
  const resume = await server.pause();
  try {
    let longest = 0;
    for (let nth = 0; nth < TIMES; nth += 1) {
      const began = performance.now();
      const refused = await store.inbox.add(newTurn(`${nth}`, `lane ${nth}`)).catch(() => undefined);
      if (refused !== undefined) throw new Error('A paused PostgreSQL took an event.');
      longest = Math.max(longest, performance.now() - began);
    }
    return longest;
  } finally {
    resume();
    await store.close();
  }
}

async function start(server: PostgresServer): Promise<number> {
  const address = await server.database();
  const proxy = await startProxy(server.port);
  const behind = new URL(address);
  behind.port = String(proxy.port);
  const [store, other] = [await open(behind.href), await open(address)];
  const ran = new Set<string>();
  const worker = new Worker({
    inbox: store.inbox,
    clock: SYSTEM_CLOCK,
    turnEvents: { record: () => undefined, trouble: () => undefined },
    atOnce: 10,
    turnMs: 60_000,
    run: async (claim) => {
      ran.add(claim.turn.id);
      await store.inbox.settle(claim, 'answered');
    },
  });
  try {
    await store.inbox.add(newTurn('first'));
    worker.start();
    await until(() => ran.has('first'));
    let longest = 0;
    for (let nth = 0; nth < TIMES; nth += 1) {
      proxy.halfOpen('parley hints');
      const began = performance.now();
      await other.inbox.add(newTurn(`${nth}`));
      await until(() => ran.has(`${nth}`));
      longest = Math.max(longest, performance.now() - began);
    }
    return longest;
  } finally {
    await worker.drain(0);
    await Promise.all([store.close(), other.close()]);
    await proxy.close();
  }
}

async function until(holds: () => boolean): Promise<void> {
  const began = performance.now();
  while (!holds()) {
    if (performance.now() - began > MAX_WAIT_MS) throw new Error(`Nothing happened for ${MAX_WAIT_MS} ms.`);
    await SYSTEM_CLOCK.wait(LOOK_EVERY_MS);
  }
}
