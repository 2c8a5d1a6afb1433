import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024;
/** Opens a FIFO without waiting for a program that writes to it. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Reads a whole file that an operator names in the configuration. Never reads more than `most` bytes, whatever size the
 * file claims, so that a file without an end cannot stop the bridge (attack S31).
 * @throws Error with the code `EFBIG` if the file is larger, or `ENOTREG` if it is a folder, a device or a FIFO
 */
export function readCapped(file: string, most: number): Buffer {
  const handle = openSync(file, FLAGS);
  try {
    const found = fstatSync(handle);
    if (!found.isFile()) throw refusal('ENOTREG', 'it is not a regular file');
    const chunks: Buffer[] = [];
    // Some files, such as those below /proc, claim to be empty, and a file may grow, so the bytes are counted too.
    for (let size = 0; Math.max(size, found.size) <= most; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(handle, chunk);
      if (read === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, read));
      size += read;
    }
    throw refusal('EFBIG', `it is larger than ${most / 1024} KiB`);
  } finally {
    closeSync(handle);
  }
}

const refusal = (code: string, message: string): Error => Object.assign(new Error(message), { code });
