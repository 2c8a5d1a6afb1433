/**
 * Decides whether a database belongs to this bridge, before the bridge changes anything in it. Two installations on
 * one database would claim each other's turns, and a replica with another key could not read what the others store.
 */

import { BridgeError } from '../../errors.ts';
import { textOf } from '../turn-rows.ts';
import type { Query } from './database.ts';

export interface Installation {
  readonly name: string;
  /** Identifies PARLEY_KEY without revealing it. */
  readonly fingerprint: string;
}

const foreign = (what: string, cure: string): BridgeError =>
  new BridgeError('database-foreign', `${what} Nothing was changed. ${cure}`);

/**
 * Throws `database-foreign` if another program made the schema `parley`. A schema without tables is accepted,
 * because an administrator may have created it for the bridge's user.
 */
export async function refuseForeignSchema(query: Query): Promise<void> {
  const [found] = await query(
    `SELECT count(*) AS tables, count(*) FILTER (WHERE name = 'schema' AND versioned) AS own FROM (
      SELECT relname AS name, EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = pg_class.oid
        AND attname = 'version' AND atttypid = 'integer'::regtype) AS versioned
      FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = 'parley' AND relkind IN ('r', 'p', 'v')) AS tables`,
  );
  if (Number(found?.tables) === 0 || Number(found?.own) === 1) return;
  throw foreign(
    'The database of DATABASE_URL has a schema "parley" that another program made.',
    'Name another database in DATABASE_URL.',
  );
}

/** Throws `database-foreign` if the database was first used by another installation or with another key. */
export async function refuseOthers(query: Query, own: Installation): Promise<void> {
  const [table] = await query("SELECT to_regclass('parley.installation') IS NOT NULL AS exists");
  if (table?.exists !== true) return;
  const [found] = await query('SELECT name, fingerprint FROM parley.installation');
  if (found === undefined) return;
  const name = textOf(found.name);
  if (name !== own.name) {
    throw foreign(
      `The database of DATABASE_URL belongs to the installation "${name}", but this installation is "${own.name}".`,
      'Name another database in DATABASE_URL, or correct database.installation.',
    );
  }
  const fingerprint = textOf(found.fingerprint);
  if (fingerprint === own.fingerprint) return;
  throw foreign(
    `The database of DATABASE_URL was made with another PARLEY_KEY (its fingerprint is ${short(fingerprint)}; the fingerprint of this key is ${short(own.fingerprint)}).`,
    'Set PARLEY_KEY to the key of the other replicas. For another installation, set DATABASE_URL to another database.',
  );
}

/** Returns the beginning of a fingerprint, which is long enough to compare two fingerprints by eye. */
export const short = (fingerprint: string): string => fingerprint.slice(0, 8);

/** Stores the installation in a database that has none. */
export async function recordInstallation(query: Query, { name, fingerprint }: Installation): Promise<void> {
  await query(
    `INSERT INTO parley.installation (name, fingerprint) SELECT $1, $2
    WHERE NOT EXISTS (SELECT 1 FROM parley.installation)`,
    [name, fingerprint],
  );
}
