/** Statements of the chat, in the SQL that SQLite and PostgreSQL share. Tables have the prefix `main.`. */

export type Value = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

/** Runs a statement, as a tag of its text. Rejects with `store-unavailable` if it fails. */
export type Sql = (parts: readonly string[], ...values: readonly Value[]) => Promise<readonly Row[]>;

/** The event that a completed write must survive: a power loss, or only the end of the process. */
export type Durability = 'power' | 'process';

/** Returns the record in a row; no record if the row is damaged, so that the other rows stay readable. */
export function decode<T>(row: Row): readonly T[] {
  try {
    return [JSON.parse(String(row.body)) as T];
  } catch {
    return [];
  }
}
