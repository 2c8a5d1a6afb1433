/**
 * The documented exchange of each operation: the request, the response, and the typed client's input and result. The
 * exchanges are written by hand from the platform contract's tables, not made from the descriptors of the client or the
 * sandbox. `$name` stands for a value from an earlier response, `%name` for such a value as a number, and `#digits` for
 * a 64-bit integer without quotes.
 */

import { readFileSync } from 'node:fs';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
type Credential = 'none' | 'key' | 'lite' | 'open' | 'admin';
type FilePart = { readonly file: string; readonly type: string };

export interface Exchange {
  readonly id: string;
  /** The rows of the platform contract that document this operation. */
  readonly rows: string;
  readonly credential: Credential;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: Json;
  readonly form?: Readonly<Record<string, string | readonly FilePart[]>>;
  /** Values of the response that later requests need: each value's name, and its path in the response. */
  readonly keep?: Readonly<Record<string, string>>;
  /** The client's input; `@name` stands for a file. */
  readonly call: Json;
  /** The documented response; a field `bytes` stands for binary content. */
  readonly answer: Json;
  /** The documented fields of the client's result; absent: the result is empty. */
  readonly gives?: Json;
}

interface Listed {
  readonly id: string;
  readonly method: string;
}

const read = <T>(name: string): T => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T;

export const exchanges = read<readonly Exchange[]>('exchanges.json');
const listed = read<readonly Listed[]>('../platform/operations.json');

export const ids = listed.map(({ id }) => id);
export const methodOf = (id: string): string => listed.find((each) => each.id === id)?.method ?? '';

export type Values = Readonly<Record<string, string>>;

/** Replaces every `$name` and `%name` in a value. */
export function filled(value: Json, values: Values): Json {
  if (typeof value === 'string') return filledText(value, values);
  if (Array.isArray(value)) return value.map((each) => filled(each as Json, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, filled(each as Json, values)]),
  );
}

function filledText(text: string, values: Values): string | number {
  if (text.startsWith('%')) return Number(keptValue(text.slice(1), values));
  return text.replaceAll(/\$([a-zA-Z]+)/g, (_whole, name: string) => keptValue(name, values));
}

function keptValue(name: string, values: Values): string {
  const value = values[name];
  if (value === undefined) throw new Error(`No exchange before it gave ${name}.`);
  return value;
}

/** Writes JSON as it is sent; `#digits` become integers without quotes. */
export const wireText = (value: Json): string => JSON.stringify(value).replaceAll(/"#(\d+)"/g, '$1');

/** Parses JSON as it was sent; 64-bit integers become `#digits`. */
export const wireValue = (text: string): Json =>
  JSON.parse(text.replaceAll(/([:[,]\s*)(\d{16,})(?=\s*[,\]}])/g, '$1"#$2"')) as Json;

/** Returns the path and query of a request. */
export function addressOf({ path, query = {} }: Exchange, values: Values): string {
  const search = new URLSearchParams(filled(query, values) as Record<string, string>).toString();
  return `${String(filled(path, values))}${search === '' ? '' : `?${search}`}`;
}

export const FILES: Readonly<Record<string, Buffer>> = {
  'floor-plan.png': readFileSync(new URL('../../../sandbox/corpus/images/floor-plan.png', import.meta.url)),
  'guide.md': Buffer.from('# Guide\n\nThe warranty lasts two years.\n'),
};
