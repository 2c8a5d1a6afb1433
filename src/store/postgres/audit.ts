import type { AuditRecord, AuditStore } from '../../core/stores/audit.ts';
import { auditRow, PRUNED_RECORDS, recordOf } from '../audit-rows.ts';
import type { Database, Query } from './database.ts';
import type { DatabaseTime } from './time.ts';

const INSERT = `INSERT INTO parley.audit (at, action, outcome, channel, tenant, room, thread, person, turn, facts)
  SELECT * FROM unnest($1::float8[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::text[])`;

/** Adds records inside the caller's transaction. Their times are of the database's clock. */
export async function insertRecords(query: Query, records: readonly AuditRecord[]): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map(auditRow);
  await query(INSERT, [
    rows.map(({ at }) => at),
    rows.map(({ action }) => action),
    rows.map(({ outcome }) => outcome),
    rows.map(({ channel }) => channel),
    rows.map(({ tenant }) => tenant),
    rows.map(({ room }) => room),
    rows.map(({ thread }) => thread),
    rows.map(({ person }) => person),
    rows.map(({ turn }) => turn),
    rows.map(({ facts }) => facts),
  ]);
}

export function createAudit(database: Database, time: DatabaseTime): AuditStore {
  return {
    add: (act) => insertRecords(database.query, [{ ...act, at: time.now() }]),
    page: pagesOf(database.query),
    prune: async (before) => {
      const dropped = await database.query(
        `DELETE FROM parley.audit WHERE seq IN (
          SELECT seq FROM parley.audit WHERE at < $1 LIMIT ${PRUNED_RECORDS}) RETURNING 1`,
        [time.fromLocal(before)],
      );
      return dropped.length;
    },
  };
}

const PAGE = `SELECT * FROM parley.audit WHERE at < $1 AND (at, seq) > ($2::float8, $3::bigint)
  AND ($4::text IS NULL OR person = $4) AND ($5::text IS NULL OR channel = $5) AND ($6::text IS NULL OR tenant = $6)
  ORDER BY at, seq LIMIT $7`;

/** Returns a reader of pages. Times are of the database's clock. */
export const pagesOf =
  (query: Query): AuditStore['page'] =>
  async ({ from, to, after, person }, limit) => {
    const values = [to, after?.at ?? from, after?.seq ?? -1];
    const whom = [person?.id ?? null, person?.channel ?? null, person?.tenant ?? null];
    return (await query(PAGE, [...values, ...whom, limit])).map(recordOf);
  };
