import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { accountLinksContract } from '../account-links-contract.ts';
import { heldClock } from './held-clock.ts';
import { manualClock, recordingLog } from './manual-clock.ts';

accountLinksContract('SQLite', async () => {
  const clock = manualClock();
  const folder = mkdtempSync(join(tmpdir(), 'parley-links-'));
  const file = join(folder, 'parley.sqlite');
  const store = await openStore({ file, clock, log: recordingLog() });
  const admin = new DatabaseSync(file);
  return {
    ...{ stores: [store, store], now: clock.now, advance: clock.advance },
    dump: async () =>
      admin
        .prepare('SELECT * FROM keyed')
        .all()
        .map((row) => JSON.stringify(row)),
    dispose: async () => {
      admin.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});

describe.skipIf(missing)('two replicas', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  accountLinksContract('PostgreSQL', async () => {
    const address = await server.database();
    const clock = manualClock();
    const open = () =>
      openPostgresStore({ address, installation, clock: heldClock(clock), log: recordingLog() });
    const stores = [await open(), await open()] as const;
    const admin = await server.connect(address);
    return {
      ...{ stores, now: clock.now, advance: clock.advance },
      dump: async () =>
        (await admin.query('SELECT * FROM parley.keyed')).rows.map((row) => JSON.stringify(row)),
      dispose: async () => {
        await admin.end();
        await Promise.all(stores.map((store) => store.close()));
      },
    };
  });
});
