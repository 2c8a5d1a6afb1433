import { afterAll, beforeAll, describe, expect } from 'vitest';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/index.ts';
import { LEASE_MS } from '../../../src/store/postgres/lease.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { inboxContract } from '../inbox-contract.ts';
import { keyedContract } from '../keyed-contract.ts';
import { sessionContract } from '../session-contract.ts';
import { type HeldClock, heldClock } from './held-clock.ts';
import { manualClock, recordingLog } from './manual-clock.ts';

describe.skipIf(missing)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  inboxContract('PostgreSQL', async ({ laneLimit }) => {
    const address = await server.database();
    const admin = await server.connect(address);
    const clock = manualClock();
    const opened: Replica[] = [];
    const start = async (): Promise<Replica> => {
      const own = heldClock(clock);
      const store = await openPostgresStore({
        address,
        installation,
        clock: own,
        log: recordingLog(),
        laneLimit,
      });
      const replica = { store, clock: own };
      opened.push(replica);
      await admin.query("UPDATE parley.replicas SET until = 'infinity' WHERE until <> '-infinity'");
      return replica;
    };
    /** Ends a replica's lease. The replica's clock stands still, so it does not renew the lease. */
    const endLease = async (replica: Replica) => {
      opened.splice(opened.indexOf(replica), 1);
      ended.push(replica);
      await admin.query("UPDATE parley.replicas SET until = '-infinity' WHERE id = $1", [
        replica.store.replica.id,
      ]);
      clock.advance(LEASE_MS);
    };
    /** Lets the living replicas renew their leases once, which tells them of each other. */
    const renewAll = async () => {
      for (const { clock: own } of opened) own.wake();
      const renewed = "SELECT 1 FROM parley.replicas WHERE until NOT IN ('infinity', '-infinity')";
      await expect
        .poll(async () => (await admin.query(renewed)).rowCount, { interval: 5 })
        .toBeGreaterThanOrEqual(opened.length);
      await admin.query("UPDATE parley.replicas SET until = 'infinity' WHERE until <> '-infinity'");
    };
    const ended: Replica[] = [];
    let first = await start();
    return {
      inbox: first.store.inbox,
      another: async () => {
        const { store } = await start();
        await renewAll();
        return store.inbox;
      },
      advance: clock.advance,
      takeOver: async (by) => {
        await endLease(first);
        await renewAll();
        return by.expire();
      },
      reopen: async () => {
        await endLease(first);
        first = await start();
        clock.advance(LEASE_MS);
        await renewAll();
        for (const { store } of opened) await store.inbox.expire();
        return first.store.inbox;
      },
      dispose: async () => {
        await Promise.all([...opened, ...ended].map(({ store }) => store.close()));
        await admin.end();
      },
    };
  });

  const open = async () => {
    const clock = manualClock();
    const address = await server.database();
    const store = await openPostgresStore({
      address,
      installation,
      clock: heldClock(clock),
      log: recordingLog(),
    });
    return {
      keyed: store.keyed,
      sessions: store.sessions,
      advance: clock.advance,
      dispose: () => store.close(),
    };
  };
  keyedContract('PostgreSQL', open);
  sessionContract('PostgreSQL', open);
});

interface Replica {
  readonly store: PostgresStore;
  readonly clock: HeldClock;
}
