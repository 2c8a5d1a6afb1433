import { z } from 'zod';
import { declined, known, type Refusal } from '../http/reply.ts';
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
  /** Names the kind of row in refusals, such as `user`. */
  readonly noun?: string;
  /** Column that names a row; its values are unique. */
  readonly key?: string;
  /** Column with a second id of each row. */
  readonly alias?: string;
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
  { table, noun = 'record', key = 'id', alias = 'id', order = 'id', renamed = {} }: Place,
) {
  type Stored = z.output<z.ZodObject<Shape>> & { readonly id: string };
  const members = Object.keys(schema.shape);
  const columns = members.map((member) => renamed[member] ?? member);
  const aliases = members.map((member, at) => `${columns[at]} AS ${member}`).join(', ');
  const select = `SELECT ${aliases} FROM ${table}`;
  const read = (row: Row) => z.decode(schema, row as z.input<z.ZodObject<Shape>>) as Stored;
  const all = database.prepare(`${select} ORDER BY ${order}`);
  const upsert = database.prepare(upsertInto(table, columns));
  const drop = database.prepare(`DELETE FROM ${table} WHERE id = ?`);
  const by = (column: string, other = column) => {
    const one = database.prepare(`${select} WHERE ${column} = ?1 OR ${other} = ?1`);
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
    ...createFinder<Stored>(noun, by('id', alias), by(key)),
    list: () => all.all().map(read),
    save,
    add: (given: Omit<Stored, 'id'>): Stored => {
      const added = { ...given, id: ids.next() } as Stored;
      save(added);
      return added;
    },
    remove: (id: string): void => void drop.run(id),
  };
}

/**
 * Finds the rows of one resource by id or by name, and refuses requests about rows that are unknown or whose name is
 * taken.
 */
export function createFinder<T extends { readonly id: string }>(
  noun: string,
  withId: (id: string) => T | undefined,
  named: (name: string) => T | undefined,
) {
  /** Returns the row with this id or name. If the text is one row's id and another's name, the id counts. */
  const pick = (code: string): T => known(withId(code) ?? named(code), `${noun} ${code}`);
  return {
    withId,
    named,
    pick,
    /** Returns the row with this id. */
    need: (id: string, refusal = declined): T => known(withId(id), `${noun} ${id}`, refusal),
    /** Returns the row that is given by id or by name. If both are given, the id counts. */
    locate: (id: string | undefined, name: string | undefined): T =>
      known(id === undefined ? named(name ?? '') : withId(id), `${noun} ${id ?? name}`),
    /**
     * Returns the rows with these ids or names, each only once. Refuses a list that mixes ids and names (platform
     * contract USR-3, ORG-3).
     */
    pickAll: (codes: readonly string[]): readonly T[] => {
      const byId = codes.flatMap((code) => withId(code) ?? []);
      const byName = codes.flatMap((code) => named(code) ?? []);
      const found = [byId, byName].find((each) => each.length === codes.length);
      if (found === undefined) {
        for (const code of codes) pick(code);
        throw declined(`Ids and names of ${noun}s must not be mixed in one call.`);
      }
      return [...new Map(found.map((each) => [each.id, each])).values()];
    },
    /** Refuses a name that another row has than the one with the id `own`. */
    refuseTaken: (name: string, own?: string, refusal: (sentence: string) => Refusal = declined): void => {
      const other = named(name);
      if (other !== undefined && other.id !== own)
        throw refusal(`${name} is already in use by another ${noun}.`);
    },
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
