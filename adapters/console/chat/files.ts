import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BridgeError, type Clock, type Log } from '../../../src/kit.ts';
import { KEPT_BYTES, LEAST_COUNTED_BYTES, UNATTACHED_BYTES, UNATTACHED_BYTES_OF_ONE } from '../limits.ts';
import { HttpRefusal } from '../refusal.ts';
import type { FileView } from '../wire.ts';
import { cleanName, readContent } from './content.ts';
import type { ChatStore } from './store.ts';

/** Age at which uploads that no message uses are deleted, and the interval between checks, in milliseconds. */
const UNATTACHED_KEPT_MS = 60 * 60_000;
const TIDY_EVERY_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** Maximum number of expired files that are deleted at each check. */
const EXPIRED_AT_ONCE = 1_000;

/** Stores the bytes of each uploaded file under a random name, all in one folder. */
export class FileStore {
  /** Folder that contains the bytes of each file, under the file's id. */
  readonly folder: string;
  readonly #store: ChatStore;
  readonly #clock: Clock;
  /** Uploads that are being written, with their uploaders. */
  readonly #pending = new Set<{ readonly by: string; readonly bytes: number }>();
  readonly #keptDays: number | undefined;

  /**
   * @param keptDays days after which files are deleted even if messages contain them; if absent, such files do not
   * expire
   */
  constructor(folder: string, store: ChatStore, clock: Clock, keptDays?: number) {
    this.#keptDays = keptDays;
    this.folder = folder;
    this.#store = store;
    this.#clock = clock;
  }

  /** Creates the folder. @throws BridgeError `data-not-writable` */
  async prepare(): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true });
    } catch (cause) {
      throw new BridgeError('data-not-writable', `The folder ${this.folder} cannot be created`, { cause });
    }
    await this.#tidy();
  }

  /** Deletes unused and expired files at intervals until the signal aborts. */
  async keepTidy(signal: AbortSignal, log: Log): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.wait(TIDY_EVERY_MS, signal).catch(() => undefined);
      await this.#tidy().catch((err: unknown) =>
        log.warn({ err }, 'Unused or expired files could not be deleted. The next attempt is in 5 minutes.'),
      );
    }
  }

  /** Deletes uploads that no message uses, and files that have expired. Messages still show the names of the latter. */
  async #tidy(): Promise<void> {
    const now = this.#clock.now();
    const unused = this.#store.unattachedFiles().filter(({ at }) => at < now - UNATTACHED_KEPT_MS);
    await this.remove(unused.map(({ id }) => id));
    if (this.#keptDays === undefined) return;
    await this.remove(this.#store.filesBefore(now - this.#keptDays * DAY_MS, EXPIRED_AT_ONCE));
  }

  /** Checks whether this person may store this many more bytes. @throws HttpRefusal 413 or 507 beyond a quota */
  checkQuota(by: string, bytes: number): void {
    const pending = [...this.#pending];
    const unsent = [...this.#store.unattachedFiles(), ...pending];
    const own = unsent.filter((one) => one.by === by);
    if (sizeOf(own) + bytes > UNATTACHED_BYTES_OF_ONE)
      throw quota('Send the files that you have added, or try again in an hour.');
    if (sizeOf(unsent) + bytes > UNATTACHED_BYTES) throw quota('Please try again later.');
    if (this.#store.fileBytes() + sizeOf(pending) + bytes > KEPT_BYTES)
      throw new HttpRefusal(
        507,
        'no-space',
        'The file storage of this console is full. Please tell its operator.',
      );
  }

  /** Stores a file. Writes the bytes before the database entry, so that no entry lacks its bytes. */
  async add(name: string, bytes: Buffer, by: string): Promise<FileView> {
    this.checkQuota(by, bytes.length);
    const content = readContent(bytes);
    const file: FileView = {
      id: randomUUID(),
      name: cleanName(name, content.type),
      bytes: bytes.length,
      ...content,
    };
    const pending = { by, bytes: bytes.length };
    this.#pending.add(pending);
    try {
      await this.#write(file.id, bytes);
      this.#store.addFile(file, this.#clock.now());
      this.#store.setFileOwner(file.id, by);
      return file;
    } finally {
      this.#pending.delete(pending);
    }
  }

  /**
   * Deletes files, and resolves with their number. Deletes the bytes before the database entry, so that a second call
   * can complete a call that failed.
   */
  async remove(ids: readonly string[]): Promise<number> {
    for (const id of ids) {
      await rm(join(this.folder, id), { force: true });
      this.#store.dropFile(id);
    }
    return ids.length;
  }

  find(id: string): FileView | undefined {
    return this.#store.file(id);
  }

  /** Resolves with true if the file is on disk with all its bytes. */
  async isWhole({ id, bytes }: FileView): Promise<boolean> {
    const found = await stat(join(this.folder, id)).catch(() => undefined);
    return found?.size === bytes;
  }

  /** Returns the bytes of a stored file; undefined if they are missing or their number is wrong. */
  async read(file: FileView, signal: AbortSignal): Promise<Buffer | undefined> {
    if (await this.isWhole(file)) return readFile(join(this.folder, file.id), { signal });
    return undefined;
  }

  async #write(id: string, bytes: Buffer): Promise<void> {
    try {
      await writeFile(join(this.folder, id), bytes, { flag: 'wx', flush: true });
    } catch (cause) {
      throw new BridgeError('store-unavailable', `A file could not be written to ${this.folder}`, {
        cause,
        tellUser: 'The file could not be saved just now. Please send it again in a minute.',
      });
    }
  }
}

const sizeOf = (files: readonly { readonly bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + Math.max(bytes, LEAST_COUNTED_BYTES), 0);

const quota = (cure: string): HttpRefusal =>
  new HttpRefusal(
    413,
    'too-many-files',
    `Too many uploaded files are waiting to be sent in a message. ${cure}`,
  );
