import type { SQLTagStore } from 'node:sqlite';
import type { AuditRecord } from '../../core/stores/audit.ts';
import { auditRow } from '../audit-rows.ts';

/** Runs inside the caller's transaction. */
export function insertRecord(sql: SQLTagStore, record: AuditRecord): void {
  const { at, action, outcome, channel, tenant, room, thread, person, turn, facts } = auditRow(record);
  sql.run`INSERT INTO audit (at, action, outcome, channel, tenant, room, thread, person, turn, facts)
    VALUES (${at}, ${action}, ${outcome}, ${channel}, ${tenant}, ${room}, ${thread}, ${person}, ${turn}, ${facts})`;
}
