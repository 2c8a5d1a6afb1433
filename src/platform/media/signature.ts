import { imageSize } from 'image-size';
import type { ImageFile } from '../../core/agents/agent.ts';

/** Pixels of an image that a browser may be asked to decode (trust contract S10). */
const MAX_PIXELS = 50_000_000;

type ImageType = ImageFile['type'];

const SIGNATURES: readonly { type: ImageType; at: number; bytes: readonly number[] }[] = [
  { type: 'image/png', at: 0, bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { type: 'image/jpeg', at: 0, bytes: [0xff, 0xd8, 0xff] },
  { type: 'image/gif', at: 0, bytes: [0x47, 0x49, 0x46, 0x38, 0x37, 0x61] },
  { type: 'image/gif', at: 0, bytes: [0x47, 0x49, 0x46, 0x38, 0x39, 0x61] },
];
const RIFF = [0x52, 0x49, 0x46, 0x46];
const WEBP = [0x57, 0x45, 0x42, 0x50];

/** What the content is, whatever its name and header say (trust contract S11); `undefined` for anything but these four. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const known = SIGNATURES.find((signature) => matches(bytes, signature.at, signature.bytes));
  if (known !== undefined) return known.type;
  return matches(bytes, 0, RIFF) && matches(bytes, 8, WEBP) ? 'image/webp' : undefined;
}

function matches(bytes: Uint8Array, at: number, signature: readonly number[]): boolean {
  return signature.every((byte, index) => bytes[at + index] === byte);
}

/** Whether the header tells a size that is safe to decode; reads nothing else (trust contract S10). */
export function hasSafeSize(bytes: Uint8Array): boolean {
  try {
    const { width, height } = imageSize(bytes);
    return width > 0 && height > 0 && width * height <= MAX_PIXELS;
  } catch {
    return false;
  }
}
