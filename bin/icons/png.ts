/** A picture as PNG (W3C, Portable Network Graphics): eight bits of red, green, blue and opacity, no filter. */

import { crc32, deflateSync } from 'node:zlib';
import type { Picture } from './paint.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Eight bits a channel; colour with opacity; the only compression and filter that there are; not interlaced. */
const FORMAT = [8, 6, 0, 0, 0];

export function png({ side, pixels }: Picture): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  const rows = Array.from({ length: side }, (_, row) =>
    Buffer.concat([Buffer.of(0), pixels.subarray(row * side * 4, (row + 1) * side * 4)]),
  );
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([head, Buffer.from(FORMAT)])),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(kind: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), body]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(body.length, 0);
  frame.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)]);
}
