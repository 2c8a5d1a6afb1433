import type { Database } from '../store/database.ts';

const SCHEMA = `
CREATE TABLE IF NOT EXISTS uploads (
  document TEXT PRIMARY KEY, bytes BLOB NOT NULL, markdown TEXT NOT NULL DEFAULT '',
  finished INTEGER NOT NULL DEFAULT 0);
CREATE TRIGGER IF NOT EXISTS uploads_go_with_documents AFTER DELETE ON documents
  BEGIN DELETE FROM uploads WHERE document = old.id; END;
`;

export type Uploads = ReturnType<typeof createUploads>;

/** The bytes of an uploaded file, and the Markdown that was read from them. Both go with their document. */
export function createUploads(database: Database) {
  database.exec(SCHEMA);
  const upsert = database.prepare(
    `INSERT INTO uploads (document, bytes) VALUES (?, ?)
     ON CONFLICT (document) DO UPDATE SET bytes = excluded.bytes, markdown = '', finished = 0`,
  );
  const bytes = database.prepare('SELECT bytes FROM uploads WHERE document = ?');
  const read = database.prepare('SELECT markdown, finished FROM uploads WHERE document = ?');
  const finish = database.prepare('UPDATE uploads SET markdown = ?, finished = ? WHERE document = ?');
  return {
    keep: (document: string, content: Uint8Array) => void upsert.run(document, content),
    has: (document: string) => read.get(document) !== undefined,
    /** Empty for an unknown document. */
    bytes: (document: string): Uint8Array => {
      const value = bytes.get(document)?.bytes;
      return value instanceof Uint8Array ? value : new Uint8Array();
    },
    /** Keeps what was read, and when reading ended: milliseconds since the epoch. */
    finish: (document: string, markdown: string, finished: number) =>
      void finish.run(markdown, finished, document),
    markdown: (document: string) => {
      const row = read.get(document);
      return row && String(row.markdown);
    },
    /** Milliseconds since the epoch; undefined while the file is being read. */
    finished: (document: string) => Number(read.get(document)?.finished) || undefined,
  };
}
