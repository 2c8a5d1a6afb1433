import type { ImageFile } from './agent.ts';

type ImageType = ImageFile['type'];

/** First bytes of the formats that agents accept (platform contract IMG-5); `.` stands for any byte. */
const SIGNATURES: readonly { readonly type: ImageType; readonly begins: string }[] = [
  { type: 'image/png', begins: '\x89PNG\r\n\x1a\n' },
  { type: 'image/jpeg', begins: '\xff\xd8\xff' },
  { type: 'image/gif', begins: 'GIF87a' },
  { type: 'image/gif', begins: 'GIF89a' },
  { type: 'image/webp', begins: 'RIFF....WEBP' },
];

/**
 * Returns the image format of the content, ignoring the file name; undefined if agents do not accept its format.
 */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  return SIGNATURES.find(({ begins }) => beginsWith(bytes, begins))?.type;
}

function beginsWith(bytes: Uint8Array, pattern: string): boolean {
  if (bytes.length < pattern.length) return false;
  return Array.from(pattern).every((mark, at) => mark === '.' || bytes[at] === mark.charCodeAt(0));
}
