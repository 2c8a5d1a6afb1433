/** The port for channels that keep data of their own in the database of the replicas. */

/** A value of a statement: `$1` in its text is the first one. Integers of 8 bytes are returned as numbers. */
export type DatabaseValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | boolean | null)[];

/** Runs a statement and resolves with its rows. Rejects with `store-unavailable`. */
export type DatabaseQuery = (
  text: string,
  values?: readonly DatabaseValue[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** The PostgreSQL database that the replicas of the bridge share. Its tables are in the schema `parley`. */
export interface SharedDatabase {
  /** Runs one statement outside a transaction. A statement may take 2.5 s. */
  readonly query: DatabaseQuery;
  /**
   * Runs `work` in one transaction, and resolves after the commit. If another transaction made it fail, calls `work`
   * again, so `work` must be safe to repeat.
   */
  transaction<T>(work: (query: DatabaseQuery) => Promise<T>): Promise<T>;
  /** Makes all replicas call the listeners of `onHint` when the transaction commits. A hint may get lost. */
  hint(query: DatabaseQuery): Promise<void>;
  /** Returns a function that removes the listener. */
  onHint(listener: () => void): () => void;
}

/** The two stores of a bridge: the files of one process, and the database of several replicas. */
export type StoreName = 'sqlite' | 'postgresql';

/** A table whose rows were moved from one store to the other. */
export interface MovedTable {
  readonly name: string;
  readonly rows: number;
  /** SHA-256 of the rows of both sides, as hexadecimal digits. */
  readonly digest: string;
}

/** The move of the data that a channel keeps by itself. */
export interface ChannelMove {
  /** Name of the counted rows in an error message, such as `the messages of the console`. */
  readonly name: string;
  /** Resolves with the number of rows that the target has already. A new move refuses a target that has some. */
  countInTarget(): Promise<number>;
  /** Replaces the channel's data in the target. Rejects with `data-corrupt` if the target differs afterwards. */
  move(): Promise<readonly MovedTable[]>;
}
