import { z } from 'zod';
import { embedPassage } from '../words/embedding.ts';
import type { Database } from './database.ts';
import type { Ids } from './ids.ts';
import type { VectorTable } from './vectors.ts';

export interface NewChunk {
  /** Headings above the chunk, outermost first, joined by ` › `. */
  readonly heading: string;
  /** Text as Markdown. Links of images contain their numeric file ids. */
  readonly text: string;
  /** Terms for the index of words and for the vector; `body` is the text for the index of trigrams. */
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

/** Reads chunks, and searches both full-text tables. */
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
    /**
     * Yields the rows of a full-text table that match, best first, with their BM25 scores (always above 0). The caller
     * may stop early.
     */
    ranked: function* (table: FullTextTable, query: string): Iterable<ScoredRow> {
      for (const { row, score } of tables[table].rank.iterate(query))
        yield { row: Number(row), score: Number(score) };
    },
    /** Returns how many chunks match the FTS5 expression. */
    frequency: (table: FullTextTable, query: string) => Number(tables[table].count.get(query)?.n),
    chunkCount: () => Number(count.get()?.n),
    /** Returns how many chunks contain the word. Several times faster than `frequency`. */
    occurrences: (word: string) => Number(occurrences.get(word)?.doc ?? 0),
    /** Returns all words in the index that begin with the letter. */
    wordsFrom: (letter: string): readonly string[] =>
      words
        .all(letter, String.fromCodePoint((letter.codePointAt(0) ?? 0) + 1))
        .map(({ term }) => String(term)),
  };
}

/**
 * FTS5 collects writes in memory up to a number of bytes (1 MiB by default), and merges segments when several (4 by
 * default) have about the same size. With these higher values, writing many documents takes two thirds of the time that
 * it takes with the defaults. No effect on searches could be measured.
 */
const GATHERED_BYTES = 16 * 1024 * 1024;
const SEGMENTS_BEFORE_MERGE = 8;

function tuneFullText(database: Database, table: FullTextTable): void {
  database.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('hashsize', ${GATHERED_BYTES});
    INSERT INTO ${table} (${table}, rank) VALUES ('automerge', ${SEGMENTS_BEFORE_MERGE});`);
}

/** Writes chunks into all tables. The caller must have begun a transaction. */
export function createPassageWriter(database: Database, ids: Ids, vectors: VectorTable) {
  tuneFullText(database, 'chunk_words');
  tuneFullText(database, 'chunk_trigrams');
  // RETURNING would be slow here: SQLite then opens a savepoint for each row, and at each savepoint FTS5 writes all
  // that it has collected.
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
    /** Adds chunks to a document that has `before` chunks already. */
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
