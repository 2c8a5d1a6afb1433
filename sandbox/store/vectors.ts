import { embedPassage } from '../words/embedding.ts';
import { RECIPE } from '../words/features.ts';
import { termsOf } from '../words/terms.ts';
import { type Database, inTransaction, type Row } from './database.ts';

/** A chunk's vector, with one byte per dimension. A value is its byte multiplied by `scale`. */
export type StoredVector = ReturnType<typeof readVector>;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS chunk_vectors (
  row INTEGER PRIMARY KEY, recipe INTEGER NOT NULL, scale REAL NOT NULL, vals BLOB NOT NULL);
`;

const SELECT = `
SELECT chunk_vectors.row, document, workspace, scale, vals FROM chunk_vectors
  JOIN chunks ON chunks.row = chunk_vectors.row JOIN documents ON documents.id = chunks.document`;

const HIGHEST = 127;

export type VectorTable = ReturnType<typeof createVectorTable>;

/** Reads and writes the table of vectors. */
export function createVectorTable(database: Database) {
  database.exec(SCHEMA);
  const insert = database.prepare('INSERT INTO chunk_vectors VALUES (?, ?, ?, ?)');
  const every = database.prepare(SELECT);
  const ofDocument = database.prepare(`${SELECT} WHERE chunks.document = ?`);
  const keep = (row: number, vector: Float32Array) => {
    const scale = highestOf(vector) / HIGHEST;
    insert.run(row, RECIPE, scale, inBytes(vector, scale));
  };
  return {
    /** Writes a vector. The caller must have begun a transaction. */
    keep,
    /** Yields all vectors. First computes the vectors that are missing or were made with another recipe. */
    all: function* (): Iterable<StoredVector> {
      inTransaction(database, () => recomputeStale(database, keep));
      for (const row of every.iterate()) yield readVector(row);
    },
    of: function* (document: string): Iterable<StoredVector> {
      for (const row of ofDocument.iterate(document)) yield readVector(row);
    },
  };
}

/**
 * Returns the highest absolute value in the vector. This function and `inBytes` use plain loops, because they run for
 * every dimension of every passage, and indexing spends most of its time in them.
 */
function highestOf(vector: Float32Array): number {
  let highest = 0;
  for (let at = 0; at < vector.length; at += 1) {
    const size = Math.abs(vector[at] ?? 0);
    if (size > highest) highest = size;
  }
  return highest;
}

function inBytes(vector: Float32Array, scale: number): Int8Array {
  const bytes = new Int8Array(vector.length);
  if (scale === 0) return bytes;
  for (let at = 0; at < vector.length; at += 1) bytes[at] = Math.round((vector[at] ?? 0) / scale);
  return bytes;
}

/** Computes the vectors of chunks that have none, or whose vector was made with another recipe. */
function recomputeStale(database: Database, keep: (row: number, vector: Float32Array) => void): void {
  const stale = database.prepare(
    `SELECT chunks.row, title, heading, text FROM chunks JOIN documents ON documents.id = chunks.document
     LEFT JOIN chunk_vectors ON chunk_vectors.row = chunks.row WHERE recipe IS NOT ?`,
  );
  const drop = database.prepare('DELETE FROM chunk_vectors WHERE row = ?');
  for (const row of stale.all(RECIPE)) {
    drop.run(Number(row.row));
    const heading = String(row.heading);
    const terms = termsOf(`${String(row.title)}\n${heading}\n${String(row.text)}`);
    keep(Number(row.row), embedPassage(terms, heading));
  }
}

function readVector(row: Row) {
  const bytes = row.vals instanceof Uint8Array ? row.vals : new Uint8Array();
  return {
    row: Number(row.row),
    document: String(row.document),
    workspace: String(row.workspace),
    scale: Number(row.scale),
    values: new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  };
}
