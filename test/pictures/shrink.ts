/**
 * Makes pictures smaller: reduces them to 256 colors, which is enough for pages with text. `node test/pictures/shrink.ts
 * FILE…` replaces the files. Reads the PNG files that Chromium writes, and files that are small already.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MAX_COLORS = 256;
/** Color types of the PNG format (https://www.w3.org/TR/png-3/#6Colour-values). */
const TYPE = { rgb: 2, palette: 3, rgba: 6 };

/** A color as `0xRRGGBB`. */
type Color = number;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** The colors of all pixels, row by row. */
  readonly pixels: Uint32Array;
}

/** Returns the picture with at most 256 colors. Returns a picture with a palette unchanged. */
export function shrunk(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  if (chunks.get('IHDR')?.readUInt8(9) === TYPE.palette) return png;
  const picture = decode(chunks);
  const { palette, indexOf } = reduce(picture.pixels);
  return encode(picture, palette, indexOf);
}

function chunksOf(png: Buffer): ReadonlyMap<string, Buffer> {
  const chunks = new Map<string, Buffer>();
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    chunks.set(type, Buffer.concat([chunks.get(type) ?? Buffer.alloc(0), data]));
    at += length + 12;
  }
  return chunks;
}

/** Decodes a picture with 8 bits a channel, without interlacing. Ignores transparency, which screenshots do not have. */
function decode(chunks: ReadonlyMap<string, Buffer>): Picture {
  const header = chunks.get('IHDR') ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const type = header.readUInt8(9);
  if (header.readUInt8(8) !== 8 || (type !== TYPE.rgb && type !== TYPE.rgba) || header.readUInt8(12) !== 0)
    throw new Error('The picture is not a PNG file as Chromium writes it.');
  const bytes = type === TYPE.rgb ? 3 : 4;
  const raw = inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0));
  const pixels = new Uint32Array(width * height);
  let above: Uint8Array = new Uint8Array(width * bytes);
  for (let y = 0; y < height; y += 1) {
    const from = y * (width * bytes + 1);
    const row = unfilter(raw[from] ?? 0, raw.subarray(from + 1, from + 1 + width * bytes), above, bytes);
    for (let x = 0; x < width; x += 1) {
      const [r = 0, g = 0, b = 0] = row.subarray(x * bytes, x * bytes + 3);
      pixels[y * width + x] = (r << 16) | (g << 8) | b;
    }
    above = row;
  }
  return { width, height, pixels };
}

/** Reverses a row's filter (https://www.w3.org/TR/png-3/#9Filters). */
function unfilter(filter: number, row: Uint8Array, above: Uint8Array, bytes: number): Uint8Array {
  const out = new Uint8Array(row.length);
  for (let at = 0; at < row.length; at += 1) {
    const [left, up, corner] = [out[at - bytes] ?? 0, above[at] ?? 0, above[at - bytes] ?? 0];
    const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
    out[at] = (row[at] ?? 0) + predicted;
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [dl, du, dc] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return dl <= du && dl <= dc ? left : du <= dc ? up : corner;
}

const channels = [16, 8, 0];
const channelOf = (color: Color, shift: number): number => (color >> shift) & 0xff;

/** Divides the colors into at most 256 groups (median cut), and replaces each group by its average. */
function reduce(pixels: Uint32Array) {
  const counts = new Map<Color, number>();
  for (const color of pixels) counts.set(color, (counts.get(color) ?? 0) + 1);
  const groups: Color[][] = [[...counts.keys()]];
  while (groups.length < MAX_COLORS) {
    const spreads = groups.map((group) => spreadOf(group));
    const widest = spreads.reduce(
      (best, spread, nth) => (spread.size > (spreads[best]?.size ?? 0) ? nth : best),
      0,
    );
    const { size, shift } = spreads[widest] ?? { size: 0, shift: 0 };
    if (size === 0) break;
    const group = (groups[widest] ?? []).toSorted((a, b) => channelOf(a, shift) - channelOf(b, shift));
    const middle = group.length >> 1;
    groups.splice(widest, 1, group.slice(0, middle), group.slice(middle));
  }
  const indexOf = new Map(groups.flatMap((group, index) => group.map((color) => [color, index] as const)));
  return { palette: groups.map((group) => averageOf(group, counts)), indexOf };
}

/** Returns the channel in which the colors differ most, and the difference. */
function spreadOf(group: readonly Color[]): { readonly size: number; readonly shift: number } {
  const spreads = channels.map((shift) => {
    const values = group.map((color) => channelOf(color, shift));
    return {
      shift,
      size: values.reduce((a, b) => Math.max(a, b), 0) - values.reduce((a, b) => Math.min(a, b), 255),
    };
  });
  return spreads.reduce((best, each) => (each.size > best.size ? each : best), { size: 0, shift: 0 });
}

function averageOf(group: readonly Color[], counts: ReadonlyMap<Color, number>): Color {
  const weight = group.reduce((sum, color) => sum + (counts.get(color) ?? 0), 0);
  const mean = (shift: number) =>
    Math.round(
      group.reduce((sum, color) => sum + channelOf(color, shift) * (counts.get(color) ?? 0), 0) / weight,
    );
  return channels.reduce((color, shift) => color | (mean(shift) << shift), 0);
}

function encode(
  { width, height, pixels }: Picture,
  palette: readonly Color[],
  indexOf: ReadonlyMap<Color, number>,
) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, TYPE.palette], 8);
  // Each row begins with the number of its filter. 0 means no filter, which compresses best with a palette.
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, color] of pixels.entries())
    rows[Math.floor(at / width) * (width + 1) + 1 + (at % width)] = indexOf.get(color) ?? 0;
  const colors = Buffer.from(palette.flatMap((color) => channels.map((shift) => channelOf(color, shift))));
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const data = deflateSync(rows, { level: 9, memLevel: 9 });
  const parts = [
    chunk('IHDR', header),
    chunk('PLTE', colors),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ];
  return Buffer.concat([SIGNATURE, ...parts]);
}

if (import.meta.main)
  for (const file of process.argv.slice(2)) writeFileSync(file, shrunk(readFileSync(file)));
