import type { TurnId } from '../core/ids.ts';
import type { AuditStore } from '../core/stores/audit.ts';
import type { FeedbackStore } from '../core/stores/feedback.ts';
import type { ForgetStore } from '../core/stores/forgetting.ts';
import type { Added, Inbox } from '../core/stores/inbox.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import type { SessionStore } from '../core/stores/sessions.ts';
import type { SharedDatabase } from '../core/stores/shared-database.ts';
import type { Gauges } from '../core/stores/status.ts';
import type { KeyedRows } from './keyed-rows.ts';
import type { Reader } from './reader.ts';

/** A channel that is not running, and the number of its waiting turns. */
export interface Held {
  readonly channel: string;
  readonly waiting: number;
}

export interface AddedTurn {
  readonly added: Added;
  /** A running turn that was put back to waiting, because the new turn's message was written earlier. */
  readonly takenBack?: TurnId;
}

/** The result of an edit or a deletion. */
export interface Rewritten<Result> {
  readonly result: Result;
  /** Running turns that were interrupted. */
  readonly interrupted: readonly TurnId[];
}

/** Everything that the bridge remembers, whichever engine keeps it. */
export interface Store {
  /** True if several processes may open the store at the same time. */
  readonly isShared: boolean;
  /** For channels that keep data of their own; absent if one process uses the store. */
  readonly database?: SharedDatabase;
  readonly inbox: Inbox;
  keyed(namespace: string): Keyed;
  /** Lists the values of `keyed` whose keys begin alike, and deletes several values at once. */
  readonly keyedRows: KeyedRows;
  readonly sessions: SessionStore;
  readonly feedback: FeedbackStore;
  readonly audit: AuditStore;
  readonly forgetting: ForgetStore;
  /**
   * Holds the turns of every channel that is not listed, until a later start lists the channel. Resolves with the
   * held channels and the number of waiting turns of each. Must be called before turns are claimed.
   */
  serve(channels: readonly string[]): Promise<readonly Held[]>;
  /** Returns the number of processes that share the store now, this one included. */
  replicas(): number;
  /**
   * Runs a job for the whole installation, unless another replica is running it or has finished it within the
   * last `restMs` milliseconds.
   */
  once(job: string, restMs: number, work: () => Promise<void>): Promise<void>;
  /** Reads the store beside the bridge's own work. It is opened when it is first used. */
  readonly reader: Reader;
  /** Resolves with the values of the metrics. */
  gauges(): Promise<Gauges>;
  /** Tries a write. Rejects with `store-unavailable` if a question could not be stored. */
  probe(): Promise<void>;
  /** Writes everything that is queued and closes the engine. */
  close(): Promise<void>;
}
