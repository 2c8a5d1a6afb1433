/** Tests the app's icons against Microsoft's page on icons of Teams apps. */

import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';

interface Picture {
  /** Width and height in pixels. */
  readonly side: number;
  /** Red, green, blue and opacity of each pixel, row by row. */
  readonly pixels: Uint8Array;
}

const checkedIn = (name: string) =>
  readFileSync(new URL(`../../../../manifests/teams/${name}`, import.meta.url));

/** Reads a PNG with eight bits per channel, an alpha channel, no filters and one data chunk. */
function read(bytes: Buffer): Picture {
  expect(bytes.subarray(12, 16).toString()).toBe('IHDR');
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  expect([...bytes.subarray(24, 29), width]).toEqual([8, 6, 0, 0, 0, height]);
  const rows = inflateSync(bytes.subarray(41, 41 + bytes.readUInt32BE(33)));
  const row = (at: number) => rows.subarray(at * (width * 4 + 1) + 1, (at + 1) * (width * 4 + 1));
  const pixels = Buffer.concat(Array.from({ length: height }, (_, at) => row(at)));
  return { side: width, pixels: new Uint8Array(pixels) };
}

const colours = ({ side, pixels }: Picture) =>
  Array.from({ length: side * side }, (_, at) => [...pixels.subarray(at * 4, at * 4 + 4)]);

test('the colour icon has 192 pixels, is filled to the edges, and has its mark in the safe area', () => {
  const icon = read(checkedIn('color.png'));
  expect(icon.side).toBe(192);
  const all = colours(icon);
  expect(all.every(([, , , opacity]) => opacity === 255)).toBe(true);
  const ground = String([0x0b, 0x5f, 0x54, 255]);
  const marked = all.flatMap((colour, at) => (String(colour) === ground ? [] : [at]));
  const away = marked.map((at) =>
    Math.max(Math.abs((at % 192) - 95.5), Math.abs(Math.floor(at / 192) - 95.5)),
  );
  expect(Math.max(...away)).toBeLessThanOrEqual(60);
  expect(marked.length).toBeGreaterThan(3_000);
});

test('the outline icon has 32 pixels, and is white only', () => {
  const icon = read(checkedIn('outline.png'));
  expect(icon.side).toBe(32);
  const seen = colours(icon).filter(([, , , opacity]) => opacity !== 0);
  expect(seen.filter(([red, green, blue]) => red !== 255 || green !== 255 || blue !== 255)).toEqual([]);
  expect(seen.length).toBeGreaterThan(150);
  expect(seen.length).toBeLessThan(600);
});
