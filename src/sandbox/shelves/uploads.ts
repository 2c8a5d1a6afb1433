import { type Database, numberOf, textOf } from '../store/database.ts';

/** The bytes of an uploaded file, and the Markdown that was read from them. */
export interface Uploads {
  keep(document: string, bytes: Uint8Array): void;
  bytes(document: string): Uint8Array | undefined;
  /** Keeps what was read, and when reading ended: milliseconds since the epoch. */
  finish(document: string, markdown: string, finished: number): void;
  markdown(document: string): string | undefined;
  /** Milliseconds since the epoch; undefined while it is being read. */
  finished(document: string): number | undefined;
  remove(document: string): void;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS uploads (
  document TEXT PRIMARY KEY, bytes BLOB NOT NULL, markdown TEXT NOT NULL DEFAULT '',
  finished INTEGER NOT NULL DEFAULT 0);
`;

export function createUploads(database: Database): Uploads {
  database.exec(SCHEMA);
  const upsert = database.prepare(
    `INSERT INTO uploads (document, bytes) VALUES (?, ?)
     ON CONFLICT (document) DO UPDATE SET bytes = excluded.bytes, markdown = '', finished = 0`,
  );
  const bytes = database.prepare('SELECT bytes FROM uploads WHERE document = ?');
  const read = database.prepare('SELECT markdown, finished FROM uploads WHERE document = ?');
  const finish = database.prepare('UPDATE uploads SET markdown = ?, finished = ? WHERE document = ?');
  const drop = database.prepare('DELETE FROM uploads WHERE document = ?');
  return {
    keep: (document, content) => void upsert.run(document, content),
    bytes: (document) => {
      const value = bytes.get(document)?.bytes;
      return value instanceof Uint8Array ? value : undefined;
    },
    finish: (document, markdown, finished) => void finish.run(markdown, finished, document),
    markdown: (document) => {
      const row = read.get(document);
      return row && textOf(row, 'markdown');
    },
    finished: (document) => {
      const finished = numberOf(read.get(document) ?? {}, 'finished');
      return finished === 0 ? undefined : finished;
    },
    remove: (document) => void drop.run(document),
  };
}
