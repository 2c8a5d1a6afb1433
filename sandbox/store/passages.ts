import { z } from 'zod';
import { asFields, tryJson } from '../http/json.ts';
import { spaced } from '../words/terms.ts';
import { type Database, inTransaction } from './database.ts';
import type { Ids } from './ids.ts';

export interface NewChunk {
  /** Headings above the chunk, outermost first, joined by ` › `. */
  readonly heading: string;
  /** Text as Markdown. Links of images contain their numeric file ids. */
  readonly text: string;
}

const chunkRow = z.object({
  row: z.number(),
  id: z.string(),
  document: z.string(),
  ordinal: z.number(),
  heading: z.string(),
  text: z.string(),
});

export type Chunk = Readonly<z.output<typeof chunkRow>>;

/** Data of a document that the index of words contains in addition to its chunks. */
interface Described {
  readonly id: string;
  readonly title: string;
  readonly metadata: string;
}

export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

/** The document and the workspace that a passage belongs to. */
export interface Owner {
  readonly document: string;
  readonly workspace: string;
}

/**
 * Version of both full-text tables. When it changes, the sandbox makes them again from the chunks. Version 0 had a table
 * of vectors too.
 */
const INDEX_VERSION = 1;

const INDEX = `
DROP TABLE IF EXISTS chunk_vocabulary;
DROP TABLE IF EXISTS chunk_vectors;
DROP TABLE IF EXISTS chunk_words;
DROP TABLE IF EXISTS chunk_trigrams;
CREATE VIRTUAL TABLE chunk_words USING fts5(title, heading, text, metadata,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE chunk_trigrams USING fts5(text, content='', contentless_delete=1, tokenize='trigram');
PRAGMA user_version = ${INDEX_VERSION};
`;

/**
 * FTS5 collects writes in memory up to a number of bytes (1 MiB by default), and merges segments when several (4 by
 * default) have about the same size. With these higher values, writing many documents takes two thirds of the time that
 * it takes with the defaults. No effect on searches could be measured.
 */
const tuning = (table: string): string => `
INSERT INTO ${table} (${table}, rank) VALUES ('hashsize', ${16 * 1024 * 1024});
INSERT INTO ${table} (${table}, rank) VALUES ('automerge', 8);`;

/** Weights of a passage's parts in the index of words: title, heading, text, metadata. */
const WEIGHTS = '2, 4, 1, 1';

/** Reads chunks, and searches both full-text tables. */
export function createPassageReader(database: Database) {
  const chunks = database.prepare('SELECT * FROM chunks WHERE document = ? ORDER BY ordinal');
  const first = database.prepare('SELECT * FROM chunks WHERE document = ? ORDER BY ordinal LIMIT 1');
  const chunkByRow = database.prepare('SELECT * FROM chunks WHERE row = ?');
  const count = database.prepare('SELECT count(*) AS n FROM chunks');
  const owner = database.prepare(
    'SELECT document, workspace FROM chunks JOIN documents ON documents.id = document WHERE row = ?',
  );
  const matching = (table: string, weights: string) =>
    database.prepare(
      `SELECT rowid AS row, -bm25(${table}, ${weights}) AS score FROM ${table} WHERE ${table} MATCH ?`,
    );
  const tables = { words: matching('chunk_words', WEIGHTS), trigrams: matching('chunk_trigrams', '1') };
  return {
    chunksOf: (document: string): readonly Chunk[] => chunks.all(document).map((row) => chunkRow.parse(row)),
    firstChunkOf: (document: string): Chunk | undefined => chunkRow.optional().parse(first.get(document)),
    chunk: (row: number): Chunk | undefined => chunkRow.optional().parse(chunkByRow.get(row)),
    chunkCount: () => Number(count.get()?.n),
    /** Returns the rows of a full-text table that match the FTS5 expression, with their BM25 scores (always above 0). */
    matches: (table: keyof typeof tables, query: string): readonly ScoredRow[] =>
      tables[table].all(query).map(({ row, score }) => ({ row: Number(row), score: Number(score) })),
    /** Returns the document and workspace of the passage in a row. */
    ownerOf: (row: number): Owner => {
      const { document, workspace } = owner.get(row) ?? {};
      return { document: String(document), workspace: String(workspace) };
    },
  };
}

/** Writes chunks into all tables. The caller must have begun a transaction. */
export function createPassageWriter(database: Database, ids: Ids) {
  const isOld = database.prepare('PRAGMA user_version').get()?.user_version !== INDEX_VERSION;
  if (isOld) database.exec(INDEX);
  database.exec(tuning('chunk_words') + tuning('chunk_trigrams'));
  // RETURNING would be slow here: SQLite then opens a savepoint for each row, and at each savepoint FTS5 writes all
  // that it has collected.
  const addChunk = database.prepare(
    'INSERT INTO chunks (id, document, ordinal, heading, text) VALUES (?, ?, ?, ?, ?)',
  );
  const addWords = database.prepare(
    'INSERT OR REPLACE INTO chunk_words (rowid, title, heading, text, metadata) VALUES (?, ?, ?, ?, ?)',
  );
  const addTrigrams = database.prepare('INSERT OR REPLACE INTO chunk_trigrams (rowid, text) VALUES (?, ?)');
  const rows = 'SELECT row FROM chunks WHERE document = ?';
  const drops = [
    database.prepare(`DELETE FROM chunk_words WHERE rowid IN (${rows})`),
    database.prepare(`DELETE FROM chunk_trigrams WHERE rowid IN (${rows})`),
    database.prepare('DELETE FROM chunks WHERE document = ?'),
  ];
  const stored = database.prepare('SELECT row, heading, text FROM chunks WHERE document = ?');
  const index = (row: number, { title, metadata }: Described, { heading, text }: NewChunk): void => {
    const values = readEntries(metadata).map(({ value }) => value);
    addWords.run(row, spaced(title), spaced(heading), spaced(text), spaced(values.join('\n')));
    addTrigrams.run(row, `${title}\n${heading}\n${text}`);
  };
  /** Indexes the stored chunks of a document again, with its current title and metadata. */
  const reindex = (document: Described): void => {
    for (const { row, heading, text } of stored.all(document.id))
      index(Number(row), document, { heading: String(heading), text: String(text) });
  };
  if (isOld)
    inTransaction(database, () => {
      for (const { id, title, metadata } of database
        .prepare('SELECT id, title, metadata FROM documents')
        .all())
        reindex({ id: String(id), title: String(title), metadata: String(metadata) });
    });
  return {
    reindex,
    /** Adds chunks to a document that has `before` chunks already. */
    add: (document: Described, chunks: readonly NewChunk[], before = 0): void => {
      for (const [at, chunk] of chunks.entries()) {
        const added = addChunk.run(ids.next(), document.id, before + at, chunk.heading, chunk.text);
        index(Number(added.lastInsertRowid), document, chunk);
      }
    },
    drop: (document: string): void => {
      if (stored.get(document) === undefined) return;
      for (const statement of drops) statement.run(document);
    },
  };
}

/**
 * Reads the entries of a file's metadata (platform contract FIL-10, WSP-10). Ignores entries that it cannot read, because
 * the store accepts any text.
 */
export function readEntries(text: string): readonly { readonly name: string; readonly value: string }[] {
  const list: unknown = text === '' ? [] : tryJson(text);
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const { name, value } = asFields(item) ?? {};
    return typeof name === 'string' && name !== '' && isValue(value) ? [{ name, value: String(value) }] : [];
  });
}

const isValue = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean';
