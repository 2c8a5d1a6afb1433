/** Statements that both engines run: in the SQL that SQLite and PostgreSQL share, with the tables of the schema `parley`. */

import type { Row } from './turn-rows.ts';

export type Value = string | number | null;

/** Parts of a statement, with a value between each two parts. */
export interface Sql {
  readonly parts: readonly string[];
  readonly values: readonly Value[];
}

/** Work that runs statements one after another. Receives the rows of each statement that it yields. */
export type Steps<T> = Generator<Sql, T, readonly Row[]>;

/** Builds a statement, or a part of one. Text that is not a constant must be given as a value. */
export function sql(texts: readonly string[], ...given: readonly (Value | Sql)[]): Sql {
  const parts = [texts[0] ?? ''];
  const values: Value[] = [];
  const append = (text: string) => parts.push(`${parts.pop() ?? ''}${text}`);
  for (const [nth, each] of given.entries()) {
    if (typeof each === 'object' && each !== null) {
      append(each.parts[0] ?? '');
      parts.push(...each.parts.slice(1));
      values.push(...each.values);
    } else {
      parts.push('');
      values.push(each);
    }
    append(texts[nth + 1] ?? '');
  }
  return { parts, values };
}

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

/** Runs a statement for the values, of which it receives some hundred at a time, as a list in brackets. */
export function* forEach(values: Iterable<string>, statement: (list: Sql) => Sql): Steps<readonly Row[]> {
  const all = [...values];
  const rows: Row[] = [];
  for (let at = 0; at < all.length; at += LISTED) {
    const some = all.slice(at, at + LISTED);
    const list = some.map((value, nth) => (nth === 0 ? sql`${value}` : sql`, ${value}`));
    rows.push(...(yield statement(list.reduce((built, each) => sql`${built}${each}`))));
  }
  return rows;
}

/** Returns the text of a statement, with `$1` in place of its first value. */
export const textOfSql = ({ parts }: Sql): string =>
  parts.reduce((text, part, nth) => `${text}$${nth}${part}`);
