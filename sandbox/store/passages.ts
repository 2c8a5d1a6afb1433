import { z } from 'zod';
import { embedPassage } from '../words/embedding.ts';
import type { Database } from './database.ts';
import type { Ids } from './ids.ts';
import type { VectorTable } from './vectors.ts';

export interface NewChunk {
  /** Headings from the outermost to the innermost, joined by ` › `. */
  readonly heading: string;
  /** Markdown in which images link to their numeric file id. */
  readonly text: string;
  /** Terms for the word index and the vector, and text for the trigram index. */
  readonly terms: readonly string[];
  readonly body: string;
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

type FullTextTable = 'chunk_words' | 'chunk_trigrams';

export interface ScoredRow {
  readonly row: number;
  readonly score: number;
}

/** Reads the chunks and both full-text tables. */
export function createPassageReader(database: Database) {
  const chunks = database.prepare('SELECT * FROM chunks WHERE document = ? ORDER BY ordinal');
  const chunkByRow = database.prepare('SELECT * FROM chunks WHERE row = ?');
  const count = database.prepare('SELECT count(*) AS n FROM chunks');
  const words = database.prepare('SELECT term FROM chunk_vocabulary WHERE term >= ? AND term < ?');
  const occurrences = database.prepare('SELECT doc FROM chunk_vocabulary WHERE term = ?');
  const matching = (table: FullTextTable) => ({
    rank: database.prepare(
      `SELECT rowid AS row, -bm25(${table}) AS score FROM ${table} WHERE ${table} MATCH ? ORDER BY score DESC`,
    ),
    count: database.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${table} MATCH ?`),
  });
  const tables = { chunk_words: matching('chunk_words'), chunk_trigrams: matching('chunk_trigrams') };
  return {
    chunksOf: (document: string): readonly Chunk[] => chunks.all(document).map((row) => chunkRow.parse(row)),
    chunk: (row: number): Chunk | undefined => chunkRow.optional().parse(chunkByRow.get(row)),
    /** Yields the matching rows of a full-text table by BM25 (above 0), best first. The caller may stop early. */
    ranked: function* (table: FullTextTable, query: string): Iterable<ScoredRow> {
      for (const { row, score } of tables[table].rank.iterate(query))
        yield { row: Number(row), score: Number(score) };
    },
    /** Returns the number of chunks in which the expression occurs. */
    frequency: (table: FullTextTable, query: string) => Number(tables[table].count.get(query)?.n),
    chunkCount: () => Number(count.get()?.n),
    /** Returns the number of chunks that contain the word; several times faster than `frequency`. */
    occurrences: (word: string) => Number(occurrences.get(word)?.doc ?? 0),
    /** Returns all words of the index that begin with the letter. */
    wordsFrom: (letter: string): readonly string[] =>
      words
        .all(letter, String.fromCodePoint((letter.codePointAt(0) ?? 0) + 1))
        .map(({ term }) => String(term)),
  };
}

/**
 * FTS5 gathers writes in memory up to a number of bytes (default 1 MiB), and merges its segments when a number of them
 * have the same size (default 4). With higher values, many documents are written in two thirds of the time, with
 * no measurable effect on searches.
 */
const GATHERED_BYTES = 16 * 1024 * 1024;
const SEGMENTS_BEFORE_MERGE = 8;

function tuneFullText(database: Database, table: FullTextTable): void {
  database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('hashsize', ${GATHERED_BYTES});
    INSERT INTO ${table} (${table}, rank) VALUES ('automerge', ${SEGMENTS_BEFORE_MERGE});`);
}

/** Writes chunks into all tables. The caller must hold the transaction. */
export function createPassageWriter(database: Database, ids: Ids, vectors: VectorTable) {
  tuneFullText(database, 'chunk_words');
  tuneFullText(database, 'chunk_trigrams');
  // RETURNING is not used: with it, SQLite opens a savepoint per row, and at each savepoint FTS5 writes
  // everything that it has gathered.
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
    /** `before` is the number of chunks that the document already has. */
    add: (document: string, chunks: readonly NewChunk[], before = 0): void => {
      for (const [at, chunk] of chunks.entries()) {
        const added = addChunk.run(ids.next(), document, before + at, chunk.heading, chunk.text);
        const row = Number(added.lastInsertRowid);
        addWords.run(row, chunk.terms.join(' '));
        addTrigrams.run(row, chunk.body);
        vectors.keep(row, embedPassage(chunk.terms, chunk.heading));
      }
    },
    drop: (document: string): void => {
      if (hasChunks.get(document) === undefined) return;
      for (const statement of drops) statement.run(document);
    },
  };
}
