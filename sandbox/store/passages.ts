import { embedPassage } from '../words/embedding.ts';
import { type Database, numberOf, type Row, textOf } from './database.ts';
import type { Ids } from './ids.ts';
import type { VectorTable } from './vectors.ts';

export interface NewChunk {
  /** Headings from the outermost to the innermost, joined by ` › `. */
  readonly heading: string;
  /** Markdown; images point at their numeric file id. */
  readonly text: string;
  /** Terms for the word index and the vector, and text for the trigram index. */
  readonly terms: readonly string[];
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

export type FullTextTable = 'chunk_words' | 'chunk_trigrams';

interface RankedRow {
  readonly row: number;
  /** BM25: above 0, higher is better. */
  readonly score: number;
}

/** What can be asked of the chunks and both full-text tables. */
export interface PassageReader {
  chunksOf(document: string): readonly Chunk[];
  chunk(row: number): Chunk | undefined;
  /** All rows of a full-text table that match, best first; whoever has enough stops. */
  ranked(table: FullTextTable, query: string): Iterable<RankedRow>;
  /** Number of chunks in which the expression occurs. */
  frequency(table: FullTextTable, query: string): number;
  chunkCount(): number;
  /** Number of chunks that have the word; several times faster than `frequency`. */
  occurrences(word: string): number;
  /** Every word of the index that begins with the letter. */
  wordsFrom(letter: string): readonly string[];
}

export function createPassageReader(database: Database): PassageReader {
  const chunks = database.prepare('SELECT * FROM chunks WHERE document = ? ORDER BY ordinal');
  const chunkByRow = database.prepare('SELECT * FROM chunks WHERE row = ?');
  const count = database.prepare('SELECT count(*) AS n FROM chunks');
  const words = database.prepare('SELECT term FROM chunk_vocabulary WHERE term >= ? AND term < ?');
  const occurrences = database.prepare('SELECT doc FROM chunk_vocabulary WHERE term = ?');
  const ranking = (table: FullTextTable) =>
    database.prepare(
      `SELECT rowid AS row, -bm25(${table}) AS score FROM ${table} WHERE ${table} MATCH ? ORDER BY score DESC`,
    );
  const counting = (table: FullTextTable) =>
    database.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${table} MATCH ?`);
  const statements = {
    chunk_words: {
      rank: ranking('chunk_words'),
      count: counting('chunk_words'),
    },
    chunk_trigrams: {
      rank: ranking('chunk_trigrams'),
      count: counting('chunk_trigrams'),
    },
  };
  return {
    chunksOf: (document) => chunks.all(document).map(readChunk),
    chunk: (row) => {
      const found = chunkByRow.get(row);
      return found && readChunk(found);
    },
    ranked: function* (table, query) {
      for (const row of statements[table].rank.iterate(query))
        yield { row: numberOf(row, 'row'), score: numberOf(row, 'score') };
    },
    frequency: (table, query) => numberOf(statements[table].count.get(query) ?? {}, 'n'),
    chunkCount: () => numberOf(count.get() ?? {}, 'n'),
    occurrences: (word) => numberOf(occurrences.get(word) ?? {}, 'doc'),
    wordsFrom: (letter) =>
      words
        .all(letter, String.fromCodePoint((letter.codePointAt(0) ?? 0) + 1))
        .map((row) => textOf(row, 'term')),
  };
}

/** Writes chunks into all tables; the caller holds the transaction. */
interface PassageWriter {
  /** `before` is the number of chunks that the document has already. */
  add(document: string, chunks: readonly NewChunk[], before?: number): void;
  drop(document: string): void;
}

/**
 * FTS5 gathers what is written in memory, up to so many bytes (1 MiB unless told), and merges its segments when so
 * many are of one size (4 unless told). With more of both, many documents are written in two thirds of the time, and
 * searches take no longer that could be measured.
 */
const GATHERED_BYTES = 16 * 1024 * 1024;
const SEGMENTS_BEFORE_MERGE = 8;

function tuneFullText(database: Database, table: FullTextTable): void {
  database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('hashsize', ${GATHERED_BYTES});
    INSERT INTO ${table} (${table}, rank) VALUES ('automerge', ${SEGMENTS_BEFORE_MERGE});`);
}

export function createPassageWriter(database: Database, ids: Ids, vectors: VectorTable): PassageWriter {
  tuneFullText(database, 'chunk_words');
  tuneFullText(database, 'chunk_trigrams');
  // Without RETURNING: with it SQLite opens a savepoint for each row, at which FTS5 writes out what it has gathered.
  const addChunk = database.prepare(
    'INSERT INTO chunks (id, document, ordinal, heading, text) VALUES (?, ?, ?, ?, ?)',
  );
  const addWords = database.prepare('INSERT INTO chunk_words (rowid, words) VALUES (?, ?)');
  const addTrigrams = database.prepare('INSERT INTO chunk_trigrams (rowid, body) VALUES (?, ?)');
  const rows = 'SELECT row FROM chunks WHERE document = ?';
  const drops = [
    database.prepare(`DELETE FROM chunk_words WHERE rowid IN (${rows})`),
    database.prepare(`DELETE FROM chunk_trigrams WHERE rowid IN (${rows})`),
    database.prepare(`DELETE FROM chunk_vectors WHERE row IN (${rows})`),
    database.prepare('DELETE FROM chunks WHERE document = ?'),
  ];
  const hasChunks = database.prepare('SELECT 1 FROM chunks WHERE document = ? LIMIT 1');
  return {
    add: (document, chunks, before = 0) => {
      for (const [at, chunk] of chunks.entries()) {
        const added = addChunk.run(ids.next(), document, before + at, chunk.heading, chunk.text);
        const row = Number(added.lastInsertRowid);
        addWords.run(row, chunk.terms.join(' '));
        addTrigrams.run(row, chunk.body);
        vectors.keep(row, embedPassage(chunk.terms, chunk.heading));
      }
    },
    drop: (document) => {
      if (hasChunks.get(document) === undefined) return;
      for (const statement of drops) statement.run(document);
    },
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
