import { randomUUID } from 'node:crypto';
import type { Clock, Log } from '../../../src/kit.ts';
import { KEPT_BYTES, LEAST_COUNTED_BYTES, UNATTACHED_BYTES, UNATTACHED_BYTES_OF_ONE } from '../limits.ts';
import { HttpRefusal } from '../refusal.ts';
import type { FileView } from '../wire.ts';
import { cleanName, readContent } from './content.ts';
import type { FileBytes } from './file-folder.ts';
import type { ChatStore } from './ports.ts';

/** Age at which uploads that no message uses are deleted, and the interval between checks, in milliseconds. */
const UNATTACHED_KEPT_MS = 60 * 60_000;
const TIDY_EVERY_MS = 5 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** Maximum number of expired files that are deleted at each check. */
const EXPIRED_AT_ONCE = 1_000;

/** Stores uploaded files. */
export class FileStore {
  readonly bytes: FileBytes;
  readonly #store: ChatStore;
  readonly #clock: Clock;
  /** Uploads that are being written, by the id of the file. */
  readonly #pending = new Map<string, { readonly by: string; readonly bytes: number }>();
  readonly #keptDays: number | undefined;
  /** Total bytes of all files, if no other process changes them; undefined until it is first needed. */
  #total: number | undefined;

  /**
   * @param keptDays days after which files are deleted even if messages contain them; if absent, such files do not
   * expire
   */
  constructor(bytes: FileBytes, store: ChatStore, clock: Clock, keptDays?: number) {
    this.#keptDays = keptDays;
    this.bytes = bytes;
    this.#store = store;
    this.#clock = clock;
  }

  /** @throws BridgeError `data-not-writable` */
  async prepare(): Promise<void> {
    await this.bytes.prepare();
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
    const { rows } = this.#store;
    const unused = (await rows.unattachedFiles()).filter(({ at }) => at < now - UNATTACHED_KEPT_MS);
    await this.remove(unused.map(({ id }) => id));
    await this.bytes.removeStrays(now - UNATTACHED_KEPT_MS);
    if (this.#keptDays === undefined) return;
    await this.remove(await rows.filesBefore(now - this.#keptDays * DAY_MS, EXPIRED_AT_ONCE));
  }

  /**
   * Checks whether this person may store this many more bytes.
   * @param upload id of an upload, which counts as pending from then on
   * @throws HttpRefusal 413 or 507 beyond a quota
   */
  async checkQuota(by: string, bytes: number, upload?: string): Promise<void> {
    // An upload may end while the others are counted.
    const before = [...this.#pending];
    const stored = await this.#storedBytes();
    const unattached = (await this.#store.rows.unattachedFiles()).map((file) => [file.id, file] as const);
    const pending = new Map([...before, ...this.#pending]);
    const unsent = [...new Map([...pending, ...unattached]).values()];
    const own = unsent.filter((one) => one.by === by);
    if (sizeOf(own) + bytes > UNATTACHED_BYTES_OF_ONE)
      throw quota('Send the files that you have added, or try again in an hour.');
    if (sizeOf(unsent) + bytes > UNATTACHED_BYTES) throw quota('Please try again later.');
    if (stored + sizeOf([...pending.values()]) + bytes > KEPT_BYTES)
      throw new HttpRefusal(
        507,
        'no-space',
        'The file storage of this console is full. Please tell its operator.',
      );
    if (upload !== undefined) this.#pending.set(upload, { by, bytes });
  }

  /** Returns the total bytes of all files. If this process alone changes them, counts them only once. */
  async #storedBytes(): Promise<number> {
    if (this.#store.isShared) return this.#store.fileBytes();
    this.#total ??= await this.#store.fileBytes();
    return this.#total;
  }

  /** Stores a file. Writes the bytes before the database entry, so that no entry lacks its bytes. */
  async add(name: string, bytes: Buffer, by: string): Promise<FileView> {
    const content = readContent(bytes);
    const file: FileView = {
      id: randomUUID(),
      name: cleanName(name, content.type),
      bytes: bytes.length,
      ...content,
    };
    await this.checkQuota(by, bytes.length, file.id);
    try {
      await this.bytes.write(file.id, bytes, this.#clock.now());
      await this.#store.rows.addFile(file, this.#clock.now(), by);
      if (this.#total !== undefined) this.#total += file.bytes;
      return file;
    } finally {
      this.#pending.delete(file.id);
    }
  }

  /**
   * Deletes files, and resolves with their number. Deletes the bytes before the database entry, so that a second call
   * can complete a call that failed.
   */
  async remove(ids: readonly string[]): Promise<number> {
    for (const id of ids) {
      await this.bytes.remove(id);
      await this.#store.rows.dropFile(id);
      this.#total = undefined;
    }
    return ids.length;
  }

  find(id: string): Promise<FileView | undefined> {
    return this.#store.rows.file(id);
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
