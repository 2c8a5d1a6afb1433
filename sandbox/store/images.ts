import { createHash, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Database } from './database.ts';

export interface StoredImage {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Maximum images of a message and of an upload (platform contract IMG-5: limits). */
export const MAX_IMAGES = 10;

/** Maximum bytes of uploads in memory. When there are more, those that were not used for longest are dropped. */
const UPLOADS_BYTES = 200 * 1024 * 1024;

const FILE_ID = /^\d{4,15}$/;
/** Value in the column `document` if the image belongs to an answer. */
const ANSWERS = 'answers';

export type Images = ReturnType<typeof createImages>;

/**
 * Stores images. Images uploaded with a question are kept in memory, under a uuid. Images of documents and answers are
 * in the database, under a numeric file id.
 */
export function createImages(database: Database) {
  const uploads = new LRUCache<string, StoredImage>({
    maxSize: UPLOADS_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length,
  });
  const upsert = database.prepare(
    `INSERT INTO images (document, name, type, bytes) VALUES (?, ?, ?, ?)
     ON CONFLICT (document, name) DO UPDATE SET type = excluded.type, bytes = excluded.bytes RETURNING file_id`,
  );
  const select = database.prepare('SELECT document, name, type, bytes FROM images WHERE file_id = ?');
  const names = database.prepare('SELECT name FROM images WHERE document = ?');
  const drop = database.prepare('DELETE FROM images WHERE document = ? AND name = ?');
  /** Stores an image of a document. If the document had an image of this name, the file id stays the same. */
  const keep = (document: string, image: StoredImage): string =>
    String(upsert.get(document, image.name, image.type, image.bytes)?.file_id);
  return {
    /** Keeps an uploaded image in memory, and returns its uuid (platform contract IMG-4, IMG-6: ids of uploads). */
    upload: (image: StoredImage): string => {
      const id = randomUUID();
      uploads.set(id, image);
      return id;
    },
    uploaded: (id: string) => uploads.get(id),
    keep,
    /** Stores an image of an answer. The same bytes with the same name always have the same file id. */
    keepAnswer: (image: StoredImage): string => {
      const digest = createHash('sha256').update(image.bytes).digest('hex').slice(0, 32);
      return keep(ANSWERS, { ...image, name: `${digest}-${image.name}` });
    },
    /** Returns the document that an image belongs to; undefined if the image is unknown, or belongs to an answer. */
    documentOf: (fileId: string): string | undefined => {
      const row = select.get(FILE_ID.test(fileId) ? fileId : '');
      return row === undefined || row.document === ANSWERS ? undefined : String(row.document);
    },
    find: (fileId: string): StoredImage | undefined => {
      const row = FILE_ID.test(fileId) ? select.get(fileId) : undefined;
      if (row === undefined || !(row.bytes instanceof Uint8Array)) return undefined;
      return { name: String(row.name), type: String(row.type), bytes: row.bytes };
    },
    /** Deletes a document's images, except those whose names are in `keptNames`. */
    dropOthers: (document: string, keptNames: readonly string[]): void => {
      for (const row of names.all(document)) {
        const name = String(row.name);
        if (!keptNames.includes(name)) drop.run(document, name);
      }
    },
  };
}

/**
 * Image types that the sandbox accepts and serves. It detects them by their first bytes (platform contract IMG-5:
 * limits).
 */
type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export function imageType(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
}
