import type { DatabaseSync, SQLTagStore } from 'node:sqlite';
import type { AuditRange, AuditRecord, StoredRecord } from '../../core/stores/audit.ts';
import { auditRow, PRUNED_RECORDS, recordOf } from '../audit-rows.ts';

/** Statements over `audit`. Each runs inside the caller's transaction. */

export function insertRecord(sql: SQLTagStore, record: AuditRecord): void {
  const { at, action, outcome, channel, tenant, room, thread, person, turn, facts } = auditRow(record);
  sql.run`INSERT INTO audit (at, action, outcome, channel, tenant, room, thread, person, turn, facts)
    VALUES (${at}, ${action}, ${outcome}, ${channel}, ${tenant}, ${room}, ${thread}, ${person}, ${turn}, ${facts})`;
}

export function pruneRecords(sql: SQLTagStore, before: number): number {
  const { changes } = sql.run`DELETE FROM audit WHERE seq IN (
    SELECT seq FROM audit INDEXED BY audit_at WHERE at < ${before} LIMIT ${PRUNED_RECORDS})`;
  return Number(changes);
}

const PAGE = `SELECT * FROM audit WHERE at < $to AND (at, seq) > ($at, $seq)
  AND ($person IS NULL OR person = $person) AND ($channel IS NULL OR channel = $channel)
  AND ($tenant IS NULL OR tenant = $tenant)
  ORDER BY at, seq LIMIT $limit`;

/** Reads a page of records. */
export function readPage(database: DatabaseSync, range: AuditRange, limit: number): readonly StoredRecord[] {
  const { from, to, after, person } = range;
  return database
    .prepare(PAGE)
    .all({
      ...{ $to: to, $at: after?.at ?? from, $seq: after?.seq ?? -1, $limit: limit },
      ...{ $person: person?.id ?? null, $channel: person?.channel ?? null, $tenant: person?.tenant ?? null },
    })
    .map(recordOf);
}
