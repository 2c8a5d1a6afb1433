/**
 * Measures the queries of the operator's page with 100,000 stored turns, in both engines, and what they cost the
 * bridge's own work: adding, claiming and ending turns at the same time.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { createOperations } from '../../src/bridge/operations.ts';
import type { Operations } from '../../src/core/stores/operations.ts';
import { openSharedStore, openStore, type Store } from '../../src/store/index.ts';
import { filling } from '../fakes/operate-turns.ts';
import { installation, missing, startPostgres } from '../fakes/postgres/server.ts';
import { type Figure, keep, QUIET, runAll, SYSTEM_CLOCK } from './store.ts';

const TURNS = 100_000;
/** Repetitions of each query, and turns of the bridge's own work. */
const ROUNDS = 20;
const OWN_TURNS = 3_000;
const QUERY_MS = 200;

const DAY_MS = 86_400_000;

export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-operate-'));
  try {
    return [...(await measureSqlite(join(folder, 'parley.sqlite'))), ...(await measurePostgres())];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureSqlite(file: string): Promise<Figure[]> {
  const store = await openStore({ file, clock: SYSTEM_CLOCK, log: QUIET, laneLimit: 100_000 });
  const database = new DatabaseSync(file);
  for (const statement of filling(TURNS, Date.now(), '', ''))
    database.exec(statement.replaceAll('parley.', ''));
  database.close();
  const figures = await measure('sqlite', store);
  await store.close();
  return figures;
}

async function measurePostgres(): Promise<Figure[]> {
  if (missing !== undefined) return [];
  const server = await startPostgres({ durable: true });
  try {
    const address = await server.database();
    const [clock, log] = [SYSTEM_CLOCK, QUIET];
    const store = await openSharedStore({ address, installation, clock, log, laneLimit: 100_000 });
    const columns = ', channel, tenant, room, sent_at, revision, kind';
    for (const statement of filling(TURNS, Date.now(), columns, ", 'slack', 'T1', 'C1', 0, 0, 'message'"))
      await server.query(statement);
    await server.query('ANALYZE');
    const figures = await measure('postgres', store);
    await store.close();
    return figures;
  } finally {
    await server.stop();
  }
}

async function measure(engine: string, store: Store): Promise<Figure[]> {
  const adapters = [{ name: 'slack', limits: {} }];
  const parts = { store, stateKey: () => new Uint8Array(32), clock: SYSTEM_CLOCK };
  const operations = createOperations(parts, adapters, QUIET);
  await ownWork(store);
  const alone = await ownWork(store);
  const figures: Figure[] = [];
  for (const [name, query] of Object.entries(queries(operations))) {
    await query();
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(query));
    figures.push(atMost(`${engine}: ${name}, p50`, percentile(times, 0.5), QUERY_MS));
    figures.push(atMost(`${engine}: ${name}, p95`, percentile(times, 0.95), QUERY_MS));
  }
  const beside = await besidePage(store, operations);
  const pauses = (beside.pauseMs - alone.pauseMs).toFixed(1);
  return [
    ...figures,
    ratio(`${engine}: turns added, claimed and ended beside the page, against alone`, alone.ms / beside.ms),
    atMost(`${engine}: event loop p99 beside the page (${pauses} ms more than alone)`, beside.pauseMs, 50),
  ];
}

/** The queries of the page. The rare filters match nothing, so that each reads all records. */
function queries(operations: Operations): Readonly<Record<string, () => Promise<unknown>>> {
  const all = { from: 0, to: Date.now() + DAY_MS };
  return {
    status: () => operations.status(),
    'open turns': () => operations.open(all),
    'newest 50 turns': () => operations.ended(all, 50),
    '1,000 turns of an export': () => operations.ended(all, 1_000),
    'turns of one agent': () => operations.ended({ ...all, agent: 'agent3' }, 50),
    'turns of one person': () => operations.ended({ ...all, person: 'U77' }, 50),
    'turns of an unknown room': () => operations.ended({ ...all, room: 'nowhere' }, 50),
    'turns of an unknown agent': () => operations.ended({ ...all, agent: 'nobody' }, 50),
    'a turn by its id': () => operations.ended({ ...all, turn: 'turn 5' }, 1),
    'failures by cause': () => operations.ended({ ...all, code: 'platform-down' }, 50),
    'counts of all turns': () => operations.counted(all),
    ratings: () => operations.ratings(all, 50),
    'ratings of an unknown person': () => operations.ratings({ ...all, person: 'nobody' }, 50),
    corrections: () => operations.corrections(all, 50),
    budgets: () => operations.budgets(),
    'linked people': () => operations.people(200),
  };
}

let runs = 0;

/** Adds, claims and ends turns. Returns the time and the longest pauses (p99) of the process, in milliseconds. */
async function ownWork(store: Store): Promise<{ readonly ms: number; readonly pauseMs: number }> {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  const ms = await timed(async () => {
    await keep(store.inbox, { turns: OWN_TURNS, lanes: OWN_TURNS, first: OWN_TURNS * runs++ });
    await runAll(store.inbox);
  });
  delays.disable();
  return { ms, pauseMs: delays.percentile(99) / 1e6 };
}

/** Does the same work while an operator's page, which reads every 10 s, reads every second. */
async function besidePage(store: Store, operations: Operations) {
  const ended = new AbortController();
  const all = { from: 0, to: Date.now() + DAY_MS };
  const reading = (async () => {
    while (!ended.signal.aborted) {
      await Promise.all([operations.status(), operations.open(all), operations.counted(all)]);
      await SYSTEM_CLOCK.wait(1_000, ended.signal).catch(() => undefined);
    }
  })();
  const worked = await ownWork(store);
  ended.abort();
  await reading;
  return worked;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const percentile = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * part) - 1] ?? 0;

const atMost = (name: string, value: number, target: number): Figure => ({
  ...{ name, value, unit: 'ms' },
  ...{ target: `<= ${target}`, ok: value <= target },
});

const ratio = (name: string, value: number): Figure => ({
  ...{ name, value, unit: 'times' },
  ...{ target: '>= 0.5', ok: value >= 0.5 },
});
