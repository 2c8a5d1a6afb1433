import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { keyedRowsOf } from '../../../src/store/keyed-rows.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import { readRecent, withStore } from '../../../src/store/postgres/outside.ts';
import { withFile } from '../../../src/store/sqlite/engine.ts';
import { readRecentTurns } from '../../../src/store/sqlite/status.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { compoundContract, type OpenRaces, racesContract } from '../races-contract.ts';
import { heldClock } from './held-clock.ts';
import { manualClock, recordingLog } from './manual-clock.ts';

const CHANGES = ['INSERT', 'UPDATE', 'DELETE'];

async function openSqlite(replicas: number): Promise<OpenRaces & { readonly file: string }> {
  const clock = manualClock();
  const folder = mkdtempSync(join(tmpdir(), 'parley-races-'));
  const file = join(folder, 'parley.sqlite');
  const store = await openStore({ file, clock, log: recordingLog() });
  const admin = new DatabaseSync(file);
  return {
    stores: Array.from({ length: replicas }, () => store),
    file,
    advance: clock.advance,
    dump: async () =>
      admin
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all()
        .flatMap(({ name }) => admin.prepare(`SELECT * FROM ${name}`).all())
        .map((row) => JSON.stringify(row)),
    recent: async (limit) => readRecentTurns(file, limit),
    // The writes of one moment are queued behind its reads.
    hold: async () => async () => undefined,
    async breakTable(table) {
      for (const change of CHANGES)
        admin.exec(
          `CREATE TRIGGER broken_${change} BEFORE ${change} ON ${table} BEGIN SELECT RAISE(ABORT, 'broken'); END`,
        );
      return async () => {
        for (const change of CHANGES) admin.exec(`DROP TRIGGER broken_${change}`);
      };
    },
    dispose: async () => {
      admin.close();
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}
racesContract('SQLite', openSqlite);

test('a command on the file of SQLite changes nothing unless it changes everything', async () => {
  const { stores, file, breakTable, dispose } = await openSqlite(1);
  const { set, get } = stores[0]?.keyed('names') ?? expect.unreachable();
  await set('key', 'x', 60_000, 'nobody');
  const mend = await breakTable('audit');
  const remove = () =>
    withFile(file, manualClock(), (engine) =>
      keyedRowsOf(engine).remove('names', ['key'], [{ action: 'link', outcome: 'done' }]),
    );
  await expect(remove()).rejects.toMatchObject({ code: 'store-unavailable' });
  expect(await get('key')).toBe('x');
  await mend();
  await remove();
  expect(await get('key')).toBeUndefined();
  await dispose();
});
compoundContract('SQLite', openSqlite);

const LOOK_EVERY_MS = 5;
const FAIL = `CREATE OR REPLACE FUNCTION parley.fail() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$`;

describe.skipIf(missing)('PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const openPostgres = async (replicas: number): Promise<OpenRaces & Pick<PostgresServer, 'query'>> => {
    const address = await server.database();
    const clock = manualClock();
    const open = () =>
      openPostgresStore({ address, installation, clock: heldClock(clock), log: recordingLog() });
    const stores = await Promise.all(Array.from({ length: replicas }, open));
    const admin = await server.connect(address);
    const query = async (text: string) => (await admin.query(text)).rows;
    // The clock stands still, so the leases are not renewed.
    await query("SET search_path = parley; UPDATE replicas SET until = 'infinity'");
    return {
      stores,
      query,
      advance: clock.advance,
      recent: (limit) => withStore(address, (read) => readRecent(read, limit)),
      dump: async () => {
        // `tenants` says which replica serves a workspace.
        const tables = await query(
          "SELECT tablename FROM pg_tables WHERE schemaname = 'parley' AND tablename <> 'tenants'",
        );
        const rows: unknown[] = [];
        for (const { tablename } of tables) rows.push(...(await query(`SELECT * FROM ${tablename}`)));
        return rows.map((row) => JSON.stringify(row));
      },
      async hold() {
        await query('BEGIN; LOCK TABLE keyed IN EXCLUSIVE MODE');
        return async (writers) => {
          for (;;) {
            const waiting = await query('SELECT FROM pg_locks WHERE NOT granted');
            if (waiting.length >= writers()) break;
            await pause(LOOK_EVERY_MS);
          }
          await query('COMMIT');
        };
      },
      async breakTable(table) {
        await query(`${FAIL}; CREATE TRIGGER broken BEFORE ${CHANGES.join(' OR ')} ON ${table}
          FOR EACH ROW EXECUTE FUNCTION parley.fail()`);
        return async () => void (await query(`DROP TRIGGER broken ON ${table}`));
      },
      dispose: async () => {
        await admin.end();
        await Promise.all(stores.map((store) => store.close()));
      },
    };
  };
  racesContract('PostgreSQL', openPostgres);
  compoundContract('PostgreSQL', openPostgres);

  test.each([
    ['only the person', [['U1', 'one']]],
    ['others too', [['U1', 'one'], ['U3']]],
  ])('a list of %s keeps what a replica adds while the person is forgotten', async (_what, list) => {
    const { stores, hold, query, dispose } = await openPostgres(1);
    const [store] = stores;
    const { set, get } = store?.keyed('adapter slack') ?? expect.unreachable();
    await set('list', list, 60_000, 'several');
    const release = await hold();
    let isErased = false;
    const erasing = store?.forgetting.erase({ kind: 'person', channel: 'slack', person: 'U1' });
    void erasing?.then(() => {
      isErased = true;
    });
    await query(`UPDATE keyed SET value = '[["U1","one"],["U2"],["U12","U1"]]' WHERE key = 'list'`);
    await release(() => (isErased ? 0 : 1));
    await erasing;
    expect(await get('list')).toEqual([['U2']]);
    await dispose();
  });
});
