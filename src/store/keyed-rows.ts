/** Direct access to the stored values of a namespace, for tasks that need more than single keys. */

import type { Act } from '../core/stores/audit.ts';

export interface KeyedRow {
  readonly key: string;
  /** The value as `Keyed.get` returns it; undefined if it cannot be read. */
  readonly value: unknown;
  /** Time at which the value expires, in milliseconds since the epoch. */
  readonly expires: number;
}

export interface KeyedRows {
  /** Resolves with the values whose keys begin with `start`, ordered by key. Leaves out expired ones. */
  list(namespace: string, start: string): Promise<readonly KeyedRow[]>;
  /** Deletes these values and adds the acts to the audit, in one transaction. */
  remove(namespace: string, keys: readonly string[], acts: readonly Act[]): Promise<void>;
}
