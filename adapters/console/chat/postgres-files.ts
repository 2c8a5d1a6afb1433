import type { SharedDatabase } from '../../../src/kit/ladder.ts';
import type { FileBytes } from './file-folder.ts';

/** Bytes of a piece of a file. Pieces keep the memory for a slow download low, and no statement takes long. */
const PIECE_BYTES = 256 * 1024;

/** Stores the bytes of uploaded files in the database, in pieces. */
export function filesInDatabase(database: SharedDatabase): FileBytes {
  /** Ends when the last upload is written, so that uploads take only one of the few connections. */
  let writing: Promise<void> = Promise.resolve();
  return {
    ...readingFrom(database),
    prepare: async () => undefined,
    write(id, bytes, at) {
      const written = writing.then(() => writePieces(database, id, bytes, at));
      writing = written.catch(() => undefined);
      return written;
    },
  };
}

const writePieces = ({ transaction }: SharedDatabase, id: string, bytes: Buffer, at: number): Promise<void> =>
  transaction(async (query) => {
    for (let nth = 0; nth * PIECE_BYTES < bytes.length; nth += 1) {
      const piece = bytes.subarray(nth * PIECE_BYTES, (nth + 1) * PIECE_BYTES);
      await query('INSERT INTO parley.chat_file_bytes (file, nth, at, bytes) VALUES ($1, $2, $3, $4)', [
        id,
        nth,
        at,
        piece,
      ]);
    }
  });

const readingFrom = ({ query }: SharedDatabase): Omit<FileBytes, 'prepare' | 'write'> => ({
  async remove(id) {
    await query('DELETE FROM parley.chat_file_bytes WHERE file = $1', [id]);
  },
  async removeStrays(before) {
    await query(
      `DELETE FROM parley.chat_file_bytes WHERE at < $1
        AND NOT EXISTS (SELECT 1 FROM parley.chat_files WHERE chat_files.id = file)`,
      [before],
    );
  },
  async isWhole({ id, bytes }) {
    const [found] = await query(
      'SELECT sum(octet_length(bytes)) AS bytes FROM parley.chat_file_bytes WHERE file = $1',
      [id],
    );
    return Number(found?.bytes) === bytes;
  },
  async *read({ id }, signal) {
    for (let nth = 0; ; nth += 1) {
      signal?.throwIfAborted();
      const [row] = await query('SELECT bytes FROM parley.chat_file_bytes WHERE file = $1 AND nth = $2', [
        id,
        nth,
      ]);
      if (!Buffer.isBuffer(row?.bytes)) return;
      yield row.bytes;
    }
  },
});
