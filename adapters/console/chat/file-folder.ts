import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BridgeError } from '../../../src/kit.ts';
import type { FileView } from '../wire.ts';

/** Storage of the bytes of uploaded files. */
export interface FileBytes {
  /** Folder that contains the bytes of each file, under the file's id; undefined if they are in a database. */
  readonly folder?: string;
  /** @throws BridgeError `data-not-writable` */
  prepare(): Promise<void>;
  /** @throws BridgeError `store-unavailable` */
  write(id: string, bytes: Buffer, at: number): Promise<void>;
  remove(id: string): Promise<void>;
  /** Removes bytes that were written before the time `before` and belong to no file. */
  removeStrays(before: number): Promise<void>;
  /** Resolves with true if all bytes of the file are stored. */
  isWhole(file: FileView): Promise<boolean>;
  /** Yields the bytes of a file in pieces. */
  read(file: FileView, signal?: AbortSignal): AsyncIterable<Buffer>;
}

/** Returns the bytes of a file; undefined if some are missing. */
export async function readWhole(
  bytes: FileBytes,
  file: FileView,
  signal?: AbortSignal,
): Promise<Buffer | undefined> {
  if (!(await bytes.isWhole(file))) return undefined;
  const pieces: Buffer[] = [];
  for await (const piece of bytes.read(file, signal)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Stores the bytes of each file under a random name, all in one folder. */
export function fileFolder(folder: string): FileBytes & { readonly folder: string } {
  return {
    folder,
    async prepare() {
      try {
        await mkdir(folder, { recursive: true });
      } catch (cause) {
        throw new BridgeError('data-not-writable', `The folder ${folder} cannot be created`, { cause });
      }
    },
    async write(id, bytes) {
      try {
        await writeFile(join(folder, id), bytes, { flag: 'wx', flush: true });
      } catch (cause) {
        throw new BridgeError('store-unavailable', `A file could not be written to ${folder}`, {
          cause,
          tellUser: 'The file could not be saved just now. Please send it again in a minute.',
        });
      }
    },
    remove: (id) => rm(join(folder, id), { force: true }),
    removeStrays: async () => undefined,
    async isWhole({ id, bytes }) {
      const found = await stat(join(folder, id)).catch(() => undefined);
      return found?.size === bytes;
    },
    async *read({ id }, signal) {
      yield await readFile(join(folder, id), { ...(signal && { signal }) });
    },
  };
}
