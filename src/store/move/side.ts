import type { StoreName } from '../../core/stores/shared-database.ts';
import type { Engine } from '../engine.ts';
import type { Row } from '../turn-rows.ts';
import type { Table } from './tables.ts';

/** One of the two stores of a move. While it is open, no bridge can use the store. */
export interface Side {
  readonly name: StoreName;
  /** Runs the statements that both engines share. */
  readonly engine: Engine;
  /** Stores pending checkpoints, and puts the turns of the last processes back to waiting. */
  settle(): Promise<void>;
  /** Yields the rows of a table in the order of its key, as they were when the first one was read. */
  rows(table: Table): AsyncIterable<Row>;
  /** Deletes rows, and the answers of deleted turns. */
  remove(table: Table, rows: readonly Row[]): Promise<void>;
  add(table: Table, rows: readonly Row[]): Promise<void>;
  /** Prepares a complete copy for a bridge. */
  complete(): Promise<void>;
  close(): Promise<void>;
}
