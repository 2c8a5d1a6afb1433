import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Claim, Inbox, NewTurn } from '../../../src/core/stores/inbox.ts';
import type { Store } from '../../../src/store/index.ts';
import { openDatabase } from '../../../src/store/postgres/database.ts';
import { runSteps } from '../../../src/store/postgres/engine.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { lockLanes } from '../../../src/store/postgres/table.ts';
import { startProxy } from '../../fakes/postgres/proxy.ts';
import type { Told } from '../../fakes/postgres/replica-process.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { newTurn } from '../turn-makers.ts';
import { recordingLog } from './manual-clock.ts';

const PROCESS = fileURLToPath(new URL('../../fakes/postgres/replica-process.ts', import.meta.url));
const PATIENCE = { timeout: 30_000 };

describe.skipIf(missing)('faults of replicas and of PostgreSQL', () => {
  let server: PostgresServer;
  let address: string;
  let store: Store;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    server = await startPostgres({ durable: true, settings: ['max_connections=30'] });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    address = await server.database();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await store.close().catch(() => undefined);
  });

  const open = () => openPostgresStore({ address, installation, clock: systemClock, log: recordingLog() });

  /** Starts another replica. Its messages are added to `told`. */
  function startReplica(): { readonly child: ChildProcess; readonly told: Told[] } {
    const told: Told[] = [];
    const child = fork(PROCESS, [address]);
    children.push(child);
    child.on('message', (message: Told) => void told.push(message));
    return { child, told };
  }

  /** Tries to claim a turn, as a worker does, until it gets one. */
  async function claimed(inbox: Inbox): Promise<Claim> {
    for (;;) {
      await inbox.expire();
      const claim = await inbox.claim();
      if (claim !== undefined) return claim;
      await systemClock.wait(50);
    }
  }

  /** Adds a turn as a channel does: again, while the server is too slow to take it. */
  const taken = (turn: NewTurn) =>
    expect
      .poll(() => store.inbox.add(turn).then(({ kind }) => kind, String), PATIENCE)
      .toMatch(/^(added|duplicate)$/);

  /** Starts a replica that owns the tests' tenant, and gives it a question. */
  async function ownedByAnother() {
    const replica = startReplica();
    const admin = openDatabase(address, recordingLog());
    const replicas = () => admin.query('SELECT id FROM parley.replicas').catch(() => []);
    await expect.poll(async () => (await replicas()).length, PATIENCE).toBe(1);
    const [only] = await replicas();
    await admin.query(`INSERT INTO parley.tenants (channel, tenant, owner) VALUES ('console', 'local', $1)`, [
      String(only?.id),
    ]);
    await admin.close();
    store = await open();
    await taken(newTurn('1'));
    await expect.poll(() => replica.told.some(({ kind }) => kind === 'checkpoint'), PATIENCE).toBe(true);
    return replica;
  }

  describe('another replica', () => {
    test('that is killed loses its turns, and their text is kept', PATIENCE, async () => {
      const { child } = await ownedByAnother();
      child.kill('SIGKILL');
      const claim = await claimed(store.inbox);
      expect(claim).toMatchObject({ turn: { id: '1', attempt: 2 }, text: 'words' });
    });

    test('that is paused finds its turns lost when it wakes up, and writes nothing', PATIENCE, async () => {
      const { child, told } = await ownedByAnother();
      child.kill('SIGSTOP');
      const claim = await claimed(store.inbox);
      await store.inbox.checkpoint(claim, { text: { at: 0, text: 'other words' } });
      child.kill('SIGCONT');
      await expect.poll(() => told.at(-1), PATIENCE).toMatchObject({ kind: 'checkpoint', result: 'lost' });
      await store.inbox.release(claim);
      expect((await claimed(store.inbox)).text).toBe('other words');
    });
  });

  test(
    'PostgreSQL is killed and started again: writes are refused meanwhile, and nothing is lost',
    PATIENCE,
    async () => {
      store = await open();
      await taken(newTurn('1'));
      await server.kill();
      await expect(store.inbox.add(newTurn('2'))).rejects.toMatchObject({ code: 'store-unavailable' });
      await server.restart();
      await taken(newTurn('3', 'another'));
      expect((await claimed(store.inbox)).turn.id).toBe('1');
      expect((await claimed(store.inbox)).turn.id).toBe('3');
    },
  );

  test(
    'PostgreSQL is killed in the middle of a load: every acknowledged turn is kept',
    PATIENCE,
    async () => {
      store = await open();
      const { inbox } = store;
      const acknowledged: NewTurn[] = [];
      let isOver = false;
      const load = async (nth: number): Promise<void> => {
        for (let n = 0; !isOver; n++) {
          const turn = newTurn(`${nth} ${n}`, `lane ${nth} ${n}`);
          await inbox.add(turn).then(
            () => acknowledged.push(turn),
            () => systemClock.wait(50),
          );
        }
      };
      const loads = Promise.all(Array.from({ length: 16 }, (_, nth) => load(nth)));
      await expect.poll(() => acknowledged.length, PATIENCE).toBeGreaterThan(300);
      await server.kill();
      await server.restart();
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length, PATIENCE).toBeGreaterThan(before);
      isOver = true;
      await loads;
      for (const { id } of acknowledged) expect((await inbox.find(id))?.id).toBe(id);
    },
  );

  describe('a replica that is cut off from PostgreSQL', () => {
    test.each(['cut', 'half-open'] as const)(
      '(%s) loses its turns to another, and learns it',
      PATIENCE,
      async (network) => {
        const proxy = await startProxy(server.port);
        const behind = new URL(address);
        behind.port = String(proxy.port);
        const alone = await openPostgresStore({
          address: behind.href,
          installation,
          clock: systemClock,
          log: recordingLog(),
        });
        try {
          await alone.inbox.add(newTurn('1'));
          const lost = await claimed(alone.inbox);
          store = await open();
          proxy.set(network);
          const claim = await claimed(store.inbox);
          expect(claim.turn).toMatchObject({ id: '1', attempt: 2 });
          await expect(alone.inbox.renew(lost)).rejects.toMatchObject({ code: 'store-unavailable' });
          proxy.set('open');
          await expect.poll(() => alone.inbox.renew(lost).catch(() => 'unknown'), PATIENCE).toBe('lost');
          expect(await alone.inbox.settle(lost, 'answered')).toBe('lost');
          expect(await store.inbox.settle(claim, 'answered')).toBe('settled');
        } finally {
          proxy.set('open');
          await alone.close();
          await proxy.close();
        }
      },
    );
  });

  describe('a server that is slow, but answers', () => {
    /** Opens a store whose statements take at least `ms`. */
    async function openSlow(ms: number) {
      const proxy = await startProxy(server.port);
      const behind = new URL(address);
      behind.port = String(proxy.port);
      const log = recordingLog();
      store = await openPostgresStore({ address: behind.href, installation, clock: systemClock, log });
      proxy.delay(ms / 2);
      return proxy;
    }

    test('takes events, although each takes more than a second', PATIENCE, async () => {
      const proxy = await openSlow(200);
      try {
        const began = Date.now();
        expect((await store.inbox.add(newTurn('1'))).kind).toBe('added');
        expect(Date.now() - began).toBeGreaterThan(1_000);
        proxy.delay(0);
      } finally {
        await store.close();
        await proxy.close();
      }
    });

    test('takes events again after it was paused, under a load', { timeout: 60_000 }, async () => {
      const proxy = await openSlow(200);
      let isOver = false;
      let accepted = 0;
      const load = async (nth: number): Promise<void> => {
        for (let n = 0; !isOver; n++) {
          const turn = newTurn(`${nth} ${n}`, `lane ${nth} ${n}`);
          const counted = store.keyed('rates').change(`person ${nth}`, () => n, 60_000, 'nobody');
          await Promise.all([counted, store.inbox.add(turn)]).then(
            () => {
              accepted += 1;
            },
            () => systemClock.wait(50),
          );
        }
      };
      const loads = Promise.all(Array.from({ length: 100 }, (_, nth) => load(nth)));
      try {
        await expect.poll(() => accepted, PATIENCE).toBeGreaterThan(100);
        const resume = await server.pause();
        await systemClock.wait(4_000);
        resume();
        const before = accepted;
        await expect.poll(() => accepted - before, PATIENCE).toBeGreaterThan(0);
      } finally {
        isOver = true;
        proxy.delay(0);
        await loads;
        await store.close();
        await proxy.close();
      }
    });
  });

  test(
    'a replica that is paused in a transaction holds up the others for seconds only',
    PATIENCE,
    async () => {
      store = await open();
      const turn = newTurn('1');
      const paused = openDatabase(address, recordingLog());
      const [locked, awake] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const transaction = paused.transaction(async (query) => {
        await runSteps(query, lockLanes([turn.lane]));
        locked.resolve();
        await awake.promise;
      });
      await locked.promise;
      try {
        await taken(turn);
      } finally {
        awake.resolve();
        await expect(transaction).rejects.toMatchObject({ code: 'store-unavailable' });
        await paused.close();
      }
    },
  );

  describe('a server that does not take writes', () => {
    let count = 0;
    /** Adds a new turn at each call, because a duplicate writes nothing. */
    const adding = async ({ inbox }: Store): Promise<string> => {
      count += 1;
      return (await inbox.add(newTurn(`added ${count}`, `lane ${count}`))).kind;
    };

    test('that is paused: an event is refused, and taken once the server answers', PATIENCE, async () => {
      store = await open();
      await taken(newTurn('1'));
      const resume = await server.pause();
      try {
        await expect(store.inbox.add(newTurn('2', 'another'))).rejects.toMatchObject({
          code: 'store-unavailable',
        });
        await expect(store.inbox.add(newTurn('3', 'third'))).rejects.toMatchObject({
          code: 'store-unavailable',
        });
      } finally {
        resume();
      }
      await taken(newTurn('2', 'another'));
      expect((await store.inbox.add(newTurn('2', 'another'))).kind).toBe('duplicate');
    });

    test(
      'that turned read-only: its connections are given up, and the address is followed again',
      PATIENCE,
      async () => {
        store = await open();
        await taken(newTurn('1'));
        const admin = await server.connect(address);
        await admin.query('SET default_transaction_read_only = off');
        const connections = async () => {
          const { rows } = await admin.query(
            "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'parley%' AND datname = current_database()",
          );
          return rows.map(({ pid }) => Number(pid));
        };
        const before = await connections();
        const setReadOnly = async (value: 'on' | 'off') => {
          await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
          await admin.query('SELECT pg_reload_conf()');
        };
        try {
          await setReadOnly('on');
          await expect
            .poll(() => adding(store).catch(({ code }) => code), PATIENCE)
            .toBe('store-unavailable');
          await expect
            .poll(async () => (await connections()).filter((pid) => before.includes(pid)))
            .toEqual([]);
        } finally {
          await setReadOnly('off');
        }
        await expect.poll(() => adding(store).catch(({ code }) => code), PATIENCE).toBe('added');
        await admin.end();
      },
    );

    test(
      'that has no connection left: a new replica is refused, and those that run go on',
      PATIENCE,
      async () => {
        store = await open();
        const others: Awaited<ReturnType<typeof server.connect>>[] = [];
        try {
          for (;;) others.push(await server.connect(address));
        } catch {
          // The server refused a connection, so all its connections are in use.
        }
        await taken(newTurn('1'));
        await expect(open()).rejects.toMatchObject({
          code: expect.stringMatching(/unavailable|unreachable/),
        });
        await Promise.all(others.map((other) => other.end()));
        const second = await open();
        await second.close();
      },
    );
  });
});
