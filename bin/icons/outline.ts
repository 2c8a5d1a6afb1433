/** The outline of a path of an SVG as points: what Parley's mark uses of the language, and no more. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Steps that an arc is cut into; finer than a pixel of the largest icon. */
const ARC_STEPS = 24;

/** @param path `d` of a closed path of M, a (circles), h, v, l and z */
export function outlineOf(path: string): readonly Point[] {
  const points: Point[] = [];
  for (const [, letter = '', written = ''] of path.matchAll(/([Mahvlz])([^Mahvlz]*)/g)) {
    const numbers = (written.match(/-?(?:\d+\.\d+|\.\d+|\d+)/g) ?? []).map(Number);
    const size = SIZES[letter] ?? 0;
    for (let at = 0; at < numbers.length; at += size) {
      points.push(...drawn(letter, numbers.slice(at, at + size), points.at(-1) ?? { x: 0, y: 0 }));
    }
  }
  return points;
}

/** How many numbers each command takes. */
const SIZES: Readonly<Record<string, number>> = { M: 2, a: 7, h: 1, v: 1, l: 2 };

function drawn(letter: string, numbers: readonly number[], from: Point): readonly Point[] {
  const [first = 0, second = 0] = numbers;
  switch (letter) {
    case 'M':
      return [{ x: first, y: second }];
    case 'h':
      return [{ x: from.x + first, y: from.y }];
    case 'v':
      return [{ x: from.x, y: from.y + first }];
    case 'l':
      return [{ x: from.x + first, y: from.y + second }];
    case 'a':
      return arc(from, numbers);
    default:
      return [];
  }
}

/** Points of an arc of a circle, its end included. The small arc; `sweep` says to which side. */
function arc(from: Point, numbers: readonly number[]): readonly Point[] {
  const [radius = 0, , , , sweep = 0, dx = 0, dy = 0] = numbers;
  const half = Math.hypot(dx, dy) / 2;
  const away = Math.sqrt(Math.max(radius ** 2 - half ** 2, 0)) * (sweep === 1 ? 1 : -1);
  const centre = {
    x: from.x + dx / 2 - (away * dy) / (2 * half),
    y: from.y + dy / 2 + (away * dx) / (2 * half),
  };
  const begin = Math.atan2(from.y - centre.y, from.x - centre.x);
  const end = Math.atan2(from.y + dy - centre.y, from.x + dx - centre.x);
  const turn = Math.atan2(Math.sin(end - begin), Math.cos(end - begin));
  const reach = Math.max(radius, half);
  return Array.from({ length: ARC_STEPS }, (_, step) => {
    const angle = begin + (turn * (step + 1)) / ARC_STEPS;
    return { x: centre.x + reach * Math.cos(angle), y: centre.y + reach * Math.sin(angle) };
  });
}
