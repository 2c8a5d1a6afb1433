/** Small functions that read values of unknown type. */

export type Plain = Readonly<Record<string, unknown>>;

export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, else an empty object. */
export function plain(value: unknown): Plain {
  return isPlain(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function plains(value: unknown): readonly Plain[] {
  return list(value).filter(isPlain);
}

/** Returns the value if it is a non-empty string; undefined otherwise. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the fields as texts; undefined if one of them is not a non-empty string. */
export function texts<Name extends string>(
  fields: Readonly<Record<Name, unknown>>,
): Readonly<Record<Name, string>> | undefined;
export function texts(fields: Plain): Plain | undefined {
  return Object.values(fields).every((value) => text(value) !== undefined) ? fields : undefined;
}

export function words(value: unknown): readonly string[] {
  return list(value).filter((each) => typeof each === 'string');
}

export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/**
 * Returns the fields without those that are undefined, because optional properties do not accept undefined.
 * @example
 * ```ts
 * defined({ name: 'Ada', email: undefined }); // { name: 'Ada' }
 * ```
 */
export function defined<Fields extends object>(fields: Fields): Defined<Fields>;
export function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Parses JSON; returns undefined unless the result is an object. */
export function readJson(written: string): Plain | undefined {
  try {
    const value: unknown = JSON.parse(written);
    return isPlain(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
