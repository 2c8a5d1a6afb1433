import { z } from 'zod';
import { addColumns, type Database, inTransaction, numberOf, type Row, upsertInto } from './database.ts';
import type { Ids } from './ids.ts';
import type { Images } from './images.ts';
import { createPassageReader, createPassageWriter, type NewChunk, type PassageReader } from './passages.ts';
import { createVectorTable, type VectorReader, type VectorTable } from './vectors.ts';

const documentRow = z.object({
  id: z.string(),
  workspace: z.string(),
  /** Where it was read from; the key under which a changed document is found again. */
  path: z.string(),
  name: z.string(),
  title: z.string(),
  /** Extension in lower case, such as `md`. */
  type: z.string(),
  /** Bytes. */
  size: z.number(),
  hash: z.string(),
  state: z.enum(['waiting', 'underway', 'success', 'fail']).catch('fail'),
  /** Why it is in state `fail`. */
  reason: z.string(),
  /** Path within its workspace, such as `/guides/travel.md`. */
  fullPath: z.string(),
  /** Milliseconds since the epoch. */
  created: z.number(),
  modified: z.number(),
  /** User names; empty for what the sandbox found in a folder. */
  createdBy: z.string(),
  modifiedBy: z.string(),
  /** Entries of metadata as their JSON text; empty for none (platform contract FIL-10). */
  metadata: z.string(),
});

export type StoredDocument = Readonly<z.output<typeof documentRow>>;

/** What a document is before anybody edited it. */
type NewDocument = Omit<StoredDocument, 'id' | 'metadata'>;

/** A document with its new chunks. */
export interface Replacement {
  readonly document: StoredDocument;
  readonly chunks: readonly NewChunk[];
}

/** Documents with their chunks, both full-text tables and the vectors. */
export type Documents = DocumentReader & DocumentWriter & PassageReader & VectorReader;

interface DocumentReader {
  list(): readonly StoredDocument[];
  find(id: string): StoredDocument | undefined;
  at(path: string): StoredDocument | undefined;
  inWorkspace(workspace: string): readonly StoredDocument[];
  /** The oldest of that path within its workspace. */
  named(workspace: string, fullPath: string): StoredDocument | undefined;
  /** What the documents of a workspace take, in bytes. */
  sizeOf(workspace: string): number;
}

interface DocumentWriter {
  /** Notes a document that is about to be read; keeps id, creation and metadata of an earlier version. */
  announce(document: NewDocument): StoredDocument;
  /** Changes what is known of a document, but not its chunks. */
  update(document: StoredDocument): void;
  /** Replaces the chunks of a document. */
  replace(document: StoredDocument, chunks: readonly NewChunk[]): void;
  /** Adds chunks to the `before` ones that the document has already. */
  append(id: string, chunks: readonly NewChunk[], before: number): void;
  /** Replaces the chunks of several documents in one transaction. */
  replaceAll(replacements: readonly Replacement[]): void;
  remove(id: string): void;
  /** Is told the id of each document whose chunks or workspace may have changed. */
  watch(changed: (id: string) => void): void;
}

const COLUMNS = documentRow.keyof().options;

/** Columns that databases of the first version lack. */
const LATER_COLUMNS = {
  fullPath: "TEXT NOT NULL DEFAULT ''",
  created: 'INTEGER NOT NULL DEFAULT 0',
  modified: 'INTEGER NOT NULL DEFAULT 0',
  createdBy: "TEXT NOT NULL DEFAULT ''",
  modifiedBy: "TEXT NOT NULL DEFAULT ''",
  metadata: "TEXT NOT NULL DEFAULT ''",
};

/** What rows of the first version say in them. Ids carry their time, in nanoseconds. */
const LATER_VALUES = `
UPDATE documents SET created = CAST(id AS INTEGER) / 1000000 WHERE created = 0;
UPDATE documents SET modified = created WHERE modified = 0;
CREATE INDEX IF NOT EXISTS documents_by_workspace ON documents (workspace, fullPath);
`;

export function createDocuments(database: Database, ids: Ids, images: Images): Documents {
  addColumns(database, 'documents', LATER_COLUMNS);
  database.exec(LATER_VALUES);
  const vectors = createVectorTable(database);
  const reader = createDocumentReader(database);
  return {
    ...reader,
    ...createDocumentWriter({ database, ids, images, vectors, reader }),
    ...createPassageReader(database),
    vectors: vectors.all,
    vectorsOf: vectors.of,
  };
}

function createDocumentReader(database: Database): DocumentReader {
  const all = database.prepare('SELECT * FROM documents ORDER BY id');
  const byId = database.prepare('SELECT * FROM documents WHERE id = ?');
  const byPath = database.prepare('SELECT * FROM documents WHERE path = ?');
  const byWorkspace = database.prepare('SELECT * FROM documents WHERE workspace = ? ORDER BY id');
  const byFullPath = database.prepare(
    'SELECT * FROM documents WHERE workspace = ? AND fullPath = ? ORDER BY id LIMIT 1',
  );
  const size = database.prepare('SELECT sum(size) AS bytes FROM documents WHERE workspace = ?');
  return {
    list: () => all.all().map(readDocument),
    find: (id) => optional(byId.get(id), readDocument),
    at: (path) => optional(byPath.get(path), readDocument),
    inWorkspace: (workspace) => byWorkspace.all(workspace).map(readDocument),
    named: (workspace, fullPath) => optional(byFullPath.get(workspace, fullPath), readDocument),
    sizeOf: (workspace) => numberOf(size.get(workspace) ?? {}, 'bytes'),
  };
}

interface WriterDeps {
  readonly database: Database;
  readonly ids: Ids;
  readonly images: Images;
  readonly vectors: VectorTable;
  readonly reader: DocumentReader;
}

function createDocumentWriter({ database, ids, images, vectors, reader }: WriterDeps): DocumentWriter {
  const upsert = database.prepare(upsertInto('documents', COLUMNS, 'path'));
  const drop = database.prepare('DELETE FROM documents WHERE id = ?');
  const passages = createPassageWriter(database, ids, vectors);
  const save = (document: StoredDocument) => {
    upsert.run(...COLUMNS.map((column) => document[column]));
  };
  const watchers: ((id: string) => void)[] = [];
  const changed = (id: string) => {
    for (const watcher of watchers) watcher(id);
  };
  const replaceAll: DocumentWriter['replaceAll'] = (replacements) => {
    inTransaction(database, () => {
      for (const { document } of replacements) passages.drop(document.id);
      for (const { document, chunks } of replacements) {
        save(document);
        passages.add(document.id, chunks);
      }
    });
    for (const { document } of replacements) changed(document.id);
  };
  return {
    announce: (document) => {
      const known = reader.at(document.path);
      const { created, createdBy, metadata } = known ?? { ...document, metadata: '' };
      const stored = { ...document, id: known?.id ?? ids.next(), created, createdBy, metadata };
      save(stored);
      changed(stored.id);
      return stored;
    },
    update: (document) => {
      save(document);
      changed(document.id);
    },
    replace: (document, chunks) => replaceAll([{ document, chunks }]),
    replaceAll,
    append: (id, chunks, before) => {
      inTransaction(database, () => passages.add(id, chunks, before));
      changed(id);
    },
    remove: (id) => {
      inTransaction(database, () => {
        passages.drop(id);
        images.dropOthers(id, []);
        drop.run(id);
      });
      changed(id);
    },
    watch: (watcher) => {
      watchers.push(watcher);
    },
  };
}

function optional<T>(row: Row | undefined, read: (row: Row) => T): T | undefined {
  return row === undefined ? undefined : read(row);
}

const readDocument = (row: Row): StoredDocument => documentRow.parse(row);
/** Address below the base of the page that shows a document to people. */
export const sharePath = (document: string): string => `/share/document/${document}`;
