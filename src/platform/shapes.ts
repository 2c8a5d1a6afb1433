/** Functions that read values of unknown type. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asFields(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

export function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Returns the object itself, or the first element of a list (platform contract GEN-14). */
export function one(value: unknown): Fields | undefined {
  return asFields(Array.isArray(value) ? value[0] : value);
}

/**
 * Returns a list as it is, a single object as a list of one, and null or undefined as an empty list (platform
 * contract GEN-14).
 */
export function many(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === null || value === undefined ? [] : [value];
}

/** Returns the value of the first of these fields that is a non-empty string. */
export const textOf = (fields: Fields, names: readonly string[]): string | undefined =>
  first(fields, names, filledText);

/**
 * Returns the value of the first of these fields that is a non-empty string or an integer. The result is text,
 * because the platform sends ids as both.
 */
export const idOf = (fields: Fields, names: readonly string[]): string | undefined =>
  first(fields, names, (value) => (Number.isInteger(value) ? String(value) : filledText(value)));

/** Returns the value of the first of these fields that is a number or a numeric string (platform contract DEC-24). */
export const numberOf = (fields: Fields, names: readonly string[]): number | undefined =>
  first(fields, names, asNumber);

function first<T>(
  fields: Fields,
  names: readonly string[],
  read: (value: unknown) => T | undefined,
): T | undefined {
  for (const name of names) {
    const found = read(fields[name]);
    if (found !== undefined) return found;
  }
  const find = finderIn(fields);
  for (const name of names) {
    const found = read(find([name]));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns a function that finds a field by its names: by the exact name first, then in any letter case (platform
 * contract INC-4). Null counts as absent.
 */
export function finderIn(fields: Fields): (names: readonly string[]) => unknown {
  const lower = new Map<string, unknown>();
  for (const [name, value] of Object.entries(fields)) {
    const key = name.toLowerCase();
    if (value !== null && !lower.has(key)) lower.set(key, value);
  }
  return (names) => {
    for (const name of names) {
      const exact = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const value = exact ?? lower.get(name.toLowerCase());
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

/** Returns a boolean, also if the server sent it as text or as a number (platform contract DEC-24). */
export function asFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : '';
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

const filledText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Returns the code of a thrown error, or its name if it has no code. */
export function reasonOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  return typeof code === 'string' ? code : thrown instanceof Error ? thrown.name : 'unknown';
}

/** Decodes percent-encoded text; returns undefined if the encoding is invalid. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Matches a date, optionally followed by a time with up to seven fractional digits and a time-zone offset. */
const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Converts a date-time of the platform into milliseconds since the epoch; undefined for other text. Without a time-zone
 * offset it is read as UTC, because the platform's documentation does not specify the time zone (platform contract
 * GEN-13).
 */
export function timeOf(text: string): number | undefined {
  const found = ISO.exec(text.trim());
  if (found === null) return undefined;
  const [, date = '', minutes = '00:00', seconds = '00', fraction = '0', offset = 'Z'] = found;
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const zone = offset.length === 5 ? `${offset.slice(0, 3)}:${offset.slice(3)}` : offset.toUpperCase();
  const time = Date.parse(`${date}T${minutes}:${seconds}.${milliseconds}${zone}`);
  return Number.isNaN(time) ? undefined : time;
}
