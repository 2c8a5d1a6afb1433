import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, relative, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Images, StoredImage } from '../store/images.ts';
import { imageType } from '../store/images.ts';
import type { Block } from './chunk.ts';

/** Maximum bytes of a picture. Larger pictures are left out. */
const PICTURE_LIMIT = 20 * 1024 * 1024;

/**
 * Stores the pictures of a document that can be read. Deletes stored pictures that the document no longer contains.
 * Returns the file ids of the pictures, by their addresses in the document.
 */
export async function keepPictures(
  document: string,
  blocks: readonly Block[],
  images: Images,
  find: (source: string) => Promise<StoredImage | undefined>,
): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  const names: string[] = [];
  for (const block of blocks) {
    if (block.kind !== 'image' || links.has(block.source)) continue;
    const image = await find(block.source);
    if (image === undefined) continue;
    links.set(block.source, images.keep(document, image));
    names.push(image.name);
  }
  images.dropOthers(document, names);
  return links;
}

const DATA_IMAGE = /^data:image\/[\w+.-]+;base64,(.*)$/s;

/**
 * Returns a picture that is embedded in the document as a `data:` address; undefined if `source` is no such address.
 */
export async function embeddedPicture(source: string): Promise<StoredImage | undefined> {
  const [, base64] = DATA_IMAGE.exec(source) ?? [];
  const bytes = base64 === undefined ? undefined : Buffer.from(base64, 'base64');
  const type = bytes && typeOf(bytes);
  if (bytes === undefined || type === undefined) return undefined;
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { name: `${digest}.${type.slice('image/'.length)}`, type, bytes };
}

/**
 * Returns a picture from the document's folder or a folder below it. Returns undefined for any other address, so that a
 * document cannot show files from elsewhere on the machine.
 */
export async function pictureBeside(source: string, folder: string): Promise<StoredImage | undefined> {
  const name = decoded(source);
  if (name === undefined || /^[a-z][a-z0-9+.-]*:|^\/\//i.test(source)) return undefined;
  const path = resolve(folder, name);
  if (relative(folder, path).startsWith('..')) return undefined;
  const bytes = await readCapped(path, PICTURE_LIMIT);
  const type = bytes && typeOf(bytes);
  return bytes === undefined || type === undefined ? undefined : { name: basename(source), type, bytes };
}

const typeOf = (bytes: Buffer): string | undefined =>
  bytes.length > PICTURE_LIMIT ? undefined : imageType(bytes);

function decoded(source: string): string | undefined {
  try {
    return decodeURI(source);
  } catch {
    return undefined;
  }
}

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
