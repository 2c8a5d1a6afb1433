import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../core/clock.ts';
import type { AuditStore } from '../../core/stores/audit.ts';
import { mustExist, orUnavailable, storeUnavailable } from '../../sqlite.ts';
import { insertRecord, pruneRecords, readPage } from './audit-table.ts';
import type { Commits } from './commits.ts';

export function createAudit(database: DatabaseSync, commits: Commits, clock: Clock): AuditStore {
  const sql = database.createTagStore();
  return {
    add: (act) => commits.write(() => insertRecord(sql, { ...act, at: clock.now() })),
    page: (range, limit) => orUnavailable(() => readPage(database, range, limit)),
    prune: (before) => commits.write(() => pruneRecords(sql, before)),
  };
}

/**
 * Calls `work` with a reader of the store's file, which a bridge may have open at the same time. Throws
 * `store-unavailable`.
 */
export async function withAuditFile<T>(
  file: string,
  work: (page: AuditStore['page']) => Promise<T>,
): Promise<T> {
  const database = openFile(file);
  try {
    return await work(async (range, limit) => {
      try {
        return readPage(database, range, limit);
      } catch (thrown) {
        throw storeUnavailable(thrown);
      }
    });
  } finally {
    database.close();
  }
}

function openFile(file: string): DatabaseSync {
  try {
    mustExist(file);
    return new DatabaseSync(file, { readOnly: true });
  } catch (thrown) {
    throw storeUnavailable(thrown);
  }
}
