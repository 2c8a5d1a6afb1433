import { z } from 'zod';
import { type Database, inTransaction } from '../store/database.ts';
import type { Ids } from '../store/ids.ts';
import { createTable } from '../store/table.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS uploads (
  document TEXT PRIMARY KEY, bytes BLOB NOT NULL, markdown TEXT NOT NULL DEFAULT '',
  finished INTEGER NOT NULL DEFAULT 0);
CREATE TRIGGER IF NOT EXISTS uploads_go_with_documents AFTER DELETE ON documents
  BEGIN DELETE FROM uploads WHERE document = old.id; END;
`;

export type Uploads = ReturnType<typeof createUploads>;

/** Stores the bytes of uploaded files, and the Markdown made from them. Both are deleted with their document. */
export function createUploads(database: Database) {
  database.exec(SCHEMA);
  const upsert = database.prepare(
    `INSERT INTO uploads (document, bytes) VALUES (?, ?)
     ON CONFLICT (document) DO UPDATE SET bytes = excluded.bytes, markdown = '', finished = 0`,
  );
  const bytes = database.prepare('SELECT bytes FROM uploads WHERE document = ?');
  const read = database.prepare('SELECT markdown, finished FROM uploads WHERE document = ?');
  const finish = database.prepare('UPDATE uploads SET markdown = ?, finished = ? WHERE document = ?');
  return {
    keep: (document: string, content: Uint8Array) => void upsert.run(document, content),
    has: (document: string) => read.get(document) !== undefined,
    /** Returns the bytes of an uploaded file; an empty array if the document is unknown. */
    bytes: (document: string): Uint8Array => {
      const value = bytes.get(document)?.bytes;
      return value instanceof Uint8Array ? value : new Uint8Array();
    },
    /** Stores the Markdown, and the time at which reading ended, in milliseconds since the epoch. */
    finish: (document: string, markdown: string, finished: number) =>
      void finish.run(markdown, finished, document),
    markdown: (document: string) => {
      const row = read.get(document);
      return row && String(row.markdown);
    },
    /** Returns when reading ended, in milliseconds since the epoch; undefined while the file is being read. */
    finished: (document: string) => Number(read.get(document)?.finished) || undefined,
  };
}

/** A file of a batch. The state of the file is stored with its document; a refused file has no document. */
const fileRow = z.object({
  name: z.string(),
  /** Id of the document; empty if the file was refused. */
  document: z.string(),
  /** Why the file was refused; empty if it was accepted. */
  refusal: z.string(),
});

const batchRow = z.object({
  id: z.string(),
  workspace: z.string(),
  /** User name of the account that uploaded the batch. */
  uploader: z.string(),
});

export type BatchFile = Readonly<z.output<typeof fileRow>>;

const BATCHES_SCHEMA = `
CREATE TABLE IF NOT EXISTS batches (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, uploader TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS batch_files (
  batch TEXT NOT NULL, ordinal INTEGER NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL,
  refusal TEXT NOT NULL, PRIMARY KEY (batch, ordinal));
`;

export function createBatches(database: Database, ids: Ids) {
  database.exec(BATCHES_SCHEMA);
  const { add, withId } = createTable(database, ids, batchRow, { table: 'batches' });
  const addFile = database.prepare('INSERT INTO batch_files VALUES (?, ?, ?, ?, ?)');
  const files = database.prepare('SELECT * FROM batch_files WHERE batch = ? ORDER BY ordinal');
  return {
    /** Stores a batch, and returns its id. */
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
