import type { AuditRecord, AuditStore } from '../core/stores/audit.ts';
import { auditRow, PRUNED_RECORDS, recordOf } from './audit-rows.ts';
import type { Engine } from './engine.ts';
import { also, once, rowsOf, type Sql, sql } from './sql.ts';

export const createAudit = (engine: Engine): AuditStore => ({
  async add(act) {
    const at = await engine.now();
    await engine.write(insertRecord({ ...act, at }));
  },
  page: pagesOf(engine),
  async prune(before) {
    const over = engine.fromLocal(before);
    const dropped = await engine.write(
      sql`DELETE FROM parley.audit WHERE seq IN (
        SELECT seq FROM parley.audit WHERE at < ${over} LIMIT ${PRUNED_RECORDS}) RETURNING seq`,
    );
    return dropped.length;
  },
});

/**
 * Maximum number of bytes in a page of the audit, so that long questions and answers do not fill the memory. A page
 * ends before the record that would exceed it; a first record that is longer is a page of its own.
 */
export const PAGE_BYTES = 4_000_000;

/** Returns a reader of pages. Times are of the engine's clock. */
export const pagesOf =
  ({ read }: Pick<Engine, 'read'>): AuditStore['page'] =>
  async ({ from, to, after, person }, limit) => {
    // octet_length needs not read the texts, as length does: a page of few long records would read many of them.
    const whom = sql`${also('person', person?.id)}${also('channel', person?.channel)}${also('tenant', person?.tenant)}`;
    const rows = await read(
      once(sql`SELECT * FROM parley.audit WHERE seq IN (
          SELECT seq FROM (
            SELECT seq, sum(size) OVER (ORDER BY at, seq) AS bytes, row_number() OVER (ORDER BY at, seq) AS nth
            FROM (
              SELECT at, seq, octet_length(facts) AS size FROM parley.audit
              WHERE at < ${to} AND (at, seq) > (${after?.at ?? from}, ${after?.seq ?? -1})${whom}
              ORDER BY at, seq LIMIT ${limit}) AS sizes) AS sums
          WHERE bytes <= ${PAGE_BYTES} OR nth = 1)
        ORDER BY at, seq`),
    );
    return rows.map(recordOf);
  };

export const insertRecord = (record: AuditRecord): Sql => insertRecords([record]);

/** There must be at least one record. */
export function insertRecords(records: readonly AuditRecord[]): Sql {
  const rows = records.map((record) => {
    const { at, action, outcome, channel, tenant, room, thread, person, turn, agent, code, facts } =
      auditRow(record);
    return [at, action, outcome, channel, tenant, room, thread, person, turn, agent, code, facts];
  });
  return sql`INSERT INTO parley.audit
      (at, action, outcome, channel, tenant, room, thread, person, turn, agent, code, facts)
    VALUES ${rowsOf(rows)}`;
}
