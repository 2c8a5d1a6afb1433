import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { turnId } from '../../../src/core/ids.ts';
import type { Added, Inbox, NewTurn } from '../../../src/core/stores/inbox.ts';
import { BridgeError } from '../../../src/errors.ts';
import type { Store } from '../../../src/store/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { LEASE_MS } from '../../../src/store/postgres/lease.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { message, newTurn, thread } from '../turn-makers.ts';
import { recordingLog } from './manual-clock.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(missing)('replicas on PostgreSQL', () => {
  let server: PostgresServer;
  let address: string;
  let stores: Store[];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    address = await server.database();
    stores = await Promise.all([open(), open(), open()]);
  });
  afterEach(() => Promise.all(stores.map((store) => store.close())));

  const open = () => openPostgresStore({ address, installation, clock: systemClock, log: recordingLog() });
  const inTenant = (id: string, tenant: string) =>
    newTurn(id, `${tenant} ${id}`, { message: { ...message(id), thread: { ...thread(id), tenant } } });

  test('replicas that start together migrate once', () => {
    expect(stores).toHaveLength(3);
  });

  test('the same 1,000 events at every replica give 1,000 turns', async () => {
    const turns = Array.from({ length: 1_000 }, (_, n) => inTenant(`${n}`, `T${n % 7}`));
    const added = await Promise.all(
      stores.flatMap(({ inbox }, nth) =>
        turns.map((turn) => deliver(inbox, { ...turn, id: turnId(`${turn.id} ${nth}`) })),
      ),
    );
    expect(new Set(added)).toEqual(new Set(['added', 'duplicate']));
    expect((await stores[0]?.inbox.counts())?.waiting).toBe(1_000);
  });

  test('each tenant is claimed by one replica', async () => {
    const [first] = stores;
    for (let n = 0; n < 60; n++) await first?.inbox.add(inTenant(`${n}`, `T${n % 12}`));
    const owners = new Map<string, Set<number>>();
    let claimed = 0;
    for (const [nth, { inbox }] of stores.entries()) {
      for (let claim = await inbox.claim(); claim !== undefined; claim = await inbox.claim()) {
        const { tenant } = claim.turn.message.thread;
        owners.set(tenant, (owners.get(tenant) ?? new Set()).add(nth));
        claimed += 1;
      }
    }
    expect(claimed).toBe(60);
    expect([...owners.values()].every((each) => each.size === 1)).toBe(true);
  });

  test('an earlier message comes first although the later one is being claimed as it arrives', async () => {
    const [store] = stores;
    const at = (id: string, sentAt: number) => newTurn(id, 'lane', { message: { ...message(id), sentAt } });
    await store?.inbox.add(at('later', 2));
    const claiming = await server.connect(address);
    await claiming.query('BEGIN');
    await claiming.query(
      "UPDATE parley.turns SET state = 'running', ready = 0, attempt = 1, owner = (SELECT owner FROM parley.tenants)",
    );
    const adding = store?.inbox.add(at('earlier', 1));
    const locked =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    await expect.poll(async () => (await claiming.query(locked)).rows).toHaveLength(1);
    await claiming.query('COMMIT');
    await claiming.end();
    expect(await adding).toEqual({ kind: 'added', ahead: 0 });
    const claims = await Promise.all(stores.map(({ inbox }) => inbox.claim()));
    expect(claims.flatMap((claim) => claim?.turn.id ?? [])).toEqual(['earlier']);
  });

  test('a turn is stopped through any replica, and a question is heard of by its owner', async () => {
    const heard = stores.map(({ inbox }) => {
      const signals: string[] = [];
      inbox.onSignal(
        (signal) => void signals.push(signal.kind === 'claimable' ? 'claimable' : `interrupted ${signal.id}`),
      );
      return signals;
    });
    await stores[0]?.inbox.add(inTenant('1', 'T1'));
    await expect.poll(() => heard.some((signals) => signals.includes('claimable'))).toBe(true);
    const claims = await Promise.all(stores.map(({ inbox }) => inbox.claim()));
    const owner = claims.findIndex((claim) => claim !== undefined);
    const id = claims[owner]?.turn.id;
    if (id === undefined) throw new Error('nothing was claimed');
    const other = stores[(owner + 1) % stores.length];
    expect(await other?.inbox.interrupt(id, { kind: 'stop', by: 'u2' })).toBe('running');
    // The owner's worker looks once a second, because a hint is lost while the connection for hints is being opened.
    const look = async () => {
      await stores[owner]?.inbox.expire();
      return heard[owner];
    };
    await expect.poll(look).toContain(`interrupted ${id}`);
  });

  test('a stopping replica gives each tenant away once none of its turns runs, and gets no more', async () => {
    // In one tenant, one turn runs and one turn waits. In the other tenants, turns only wait.
    const tenants = Array.from({ length: 9 }, (_, n) => `T${n}`);
    for (const tenant of tenants) await stores[0]?.inbox.add(inTenant(`${tenant} waits`, tenant));
    const claims = await Promise.all(stores.map(({ inbox }) => inbox.claim()));
    const at = claims.findIndex((claim) => claim !== undefined);
    const [leaver, claim] = [stores[at], claims[at]];
    if (leaver === undefined || claim === undefined) throw new Error('nothing was claimed');
    const others = stores.filter((store) => store !== leaver);
    for (const [nth, held] of claims.entries())
      if (nth !== at && held) await stores[nth]?.inbox.release(held);
    const busy = claim.turn.message.thread.tenant;
    await leaver.inbox.add(inTenant('behind', busy));

    await leaver.inbox.handOver();
    const claimed = await claimAll(others);
    expect(claimed.toSorted()).toEqual(
      tenants.filter((tenant) => tenant !== busy).map((tenant) => `${tenant} waits`),
    );
    await leaver.inbox.settle(claim, 'answered');
    expect(await claimAll(others)).toEqual([]);
    await leaver.inbox.handOver();
    expect(await claimAll(others)).toEqual(['behind']);

    // The other replicas learn that `leaver` is stopping when they next renew their leases.
    await systemClock.wait(2_500);
    for (let n = 0; n < 20; n++) await others[0]?.inbox.add(inTenant(`late ${n}`, `later ${n}`));
    expect(await claimAll([leaver])).toEqual([]);
    expect(await claimAll(others)).toHaveLength(20);
  });

  test('the last replica that stops keeps its tenants for the next one to start', async () => {
    const [only, ...rest] = stores.splice(0);
    await Promise.all(rest.map((store) => store.close()));
    if (only === undefined) throw new Error('no store');
    await only.inbox.add(inTenant('1', 'T1'));
    await only.inbox.handOver();
    await only.close();
    const next = await open();
    stores.push(next);
    const look = async () => {
      await next.inbox.expire();
      return claimAll([next]);
    };
    await expect.poll(look).toEqual(['1']);
  });

  test('clocks that are two hours apart change no time: ages, times to live and leases', async () => {
    const apart = (ms: number) => ({ ...systemClock, now: () => systemClock.now() + ms });
    const clocks = [apart(HOUR_MS), apart(-HOUR_MS)];
    await Promise.all(stores.splice(0).map((store) => store.close()));
    for (const clock of clocks)
      stores.push(await openPostgresStore({ address, installation, clock, log: recordingLog() }));
    const [fast, slow] = stores;
    const [{ now: fastNow }, { now: slowNow }] = clocks as [typeof systemClock, typeof systemClock];
    if (fast === undefined || slow === undefined) throw new Error('no stores');

    await fast.inbox.add(inTenant('1', 'T1'));
    const id = newTurn('1').id;
    const ages = [
      fastNow() - ((await fast.inbox.find(id))?.keptAt ?? 0),
      slowNow() - ((await slow.inbox.find(id))?.keptAt ?? 0),
    ];
    for (const age of ages) expect(Math.abs(age)).toBeLessThan(HOUR_MS / 2);

    await fast.keyed('test').set('key', 'value', 30_000, 'nobody');
    expect(await slow.keyed('test').get('key')).toBe('value');
    await slow.keyed('test').set('gone', 'value', 1, 'nobody');
    await expect.poll(() => fast.keyed('test').get('gone')).toBeUndefined();

    const claims = [await fast.inbox.claim(), await slow.inbox.claim()];
    const claim = claims.find((each) => each !== undefined);
    if (claim === undefined) throw new Error('nothing was claimed');
    await systemClock.wait(LEASE_MS + 2_000);
    for (const { inbox } of stores) expect(await inbox.expire()).toBe(0);
    expect(await fast.inbox.renew(claim)).toBe('held');
    expect(await fast.inbox.prune(fastNow() - 30_000)).toBe(0);
  });
});

/** Claims all turns that the replicas can. Resolves with their ids. */
async function claimAll(replicas: readonly Store[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const { inbox } of replicas) {
    for (let claim = await inbox.claim(); claim !== undefined; claim = await inbox.claim())
      ids.push(claim.turn.id);
  }
  return ids;
}

/** Delivers an event until it is accepted, as channels do: a busy server may take longer than the limit of 1 s. */
async function deliver(inbox: Inbox, turn: NewTurn): Promise<Added['kind']> {
  for (;;) {
    const added = await inbox.add(turn).catch((thrown: unknown) => {
      if (!(thrown instanceof BridgeError) || thrown.code !== 'store-unavailable') throw thrown;
    });
    if (added !== undefined) return added.kind;
    await systemClock.wait(100);
  }
}
