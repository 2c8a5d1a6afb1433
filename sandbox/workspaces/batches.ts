import { type Database, inTransaction, textOf } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';

/** One file of a batch: what became of it is told by its document, unless it never became one. */
export interface BatchFile {
  readonly name: string;
  /** Empty where the file was refused. */
  readonly document: string;
  /** Why it was refused; else empty. */
  readonly refusal: string;
}

interface Batch {
  readonly id: string;
  readonly workspace: string;
  /** User name. */
  readonly uploader: string;
  readonly files: readonly BatchFile[];
}

export interface Batches {
  add(batch: Omit<Batch, 'id'>): string;
  withId(id: string): Batch | undefined;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS batches (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, uploader TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS batch_files (
  batch TEXT NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL,
  refusal TEXT NOT NULL, PRIMARY KEY (batch, ordinal));
`;

export function createBatches(database: Database, ids: Ids): Batches {
  database.exec(SCHEMA);
  const insert = database.prepare('INSERT INTO batches (id, workspace, uploader) VALUES (?, ?, ?)');
  const addFile = database.prepare('INSERT INTO batch_files VALUES (?, ?, ?, ?, ?)');
  const byId = database.prepare('SELECT * FROM batches WHERE id = ?');
  const files = database.prepare('SELECT * FROM batch_files WHERE batch = ? ORDER BY ordinal');
  const highest = database.prepare('SELECT max(id) AS id FROM batches').get();
  if (typeof highest?.id === 'string') ids.startAbove(highest.id);
  return {
    add: (batch) =>
      inTransaction(database, () => {
        const id = ids.next();
        insert.run(id, batch.workspace, batch.uploader);
        for (const [ordinal, { name, document, refusal }] of batch.files.entries()) {
          addFile.run(id, ordinal, name, document, refusal);
        }
        return id;
      }),
    withId: (id) => {
      const row = byId.get(id);
      if (row === undefined) return undefined;
      return {
        id,
        workspace: textOf(row, 'workspace'),
        uploader: textOf(row, 'uploader'),
        files: files.all(id).map((file) => ({
          name: textOf(file, 'name'),
          document: textOf(file, 'document'),
          refusal: textOf(file, 'refusal'),
        })),
      };
    },
  };
}
