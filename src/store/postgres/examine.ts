/** The checks of `parley doctor` on the database. They write nothing. */

import type { Finding } from '../../core/agents/agent.ts';
import { BridgeError } from '../../errors.ts';
import type { Query } from './database.ts';
import { type Installation, refuseForeignSchema, refuseOthers } from './installation.ts';

/** The major version on which the tests run. */
const TESTED = 18;

/** Resolves with the findings about a database that can be reached. */
export async function examineDatabase(query: Query, own: Installation): Promise<readonly Finding[]> {
  return [
    await checkVersion(query),
    await checkWrites(query),
    await checkPrivileges(query),
    await checkOwner(query, own),
    await checkReplication(query),
  ];
}

async function checkVersion(query: Query): Promise<Finding> {
  const [row] = await query("SELECT current_setting('server_version') AS version");
  const version = String(row?.version);
  const ok = Number.parseInt(version, 10) === TESTED;
  const detail = ok
    ? `PostgreSQL ${version}`
    : `PostgreSQL ${version} was not tested. Use PostgreSQL ${TESTED}.`;
  return { what: 'database version', ok, detail };
}

async function checkWrites(query: Query): Promise<Finding> {
  const [row] = await query(
    "SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS locked",
  );
  const ok = row?.standby !== true && row?.locked !== true;
  const cure = 'Set DATABASE_URL to the address of the primary server.';
  return { what: 'database writes', ok, detail: ok ? 'accepted' : `refused: it is read-only. ${cure}` };
}

/**
 * Checks the rights of the database user. Before the first start, the user needs the right to create the schema; later,
 * rights on the schema and its tables.
 */
async function checkPrivileges(query: Query): Promise<Finding> {
  const what = 'database privileges';
  const [row] = await query(
    `SELECT current_user AS name, to_regnamespace('parley') IS NOT NULL AS made,
      has_database_privilege(current_database(), 'CREATE') AS may_create,
      CASE WHEN to_regnamespace('parley') IS NOT NULL THEN has_schema_privilege('parley', 'CREATE') END AS may_change,
      (SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
        WHERE nspname = 'parley' AND relkind = 'r'
          AND NOT (has_table_privilege(pg_class.oid, 'SELECT') AND has_table_privilege(pg_class.oid, 'INSERT')
            AND has_table_privilege(pg_class.oid, 'UPDATE') AND has_table_privilege(pg_class.oid, 'DELETE'))) AS denied`,
  );
  const name = String(row?.name);
  if (row?.made !== true) {
    const detail = 'sufficient to create the schema "parley" at the first start';
    if (row?.may_create === true) return { what, ok: true, detail };
    const cure = `GRANT CREATE ON DATABASE … TO ${name}`;
    return { what, ok: false, detail: `${name} may not create the schema "parley". Run: ${cure}` };
  }
  if (row.may_change === true && Number(row.denied) === 0) return { what, ok: true, detail: 'sufficient' };
  const cure = `ALTER SCHEMA parley OWNER TO ${name}, and the same for its tables`;
  return {
    what,
    ok: false,
    detail: `${name} may not change the schema "parley" or its tables. Run: ${cure}`,
  };
}

async function checkOwner(query: Query, own: Installation): Promise<Finding> {
  const what = 'database installation';
  try {
    await refuseForeignSchema(query);
    await refuseOthers(query, own);
    return { what, ok: true, detail: `${own.name}, and PARLEY_KEY matches` };
  } catch (thrown) {
    if (thrown instanceof BridgeError && thrown.code === 'database-foreign')
      return { what, ok: false, detail: thrown.message };
    throw thrown;
  }
}

/**
 * Without a synchronous standby, accepted questions are lost if the server's disk fails or if another server takes
 * over. PostgreSQL cannot see storage that a provider replicates, so a missing standby alone is no fault.
 */
async function checkReplication(query: Query): Promise<Finding> {
  const what = 'database replication';
  const [row] = await query(
    `SELECT current_setting('synchronous_commit') AS commits, current_setting('synchronous_standby_names') AS names,
      (SELECT count(*) FROM pg_stat_replication) AS standbys,
      (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')) AS synchronous`,
  );
  const commits = String(row?.commits);
  if (commits === 'off') {
    const detail = 'synchronous_commit is off: a crash of the server loses accepted questions. Set it to on.';
    return { what, ok: false, detail };
  }
  if (String(row?.names) !== '') {
    if (commits === 'local') {
      const detail = 'synchronous_commit is local: a failover loses accepted questions. Set it to on.';
      return { what, ok: false, detail };
    }
    return { what, ok: true, detail: `synchronous (${String(row?.names)})` };
  }
  if (Number(row?.standbys) === 0) {
    const detail =
      "no standby: if the server's disk fails, accepted questions are lost, unless its storage is replicated";
    return { what, ok: true, tested: false, detail };
  }
  const cure = 'Set synchronous_standby_names.';
  return {
    what,
    ok: false,
    detail: `asynchronous: a failover loses questions that were accepted shortly before. ${cure}`,
  };
}
