/** Statements that both engines run: in the SQL that SQLite and PostgreSQL share, with the tables of the schema `parley`. */

import type { Row } from './turn-rows.ts';

export type Value = string | number | null;

/** Parts of a statement, with a value between each two parts. Statements of one shape share their `parts`. */
export interface Sql {
  readonly parts: readonly string[];
  readonly values: readonly Value[];
}

/** Work that runs statements one after another. Receives the rows of each statement that it yields. */
export type Steps<T> = Generator<Sql, T, readonly Row[]>;

/** The parts of a statement, and those of the statements inside it. */
interface Shape {
  readonly inner: readonly (readonly string[] | undefined)[];
  readonly parts: readonly string[];
}

/** Maximum number of shapes that are known of one template: different lists and conditions inside it. */
const SHAPES = 16;
/** The newest shapes of each template. */
const shapes = new WeakMap<readonly string[], Shape[]>();

const partsOf = (given: Value | Sql): readonly string[] | undefined =>
  typeof given === 'object' && given !== null ? given.parts : undefined;

/** Builds a statement, or a part of one. Text that is not a constant must be given as a value. */
export function sql(texts: readonly string[], ...given: readonly (Value | Sql)[]): Sql {
  const values: Value[] = [];
  for (const each of given) {
    if (typeof each === 'object' && each !== null) values.push(...each.values);
    else values.push(each);
  }
  const known = shapes.get(texts) ?? [];
  const shape = known.find(({ inner }) => inner.every((parts, nth) => parts === partsOf(given[nth] ?? null)));
  return { parts: (shape ?? addShape(texts, given, known)).parts, values };
}

function addShape(texts: readonly string[], given: readonly (Value | Sql)[], known: readonly Shape[]): Shape {
  const inner = given.map(partsOf);
  const parts = inner.every((each) => each === undefined) ? texts : joined(texts, inner);
  shapes.set(texts, [{ inner, parts }, ...known.slice(0, SHAPES - 1)]);
  return { inner, parts };
}

function joined(texts: readonly string[], inner: Shape['inner']): readonly string[] {
  const parts = [texts[0] ?? ''];
  for (const [nth, each = ['', '']] of inner.entries()) {
    const [first = '', ...others] = each;
    parts.push(`${parts.pop() ?? ''}${first}`, ...others);
    parts.push(`${parts.pop() ?? ''}${texts[nth + 1] ?? ''}`);
  }
  return parts;
}

/** The parts of lists by their lengths, at most `LISTED`. */
const lists = new Map<number, readonly string[]>();

/** Returns the values with commas between them; at most 500. */
export function listOf(values: readonly Value[]): Sql {
  const parts = lists.get(values.length) ?? ['', ...values.slice(1).map(() => ', '), ''];
  lists.set(values.length, parts);
  return { parts, values };
}

const between = (parts: readonly Sql[], separator: string): Sql =>
  parts.length === 1 && parts[0] !== undefined
    ? parts[0]
    : {
        parts: joined(
          ['', ...parts.slice(1).map(() => separator), ''],
          parts.map((each) => each.parts),
        ),
        values: parts.flatMap(({ values }) => values),
      };

/** Returns the parts with commas between them. There must be at least one. */
export const commas = (parts: readonly Sql[]): Sql => between(parts, ', ');

/** Returns the condition that one of the conditions is true. There must be at least one. */
export const either = (conditions: readonly Sql[]): Sql => sql`(${between(conditions, ' OR ')})`;

/** The parts of one row by its length. */
const rowParts = new Map<number, readonly string[]>();

/** Returns rows for `VALUES`. There must be at least one. PostgreSQL takes the values for texts, except in an insertion. */
export const rowsOf = (rows: readonly (readonly Value[])[]): Sql =>
  commas(
    rows.map((values) => {
      const parts = rowParts.get(values.length) ?? ['(', ...values.slice(1).map(() => ', '), ')'];
      rowParts.set(values.length, parts);
      return { parts, values };
    }),
  );

/** Returns the condition that the column has the value; no condition if the value is undefined. */
export const also = (column: string, value: Value | undefined): Sql =>
  value === undefined ? sql`` : sql` AND ${sql([column])} = ${value}`;

/** Returns the condition that the column begins with the text. */
export const begins = (column: string, start: string): Sql =>
  sql`substr(${sql([column])}, 1, ${sql([String([...start].length)])}) = ${start}`;

/** Runs one statement. */
export function* once(statement: Sql): Steps<readonly Row[]> {
  return yield statement;
}

/** Maximum number of values in one list. */
const LISTED = 500;

/** Returns the different texts in lists of some hundred. */
export function inLists(texts: Iterable<string>): readonly (readonly string[])[] {
  const all = [...new Set(texts)];
  if (all.length <= LISTED) return all.length === 0 ? [] : [all];
  return Array.from({ length: Math.ceil(all.length / LISTED) }, (_, nth) =>
    all.slice(nth * LISTED, (nth + 1) * LISTED),
  );
}

/** Runs a statement for the values, of which it receives some hundred at a time, as a list in brackets. */
export function* forEach(values: Iterable<string>, statement: (list: Sql) => Sql): Steps<readonly Row[]> {
  const rows: Row[] = [];
  for (const some of inLists(values)) rows.push(...(yield statement(listOf(some))));
  return rows;
}

/** Returns a text without NUL, which PostgreSQL cannot store; every other value as it is. */
export const storable = <T>(value: T): T | string =>
  typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value;
