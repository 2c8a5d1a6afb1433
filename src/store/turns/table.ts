/** The differences between the tables of turns of the two engines. */

import type { Claim, NewTurn } from '../../core/stores/inbox.ts';
import type { Turn } from '../../core/turn.ts';
import type { Sql, Steps } from '../sql.ts';

/** Converts between the local clock and the engine's clock. Times are in milliseconds. */
export interface StoreTime {
  /** Time of the engine's clock; all stored times are of this clock. */
  now(): number;
  fromLocal(time: number): number;
  toLocal(time: number): number;
}

/** A claim with its fencing values: a write counts only while the row still has this owner and attempt. */
export interface Held extends Pick<Claim, 'owner'> {
  readonly turn: Pick<Turn, 'id' | 'attempt'>;
}

/** The functions that one engine adds to the shared statements. */
export interface TurnTable {
  readonly time: StoreTime;
  /** Column that orders the turns of a lane. */
  readonly place: Sql;
  /** A place behind all other turns. */
  readonly nextPlace: Sql;
  /** Column that the table `answers` refers to. */
  readonly key: Sql;
  /** Channel of the turn; null if it cannot be read. */
  readonly channel: Sql;
  /** Kind of the origin; null if it cannot be read. */
  readonly kind: Sql;
  /** Time of the message; null if it cannot be read. */
  readonly sentAt: Sql;
  /** Condition for turns that were not announced. SQLite uses its index only if the condition equals that of the index. */
  readonly unannounced: Sql;
  /** Assignments to the columns of a claim, which end it. */
  readonly unclaimed: Sql;
  /** Further columns of a new turn: a comma before each. */
  readonly ownColumns: Sql;
  /** Values of `ownColumns`. */
  ownValues(turn: NewTurn): Sql;
  /** Returns the condition for turns that this process shows and resumes, and no other process. */
  isOwn(): Sql;
  /** Locks lanes, and messages by their keys, until the transaction ends. */
  lock(lanes: readonly string[], messages?: readonly string[]): Steps<void>;
  /** Selects and locks running turns with these ids: id, key, attempt, owner, lane and interruption. */
  heldRows(ids: Sql): Sql;
  /** Tells the other processes, when the transaction commits, to look at the table. */
  tell(hint: 'claimable' | 'interrupted'): Steps<void>;
}
