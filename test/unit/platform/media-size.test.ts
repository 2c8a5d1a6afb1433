/**
 * Tests that the size in an image's header is checked before the image is decoded (attack S10: huge or broken images).
 */

import { expect, test } from 'vitest';
import { createByteCache, openImage } from '../../../src/platform/media/images.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { answerOf, wiringOf } from './wiring.ts';

/** Returns the start of a PNG: its signature and its header. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(33);
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(header);
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  header.writeUInt8(8, 24);
  return header;
}

const open = (image: Buffer) =>
  openImage(
    { wiring: wiringOf(async () => answerOf(image)), cache: createByteCache(createVirtualClock()) },
    { files: undefined, addresses: { kind: 'none' }, addressCredential: 'none', scope: 'agent' },
    { kind: 'url', url: 'https://cdn.example/x.png' },
    new AbortController().signal,
  );

test.each([
  [1, 1],
  [10_000, 5_000],
])('%i x %i is accepted', async (width, height) => {
  expect(await open(png(width, height))).toMatchObject({ type: 'image/png' });
});

test.each([
  ['20,000 x 20,000', png(20_000, 20_000)],
  ['one row above 50,000,000 pixels', png(10_000, 5_001)],
  ['no width', png(0, 5_000)],
  ['no height', png(5_000, 0)],
  ['no header', png(10, 10).subarray(0, 12)],
])('S10: %s is refused', async (_, image) => {
  await expect(open(image)).rejects.toMatchObject({
    code: 'media-unavailable',
    message: expect.stringContaining('larger than a browser should decode'),
  });
});
