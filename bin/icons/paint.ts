/** Paints outlines onto a square of pixels, with soft edges. */

import type { Point } from './outline.ts';

export type Colour = readonly [red: number, green: number, blue: number];

export interface Picture {
  /** Pixels of a side. */
  readonly side: number;
  /** Red, green, blue and opacity of each pixel, row by row. */
  readonly pixels: Uint8Array;
}

/** Samples of a pixel's side. */
const SAMPLES = 8;

export const transparent = (side: number): Picture => ({ side, pixels: new Uint8Array(side * side * 4) });

export function filled(side: number, colour: Colour): Picture {
  const picture = transparent(side);
  for (let at = 0; at < side * side; at++) picture.pixels.set([...colour, 255], at * 4);
  return picture;
}

/** Whether a place belongs to what is painted. */
export type Inside = (place: Point) => boolean;

/** Lays a colour over the picture where a shape is. */
export function paint({ side, pixels }: Picture, inside: Inside, colour: Colour): void {
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      const part = coverage(x, y, inside);
      if (part > 0) lay(pixels, (y * side + x) * 4, { colour, part });
    }
  }
}

function coverage(x: number, y: number, inside: Inside): number {
  let hits = 0;
  for (let row = 0; row < SAMPLES; row++) {
    for (let column = 0; column < SAMPLES; column++) {
      if (inside({ x: x + (column + 0.5) / SAMPLES, y: y + (row + 0.5) / SAMPLES })) hits += 1;
    }
  }
  return hits / SAMPLES ** 2;
}

/** Colours of transparent pixels stay pure, so that a white outline is white at its soft edges too. */
function lay(pixels: Uint8Array, at: number, { colour, part }: { colour: Colour; part: number }): void {
  const under = (pixels[at + 3] ?? 0) / 255;
  const opacity = part + under * (1 - part);
  for (const [channel, value] of colour.entries()) {
    const before = pixels[at + channel] ?? 0;
    pixels[at + channel] = Math.round((value * part + before * under * (1 - part)) / opacity);
  }
  pixels[at + 3] = Math.round(opacity * 255);
}

/** The inside of an outline: an odd number of its edges lies to the left. */
export function within(outline: readonly Point[]): Inside {
  return ({ x, y }) => {
    let odd = false;
    for (const [from, to] of edges(outline)) {
      if (from.y > y !== to.y > y && x < from.x + ((y - from.y) / (to.y - from.y)) * (to.x - from.x))
        odd = !odd;
    }
    return odd;
  };
}

/** A line along the outline. @param width in pixels */
export function along(outline: readonly Point[], width: number): Inside {
  const all = edges(outline);
  return (place) => all.some((edge) => distance(place, edge) <= width / 2);
}

type Edge = readonly [Point, Point];

const edges = (outline: readonly Point[]): readonly Edge[] =>
  outline.map((point, at) => [point, outline[(at + 1) % outline.length] ?? point]);

function distance({ x, y }: Point, [from, to]: Edge): number {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = dx ** 2 + dy ** 2;
  const along = length === 0 ? 0 : ((x - from.x) * dx + (y - from.y) * dy) / length;
  const at = Math.min(Math.max(along, 0), 1);
  return Math.hypot(x - from.x - at * dx, y - from.y - at * dy);
}
