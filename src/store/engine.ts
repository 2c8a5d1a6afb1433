/** What the engines offer to the statements that they share (`sql.ts`). */

import type { Steps } from './sql.ts';

export interface Engine {
  read<T>(steps: Steps<T>): Promise<T>;
  /** Runs the steps in one transaction. `steps` is called again if the transaction is repeated. */
  transaction<T>(steps: () => Steps<T>): Promise<T>;
  /** Resolves with the time of the engine's clock. */
  now(): Promise<number>;
  /** Returns the time of the engine's clock for a time of the process. */
  fromLocal(at: number): number;
  /** True if each value of `keyed` is stored in keyv's form: in the property `value` of an object. */
  readonly wraps: boolean;
}
