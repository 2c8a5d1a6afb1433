/** Replicas whose PostgreSQL is slow, grants no connection, or drops the packets of one connection. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { Worker } from '../../../src/core/turns/worker.ts';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/index.ts';
import { LEASE_MS } from '../../../src/store/postgres/lease.ts';
import { startProxy, type TcpProxy } from '../../fakes/postgres/proxy.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { newTurn } from '../turn-makers.ts';
import { recordingLog } from './manual-clock.ts';

const PATIENCE = { timeout: 60_000 };
/** Half of the time that a statement takes: each direction of the network delays by this much. */
const SLOW_MS = 1_000;

describe.skipIf(missing)('PostgreSQL', () => {
  let server: PostgresServer;
  let proxy: TcpProxy;
  let address: string;
  let behindProxy: string;
  const opened: PostgresStore[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    address = await server.database();
    proxy = await startProxy(server.port);
    const behind = new URL(address);
    behind.port = String(proxy.port);
    behindProxy = behind.href;
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await proxy.close();
  });

  const open = async (at: string): Promise<PostgresStore> => {
    const options = { address: at, installation, clock: systemClock, log: recordingLog() };
    const store = await openPostgresStore(options);
    opened.push(store);
    return store;
  };
  const adding = (store: PostgresStore, id: string) =>
    store.inbox.add(newTurn(id, `lane ${id}`)).then(
      ({ kind }) => kind,
      ({ code }: { code: string }) => code,
    );

  test(
    'that takes 2 s for a statement: events are refused, and no turn is taken over',
    PATIENCE,
    async () => {
      const slow = await open(behindProxy);
      await slow.inbox.add(newTurn('1'));
      const claim = await slow.inbox.claim();
      if (claim === undefined) throw new Error('nothing was claimed');
      const other = await open(address);
      proxy.delay(SLOW_MS);
      const began = Date.now();
      expect(await adding(slow, '2')).toBe('store-unavailable');
      while (Date.now() - began < 2 * LEASE_MS) {
        expect(await other.inbox.expire()).toBe(0);
        await systemClock.wait(500);
      }
      expect(await slow.inbox.renew(claim)).toBe('held');
      proxy.delay(0);
      await expect.poll(() => adding(slow, '3'), PATIENCE).toMatch(/added|duplicate/);
      expect(await slow.inbox.settle(claim, 'answered')).toBe('settled');
    },
  );

  test(
    'whose connections were all taken by others: events are refused, and taken again afterwards',
    PATIENCE,
    async () => {
      await server.query('CREATE ROLE guest LOGIN; GRANT CREATE ON DATABASE postgres TO guest');
      try {
        const store = await open(address.replace('parley@', 'guest@'));
        expect(await adding(store, '1')).toBe('added');
        // This limit makes the server refuse with code 53300, as it does when it has no connection left.
        await server.query('ALTER ROLE guest CONNECTION LIMIT 0');
        await server.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guest'");
        for (const id of ['2', '3', '4']) expect(await adding(store, id)).toBe('store-unavailable');
        await server.query('ALTER ROLE guest CONNECTION LIMIT -1');
        await expect.poll(() => adding(store, '5'), PATIENCE).toMatch(/added|duplicate/);
        expect(await adding(store, '1')).toBe('duplicate');
        await expect.poll(() => store.replica.holdsLease(), PATIENCE).toBe(true);
      } finally {
        await Promise.all(opened.splice(0).map((store) => store.close()));
        await server.query('DROP SCHEMA parley CASCADE; DROP OWNED BY guest; DROP ROLE guest');
      }
    },
  );

  test(
    'whose answer to a claim was lost: the turn is claimed again, although its owner lives',
    PATIENCE,
    async () => {
      const store = await open(behindProxy);
      await store.inbox.add(newTurn('1'));
      proxy.loseAnswerTo('COMMIT');
      await expect(store.inbox.claim()).rejects.toMatchObject({ code: 'store-unavailable' });
      const [row] = await server.query('SELECT state, owner FROM parley.turns');
      expect(row).toEqual({ state: 'running', owner: store.replica.id });
      const again = async () => {
        await store.inbox.expire();
        return (await store.inbox.claim())?.turn;
      };
      await expect.poll(again, PATIENCE).toMatchObject({ id: '1', attempt: 2 });
      const next = await store.inbox.expire();
      expect([next, await store.inbox.claim()]).toEqual([0, undefined]);
    },
  );

  test(
    'whose lease was ended by another replica: it joins again, but may no longer write replies of its earlier claims',
    PATIENCE,
    async () => {
      const store = await open(address);
      await store.inbox.add(newTurn('1'));
      const claim = await store.inbox.claim();
      if (claim === undefined) throw new Error('nothing was claimed');
      expect(store.inbox.holdsLease(claim)).toBe(true);
      const { id } = store.replica;
      await server.query(`DELETE FROM parley.replicas WHERE id = '${id}'`);
      await expect.poll(() => store.replica.id, PATIENCE).not.toBe(id);
      await expect.poll(() => store.replica.holdsLease(), PATIENCE).toBe(true);
      expect(store.inbox.holdsLease(claim)).toBe(false);
    },
  );

  test(
    'whose network drops only what goes over the connection for hints: turns are found all the same, and it is replaced',
    PATIENCE,
    async () => {
      const store = await open(behindProxy);
      const another = await open(address);
      const ran: string[] = [];
      const worker = new Worker({
        inbox: store.inbox,
        clock: systemClock,
        turnEvents: { record: () => undefined, trouble: () => undefined },
        ...{ atOnce: 10, turnMs: 60_000 },
        run: async (claim) => {
          ran.push(claim.turn.id);
          await store.inbox.settle(claim, 'answered');
        },
      });
      worker.start();
      try {
        const listening = async () => {
          const rows = await server.query(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'parley hints'",
          );
          return rows.map(({ pid }) => Number(pid));
        };
        await expect.poll(async () => (await listening()).length, PATIENCE).toBe(2);
        const owned = { channel: 'console', tenant: 'local' };
        await server.query(
          `INSERT INTO parley.tenants (channel, tenant, owner) VALUES ('${owned.channel}', '${owned.tenant}', '${store.replica.id}')`,
        );
        const before = await listening();
        proxy.halfOpen('parley hints');
        await another.inbox.add(newTurn('1'));
        // The half-open connection receives no hint. The worker also looks for turns every second.
        await expect.poll(() => ran, { ...PATIENCE, interval: 20 }).toEqual(['1']);

        // The store finds and replaces the half-open connection. The new connection receives hints.
        await expect
          .poll(async () => (await listening()).some((pid) => !before.includes(pid)), PATIENCE)
          .toBe(true);
        let heard = 0;
        store.inbox.onSignal(() => {
          heard += 1;
        });
        await worker.drain(0);
        const told = heard;
        const tell = async () => {
          await server.query("SELECT pg_notify('parley', 'claimable')");
          return heard;
        };
        await expect.poll(tell, PATIENCE).toBeGreaterThan(told);
      } finally {
        await worker.drain(0);
      }
    },
  );
});
