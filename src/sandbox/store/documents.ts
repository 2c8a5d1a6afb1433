import type { Images } from '../media/images.ts';
import { type Database, inTransaction, numberOf, type Row, textOf } from './database.ts';
import type { Ids } from './ids.ts';

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

export interface NewChunk {
  /** Headings from the outermost to the innermost, joined by ` › `. */
  readonly heading: string;
  /** Markdown; images point at their numeric file id. */
  readonly text: string;
  /** Terms for the word index and text for the trigram index. */
  readonly words: string;
  readonly body: string;
}

export interface Chunk {
  readonly row: number;
  readonly id: string;
  readonly document: string;
  readonly ordinal: number;
  readonly heading: string;
  readonly text: string;
}

/** Documents, their chunks, and both full-text tables. */
export interface Documents {
  list(): readonly StoredDocument[];
  find(id: string): StoredDocument | undefined;
  at(path: string): StoredDocument | undefined;
  /** Notes a document that is about to be read; keeps the id of an earlier version. */
  announce(document: Omit<StoredDocument, 'id'>): StoredDocument;
  /** Replaces the chunks of a document. */
  replace(document: StoredDocument, chunks: readonly NewChunk[]): void;
  remove(id: string): void;
  chunksOf(document: string): readonly Chunk[];
  chunk(row: number): Chunk | undefined;
  /** Rows of a full-text table by BM25, best first. */
  match(table: 'chunk_words' | 'chunk_trigrams', query: string, limit: number): readonly number[];
  /** Number of chunks in which the expression occurs. */
  frequency(table: 'chunk_words' | 'chunk_trigrams', query: string): number;
  chunkCount(): number;
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
  const chunks = database.prepare('SELECT * FROM chunks WHERE document = ? ORDER BY ordinal');
  const chunkByRow = database.prepare('SELECT * FROM chunks WHERE row = ?');
  const addChunk = database.prepare(
    'INSERT INTO chunks (id, document, ordinal, heading, text) VALUES (?, ?, ?, ?, ?) RETURNING row',
  );
  const addWords = database.prepare('INSERT INTO chunk_words (rowid, words) VALUES (?, ?)');
  const addTrigrams = database.prepare('INSERT INTO chunk_trigrams (rowid, body) VALUES (?, ?)');
  const count = database.prepare('SELECT count(*) AS n FROM chunks');
  const matching = {
    chunk_words: database.prepare(
      'SELECT rowid FROM chunk_words WHERE chunk_words MATCH ? ORDER BY bm25(chunk_words) LIMIT ?',
    ),
    chunk_trigrams: database.prepare(
      'SELECT rowid FROM chunk_trigrams WHERE chunk_trigrams MATCH ? ORDER BY bm25(chunk_trigrams) LIMIT ?',
    ),
  };
  const counting = {
    chunk_words: database.prepare('SELECT count(*) AS n FROM chunk_words WHERE chunk_words MATCH ?'),
    chunk_trigrams: database.prepare('SELECT count(*) AS n FROM chunk_trigrams WHERE chunk_trigrams MATCH ?'),
  };
  const save = (document: StoredDocument) => {
    const { id, workspace, path, name, title, type, size, hash, state, reason } = document;
    upsert.run(id, workspace, path, name, title, type, size, hash, state, reason);
  };
  const dropChunks = (document: string) => {
    const rows = 'SELECT row FROM chunks WHERE document = ?';
    database.prepare(`DELETE FROM chunk_words WHERE rowid IN (${rows})`).run(document);
    database.prepare(`DELETE FROM chunk_trigrams WHERE rowid IN (${rows})`).run(document);
    database.prepare('DELETE FROM chunks WHERE document = ?').run(document);
  };
  return {
    list: () => all.all().map(readDocument),
    find: (id) => optional(byId.get(id), readDocument),
    at: (path) => optional(byPath.get(path), readDocument),
    announce: (document) => {
      const known = optional(byPath.get(document.path), readDocument);
      const stored = { ...document, id: known?.id ?? ids.next() };
      save(stored);
      return stored;
    },
    replace: (document, newChunks) =>
      inTransaction(database, () => {
        save(document);
        dropChunks(document.id);
        for (const [ordinal, chunk] of newChunks.entries()) {
          const added = addChunk.get(ids.next(), document.id, ordinal, chunk.heading, chunk.text);
          const row = numberOf(added ?? {}, 'row');
          addWords.run(row, chunk.words);
          addTrigrams.run(row, chunk.body);
        }
      }),
    remove: (id) =>
      inTransaction(database, () => {
        dropChunks(id);
        images.dropOthers(id, []);
        database.prepare('DELETE FROM documents WHERE id = ?').run(id);
      }),
    chunksOf: (document) => chunks.all(document).map(readChunk),
    chunk: (row) => optional(chunkByRow.get(row), readChunk),
    match: (table, query, limit) => matching[table].all(query, limit).map((row) => numberOf(row, 'rowid')),
    frequency: (table, query) => numberOf(counting[table].get(query) ?? {}, 'n'),
    chunkCount: () => numberOf(count.get() ?? {}, 'n'),
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

function readChunk(row: Row): Chunk {
  return {
    row: numberOf(row, 'row'),
    id: textOf(row, 'id'),
    document: textOf(row, 'document'),
    ordinal: numberOf(row, 'ordinal'),
    heading: textOf(row, 'heading'),
    text: textOf(row, 'text'),
  };
}
