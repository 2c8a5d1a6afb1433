import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { auditContract } from '../audit-contract.ts';
import { heldClock } from './held-clock.ts';
import { manualClock, recordingLog } from './manual-clock.ts';

auditContract('SQLite', async () => {
  const clock = manualClock();
  const folder = mkdtempSync(join(tmpdir(), 'parley-audit-'));
  const file = join(folder, 'parley.sqlite');
  const store = await openStore({ file, clock, log: recordingLog() });
  const admin = new DatabaseSync(file);
  return {
    ...{ store, now: clock.now, advance: clock.advance },
    sql: async (statement) => admin.exec(statement),
    dispose: async () => {
      admin.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});

describe.skipIf(missing)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  auditContract('PostgreSQL', async () => {
    const address = await server.database();
    const admin = await server.connect(address);
    const clock = heldClock(manualClock());
    const store = await openPostgresStore({ address, installation, clock, log: recordingLog() });
    // The clock stands still, so the lease is not renewed.
    await admin.query("SET search_path = parley; UPDATE parley.replicas SET until = 'infinity'");
    return {
      store,
      now: clock.now,
      advance: clock.advance,
      sql: async (statement) => void (await admin.query(statement)),
      dispose: async () => {
        await store.close();
        await admin.end();
      },
    };
  });
});
