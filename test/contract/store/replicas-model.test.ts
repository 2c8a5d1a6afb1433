import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentName, laneKey } from '../../../src/core/ids.ts';
import type { Claim, NewTurn } from '../../../src/core/stores/inbox.ts';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/index.ts';
import { LEASE_MS } from '../../../src/store/postgres/lease.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { message, newTurn, thread } from '../turn-makers.ts';
import { type HeldClock, heldClock } from './held-clock.ts';
import { manualClock, recordingLog } from './manual-clock.ts';

/**
 * Several replicas take random steps. After each step and at the end these rules hold: the turns that run in a tenant
 * belong to its owner; a write counts only under the newest claim of a turn; the turns of a lane end in the order of
 * their questions; every accepted turn ends exactly once.
 */
type Step =
  | { readonly do: 'add'; readonly by: number; readonly tenant: number; readonly lane: number }
  | { readonly do: 'claim' | 'expire' | 'lapse' | 'restart'; readonly by: number }
  | { readonly do: 'renew' | 'checkpoint' | 'release' | 'postpone' | 'settle'; readonly claim: number }
  | { readonly do: 'stop'; readonly by: number; readonly turn: number }
  | { readonly do: 'resume'; readonly by: number };

const REPLICAS = 3;
const TENANTS = 3;
const LANES = 2;
const STEPS = 60;
/** Time for all runs on a busy machine, in milliseconds. */
const BUSY_MS = 600_000;
const RUNS = 10;
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 2 ** 31);

const by = fc.nat(REPLICAS - 1);
const index = fc.nat(30);
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        ...{ do: fc.constant('add' as const), by },
        ...{ tenant: fc.nat(TENANTS - 1), lane: fc.nat(LANES - 1) },
      }),
    },
    { weight: 9, arbitrary: fc.record({ do: fc.constant('claim' as const), by }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('expire' as const), by }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('lapse', 'restart'), by }) },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constantFrom('renew', 'checkpoint', 'release', 'postpone', 'settle'),
        claim: index,
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), by, turn: index }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('resume' as const), by }) },
  ),
  { minLength: STEPS, maxLength: STEPS },
);

interface Replica {
  readonly store: PostgresStore;
  readonly clock: HeldClock;
}

interface Held {
  readonly claim: Claim;
  readonly replica: Replica;
}

class House {
  readonly #admin: pg.Client;
  readonly #address: string;
  readonly #clock = manualClock();
  readonly #replicas: Replica[] = [];
  readonly #turns: NewTurn[] = [];
  readonly #claims: Held[] = [];
  readonly #stopped = new Set<string>();
  readonly #ended: string[] = [];

  constructor(admin: pg.Client, address: string) {
    this.#admin = admin;
    this.#address = address;
  }

  async open(): Promise<void> {
    for (let n = 0; n < REPLICAS; n++) this.#replicas.push(await this.#start());
    await this.#renewAll();
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ store }) => store.close()));
  }

  async #start(): Promise<Replica> {
    const clock = heldClock(this.#clock);
    const log = recordingLog();
    const store = await openPostgresStore({ address: this.#address, installation, clock, log });
    await this.#hold();
    return { store, clock };
  }

  /** Lets the leases last until the test ends them. */
  async #hold(): Promise<void> {
    await this.#admin.query("UPDATE parley.replicas SET until = 'infinity' WHERE until <> '-infinity'");
  }

  /** Lets all replicas renew their leases once, which tells them of each other. */
  async #renewAll(): Promise<void> {
    for (const { clock } of this.#replicas) clock.wake();
    const renewed = "SELECT 1 FROM parley.replicas WHERE until NOT IN ('infinity', '-infinity')";
    await expect
      .poll(async () => (await this.#admin.query(renewed)).rowCount, { interval: 5 })
      .toBe(REPLICAS);
    await this.#hold();
  }

  #at(n: number): Replica {
    const replica = this.#replicas[n];
    if (replica === undefined) throw new Error('no replica');
    return replica;
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'add':
        return this.#add(step);
      case 'claim':
        return void (await this.#claim(this.#at(step.by)));
      case 'expire':
        return void (await this.#at(step.by).store.inbox.expire());
      case 'lapse':
        return this.#lapse(this.#at(step.by));
      case 'restart':
        return this.#restart(step.by);
      case 'stop':
        return this.#stop(this.#at(step.by), step.turn);
      case 'resume':
        return void (await this.#at(step.by).store.inbox.resume(2, []));
      default:
        return this.#use(step.do, this.#claims[step.claim % Math.max(1, this.#claims.length)]);
    }
  }

  async #add({ by: nth, tenant, lane }: Extract<Step, { do: 'add' }>): Promise<void> {
    const id = `${this.#turns.length}`;
    const place = { ...thread(id), tenant: `T${tenant}` };
    const turn = newTurn(id, `${tenant} ${lane}`, { message: { ...message(id), thread: place } });
    expect((await this.#at(nth).store.inbox.add(turn)).kind).toBe('added');
    this.#turns.push(turn);
  }

  async #claim(replica: Replica): Promise<Claim | undefined> {
    const claim = await replica.store.inbox.claim();
    if (claim !== undefined) this.#claims.push({ claim, replica });
    return claim;
  }

  /** Ends the lease of a replica, lets the others take its turns, and lets it join again. */
  async #lapse(replica: Replica): Promise<void> {
    const { id } = replica.store.replica;
    await this.#admin.query(`UPDATE parley.replicas SET until = '-infinity' WHERE id = '${id}'`);
    this.#clock.advance(LEASE_MS);
    for (const other of this.#replicas) if (other !== replica) await other.store.inbox.expire();
    await this.#renewAll();
    expect(replica.store.replica.id).not.toBe(id);
  }

  /** Stops a replica as its process would on shutdown, and starts another one. */
  async #restart(nth: number): Promise<void> {
    const replica = this.#at(nth);
    await replica.store.inbox.handOver();
    for (const held of this.#claims)
      if (held.replica === replica) await replica.store.inbox.release(held.claim);
    await replica.store.inbox.handOver();
    const { id } = replica.store.replica;
    const left = await this.#admin.query(`SELECT 1 FROM parley.tenants WHERE owner = '${id}'`);
    expect(left.rows).toEqual([]);
    await replica.store.close();
    this.#replicas[nth] = await this.#start();
    await this.#renewAll();
  }

  async #stop({ store }: Replica, at: number): Promise<void> {
    const turn = this.#turns[at % Math.max(1, this.#turns.length)];
    if (turn === undefined) return;
    const met = await store.inbox.interrupt(turn.id, { kind: 'stop', by: 'u' });
    expect(met === 'none').toBe(this.#ended.includes(turn.id));
    if (met !== 'none') this.#stopped.add(turn.id);
  }

  async #use(what: Exclude<Step['do'], 'add'>, held: Held | undefined): Promise<void> {
    if (held === undefined) return;
    const { claim } = held;
    const { id } = claim.turn;
    const newest = this.#claims.findLast((each) => each.claim.turn.id === id);
    const result = await this.#perform(what, held);
    if (result === 'lost') return;
    // Only the newest claim of a turn may write, and no claim may write after the turn has ended.
    expect(held).toBe(newest);
    expect(this.#ended).not.toContain(id);
    if (what !== 'settle') return;
    this.#ended.push(id);
    expect((await this.#at(0).store.inbox.find(id))?.state).toBe('answered');
  }

  #perform(what: string, { claim, replica }: Held): Promise<unknown> {
    // If the process that made the claim has ended, another process tries to write under the claim.
    const { inbox } = (this.#replicas.includes(replica) ? replica : this.#at(0)).store;
    switch (what) {
      case 'renew':
        return inbox.renew(claim);
      case 'checkpoint':
        return inbox.checkpoint(claim, { text: { at: 0, text: 'words' } });
      case 'release':
        return inbox.release(claim);
      case 'postpone':
        return inbox.postpone(claim, { agent: agentName('books'), asked: true });
      default:
        return inbox.settle(claim, 'answered');
    }
  }

  /**
   * Expects that the turns that run in a tenant belong to its owner, and that at most one turn that was not stopped
   * runs in each lane.
   */
  async look(): Promise<void> {
    const { rows } = await this.#admin.query(
      `SELECT turns.id FROM parley.turns JOIN parley.tenants USING (channel, tenant)
      JOIN parley.replicas ON replicas.id = turns.owner AND replicas.until > clock_timestamp()
      WHERE turns.state = 'running' AND turns.owner IS DISTINCT FROM tenants.owner
      UNION ALL SELECT lane FROM parley.turns WHERE state = 'running' AND interruption IS NULL
      GROUP BY lane HAVING count(*) > 1`,
    );
    expect(rows).toEqual([]);
  }

  /** Ends all turns that have not ended yet. */
  async finish(): Promise<void> {
    for (const held of [...this.#claims]) await this.#use('settle', held);
    for (let idle = 0; idle < 2; idle += 1) {
      for (const replica of this.#replicas) {
        await replica.store.inbox.resume(100, []);
        await replica.store.inbox.expire();
        for (
          let claim = await this.#claim(replica);
          claim !== undefined;
          claim = await this.#claim(replica)
        ) {
          await this.#use('settle', this.#claims.at(-1));
          idle = 0;
        }
      }
    }
    expect(this.#ended.toSorted(byNumber)).toEqual(this.#turns.map(({ id }) => id));
    for (const lane of new Set(this.#turns.map((turn) => turn.lane))) {
      const own = this.#turns.filter((turn) => turn.lane === laneKey(lane) && !this.#stopped.has(turn.id));
      const ended = this.#ended.filter((id) => own.some((turn) => turn.id === id));
      expect(ended).toEqual(own.map(({ id }) => id));
    }
  }
}

const byNumber = (one: string, other: string): number => Number(one) - Number(other);

describe.skipIf(missing)('several replicas', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  test(
    `keep one owner for each tenant and the order of each lane, and lose no turn, seed ${seed}`,
    async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          const address = await server.database();
          const admin = await server.connect(address);
          const house = new House(admin, address);
          try {
            await house.open();
            for (const step of taken) {
              await house.take(step);
              await house.look();
            }
            await house.finish();
          } finally {
            await house.close();
            await admin.end();
          }
        }),
        { numRuns: RUNS, seed },
      );
    },
    BUSY_MS,
  );
});
