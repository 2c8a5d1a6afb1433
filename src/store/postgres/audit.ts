import type { AuditRecord } from '../../core/stores/audit.ts';
import { auditRow } from '../audit-rows.ts';
import type { Query } from './database.ts';

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
