import { z } from 'zod';
import { addColumns, type Database, inTransaction } from './database.ts';
import type { Ids } from './ids.ts';
import type { Images } from './images.ts';
import { createPassageReader, createPassageWriter, type NewChunk } from './passages.ts';
import { createTable } from './table.ts';

const documentRow = z.object({
  id: z.string(),
  workspace: z.string(),
  /** Path from which the document was read. The path identifies the document even after its content has changed. */
  path: z.string(),
  name: z.string(),
  title: z.string(),
  /** File extension in lower case, such as `md`. */
  type: z.string(),
  /** Size in bytes. */
  size: z.number(),
  hash: z.string(),
  state: z.enum(['waiting', 'underway', 'success', 'fail']).catch('fail'),
  /** Why reading failed, if the state is `fail`; otherwise empty. */
  reason: z.string(),
  /** Path inside the workspace, such as `/guides/travel.md`. */
  fullPath: z.string(),
  /** When the document was created and last changed, in milliseconds since the epoch. */
  created: z.number(),
  modified: z.number(),
  /** User names; empty if the file was read from a folder. */
  createdBy: z.string(),
  modifiedBy: z.string(),
  /** Metadata entries as JSON text; empty if there are none (platform contract FIL-10: metadata). */
  metadata: z.string(),
});

export type StoredDocument = Readonly<z.output<typeof documentRow>>;

/** A document that is about to be stored for the first time. */
type NewDocument = Omit<StoredDocument, 'id' | 'metadata'>;

/** A document, and the chunks that replace its old ones. */
export interface Replacement {
  readonly document: StoredDocument;
  readonly chunks: readonly NewChunk[];
}

/** Columns that the first version's database did not have. */
const LATER_COLUMNS = {
  fullPath: "TEXT NOT NULL DEFAULT ''",
  created: 'INTEGER NOT NULL DEFAULT 0',
  modified: 'INTEGER NOT NULL DEFAULT 0',
  createdBy: "TEXT NOT NULL DEFAULT ''",
  modifiedBy: "TEXT NOT NULL DEFAULT ''",
  metadata: "TEXT NOT NULL DEFAULT ''",
};

/**
 * Fills `created` and `modified` in rows of the first version. A document's id contains the time of its creation in
 * nanoseconds.
 */
const FILL_LATER_COLUMNS = `
UPDATE documents SET created = CAST(id AS INTEGER) / 1000000 WHERE created = 0;
UPDATE documents SET modified = created WHERE modified = 0;
CREATE INDEX IF NOT EXISTS documents_by_workspace ON documents (workspace, fullPath);
`;

export type Documents = ReturnType<typeof createDocuments>;

/** Stores documents with their chunks, which are in both full-text tables too. */
export function createDocuments(database: Database, ids: Ids, images: Images) {
  addColumns(database, 'documents', LATER_COLUMNS);
  database.exec(FILL_LATER_COLUMNS);
  const table = createTable(database, ids, documentRow, { table: 'documents', key: 'path' });
  const at = table.named;
  const passages = createPassageWriter(database, ids);
  /** Replaces the chunks of several documents in one transaction. */
  const replaceAll = (replacements: readonly Replacement[]): void => {
    inTransaction(database, () => {
      for (const { document } of replacements) passages.drop(document.id);
      for (const { document, chunks } of replacements) {
        table.save(document);
        passages.add(document, chunks);
      }
    });
  };
  return {
    list: table.list,
    find: table.withId,
    at,
    ...createWorkspaceReader(database),
    ...createPassageReader(database),
    /**
     * Stores a document that is about to be read. If it was stored before, it keeps its id, creation time and metadata.
     */
    announce: (document: NewDocument): StoredDocument => {
      const known = at(document.path);
      const { created, createdBy, metadata } = known ?? { ...document, metadata: '' };
      const stored = { ...document, id: known?.id ?? ids.next(), created, createdBy, metadata };
      table.save(stored);
      return stored;
    },
    /** Changes a document's row. Its chunks stay as they are. */
    update: (document: StoredDocument): void => {
      inTransaction(database, () => {
        const isIndexed = table.withId(document.id)?.metadata === document.metadata;
        table.save(document);
        if (!isIndexed) passages.reindex(document);
      });
    },
    replace: (document: StoredDocument, chunks: readonly NewChunk[]) => replaceAll([{ document, chunks }]),
    replaceAll,
    /** Adds chunks to a document that has `before` chunks already. */
    append: (document: StoredDocument, chunks: readonly NewChunk[], before: number): void =>
      inTransaction(database, () => passages.add(document, chunks, before)),
    remove: (id: string): void => {
      inTransaction(database, () => {
        passages.drop(id);
        images.dropOthers(id, []);
        table.remove(id);
      });
    },
  };
}

function createWorkspaceReader(database: Database) {
  const all = database.prepare('SELECT * FROM documents WHERE workspace = ? ORDER BY id');
  const oldest = database.prepare(
    'SELECT * FROM documents WHERE workspace = ? AND fullPath = ? ORDER BY id LIMIT 1',
  );
  const described = database.prepare("SELECT id, workspace, metadata FROM documents WHERE metadata <> ''");
  const size = database.prepare('SELECT sum(size) AS bytes FROM documents WHERE workspace = ?');
  return {
    inWorkspace: (workspace: string): readonly StoredDocument[] =>
      all.all(workspace).map((row) => documentRow.parse(row)),
    /** Returns the oldest document with this path in the workspace. */
    named: (workspace: string, fullPath: string): StoredDocument | undefined =>
      documentRow.optional().parse(oldest.get(workspace, fullPath)),
    /** Returns the documents that have metadata. */
    described: () =>
      described.all().map(({ id, workspace, metadata }) => ({
        id: String(id),
        workspace: String(workspace),
        metadata: String(metadata),
      })),
    /** Returns the total bytes of a workspace's documents. */
    sizeOf: (workspace: string): number => Number(size.get(workspace)?.bytes ?? 0),
  };
}

/** Returns the path of the page that shows a document, below the base address. */
export const sharePath = (document: string): string => `/share/document/${document}`;
