/**
 * Replicas of two versions on one database: the newer version migrates the database while a replica of the older
 * version runs.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { asBridgeError } from '../../../src/errors.ts';
import { openPostgresStore, type PostgresStore } from '../../../src/store/postgres/index.ts';
import { LEASE_MS } from '../../../src/store/postgres/lease.ts';
import { MIGRATIONS } from '../../../src/store/postgres/schema.ts';
import { installation, missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { newTurn, screen } from '../turn-makers.ts';
import { recordingLog } from './manual-clock.ts';

const eventually = (look: () => unknown) => expect.poll(look);

/** A migration of a later version. It adds columns to every table that replicas write. */
const LATER = `
  ALTER TABLE parley.turns ADD COLUMN later_text text, ADD COLUMN later_count integer NOT NULL DEFAULT 0;
  ALTER TABLE parley.answers ADD COLUMN later jsonb NOT NULL DEFAULT '{}';
  ALTER TABLE parley.keyed ADD COLUMN later text;
  ALTER TABLE parley.replicas ADD COLUMN later boolean NOT NULL DEFAULT false;
  ALTER TABLE parley.tenants ADD COLUMN later text;
  ALTER TABLE parley.feedback ADD COLUMN later text;
  CREATE TABLE parley.later (id text PRIMARY KEY);
  CREATE INDEX turns_later ON parley.turns (later_text) WHERE later_text IS NOT NULL;
  UPDATE parley.schema SET version = version + 1;`;

const ADDITIONS = [
  /^CREATE TABLE /,
  /^CREATE (UNIQUE )?INDEX \w+ ON /,
  /^ALTER TABLE [\w.]+ ADD COLUMN \w+ \w+( NOT NULL DEFAULT [^,]+| DEFAULT [^,]+)?$/,
];

test('every migration after the first only adds, so that older replicas go on', () => {
  const statements = MIGRATIONS.slice(1).flatMap((sql) => sql.split(';').map((each) => each.trim()));
  expect(statements.length).toBeGreaterThan(1);
  const others = statements.filter((sql) => sql !== '' && !ADDITIONS.some((addition) => addition.test(sql)));
  expect(others).toEqual([]);
});

describe.skipIf(missing)('a replica of an older version', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  test('goes on while a newer one migrates the database, and is refused with the cure when it starts again', async () => {
    const address = await server.database();
    const open = () => openPostgresStore({ address, installation, clock: systemClock, log: recordingLog() });
    const older = await open();
    const { id } = older.replica;
    let answered = 0;
    let isOver = false;
    const answering = (async () => {
      for (let nth = 0; !isOver; nth += 1) answered += await live(older, `${nth}`).then(() => 1, unlessAway);
    })();
    await eventually(() => answered).toBeGreaterThan(20);
    // PostgreSQL may end a migration that meets statements of the older version. The migration is then repeated.
    const migrate = () => server.query(`BEGIN; ${LATER} COMMIT`);
    await eventually(() => migrate().then(() => 'migrated', String)).toBe('migrated');
    const before = answered;
    await eventually(() => answered).toBeGreaterThan(before + 20);
    isOver = true;
    await answering;
    // Wait as long as a lease lasts, so that the older replica has to renew its lease on the migrated database.
    await systemClock.wait(LEASE_MS);
    await older.inbox.expire();
    expect([older.replica.id, older.replica.holdsLease()]).toEqual([id, true]);

    const known = MIGRATIONS.length;
    await expect(open()).rejects.toMatchObject({
      code: 'database-foreign',
      message: expect.stringMatching(
        new RegExp(`\\(schema ${known + 1}; this version reads up to ${known}\\).*Start the newer version`),
      ),
    });
    await live(older, 'after the refusal');
    await older.close();
  });

  test('its values, from before and after the migration, are found when a person is forgotten', async () => {
    const address = await server.database();
    const open = () => openPostgresStore({ address, installation, clock: systemClock, log: recordingLog() });
    await (await open()).close();
    await server.query(
      `DROP TABLE parley.moves; ALTER TABLE parley.keyed DROP COLUMN owner; UPDATE parley.schema SET version = version - 3;
        ALTER TABLE parley.audit DROP COLUMN agent; ALTER TABLE parley.audit DROP COLUMN code`,
    );
    const insert = (key: string) =>
      server.query(`INSERT INTO parley.keyed (namespace, key, value, expires)
        VALUES ('adapter slack', '${key}', '1', 'infinity')
        ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value`);
    for (const key of ['preference T1 U1', 'preference:T1:U1', 'preference T1 U12']) await insert(key);
    const newer = await open();
    await newer.keyed('adapter slack').set('home T1 U1', 1, 60_000, { tenant: 'T1', person: 'U1' });
    for (const key of ['home T1 U1', 'form/T1/U1', 'form/T1/U12']) await insert(key);
    await newer.forgetting.erase({ kind: 'person', channel: 'slack', person: 'U1' });
    const left = await server.query('SELECT key FROM parley.keyed ORDER BY key');
    expect(left.map(({ key }) => key)).toEqual(['form/T1/U12', 'preference T1 U12']);
    await newer.close();
  });
});

/** On a busy machine, PostgreSQL may not answer in time; such a question does not count as answered. */
async function unlessAway(thrown: unknown): Promise<number> {
  if (asBridgeError(thrown).code !== 'store-unavailable') throw thrown;
  await systemClock.wait(100);
  return 0;
}

/** Takes a question from its arrival to its end, with the writes of an answer. */
async function live({ inbox, keyed, probe }: PostgresStore, name: string): Promise<void> {
  const turn = newTurn(name, `lane ${name}`);
  expect((await inbox.add(turn)).kind).toBe('added');
  await inbox.expire();
  let claim = await inbox.claim();
  // A question that was refused too late may have been stored.
  for (; claim !== undefined && claim.turn.id !== turn.id; claim = await inbox.claim())
    await inbox.settle(claim, 'failed');
  expect(claim?.turn.id).toBe(turn.id);
  if (claim === undefined) return;
  const known = { phase: 'answering', screen: screen('m1'), text: { at: 0, text: 'words' } } as const;
  expect(await inbox.checkpoint(claim, known)).toBe('held');
  await keyed('test').set(name, 'value', 60_000, 'nobody');
  expect(await keyed('test').get(name)).toBe('value');
  await probe();
  expect(await inbox.settle(claim, 'answered')).toBe('settled');
}
