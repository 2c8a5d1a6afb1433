import { z } from 'zod';
import type { Database, Row } from './database.ts';
import type { Ids } from './ids.ts';

/** Schema of a column that contains 0 or 1. */
export const flag = z.codec(z.number(), z.boolean(), { decode: (value) => value === 1, encode: Number });

/**
 * Schema of a column that contains JSON. The type of the value is not checked, because only the sandbox writes the
 * column.
 */
export const json = <T>() =>
  z.codec(z.string(), z.custom<T>(), {
    decode: (text) => JSON.parse(text) as z.input<z.ZodCustom<T, T>>,
    encode: (value) => JSON.stringify(value),
  });

type Value = string | number | null;

interface Place {
  readonly table: string;
  /** Columns by which lists are sorted. */
  readonly order?: string;
  /** Names of columns, by name of the property in the schema. Contains only names that differ. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** Reads and writes a table whose rows have a unique id. */
export function createTable<Shape extends z.ZodRawShape>(
  database: Database,
  ids: Ids,
  schema: z.ZodObject<Shape>,
  { table, order = 'id', renamed = {} }: Place,
) {
  type Stored = z.output<z.ZodObject<Shape>> & { readonly id: string };
  const members = Object.keys(schema.shape);
  const columns = members.map((member) => renamed[member] ?? member);
  const shown = members.map((member, at) => `${columns[at]} AS ${member}`).join(', ');
  const select = `SELECT ${shown} FROM ${table}`;
  const read = (row: Row) => z.decode(schema, row as z.input<z.ZodObject<Shape>>);
  const all = database.prepare(`${select} ORDER BY ${order}`);
  const upsert = database.prepare(upsertInto(table, columns));
  const drop = database.prepare(`DELETE FROM ${table} WHERE id = ?`);
  const by = (column: string) => {
    const one = database.prepare(`${select} WHERE ${column} = ?`);
    return (value: string) => {
      const row = one.get(value);
      return row && read(row);
    };
  };
  const save = (stored: Stored): void => {
    const row: Readonly<Record<string, unknown>> = z.encode(schema, stored);
    upsert.run(...members.map((member) => row[member] as Value));
  };
  for (const row of database.prepare(`SELECT id FROM ${table}`).iterate()) ids.startAbove(String(row.id));
  return {
    list: () => all.all().map(read),
    withId: by('id'),
    /** Returns a function that finds a row by a column whose values are unique. */
    by,
    save,
    add: (given: Omit<Stored, 'id'>): Stored => {
      const added = { ...given, id: ids.next() } as Stored;
      save(added);
      return added;
    },
    remove: (id: string): void => void drop.run(id),
  };
}

/** Returns a statement that inserts a row, or updates the row with the same id. */
function upsertInto(table: string, columns: readonly string[]): string {
  const places = columns.map(() => '?').join(', ');
  const updates = columns
    .filter((column) => column !== 'id')
    .map((column) => `${column} = excluded.${column}`);
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})
    ON CONFLICT (id) DO UPDATE SET ${updates.join(', ')}`;
}
