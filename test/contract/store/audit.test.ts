import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { auditContract, type OpenAudit } from '../audit-contract.ts';
import { forgettingContract } from '../forgetting-contract.ts';
import { forgottenFamiliesContract } from '../forgotten-families-contract.ts';
import { operationsContract } from '../operations-contract.ts';
import { heldClock } from './held-clock.ts';
import { manualClock, recordingLog } from './manual-clock.ts';

const textOf = (row: unknown): string => JSON.stringify(row);

const openSqlite = async (): Promise<OpenAudit> => {
  const clock = manualClock();
  const folder = mkdtempSync(join(tmpdir(), 'parley-audit-'));
  const file = join(folder, 'parley.sqlite');
  const store = await openStore({ file, clock, log: recordingLog() });
  const admin = new DatabaseSync(file);
  return {
    ...{ store, now: clock.now, advance: clock.advance },
    sql: async (statement) => admin.exec(statement),
    dump: async () =>
      admin
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all()
        .flatMap(({ name }) => admin.prepare(`SELECT * FROM ${name}`).all().map(textOf)),
    dispose: async () => {
      admin.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
};
auditContract('SQLite', openSqlite);
operationsContract('SQLite', openSqlite);
forgettingContract('SQLite', openSqlite);
forgottenFamiliesContract('SQLite', openSqlite);

describe.skipIf(missing)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const openPostgres = async (): Promise<OpenAudit> => {
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
      dump: async () => {
        const rows: string[] = [];
        // `tenants` says which replica serves a workspace.
        const tables = await admin.query(
          "SELECT tablename FROM pg_tables WHERE schemaname = 'parley' AND tablename <> 'tenants'",
        );
        for (const { tablename } of tables.rows) {
          rows.push(...(await admin.query(`SELECT * FROM ${tablename}`)).rows.map(textOf));
        }
        return rows;
      },
      dispose: async () => {
        await store.close();
        await admin.end();
      },
    };
  };
  auditContract('PostgreSQL', openPostgres);
  operationsContract('PostgreSQL', openPostgres);
  forgettingContract('PostgreSQL', openPostgres);
  forgottenFamiliesContract('PostgreSQL', openPostgres);
});
