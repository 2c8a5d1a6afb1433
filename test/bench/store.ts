/** Measures the store's throughput on this disk: stored events, turns, and claims while many turns wait. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { SqliteChat } from '../../adapters/console/chat/sqlite.ts';
import { laneKey, turnId } from '../../src/core/ids.ts';
import type { Claim, Inbox, NewTurn } from '../../src/core/stores/inbox.ts';
import { openStore, type Store } from '../../src/store/index.ts';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly target: string;
  readonly ok: boolean;
}

const EVENTS = 5_000;
const IN_FLIGHT = 64;
const PAYLOAD_BYTES = 600;
const AT_ONCE = { unit: 'ms', target: 100 };

export async function run(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-store-'));
  try {
    return [
      ...(await measureLife(join(folder, 'spread.db'))),
      await measureBacklog(join(folder, 'lane.db'), { turns: 10_000, lanes: 1 }),
      await measureBacklog(join(folder, 'lanes.db'), { turns: 10_000, lanes: 1_000 }),
      ...(await measureLock(folder)),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureLife(file: string): Promise<Figure[]> {
  const firstOpen = await timed(async () => (await open(file)).close());
  const store = await open(file);
  const kept = await timed(() => keep(store.inbox, { turns: EVENTS, lanes: EVENTS / 5 }));
  const ran = await timed(() => runAll(store.inbox));
  await store.close();
  const laterOpen = await timed(async () => (await open(file)).close());
  return [
    atLeast('store: events kept', EVENTS / kept, { unit: 'events/s', target: 2_000 }),
    atLeast('store: turns claimed, recorded 3 times, settled', EVENTS / ran, {
      unit: 'turns/s',
      target: 500,
    }),
    atMost('store: first open', firstOpen * 1_000, { unit: 'ms', target: 200 }),
    atMost(`store: open with ${EVENTS} ended turns`, laterOpen * 1_000, { unit: 'ms', target: 200 }),
  ];
}

/** Measures the mean time to claim and settle turns, one after another, while all other turns wait. */
async function measureBacklog(file: string, size: { turns: number; lanes: number }): Promise<Figure> {
  const store = await open(file);
  await keep(store.inbox, size);
  const rounds = 200;
  const spent = await timed(async () => {
    for (let n = 0; n < rounds; n++) {
      const claim = await store.inbox.claim();
      if (claim !== undefined) await store.inbox.settle(claim, 'answered');
    }
  });
  await store.close();
  const name = `store: claim and settle with ${size.turns} waiting in ${size.lanes} lanes`;
  return atMost(name, (spent * 1_000) / rounds, { unit: 'ms', target: 20 });
}

/** Measures how long other work in the process waits while another process has locked the files. */
async function measureLock(folder: string): Promise<Figure[]> {
  const [turns, chat] = [join(folder, 'locked.db'), join(folder, 'chat.db')];
  const store = await open(turns);
  const chats = new SqliteChat(chat);
  const locks = [turns, chat].map((file) => new DatabaseSync(file));
  for (const lock of locks) lock.exec('BEGIN IMMEDIATE');
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  await store.inbox.add(payload(1, 1)).catch(() => undefined);
  delays.disable();
  const began = performance.now();
  await chats.rows.settleDue('1').catch(() => undefined);
  const refusal = performance.now() - began;
  for (const lock of locks) lock.close();
  await store.close();
  await chats.close();
  return [
    atMost('store: pause of other work while the file is locked', delays.max / 1e6, AT_ONCE),
    atMost("store: refusal while the console's file is locked", refusal, AT_ONCE),
  ];
}

/** @param size `first`: number of the first turn; 0 by default */
export async function keep(
  inbox: Inbox,
  { turns, lanes, first = 0 }: { turns: number; lanes: number; first?: number },
): Promise<void> {
  let next = first;
  const loop = async (): Promise<void> => {
    while (next < first + turns) {
      const n = next++;
      await inbox.add(payload(n, n % lanes));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop));
}

export async function runAll(inbox: Inbox): Promise<void> {
  const loop = async (): Promise<void> => {
    for (let claim = await inbox.claim(); claim !== undefined; claim = await inbox.claim()) {
      await runOne(inbox, claim);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop));
}

async function runOne(inbox: Inbox, claim: Claim): Promise<void> {
  await inbox.checkpoint(claim, { phase: 'asking' });
  await inbox.checkpoint(claim, { phase: 'answering', text: { at: 0, text: 'x'.repeat(200) } });
  await inbox.checkpoint(claim, { phase: 'ending', text: { at: 200, text: 'y'.repeat(200) } });
  await inbox.settle(claim, 'answered');
}

function payload(n: number, lane: number): NewTurn {
  const thread = { channel: 'c', tenant: 't', room: 'r', key: `${lane}`, kind: 'room' } as const;
  return {
    id: turnId(`turn ${n}`),
    originKey: `event ${n}`,
    origin: { kind: 'message', key: `${n}`, revision: 0 },
    lane: laneKey(`lane ${lane}`),
    message: {
      id: `${n}`,
      thread,
      sender: { id: 'u', name: 'Ada', standing: 'member' },
      text: 'q'.repeat(PAYLOAD_BYTES),
      quoted: [],
      files: [],
      sentAt: 0,
      revision: 0,
    },
  };
}

export const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
export const SYSTEM_CLOCK = {
  now: () => Date.now(),
  wait: (ms: number, signal?: AbortSignal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
};

const open = (file: string): Promise<Store> =>
  openStore({ file, clock: SYSTEM_CLOCK, log: QUIET, laneLimit: 100_000 });

/** Returns the seconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

interface Aim {
  readonly unit: string;
  readonly target: number;
}

export const atLeast = (name: string, value: number, { unit, target }: Aim): Figure => ({
  name,
  value: Math.round(value),
  unit,
  target: `>= ${target}`,
  ok: value >= target,
});

const atMost = (name: string, value: number, { unit, target }: Aim): Figure => ({
  name,
  value: Math.round(value * 100) / 100,
  unit,
  target: `<= ${target}`,
  ok: value <= target,
});
