/** The error with which a check fails, and the comparisons that throw it. */

import { inspect, isDeepStrictEqual } from 'node:util';

/** Error for a rule that the channel breaks. */
export class Violation extends Error {
  readonly expected: string;
  readonly found: string;

  /** @param what one sentence that states the fault */
  constructor(what: string, expected: unknown, found: unknown) {
    const texts = differing(expected, found).map(textOf);
    super(`${what}\nexpected: ${texts[0]}\nfound:    ${texts[1]}`);
    this.name = 'Violation';
    this.what = what;
    [this.expected = '', this.found = ''] = texts;
  }

  readonly what: string;
}

/** Error for a check that cannot judge this channel with this rig. */
export class NotChecked extends Error {}

/** Returns a text on one line and without invisible characters, which a chat may add. */
export const plainOf = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\u200b\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Number of items, or of characters, that are shown before and after the first difference. */
const AROUND = { items: 3, characters: 40 };

/** Returns the two values from a little before their first difference on, if they are long lists or long texts. */
function differing(expected: unknown, found: unknown): readonly [unknown, unknown] {
  const isText = typeof expected === 'string' && typeof found === 'string';
  if (!isText && !(Array.isArray(expected) && Array.isArray(found))) return [expected, found];
  const around = isText ? AROUND.characters : AROUND.items;
  let at = 0;
  while (at < expected.length && at < found.length && isDeepStrictEqual(expected[at], found[at])) at += 1;
  const from = Math.max(0, at - around);
  const part = (value: string | readonly unknown[]): string | readonly unknown[] =>
    value.length <= 3 * around ? value : value.slice(from, at + around);
  const cut = [part(expected), part(found)] as const;
  const place = (value: string | readonly unknown[]): string =>
    `${inspect(value)} at position ${from} of ${isText ? 'the text' : 'the list'}`;
  return from > 0 && cut[0] !== expected ? [place(cut[0]), place(cut[1])] : cut;
}

/** Maximum number of characters of a value in a report. */
const MOST_CHARACTERS = 1_000;

const textOf = (value: unknown): string => {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 6, breakLength: 120 });
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)} …`;
};

/** Throws unless the two values are equal. Properties that are undefined are ignored, as in JSON. */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(withoutUndefined(found), withoutUndefined(expected)))
    throw new Violation(what, expected, found);
}

export function expectTrue(what: string, holds: boolean, expected: unknown, found: unknown): void {
  if (!holds) throw new Violation(what, expected, found);
}

function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutUndefined(member)]));
}

/** Returns the path of the first property that JSON cannot store, such as `parts[0].at`; undefined if there is none. */
export function unstorable(value: unknown, path = 'screen'): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  const isList = Array.isArray(value);
  if (typeof value !== 'object' || !(isList || Object.getPrototypeOf(value) === Object.prototype))
    return path;
  return Object.entries(value)
    .map(([name, member]) => unstorable(member, isList ? `${path}[${name}]` : `${path}.${name}`))
    .find((found) => found !== undefined);
}

/** Freezes the value and all its properties, so that code that changes them throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
