import type { Images } from '../media/images.ts';
import { type Database, inTransaction, numberOf, type Row, textOf } from './database.ts';
import type { Ids } from './ids.ts';
import { createPassageReader, createPassageWriter, type NewChunk, type PassageReader } from './passages.ts';
import { createVectorTable, type VectorReader } from './vectors.ts';

export type DocumentState = 'waiting' | 'underway' | 'success' | 'fail';

export interface StoredDocument {
  readonly id: string;
  readonly workspace: string;
  /** Where it was read from; the key under which a changed document is found again. */
  readonly path: string;
  readonly name: string;
  readonly title: string;
  /** Extension in lower case, such as `md`. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  readonly hash: string;
  readonly state: DocumentState;
  /** Why it is in state `fail`. */
  readonly reason: string;
}

/** Documents with their chunks, both full-text tables and the vectors. */
export type Documents = DocumentList & PassageReader & VectorReader;

interface DocumentList {
  list(): readonly StoredDocument[];
  find(id: string): StoredDocument | undefined;
  at(path: string): StoredDocument | undefined;
  /** Notes a document that is about to be read; keeps the id of an earlier version. */
  announce(document: Omit<StoredDocument, 'id'>): StoredDocument;
  /** Replaces the chunks of a document. */
  replace(document: StoredDocument, chunks: readonly NewChunk[]): void;
  remove(id: string): void;
  /** Is told the id of each document whose chunks or workspace may have changed. */
  watch(changed: (id: string) => void): void;
}

export function createDocuments(database: Database, ids: Ids, images: Images): Documents {
  const all = database.prepare('SELECT * FROM documents ORDER BY id');
  const byId = database.prepare('SELECT * FROM documents WHERE id = ?');
  const byPath = database.prepare('SELECT * FROM documents WHERE path = ?');
  const upsert = database.prepare(
    `INSERT INTO documents (id, workspace, path, name, title, type, size, hash, state, reason)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (path) DO UPDATE SET workspace = excluded.workspace, name = excluded.name,
       title = excluded.title, type = excluded.type, size = excluded.size, hash = excluded.hash,
       state = excluded.state, reason = excluded.reason`,
  );
  const drop = database.prepare('DELETE FROM documents WHERE id = ?');
  const vectors = createVectorTable(database);
  const passages = createPassageWriter(database, ids, vectors);
  const save = (document: StoredDocument) => {
    const { id, workspace, path, name, title, type, size, hash, state, reason } = document;
    upsert.run(id, workspace, path, name, title, type, size, hash, state, reason);
  };
  const watchers: ((id: string) => void)[] = [];
  const changed = (id: string) => {
    for (const watcher of watchers) watcher(id);
  };
  return {
    list: () => all.all().map(readDocument),
    find: (id) => optional(byId.get(id), readDocument),
    at: (path) => optional(byPath.get(path), readDocument),
    announce: (document) => {
      const known = optional(byPath.get(document.path), readDocument);
      const stored = { ...document, id: known?.id ?? ids.next() };
      save(stored);
      changed(stored.id);
      return stored;
    },
    replace: (document, newChunks) => {
      inTransaction(database, () => {
        save(document);
        passages.drop(document.id);
        passages.add(document.id, newChunks);
      });
      changed(document.id);
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
    ...createPassageReader(database),
    vectors: vectors.all,
    vectorsOf: vectors.of,
  };
}

function optional<T>(row: Row | undefined, read: (row: Row) => T): T | undefined {
  return row === undefined ? undefined : read(row);
}

const STATES: readonly DocumentState[] = ['waiting', 'underway', 'success', 'fail'];

function readDocument(row: Row): StoredDocument {
  return {
    id: textOf(row, 'id'),
    workspace: textOf(row, 'workspace'),
    path: textOf(row, 'path'),
    name: textOf(row, 'name'),
    title: textOf(row, 'title'),
    type: textOf(row, 'type'),
    size: numberOf(row, 'size'),
    hash: textOf(row, 'hash'),
    state: STATES.find((state) => state === row.state) ?? 'fail',
    reason: textOf(row, 'reason'),
  };
}
