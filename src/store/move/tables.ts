/** The tables that a move copies: everything that a bridge remembers, and nothing about the processes that share it. */

import { storable } from '../sql.ts';
import type { Row } from '../turn-rows.ts';

export interface Table {
  readonly name: string;
  /** Columns that identify a row. Both engines read the rows in their order, texts by their bytes. */
  readonly key: readonly string[];
  /** All columns that both engines store, in the form of `Row`. */
  readonly columns: readonly string[];
}

const table = (name: string, key: string, others: string): Table => ({
  name,
  key: key.split(' '),
  columns: [...key.split(' '), ...others.split(' ')],
});

/**
 * In the order of a move: answers refer to turns. Two columns have a form that is the same in both engines: `place` of
 * a turn is SQLite's `seq`, and `turn` of an answer is the id of the turn. The columns of a claim are left out, because
 * a move first puts running turns back to waiting. `form` says how the value of `keyed` is stored (`values.ts`).
 */
export const TABLES: readonly Table[] = [
  table(
    'turns',
    'id',
    `place origin_key lane reply message_key state ready announced phase attempt interruption kept_at ended_at agent
     account session chat_record screen shown postponed unasked resume_order origin message`.replace(
      /\s+/g,
      ' ',
    ),
  ),
  table('answers', 'turn at', 'text'),
  table('withdrawn', 'message_key', 'at'),
  table('keyed', 'namespace key', 'form value expires owner'),
  table('feedback', 'turn person', 'verdict note at reply channel tenant room agent'),
  table(
    'audit',
    'seq',
    'at action outcome channel tenant room thread person turn facts forgotten agent code',
  ),
  table('forgetting', 'id', 'at request receipt'),
];

/** Returns the columns of the table itself. `form` is none: it says how `value` is stored. */
export const storedColumns = ({ columns }: Table): readonly string[] =>
  columns.filter((name) => name !== 'form');

/** Returns the same text for equal rows of both engines, of which only SQLite stores NUL. */
export const canonical = ({ columns }: Table, row: Row): string =>
  JSON.stringify(columns.map((name) => storable(row[name] ?? null)));

/** Compares the keys of two rows: negative if `one` comes first, and 0 if both are the same row. */
export function compareKeys({ key }: Table, one: Row, other: Row): number {
  for (const name of key) {
    const [a, b] = [one[name], other[name]];
    const order =
      typeof a === 'number' && typeof b === 'number'
        ? a - b
        : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
    if (order !== 0) return order;
  }
  return 0;
}
