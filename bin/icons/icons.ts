/** Parley's mark as the two icons of an app for Teams. Sizes and looks: Microsoft's page on icons of Teams apps. */

import { readFileSync } from 'node:fs';
import { outlineOf, type Point } from './outline.ts';
import { along, type Colour, filled, type Picture, paint, transparent, within } from './paint.ts';

const mark = readFileSync(new URL('../../adapters/console/page/mark.svg', import.meta.url), 'utf8');
const WHITE: Colour = [255, 255, 255];

/** Pixels of a side of the store's icon, and of the middle that is never cut off. */
const COLOUR_SIDE = 192;
const SAFE_SIDE = 112;
/** Pixels of a side of the app bar's icon, of the mark in it, and of its line. */
const OUTLINE_SIDE = 32;
const MARK_SIDE = 27;
const LINE = 2;

interface Voice {
  readonly outline: readonly Point[];
  readonly colour: Colour;
}

/** The ground filled to the edges, because Teams rounds the corners, and the mark in the middle. */
export function colourIcon(): Picture {
  const ground = /<rect[^>]*fill="#(\w+)"/.exec(mark)?.[1] ?? '';
  const picture = filled(COLOUR_SIDE, colourOf(ground));
  for (const { outline, colour } of centred(voices(), COLOUR_SIDE, SAFE_SIDE)) {
    paint(picture, within(outline), colour);
  }
  return picture;
}

/** White on nothing: the first voice as a line, the second filled, so that they stay apart when so small. */
export function outlineIcon(): Picture {
  const picture = transparent(OUTLINE_SIDE);
  for (const [at, { outline }] of centred(voices(), OUTLINE_SIDE, MARK_SIDE).entries()) {
    paint(picture, at === 0 ? along(outline, LINE) : within(outline), WHITE);
  }
  return picture;
}

function voices(): readonly Voice[] {
  return [...mark.matchAll(/<path d="([^"]+)" fill="#(\w+)"/g)].map(([, path = '', colour = '']) => ({
    outline: outlineOf(path),
    colour: colourOf(colour),
  }));
}

function colourOf(hex: string): Colour {
  const number = Number.parseInt(hex, 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** Enlarged until the longer side has `size` pixels, in the middle of a square. */
function centred(all: readonly Voice[], side: number, size: number): readonly Voice[] {
  const points = all.flatMap(({ outline }) => outline);
  const xs = points.map(({ x }) => x);
  const ys = points.map(({ y }) => y);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = size / Math.max(right - left, bottom - top);
  const place = ({ x, y }: Point): Point => ({
    x: (x - (left + right) / 2) * scale + side / 2,
    y: (y - (top + bottom) / 2) * scale + side / 2,
  });
  return all.map(({ outline, colour }) => ({ outline: outline.map(place), colour }));
}
