/**
 * Tests the start on a database that is empty, or that belongs to another program, installation, key or version, with
 * a real PostgreSQL.
 */

import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { turnId } from '../../../src/core/ids.ts';
import { laneOf } from '../../../src/core/message.ts';
import { openPostgresStore } from '../../../src/store/postgres/index.ts';
import {
  examineDatabase,
  readRecent,
  readStatus,
  withDatabase,
  withStore,
} from '../../../src/store/postgres/outside.ts';
import { freePort } from '../../bench/free-ports.ts';
import { missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { quiet } from '../../fakes/quiet.ts';
import { message, thread } from '../../fakes/samples.ts';

const own = { name: 'parley', fingerprint: 'a'.repeat(64) };

describe.skipIf(missing !== undefined)('a database', { timeout: 60_000 }, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());

  const open = (address: string, installation = own) =>
    openPostgresStore({ address, installation, version: '1.2.3', clock: systemClock, log: quiet });
  const opensAndCloses = async (address: string, installation = own) =>
    (await open(address, installation)).close();
  const asAdministrator = async <T>(address: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = await server.connect(address);
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  /** Runs the work while new connections to the database have the setting. */
  const withSetting = async (address: string, setting: string, work: () => Promise<void>) => {
    const database = new URL(address).pathname.slice(1);
    await asAdministrator(address, (client) => client.query(`ALTER DATABASE ${database} SET ${setting}`));
    await work().finally(() =>
      asAdministrator(address, async (client) => {
        await client.query('SET default_transaction_read_only = off');
        await client.query(`ALTER DATABASE ${database} RESET ${setting.split(' ')[0]}`);
      }),
    );
  };
  /** Returns every row of every table that the bridge may have changed, as text. */
  const contents = (address: string) =>
    asAdministrator(address, async (client) => {
      const { rows } = await client.query<{ text: string }>(
        `SELECT query_to_xml(format('SELECT * FROM %s ORDER BY 1', pg_class.oid::regclass), true, true, '')::text AS text
        FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname IN ('parley', 'public') AND relkind = 'r' ORDER BY relname`,
      );
      return rows.map(({ text }) => text).join('\n');
    });
  const refusal = async (address: string, installation = own) => {
    const before = await contents(address);
    const thrown: unknown = await opensAndCloses(address, installation).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(await contents(address)).toBe(before);
    return thrown;
  };

  it('is taken if it is empty, and again by a bridge with the same name and key', async () => {
    const address = await server.database();
    await opensAndCloses(address);
    await opensAndCloses(address);
  });

  it('is taken by replicas that start at the same time', async () => {
    const address = await server.database();
    const stores = await Promise.all([open(address), open(address), open(address)]);
    expect((await withDatabase(address, readStatus)).replicas).toHaveLength(3);
    await Promise.all(stores.map((store) => store.close()));
    expect((await withDatabase(address, readStatus)).replicas).toEqual([]);
  });

  it('made with another key is refused, with both fingerprints and the cure, and stays unchanged', async () => {
    const address = await server.database();
    await opensAndCloses(address);
    expect(await refusal(address, { ...own, fingerprint: 'b'.repeat(64) })).toMatchObject({
      code: 'database-foreign',
      message: expect.stringMatching(
        /another PARLEY_KEY \(its fingerprint is aaaaaaaa; the fingerprint of this key is bbbbbbbb\)\. Nothing was changed\. Set PARLEY_KEY/,
      ),
    });
  });

  it('is taken with a new key once its installation was deleted, as the page on replicas describes', async () => {
    const address = await server.database();
    await opensAndCloses(address);
    await asAdministrator(address, (client) => client.query('DELETE FROM parley.installation'));
    await opensAndCloses(address, { ...own, fingerprint: 'b'.repeat(64) });
    expect(await refusal(address)).toMatchObject({ code: 'database-foreign' });
  });

  it('of another installation is refused by name, and stays unchanged', async () => {
    const address = await server.database();
    await opensAndCloses(address);
    expect(await refusal(address, { ...own, name: 'staging' })).toMatchObject({
      code: 'database-foreign',
      message: expect.stringMatching(
        /belongs to the installation "parley", but this installation is "staging"\./,
      ),
    });
  });

  it('written by a newer version is refused, and stays unchanged', async () => {
    const address = await server.database();
    await opensAndCloses(address);
    await asAdministrator(address, (client) => client.query('UPDATE parley.schema SET version = 999'));
    expect(await refusal(address)).toMatchObject({
      code: 'database-foreign',
      message: expect.stringMatching(
        /newer version of Parley wrote .* \(schema 999; .* Start the newer version/,
      ),
    });
  });

  it.each([
    ['tables of its own', 'CREATE TABLE parley.turns (id text)'],
    ['a table of the same name', 'CREATE TABLE parley.schema (version text)'],
  ])('with a schema of another program, which has %s, is refused and stays unchanged', async (_, table) => {
    const address = await server.database();
    await asAdministrator(address, (client) => client.query(`CREATE SCHEMA parley; ${table}`));
    expect(await refusal(address)).toMatchObject({
      code: 'database-foreign',
      message: expect.stringMatching(/has a schema "parley" that another program made/),
    });
  });

  it('that denies a privilege is refused, and is taken once an administrator created the schema', async () => {
    const address = await server.database();
    const role = `guest_${Date.now()}`;
    const asGuest = address.replace('parley@', `${role}@`);
    await asAdministrator(address, (client) => client.query(`CREATE ROLE ${role} LOGIN`));
    await expect(opensAndCloses(asGuest)).rejects.toMatchObject({
      code: 'database-refused',
      message: expect.stringMatching(/denies the user a privilege .* GRANT CREATE ON DATABASE/),
    });
    const findings = () => withDatabase(asGuest, (query) => examineDatabase(query, own));
    expect(await findings()).toContainEqual({
      what: 'database privileges',
      ok: false,
      detail: expect.stringContaining(`GRANT CREATE ON DATABASE … TO ${role}`),
    });
    await asAdministrator(address, (client) => client.query(`CREATE SCHEMA parley AUTHORIZATION ${role}`));
    await opensAndCloses(asGuest);
    expect((await findings()).filter(({ ok }) => !ok)).toEqual([]);
    await asAdministrator(address, (client) => client.query(`REVOKE INSERT ON parley.turns FROM ${role}`));
    expect(await findings()).toContainEqual({
      what: 'database privileges',
      ok: false,
      detail: expect.stringContaining('may not change the schema'),
    });
  });

  it('that does not exist, or accepts no writes, is refused', async () => {
    const address = await server.database();
    await expect(opensAndCloses(`${address}_not`)).rejects.toMatchObject({
      code: 'database-refused',
      message: expect.stringMatching(/has no such database .* Create it/),
    });
    await withSetting(address, 'default_transaction_read_only = on', async () => {
      expect(await refusal(address)).toMatchObject({
        code: 'database-refused',
        message: expect.stringMatching(/accepts no writes .* primary/),
      });
      expect(await withDatabase(address, (query) => examineDatabase(query, own))).toContainEqual({
        what: 'database writes',
        ok: false,
        detail: expect.stringContaining('read-only'),
      });
    });
  });

  it('on a server that does not answer, or that demands nothing of TLS, is reported without the address', async () => {
    const nowhere = `postgres://someone:hush-hush@127.0.0.1:${await freePort()}/name`;
    const thrown: unknown = await opensAndCloses(nowhere).catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'database-unreachable' });
    expect(String(thrown)).not.toContain('hush-hush');
    const address = await server.database();
    await expect(opensAndCloses(`${address}?sslmode=verify-full`)).rejects.toMatchObject({
      code: 'database-refused',
      message: expect.stringMatching(/do not agree on TLS/),
    });
  });

  it('is described to doctor: version, rights, installation, and the absence of a standby', async () => {
    const address = await server.database();
    const findings = (installation = own) =>
      withDatabase(address, (query) => examineDatabase(query, installation));
    const before = await contents(address);
    expect((await findings()).map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
    expect(await contents(address)).toBe(before);
    await opensAndCloses(address);
    expect((await findings()).at(-1)).toMatchObject({ ok: true, tested: false, detail: /no standby/ });
    expect(await findings({ ...own, fingerprint: 'c'.repeat(64) })).toContainEqual({
      what: 'database installation',
      ok: false,
      detail: expect.stringContaining('PARLEY_KEY'),
    });
    await withSetting(address, 'synchronous_commit = off', async () => {
      expect((await findings()).at(-1)).toMatchObject({ ok: false, detail: /synchronous_commit is off/ });
    });
  });

  it('is read by commands once a replica has started on it, and refused with the cure otherwise', async () => {
    const address = await server.database();
    const reading = () => withStore(address, readStatus);
    await expect(reading()).rejects.toMatchObject({
      code: 'database-refused',
      message: expect.stringMatching(/is empty: no replica has started on it yet\. Start a replica/),
    });
    await opensAndCloses(address);
    expect(await reading()).toMatchObject({ waiting: 0 });
    const setVersion = (version: number) =>
      asAdministrator(address, (client) => client.query('UPDATE parley.schema SET version = $1', [version]));
    await setVersion(1);
    await expect(reading()).rejects.toMatchObject({ message: expect.stringMatching(/An older version/) });
    await setVersion(999);
    await expect(reading()).rejects.toMatchObject({ message: expect.stringMatching(/A newer version/) });
    const other = await server.database();
    await asAdministrator(other, (client) =>
      client.query('CREATE SCHEMA parley; CREATE TABLE parley.turns (id text)'),
    );
    await expect(withStore(other, readStatus)).rejects.toMatchObject({ code: 'database-foreign' });
  });

  it('gives its newest questions, for the comparison of rules', async () => {
    const address = await server.database();
    const store = await open(address);
    for (const id of ['one', 'two', 'three']) {
      const asked = message({ id, thread: thread({ key: id }) });
      await store.inbox.add({
        ...{ id: turnId(id), originKey: id, message: asked, lane: laneOf(asked.thread) },
        origin: { kind: 'message', key: id, revision: 0 },
      });
    }
    const recent = await withStore(address, (query) => readRecent(query, 2));
    expect(recent.map(({ id }) => id)).toEqual(['three', 'two']);
    expect(recent[0]?.message).toMatchObject({ sender: { id: 'ada' }, thread: { room: 'general' } });
    await store.close();
  });

  it('lets one replica do a job, again after its rest, and after a failure', async () => {
    const address = await server.database();
    const [one, other] = await Promise.all([open(address), open(address)]);
    let runs = 0;
    const both = (restMs: number) =>
      Promise.all(
        [one, other].map((store) =>
          store.once('test', restMs, async () => {
            runs += 1;
            await systemClock.wait(100);
          }),
        ),
      );
    await both(60_000);
    expect(runs).toBe(1);
    await both(60_000);
    expect(runs).toBe(1);
    await systemClock.wait(20);
    await both(10);
    expect(runs).toBe(2);
    await expect(one.once('failing', 60_000, () => Promise.reject(new Error('no')))).rejects.toThrow();
    await other.once('failing', 60_000, async () => void runs++);
    expect(runs).toBe(3);
    await Promise.all([one.close(), other.close()]);
  });

  it('shows the replicas with their reports, in the status and in the gauges', async () => {
    const address = await server.database();
    const [one, other] = [await open(address), await open(address)];
    const { replicas, ...totals } = await withDatabase(address, readStatus);
    expect(totals).toEqual({ waiting: 0, running: 0, workspaces: [] });
    expect(replicas).toHaveLength(2);
    for (const replica of replicas) {
      expect(replica.leaseMs).toBeGreaterThan(2_000);
      expect(replica.report).toMatchObject({ version: '1.2.3', takeovers: 0, checkpointsBehind: 0 });
    }
    expect(await other.gauges()).toMatchObject({
      waiting: 0,
      running: 0,
      replica: { replicas: 2, workspaces: 0 },
    });
    await Promise.all([one.close(), other.close()]);
  });
});
