import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BridgeError, type Clock } from '../../../src/kit.ts';
import type { FileView } from '../wire.ts';
import { cleanName, readContent } from './content.ts';
import type { ChatStore } from './store.ts';

/** Files that were sent but never taken by a message are forgotten after this. */
const LOOSE_KEPT_MS = 24 * 60 * 60_000;

/** The bytes of shared files, one file each, under random names in one folder. */
export class FileStore {
  readonly #folder: string;
  readonly #store: ChatStore;
  readonly #clock: Clock;

  constructor(folder: string, store: ChatStore, clock: Clock) {
    this.#folder = folder;
    this.#store = store;
    this.#clock = clock;
  }

  /** @throws BridgeError `data-not-writable` */
  async prepare(): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true });
    } catch (cause) {
      throw new BridgeError('data-not-writable', `The folder ${this.#folder} cannot be made`, { cause });
    }
    const loose = this.#store.dropLooseFiles(this.#clock.now() - LOOSE_KEPT_MS);
    await Promise.all(loose.map((id) => rm(join(this.#folder, id), { force: true })));
  }

  /** Keeps the bytes before their entry, so that an entry always has its bytes. */
  async add(name: string, bytes: Buffer): Promise<FileView> {
    const content = readContent(bytes);
    const file: FileView = {
      id: randomUUID(),
      name: cleanName(name, content),
      type: content.type,
      bytes: bytes.length,
      image: content.image,
    };
    await this.#write(file.id, bytes);
    this.#store.addFile(file, this.#clock.now());
    return file;
  }

  find(id: string): FileView | undefined {
    return this.#store.file(id);
  }

  /** Only ids of known files reach the folder. */
  async read({ id }: FileView, signal?: AbortSignal): Promise<Buffer> {
    return readFile(join(this.#folder, id), signal ? { signal } : {});
  }

  async #write(id: string, bytes: Buffer): Promise<void> {
    try {
      const handle = await open(join(this.#folder, id), 'wx');
      try {
        await handle.writeFile(bytes);
        await handle.sync();
      } finally {
        await handle.close();
      }
    } catch (cause) {
      throw new BridgeError('store-unavailable', `A file could not be written to ${this.#folder}`, {
        cause,
        tellUser: 'The file could not be kept just now. Please send it again in a minute.',
      });
    }
  }
}
