/** Measures target P11 (Parley's own CPU time for a turn of 50 deltas), and the memory of 500 concurrent turns. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { createAccountTable } from '../../src/core/agents/access.ts';
import type { Agent, AgentGateway } from '../../src/core/agents/agent.ts';
import { agentName, turnId } from '../../src/core/ids.ts';
import { laneOf, originKey } from '../../src/core/message.ts';
import { createBudgets } from '../../src/core/pacing/budgets.ts';
import type { Outcome } from '../../src/core/screen.ts';
import { createEngagement } from '../../src/core/stores/engagement.ts';
import { createFinishedReplies } from '../../src/core/stores/finished-replies.ts';
import { createThreadMemory } from '../../src/core/stores/thread-memory.ts';
import { runTurn } from '../../src/core/turns/run-turn.ts';
import { Worker } from '../../src/core/turns/worker.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { sealKeyed } from '../../src/store/sealed.ts';
import { UNGUARDED } from '../fakes/hostile-platform.ts';
import { pureWriter } from '../fakes/memory-channel.ts';
import { permissionsOf } from '../fakes/permissions.ts';
import { message, person, thread } from '../fakes/samples.ts';
import { type Figure, part } from './figure.ts';
import { memoryOfTurnsAtOnce } from './turns-at-once.ts';

const DELTAS = 50;
/** Milliseconds between two deltas, for a fast agent with about 200 words in ten seconds. */
const DELTA_EVERY_MS = 20;
/** Milliseconds between two edits, as in the console (adapters/console/limits.ts). */
const EDIT_GAP_MS = 100;
/** Numbers of concurrent turns: as in a few busy rooms, and as in a whole workspace. */
const FEW = 20;
const MANY = 200;
/** Number of unmeasured turns that warm up the process. */
const WARMING_TURNS = 200;
/** Number of runs per measurement, of which the median counts. */
const ROUNDS = 5;
const TARGET_MS = 2;

const log = { debug() {}, info() {}, warn() {}, error() {} };
const SEALING_KEY = new Uint8Array(32);
const SEALING = { namespace: 'replies', key: () => SEALING_KEY, log };

export async function run(): Promise<readonly Figure[]> {
  return [
    ...(await part('P11: CPU of turns', cpuOfTurns)),
    ...(await part('memory of turns at once', memoryOfTurnsAtOnce)),
  ];
}

/**
 * Measures the CPU time of everything except the network: inbox and checkpoints in a real file, the pacer, the
 * console's pace.
 */
async function cpuOfTurns(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  const store = await openStore({
    file: join(folder, 'store.sqlite'),
    clock: systemClock,
    log,
  });
  const rounds = startRounds(store);
  rounds.worker.start();
  for (let turns = 0; turns < WARMING_TURNS; turns += MANY) await rounds.run(MANY);
  const figures: Figure[] = [];
  for (const atOnce of [FEW, MANY]) figures.push(await costOf(atOnce, rounds.run));
  await rounds.worker.drain(0);
  await store.close();
  await rm(folder, { recursive: true, force: true });
  return figures;
}

/** Starts a worker. `run` asks `atOnce` questions, and resolves when all of them are answered. */
function startRounds(store: Store) {
  let asked = 0;
  let running = 0;
  let over = Promise.withResolvers<void>();
  const worker = makeWorker(store, MANY, () => {
    running -= 1;
    if (running === 0) over.resolve();
  });
  return {
    worker,
    async run(atOnce: number): Promise<void> {
      running = atOnce;
      over = Promise.withResolvers();
      for (let nth = 0; nth < atOnce; nth++) await askOnce(store, asked++);
      await over.promise;
    },
  };
}

async function costOf(atOnce: number, run: (atOnce: number) => Promise<void>): Promise<Figure> {
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const whole = await cpuOf(() => run(atOnce));
    // Subtracts the CPU time of the scripted agents.
    costs.push((whole - (await cpuOf(() => listenTo(atOnce)))) / atOnce);
  }
  const median = costs.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
  const name = `P11 CPU for a turn of ${DELTAS} deltas, ${atOnce} at once, median of ${ROUNDS}`;
  return { name, value: median, unit: 'ms', target: `<= ${TARGET_MS} ms`, ok: median <= TARGET_MS };
}

/** Returns the CPU milliseconds of the work, in all threads. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function listenTo(atOnce: number): Promise<void> {
  const { gateway } = chattyAgent();
  const question = {
    text: 'How long?',
    asker: person(),
    thread: thread(),
    quoted: [],
    images: [],
    history: [],
  };
  const listen = async () => {
    for await (const _ of gateway.ask(question, new AbortController().signal, UNGUARDED));
  };
  await Promise.all(Array.from({ length: atOnce }, listen));
}

async function askOnce({ inbox }: Store, nth: number): Promise<void> {
  const asked = message({ id: `m${nth}`, thread: thread({ key: `t${nth}` }), text: 'How long?' });
  const origin = { kind: 'message', key: asked.id, revision: 0 } as const;
  await inbox.add({
    id: turnId(`turn-${nth}`),
    origin,
    originKey: originKey(asked.thread, origin),
    lane: laneOf(asked.thread),
    message: asked,
  });
}

function makeWorker(store: Store, atOnce: number, settled: () => void) {
  const { inbox, sessions } = store;
  const clock = systemClock;
  const agent = chattyAgent();
  const adapter = {
    writer: (turn: Parameters<typeof pureWriter>[0]) => ({
      ...pureWriter(turn),
      perform: async (): Promise<Outcome> => ({ kind: 'done', id: 'shown' }),
    }),
    openFile: async () => new Uint8Array(),
    abilities: {},
  };
  const turnEvents = { record: () => undefined, trouble: () => undefined };
  const budgets = createBudgets({ edit: { gapMs: EDIT_GAP_MS } }, clock);
  const parts = {
    inbox,
    sessions,
    memory: createThreadMemory(store.keyed('threads')),
    engagement: (channel: string) => createEngagement(store.keyed(`adapter ${channel}`)),
    finishedReplies: createFinishedReplies(sealKeyed(store.keyed('replies'), SEALING)),
    directory: { agents: new Map([[agent.name, agent]]), fallback: agent.name },
    policy: {
      guests: false,
      external: false,
      bots: false,
      accounts: createAccountTable([]),
      unmapped: 'service' as const,
      rooms: 'service' as const,
    },
    clock,
    turnEvents,
    room: () => ({}),
    permissions: permissionsOf({}, ['chatty']),
    quotas: { take: async () => undefined },
    names: { note: async () => undefined },
    audited: { sources: 'ids', text: false } as const,
    noteAct: async () => undefined,
    receipt: async () => [],
    newId: () => turnId('unused'),
    adapter: () => adapter,
    budgets: () => budgets,
  };
  return new Worker({
    inbox,
    clock,
    turnEvents,
    atOnce,
    turnMs: 60_000,
    run: (claim, scope) => runTurn(claim, scope, parts).finally(settled),
  });
}

function chattyAgent(): Agent {
  const gateway: AgentGateway = {
    sees: { images: false },
    memory: 'session',
    async *ask() {
      yield { type: 'session', session: '4493041505002323001' };
      let at = 0;
      for (let nth = 0; nth < DELTAS; nth++) {
        const text = `word ${nth} `;
        yield { type: 'text', at, text };
        at += text.length;
        await systemClock.wait(DELTA_EVERY_MS);
      }
      yield { type: 'end' };
    },
    sources: async () => [],
    uploadImages: async () => [],
    openMedia: async () => ({ type: 'image/png', bytes: new Uint8Array() }),
    check: async () => [],
  };
  return { name: agentName('chatty'), description: 'Talks', interface: 'open', gateway };
}
