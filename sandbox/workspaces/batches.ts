import { z } from 'zod';
import { type Database, inTransaction } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createTable } from '../store/table.ts';

/** One file of a batch: its document tells what became of it, unless it was refused. */
const fileRow = z.object({
  name: z.string(),
  /** Empty where the file was refused. */
  document: z.string(),
  /** Why it was refused; else empty. */
  refusal: z.string(),
});

const batchRow = z.object({
  id: z.string(),
  workspace: z.string(),
  /** User name. */
  uploader: z.string(),
});

export type BatchFile = Readonly<z.output<typeof fileRow>>;
export type Batches = ReturnType<typeof createBatches>;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS batches (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, uploader TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS batch_files (
  batch TEXT NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL,
  refusal TEXT NOT NULL, PRIMARY KEY (batch, ordinal));
`;

export function createBatches(database: Database, ids: Ids) {
  database.exec(SCHEMA);
  const { add, withId } = createTable(database, ids, batchRow, { table: 'batches' });
  const addFile = database.prepare('INSERT INTO batch_files VALUES (?, ?, ?, ?, ?)');
  const files = database.prepare('SELECT * FROM batch_files WHERE batch = ? ORDER BY ordinal');
  return {
    /** Returns the id of the batch. */
    add: (workspace: string, uploader: string, added: readonly BatchFile[]): string =>
      inTransaction(database, () => {
        const { id } = add({ workspace, uploader });
        for (const [ordinal, { name, document, refusal }] of added.entries()) {
          addFile.run(id, ordinal, name, document, refusal);
        }
        return id;
      }),
    withId,
    filesOf: (id: string) => files.all(id).map((row) => fileRow.parse(row)),
  };
}
