import { BridgeError } from '../../errors.ts';
import type { Database, Query } from './database.ts';
import { type Installation, recordInstallation, refuseForeignSchema, refuseOthers } from './installation.ts';

/**
 * The migrations in order. A released migration never changes; each later change of the schema appends a migration.
 * Migrations only add tables, indexes, and columns with a default, because replicas of older versions continue to use
 * the database.
 *
 * `turns.ready` marks turns that may be claimed: 1 for the oldest waiting turn of a lane without a running turn, 2
 * for every interrupted turn that waits. A postponed turn has -1 until it is resumed. `postponed` counts the
 * postponements of a turn. `resume_order` is the time at which the turn was stored or its last request failed.
 * With the unique indexes `turns_alone` and `turns_writing`, PostgreSQL itself refuses two running turns of a lane
 * (except interrupted turns, which only show their end) and two running turns of a reply. `place` orders the turns of
 * a lane. It is not an integer, so that a late message can be put between two others. Texts of people and agents are
 * stored as JSON, because PostgreSQL's text type holds neither NUL nor unpaired surrogates. Times are milliseconds of
 * the database's clock.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE SEQUENCE parley.places;
  CREATE TABLE parley.turns (
    id text PRIMARY KEY,
    place double precision NOT NULL DEFAULT nextval('parley.places'),
    origin_key text NOT NULL UNIQUE,
    channel text NOT NULL,
    tenant text NOT NULL,
    room text NOT NULL,
    lane text NOT NULL,
    reply text NOT NULL,
    message_key text,
    state text NOT NULL DEFAULT 'waiting',
    ready smallint NOT NULL DEFAULT 0,
    announced boolean NOT NULL DEFAULT false,
    phase text NOT NULL DEFAULT 'new',
    attempt integer NOT NULL DEFAULT 0,
    owner text,
    interruption text,
    kept_at double precision NOT NULL,
    ended_at double precision,
    sent_at double precision NOT NULL,
    revision double precision NOT NULL,
    kind text NOT NULL,
    agent text,
    account text,
    session text,
    chat_record text,
    screen text,
    shown integer NOT NULL DEFAULT 0,
    postponed integer NOT NULL DEFAULT 0,
    resume_order double precision,
    origin text NOT NULL,
    message text NOT NULL
  );
  CREATE INDEX turns_ready ON parley.turns (channel, tenant, ready DESC, place) WHERE ready > 0;
  CREATE INDEX turns_open ON parley.turns (lane, place) WHERE state IN ('waiting', 'running');
  CREATE UNIQUE INDEX turns_alone ON parley.turns (lane) WHERE state = 'running' AND interruption IS NULL;
  CREATE UNIQUE INDEX turns_writing ON parley.turns (reply) WHERE state = 'running';
  CREATE INDEX turns_postponed ON parley.turns (resume_order, place) WHERE ready < 0;
  CREATE INDEX turns_owned ON parley.turns (owner) WHERE state = 'running';
  CREATE INDEX turns_unannounced ON parley.turns (kept_at, place) WHERE state = 'waiting' AND NOT announced;
  CREATE INDEX turns_of_tenant ON parley.turns (channel, tenant) WHERE state IN ('waiting', 'running');
  CREATE INDEX turns_ended ON parley.turns (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX turns_of_message ON parley.turns (message_key) WHERE message_key IS NOT NULL;
  CREATE INDEX turns_of_reply ON parley.turns (reply);

  CREATE TABLE parley.answers (
    turn text NOT NULL REFERENCES parley.turns ON DELETE CASCADE,
    at integer NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (turn, at)
  );

  CREATE TABLE parley.withdrawn (message_key text PRIMARY KEY, at double precision NOT NULL);
  CREATE INDEX withdrawn_at ON parley.withdrawn (at);

  CREATE TABLE parley.keyed (
    namespace text NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    expires double precision NOT NULL,
    PRIMARY KEY (namespace, key)
  );
  CREATE INDEX keyed_expires ON parley.keyed (expires);

  CREATE TABLE parley.feedback (
    turn text NOT NULL,
    person text NOT NULL,
    verdict text NOT NULL,
    note text,
    at double precision NOT NULL,
    reply text NOT NULL,
    channel text NOT NULL,
    tenant text NOT NULL,
    room text NOT NULL,
    agent text,
    PRIMARY KEY (turn, person)
  );
  CREATE INDEX feedback_at ON parley.feedback (at);

  CREATE TABLE parley.replicas (id text PRIMARY KEY, until timestamptz NOT NULL);
  CREATE TABLE parley.tenants (
    channel text NOT NULL,
    tenant text NOT NULL,
    owner text,
    epoch integer NOT NULL DEFAULT 1,
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (channel, tenant)
  );
  CREATE INDEX tenants_owner ON parley.tenants (owner);
  `,
  `
  CREATE TABLE parley.installation (name text NOT NULL, fingerprint text NOT NULL);
  CREATE UNIQUE INDEX installation_alone ON parley.installation ((true));
  CREATE TABLE parley.jobs (name text PRIMARY KEY, ended_at timestamptz NOT NULL);
  ALTER TABLE parley.replicas ADD COLUMN report jsonb NOT NULL DEFAULT '{}';
  `,
  'ALTER TABLE parley.replicas ADD COLUMN leaving boolean NOT NULL DEFAULT false',
  `
  CREATE TABLE parley.audit (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at double precision NOT NULL,
    action text NOT NULL,
    outcome text NOT NULL,
    channel text,
    tenant text,
    room text,
    thread text,
    person text,
    turn text,
    facts text NOT NULL
  );
  CREATE INDEX audit_at ON parley.audit (at, seq);
  CREATE INDEX audit_person ON parley.audit (channel, tenant, person);
  `,
  // `forgotten`: 1 if the texts of a thread were removed, 2 if its workspace was forgotten.
  `
  ALTER TABLE parley.audit ADD COLUMN forgotten smallint NOT NULL DEFAULT 0;
  CREATE TABLE parley.forgetting (
    id text PRIMARY KEY,
    at double precision NOT NULL,
    request text NOT NULL,
    receipt text
  );
  `,
  // Counts the claims of a turn that ended before the agent was asked.
  'ALTER TABLE parley.turns ADD COLUMN unasked integer NOT NULL DEFAULT 0',
  // The owner of a value (`owners.ts`). NULL in values that earlier versions store.
  'ALTER TABLE parley.keyed ADD COLUMN owner jsonb',
  // At most one row, the mark of a move (`moved.ts`).
  'CREATE TABLE parley.moves (id text NOT NULL, state text NOT NULL, at double precision NOT NULL)',
  // The agent of a turn and the code of its error. NULL in records that earlier versions store.
  'ALTER TABLE parley.audit ADD COLUMN agent text; ALTER TABLE parley.audit ADD COLUMN code text',
];

/** Key of the advisory lock under which replicas that start together migrate one after another. */
const MIGRATING = 7_257_539_001;

/**
 * Brings the database to the newest schema. Throws `database-foreign`, before anything is changed, if the
 * database belongs to another program or installation, or if a newer version of the bridge wrote it.
 */
export async function migrate(database: Database, installation: Installation): Promise<void> {
  await database.longTransaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [MIGRATING]);
    await refuseForeignSchema(query);
    const version = await versionOf(query);
    if (version > MIGRATIONS.length) throw newerSchema(version);
    await refuseOthers(query, installation);
    if (version === 0) await createSchema(query);
    for (const sql of MIGRATIONS.slice(version)) await query(sql);
    if (version < MIGRATIONS.length)
      await query('UPDATE parley.schema SET version = $1', [MIGRATIONS.length]);
    await recordInstallation(query, installation);
  });
}

/** Throws if this version cannot read the database: no replica has started on it, or the schema has another version. */
export async function refuseUnreadable(query: Query): Promise<void> {
  const version = await versionOf(query);
  if (version > MIGRATIONS.length) throw newerSchema(version);
  if (version === MIGRATIONS.length) return;
  throw new BridgeError(
    'database-refused',
    version === 0
      ? 'The database of DATABASE_URL is empty: no replica has started on it yet. Start a replica, or correct the name of the database in DATABASE_URL.'
      : 'An older version of Parley wrote the database of DATABASE_URL, and no replica of this version has started yet. Start one, or use the older version.',
  );
}

/** Returns the number of applied migrations; 0 for a database without the schema. */
async function versionOf(query: Query): Promise<number> {
  const [table] = await query("SELECT to_regclass('parley.schema') IS NOT NULL AS exists");
  if (table?.exists !== true) return 0;
  const [found] = await query('SELECT version FROM parley.schema');
  return Number(found?.version ?? 0);
}

/**
 * Creates the schema and its table of versions. If an administrator has created the schema, the user needs no right
 * on the database.
 */
async function createSchema(query: Query): Promise<void> {
  const [found] = await query("SELECT to_regnamespace('parley') IS NOT NULL AS exists");
  if (found?.exists !== true) await query('CREATE SCHEMA parley');
  await query('CREATE TABLE IF NOT EXISTS parley.schema (version integer NOT NULL)');
  await query('INSERT INTO parley.schema SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM parley.schema)');
}

const newerSchema = (version: number): BridgeError =>
  new BridgeError(
    'database-foreign',
    `A newer version of Parley wrote the database of DATABASE_URL (schema ${version}; this version reads up to ${MIGRATIONS.length}). Nothing was changed. Start the newer version, or set DATABASE_URL to another database.`,
  );
