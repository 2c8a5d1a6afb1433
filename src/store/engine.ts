/** The functions of an engine that run the shared statements (`sql.ts`). */

import type { Sql, Steps } from './sql.ts';
import type { Row } from './turn-rows.ts';

export interface Engine {
  read<T>(steps: Steps<T>): Promise<T>;
  /** Runs one statement that writes. */
  write(statement: Sql): Promise<readonly Row[]>;
  /** Runs the steps in one transaction. `steps` is called again if the transaction is repeated. */
  transaction<T>(steps: () => Steps<T>): Promise<T>;
  /** Resolves with the time of the engine's clock. */
  now(): Promise<number>;
  /** Returns the time of the engine's clock for a time of the process. */
  fromLocal(at: number): number;
  /** True if each value of `keyed` is stored in keyv's form: in the property `value` of an object. */
  readonly wraps: boolean;
}
