/** Detects a file's type from its bytes, and cleans its name. Pure. */

import { isUtf8 } from 'node:buffer';
import { imageTypeOf } from '../../../src/kit/ladder.ts';
import type { FileView } from '../wire.ts';

type Content = Pick<FileView, 'type' | 'image'>;

/** Extensions that an image's name may have, by type. The usual one is first. */
const extensions: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
};

/** Matches HTML or SVG that a browser might run, anywhere in an image's bytes. */
const markup = /<(?:!doctype\s+html|html|script|svg|iframe|body)[\s>/]/i;

/**
 * Detects the type from the bytes. Bytes that are an image and contain markup too (a polyglot file) do not count as an
 * image.
 */
export function readContent(bytes: Buffer): Content {
  const type = imageTypeOf(bytes);
  if (type !== undefined && !markup.test(bytes.toString('latin1'))) {
    return { type, image: true };
  }
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return { type: 'application/pdf', image: false };
  return {
    type: isUtf8(bytes) && !bytes.includes(0) ? 'text/plain' : 'application/octet-stream',
    image: false,
  };
}

/** True if the name or the declared type says that the file is an image, whatever its bytes are. */
export function claimsImage(name: string, declared: string): boolean {
  return /^image\//i.test(declared) || /\.(png|jpe?g|gif|webp|svgz?|bmp|ico|avif|tiff?)$/i.test(name);
}

/** Maximum length of a file's name, in UTF-16 units. */
const NAME_CHARS = 120;
/** Matches control characters, and invisible characters that reorder or hide parts of a name. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Returns the name without folders and invisible characters. Its extension fits the type of the content. */
export function cleanName(name: string, type: string): string {
  const bare = name.toWellFormed().normalize('NFC').replace(unseen, '').split(/[\\/]/).at(-1) ?? '';
  const tidy = bare.replace(/[<>:"|?*\s]+/g, ' ').replace(/^[. ]+|[. ]+$/g, '');
  const extension = /\.([a-z0-9]{1,10})$/i.exec(tidy)?.[1] ?? '';
  const baseName = extension === '' ? tidy : tidy.slice(0, -extension.length - 1);
  const permitted = extensions[type];
  const fits = permitted === undefined || permitted.includes(extension.toLowerCase());
  const ending = fits ? extension : [extension, permitted[0]].filter(Boolean).join('.');
  const short = baseName.slice(0, NAME_CHARS - ending.length - 1).toWellFormed() || 'file';
  return ending === '' ? short : `${short}.${ending}`;
}

/** Returns a file's name as the header `content-disposition` takes it. */
export const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
