import { type Database, numberOf, textOf } from '../store/database.ts';

/** The bytes of an uploaded file, and the Markdown that was read from them. Both go with their document. */
export interface Uploads {
  keep(document: string, bytes: Uint8Array): void;
  has(document: string): boolean;
  /** Empty for what is not there. */
  bytes(document: string): Uint8Array;
  /** Keeps what was read, and when reading ended: milliseconds since the epoch. */
  finish(document: string, markdown: string, finished: number): void;
  markdown(document: string): string | undefined;
  /** Milliseconds since the epoch; undefined while it is being read. */
  finished(document: string): number | undefined;
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS uploads (
  document TEXT PRIMARY KEY, bytes BLOB NOT NULL, markdown TEXT NOT NULL DEFAULT '',
  finished INTEGER NOT NULL DEFAULT 0);
CREATE TRIGGER IF NOT EXISTS uploads_go_with_documents AFTER DELETE ON documents
  BEGIN DELETE FROM uploads WHERE document = old.id; END;
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
  return {
    keep: (document, content) => void upsert.run(document, content),
    has: (document) => read.get(document) !== undefined,
    bytes: (document) => {
      const value = bytes.get(document)?.bytes;
      return value instanceof Uint8Array ? value : new Uint8Array();
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
  };
}
