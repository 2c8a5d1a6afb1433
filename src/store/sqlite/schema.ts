import type { DatabaseSync } from 'node:sqlite';
import { BridgeError } from '../../errors.ts';
import { inTransaction } from '../../sqlite.ts';

/**
 * The migrations in order. A released migration never changes; each later change of the schema appends a migration.
 * `user_version` counts the applied migrations.
 *
 * `turns.ready` marks the turns of a lane that may be claimed: 1 for its oldest waiting turn while no turn of the lane
 * runs, and 2 for every interrupted turn that waits. A postponed turn has -1 until it is resumed. Every change of a
 * lane updates `ready`, so that a claim reads one index entry however many turns wait. The unique index `turns_alone`
 * makes SQLite itself refuse a second running turn in a lane. Interrupted turns are exempt, because they only show
 * their end.
 */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE turns (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    origin_key TEXT NOT NULL UNIQUE,
    lane TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    ready INTEGER NOT NULL DEFAULT 0,
    announced INTEGER NOT NULL DEFAULT 0,
    phase TEXT NOT NULL DEFAULT 'new',
    attempt INTEGER NOT NULL DEFAULT 0,
    owner TEXT,
    life TEXT,
    lease_until INTEGER,
    interruption TEXT,
    kept_at INTEGER NOT NULL,
    ended_at INTEGER,
    agent TEXT,
    account TEXT,
    session TEXT,
    chat_record TEXT,
    screen TEXT,
    origin TEXT NOT NULL,
    message TEXT NOT NULL
  );
  CREATE INDEX turns_ready ON turns (ready DESC, seq) WHERE ready > 0;
  CREATE INDEX turns_waiting ON turns (lane, seq) WHERE state = 'waiting';
  CREATE INDEX turns_running ON turns (lane, seq) WHERE state = 'running';
  CREATE UNIQUE INDEX turns_alone ON turns (lane) WHERE state = 'running' AND interruption IS NULL;
  CREATE INDEX turns_unannounced ON turns (kept_at, seq) WHERE announced = 0 AND state = 'waiting';
  CREATE INDEX turns_ended ON turns (ended_at) WHERE ended_at IS NOT NULL;

  CREATE TABLE answers (
    turn INTEGER NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (turn, at)
  ) WITHOUT ROWID;

  CREATE TABLE keyed (
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    expires INTEGER NOT NULL,
    PRIMARY KEY (namespace, key)
  ) WITHOUT ROWID;
  CREATE INDEX keyed_expires ON keyed (expires);
  `,
  // `reply` is the id of the reply's first turn. Several turns of a reply may have stored screens; the newest has the
  // highest `shown`.
  `
  ALTER TABLE turns ADD COLUMN message_key TEXT;
  ALTER TABLE turns ADD COLUMN reply TEXT;
  ALTER TABLE turns ADD COLUMN shown INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE turns ADD COLUMN not_before INTEGER NOT NULL DEFAULT 0;
  UPDATE turns SET reply = id, message_key = CASE WHEN json_valid(message) THEN json_array(
    message ->> '$.thread.channel', message ->> '$.thread.tenant', message ->> '$.thread.room',
    message ->> '$.id') END;
  CREATE INDEX turns_of_message ON turns (message_key, seq) WHERE message_key IS NOT NULL;
  CREATE INDEX turns_of_reply ON turns (reply, seq);
  CREATE INDEX turns_writing ON turns (reply) WHERE state = 'running';

  CREATE TABLE withdrawn (
    message_key TEXT PRIMARY KEY,
    at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX withdrawn_at ON withdrawn (at);
  `,
  `
  CREATE TABLE feedback (
    turn TEXT NOT NULL,
    person TEXT NOT NULL,
    verdict TEXT NOT NULL,
    note TEXT,
    at INTEGER NOT NULL,
    reply TEXT NOT NULL,
    channel TEXT NOT NULL,
    tenant TEXT NOT NULL,
    room TEXT NOT NULL,
    agent TEXT,
    PRIMARY KEY (turn, person)
  ) WITHOUT ROWID;
  CREATE INDEX feedback_at ON feedback (at);
  `,
  // `not_before` is no longer needed. The turn of an edited question is claimed immediately, so that the reply can
  // show that the question will be asked again. The worker itself waits some seconds before it asks the agent.
  'ALTER TABLE turns DROP COLUMN not_before',
  // An index of turns with a damaged state. No other index contains these turns. Empty as long as no row is
  // damaged.
  `CREATE INDEX turns_astray ON turns (seq) WHERE ended_at IS NULL AND state NOT IN ('waiting', 'running')`,
  // `postponed` counts the postponements of a turn; `resume_order` is the time of its question, or of its last
  // failed request.
  `
  ALTER TABLE turns ADD COLUMN postponed INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE turns ADD COLUMN resume_order INTEGER;
  CREATE INDEX turns_postponed ON turns (resume_order, seq) WHERE ready < 0;
  `,
  `
  CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL,
    channel TEXT,
    tenant TEXT,
    room TEXT,
    thread TEXT,
    person TEXT,
    turn TEXT,
    facts TEXT NOT NULL
  );
  CREATE INDEX audit_at ON audit (at, seq);
  CREATE INDEX audit_person ON audit (channel, tenant, person);
  `,
  // `forgotten`: 1 if the texts of a thread were removed, 2 if its workspace was forgotten.
  `
  ALTER TABLE audit ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE forgetting (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    request TEXT NOT NULL,
    receipt TEXT
  ) WITHOUT ROWID;
  `,
  // Counts the claims of a turn that ended before the agent was asked.
  'ALTER TABLE turns ADD COLUMN unasked INTEGER NOT NULL DEFAULT 0',
  // The owner of a value (`owners.ts`). NULL in values that earlier versions stored.
  'ALTER TABLE keyed ADD COLUMN owner TEXT',
  // At most one row, the mark of a move (`moved.ts`).
  'CREATE TABLE moves (id TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL)',
  // The agent of a turn and the code of its error. NULL in records that earlier versions stored.
  'ALTER TABLE audit ADD COLUMN agent TEXT; ALTER TABLE audit ADD COLUMN code TEXT',
];

/** Returns the version of the file's schema. Throws `data-corrupt` if a newer bridge wrote the file. */
export function refuseNewer(database: DatabaseSync, file: string): number {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
  if (version <= MIGRATIONS.length) return version;
  throw new BridgeError(
    'data-corrupt',
    `The store ${file} was written by a newer version of the bridge (schema ${version}; this version reads up to ${MIGRATIONS.length}). Start the newer version, or use another data folder.`,
  );
}

/** Migrates the file to the newest schema. Throws `data-corrupt` if a newer bridge wrote it. */
export function migrate(database: DatabaseSync, file: string): void {
  const version = refuseNewer(database, file);
  for (const [at, sql] of MIGRATIONS.entries()) {
    if (at < version) continue;
    inTransaction(database, () => database.exec(`${sql}; PRAGMA user_version = ${at + 1}`));
  }
}
