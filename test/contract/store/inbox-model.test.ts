import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { laneKey } from '../../../src/core/ids.ts';
import type { Claim, Inbox } from '../../../src/core/stores/inbox.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { LEASE_MS } from '../../../src/store/postgres/lease.ts';
import { createCommits } from '../../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { openSqliteInbox } from '../../../src/store/sqlite/inbox.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { newTurn } from '../turn-makers.ts';
import { type ManualClock, manualClock, recordingLog } from './manual-clock.ts';

/** A turn in the model. It has only the properties on which the results of the inbox's methods depend. */
interface ModelTurn {
  readonly id: string;
  readonly origin: string;
  readonly lane: string;
  state: 'waiting' | 'running' | 'over';
  owner: string;
  attempt: number;
  until: number;
  stopped: boolean;
  told: boolean;
  text: string;
}

type Step =
  | { readonly do: 'add'; readonly lane: number; readonly origin: number }
  | { readonly do: 'claim' | 'restart'; readonly owner: Owner }
  | { readonly do: 'renew' | 'release' | 'settle'; readonly claim: number }
  | { readonly do: 'text'; readonly claim: number; readonly at: number; readonly text: string }
  | { readonly do: 'stop'; readonly turn: number }
  | { readonly do: 'expire'; readonly ms: number }
  | { readonly do: 'announce'; readonly limit: number };

const LANES = 3;
const LANE_LIMIT = 4;

type Owner = 'a' | 'b';

/** An engine that is compared with the model. */
interface Engine {
  /** The processes that claim turns. */
  readonly owners: readonly Owner[];
  /** Duration of a claim's lease, in milliseconds. */
  readonly leaseMs: number;
  /** True if each claim has a lease of its own, which expires. */
  readonly expires: boolean;
  readonly runs: number;
  open(): Promise<Opened>;
}

interface Opened {
  readonly clock: ManualClock;
  /** Returns the inbox of a process that is never restarted. If there is only one process, returns its inbox. */
  inbox(): Inbox;
  /** Returns the inbox of a process that claims turns. */
  of(owner: Owner): Inbox;
  /** Ends the process, and starts it again. */
  restart(owner: Owner): Promise<void>;
  dispose(): Promise<void>;
}

const index = fc.nat(30);

function stepsOf({ owners, expires }: Engine): fc.Arbitrary<Step> {
  const owner = fc.constantFrom(...owners);
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ do: fc.constant('add' as const), lane: fc.nat(LANES - 1), origin: index }),
    },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('claim' as const), owner }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('renew', 'release', 'settle'), claim: index }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('text' as const),
        claim: index,
        at: fc.nat(6),
        text: fc.string({ maxLength: 4, unit: 'binary' }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('stop' as const), turn: index }) },
    {
      weight: expires ? 2 : 0,
      arbitrary: fc.record({ do: fc.constant('expire' as const), ms: fc.constantFrom(0, 300, 999) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('announce' as const), limit: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), owner }) },
  );
}

/** The inbox and its model. Every step must give the same result in both. */
class Pair {
  readonly turns: ModelTurn[] = [];
  readonly claims: Claim[] = [];
  readonly opened: Opened;
  readonly clock: ManualClock;
  readonly leaseMs: number;

  constructor(opened: Opened, leaseMs: number) {
    this.opened = opened;
    this.clock = opened.clock;
    this.leaseMs = leaseMs;
  }

  get inbox(): Inbox {
    return this.opened.inbox();
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'add':
        return this.add(`lane ${step.lane}`, `origin ${step.origin}`);
      case 'claim':
        return this.claim(step.owner);
      case 'restart':
        return this.restart(step.owner);
      case 'stop':
        return this.stop(step.turn);
      case 'expire':
        return this.expire(step.ms);
      case 'announce':
        return this.announce(step.limit);
      default:
        return this.use(step);
    }
  }

  async add(lane: string, origin: string): Promise<void> {
    const id = `${this.turns.length}`;
    const added = await this.inbox.add({ ...newTurn(id, lane), originKey: origin });
    const known = this.turns.find((turn) => turn.origin === origin);
    const queued = this.turns.filter((turn) => turn.lane === lane && turn.state !== 'over');
    const waiting = queued.filter((turn) => turn.state === 'waiting').length;
    if (known !== undefined) return expect(added).toEqual({ kind: 'duplicate', id: known.id });
    if (waiting >= LANE_LIMIT) return expect(added).toEqual({ kind: 'full', waiting });
    expect(added).toEqual({ kind: 'added', ahead: queued.length });
    const fresh = { owner: '', attempt: 0, until: 0, stopped: false, told: false, text: '' };
    this.turns.push({ id, origin, lane, state: 'waiting', ...fresh });
  }

  /**
   * Returns the turn that must be claimed next: a stopped turn that waits, or else the oldest waiting turn in a lane in
   * which no turn runs.
   */
  expected(): ModelTurn | undefined {
    const waiting = this.turns.filter((turn) => turn.state === 'waiting');
    const runs = (lane: string) => this.turns.some((turn) => turn.lane === lane && turn.state === 'running');
    return waiting.find((turn) => turn.stopped) ?? waiting.find((turn) => !runs(turn.lane));
  }

  async claim(owner: Owner): Promise<void> {
    const claim = await this.opened.of(owner).claim();
    const turn = this.expected();
    expect(claim?.turn.id).toBe(turn?.id);
    if (claim === undefined || turn === undefined) return;
    Object.assign(turn, {
      state: 'running',
      owner,
      attempt: turn.attempt + 1,
      until: this.clock.now() + this.leaseMs,
    });
    expect([claim.turn.attempt, claim.text, claim.until]).toEqual([turn.attempt, turn.text, turn.until]);
    expect(claim.interruption !== undefined).toBe(turn.stopped);
    this.claims.push(claim);
  }

  async restart(owner: Owner): Promise<void> {
    await this.opened.restart(owner);
    const running = this.turns.filter((turn) => turn.state === 'running' && turn.owner === owner);
    for (const turn of running) turn.state = 'waiting';
  }

  async use(step: Extract<Step, { claim: number }>): Promise<void> {
    const claim = this.claims[step.claim % Math.max(1, this.claims.length)];
    if (claim === undefined) return;
    const turn = this.turns.find(
      ({ id, state, attempt }) =>
        id === claim.turn.id && state === 'running' && attempt === claim.turn.attempt,
    );
    // A piece must begin inside the recorded text or at its end, because a gap in the text has no meaning.
    const fitting = step.do === 'text' ? { ...step, at: Math.min(step.at, turn?.text.length ?? 0) } : step;
    const done = await this.perform(fitting, claim);
    expect(done).toEqual(turn === undefined ? 'lost' : this.held(fitting, turn));
  }

  perform(step: Extract<Step, { claim: number }>, claim: Claim): Promise<unknown> {
    switch (step.do) {
      case 'renew':
        return this.inbox.renew(claim);
      case 'release':
        return this.inbox.release(claim);
      case 'settle':
        return this.inbox.settle(claim, 'answered');
      case 'text':
        return this.inbox.checkpoint(claim, { text: { at: step.at, text: step.text } });
    }
  }

  held(step: Extract<Step, { claim: number }>, turn: ModelTurn): unknown {
    if (step.do === 'text') {
      turn.text = turn.text.slice(0, step.at) + step.text;
      return 'held';
    }
    if (step.do === 'renew') {
      turn.until = this.clock.now() + this.leaseMs;
      return turn.stopped ? { kind: 'stop', by: 'u' } : 'held';
    }
    turn.state = step.do === 'settle' ? 'over' : 'waiting';
    return step.do === 'settle' ? 'settled' : 'released';
  }

  async stop(at: number): Promise<void> {
    const turn = this.turns[at % Math.max(1, this.turns.length)];
    if (turn === undefined) return;
    const met = await this.inbox.interrupt(newTurn(turn.id).id, { kind: 'stop', by: 'u' });
    expect(met).toBe(turn.state === 'over' ? 'none' : turn.state);
    if (turn.state !== 'over') Object.assign(turn, { stopped: true, told: true });
  }

  async expire(ms: number): Promise<void> {
    this.clock.advance(ms);
    const over = this.turns.filter((turn) => turn.state === 'running' && turn.until <= this.clock.now());
    expect(await this.inbox.expire()).toBe(over.length);
    for (const turn of over) turn.state = 'waiting';
  }

  async announce(limit: number): Promise<void> {
    const untold = this.turns.filter((turn) => turn.state === 'waiting' && !turn.told).slice(0, limit);
    const later = this.clock.now() + 1;
    const told = await this.inbox.takeUnannounced({ behind: later, ready: later }, limit);
    expect(told.map(({ turn, ahead }) => [turn.id, ahead])).toEqual(
      untold.map((turn) => [turn.id, this.queuedBefore(turn)]),
    );
    for (const turn of untold) turn.told = true;
  }

  queuedBefore(turn: ModelTurn): number {
    const before = this.turns.slice(0, this.turns.indexOf(turn));
    return before.filter(({ lane, state }) => lane === turn.lane && state !== 'over').length;
  }

  async look(): Promise<void> {
    const count = (state: string) => this.turns.filter((turn) => turn.state === state).length;
    expect(await this.inbox.counts()).toEqual({ waiting: count('waiting'), running: count('running') });
    for (let n = 0; n < LANES; n++) {
      const lane = `lane ${n}`;
      const queued = this.turns.filter((turn) => turn.lane === lane);
      const running = queued.filter((turn) => turn.state === 'running');
      const current =
        running.find((turn) => !turn.stopped) ??
        running[0] ??
        queued.find(({ state }) => state === 'waiting');
      expect((await this.inbox.current(laneKey(lane)))?.id).toBe(current?.id);
    }
  }
}

function modelTest(name: string, engine: Engine): void {
  it(`${name} equals the simple model for any sequence of steps`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepsOf(engine), { maxLength: 60, size: 'max' }), async (steps) => {
        const opened = await engine.open();
        const pair = new Pair(opened, engine.leaseMs);
        for (const one of steps) {
          await pair.take(one);
          await pair.look();
        }
        await opened.dispose();
      }),
      { numRuns: engine.runs },
    );
  });
}

async function openSqlite(leaseMs: number): Promise<Opened> {
  const clock = manualClock();
  const { database, close } = openDatabase(':memory:');
  const commits = createCommits({ database, clock });
  const limits = { leaseMs, laneLimit: LANE_LIMIT };
  const start = (owner: string) =>
    openSqliteInbox({ database, commits, clock, log: recordingLog(), owner, ...limits });
  const owners = { a: await start('a'), b: await start('b') };
  // A third inbox expires the claims, because an inbox that was just opened does not expire its own claims.
  const watching = await start('watching');
  return {
    clock,
    inbox: () => watching,
    of: (owner) => owners[owner],
    restart: async (owner) => {
      owners[owner] = await start(owner);
    },
    dispose: async () => close(),
  };
}

modelTest('SQLite', {
  owners: ['a', 'b'],
  leaseMs: 1_000,
  expires: true,
  runs: 300,
  open: () => openSqlite(1_000),
});

describe.skipIf(missing)('a replica', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  async function openPostgres(): Promise<Opened> {
    const address = await server.database();
    // Leases use the machine's time.
    const clock: ManualClock = { ...manualClock(), wait: systemClock.wait };
    const start = () =>
      openPostgresStore({ address, installation, clock, log: recordingLog(), laneLimit: LANE_LIMIT });
    let store = await start();
    return {
      clock,
      inbox: () => store.inbox,
      of: () => store.inbox,
      restart: async () => {
        await store.close();
        store = await start();
        await store.inbox.expire();
      },
      dispose: () => store.close(),
    };
  }

  modelTest('PostgreSQL', { owners: ['a'], leaseMs: LEASE_MS, expires: false, runs: 12, open: openPostgres });
});
