import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';

/** Opens a FIFO without waiting for a program that writes to it. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Resolves with the bytes of a file. Reads at most one byte more than `most`, so that the caller notices a larger file.
 * Resolves with undefined if the file cannot be read, or if it is a device or a FIFO, which may have no end.
 */
export async function readCapped(path: string, most: number): Promise<Buffer | undefined> {
  try {
    await using file = await open(path, FLAGS);
    if (!(await file.stat()).isFile()) return undefined;
    return await buffer(file.createReadStream({ end: most, autoClose: false }));
  } catch {
    return undefined;
  }
}
