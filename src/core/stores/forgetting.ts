/** Deletion of everything that is stored about a person, a thread, or a workspace. */

/** The target of a deletion. All ids are the channel's own. */
export type ForgetTarget =
  /** A workspace, or one room of it. */
  | {
      readonly kind: 'tenant';
      readonly channel: string;
      readonly tenant: string;
      readonly room?: string | undefined;
    }
  | {
      readonly kind: 'thread';
      readonly channel: string;
      readonly tenant: string;
      readonly room: string;
      readonly thread: string;
    }
  /** Without a tenant, the person in every workspace of the channel. */
  | {
      readonly kind: 'person';
      readonly channel: string;
      readonly tenant?: string | undefined;
      readonly person: string;
    };

/** Kinds of deleted data. These names must not change, because stored receipts of deletions contain them. */
export const removedKinds = [
  'turns',
  'answers',
  'conversations',
  'timelines',
  'feedback',
  'state',
  'auditRecords',
  'messages',
  'rooms',
  'files',
  'people',
  'sessions',
  'links',
] as const;
export type RemovedKind = (typeof removedKinds)[number];

/** Numbers of deleted items. A kind without items may be absent. */
export type Removed = Readonly<Partial<Record<RemovedKind, number>>>;

export function addUp(all: readonly Removed[]): Removed {
  const sums = removedKinds.map((kind) => [kind, all.reduce((sum, { [kind]: count = 0 }) => sum + count, 0)]);
  return Object.fromEntries(sums) as Removed;
}

/** Data that the bridge could not delete, with the reason. */
export interface Remaining {
  readonly what: string;
  readonly why: string;
  /** Ids with which the data can be found elsewhere. */
  readonly ids?: readonly string[];
}

export interface Receipt {
  /**
   * `refused`: nothing was deleted, for the reason in `remaining`. `dry-run`: nothing was deleted, because only the
   * numbers were requested.
   */
  readonly outcome: 'done' | 'refused' | 'dry-run';
  /** Stands in place of the person in the records of the audit. */
  readonly pseudonym: string;
  readonly removed: Removed;
  readonly remaining: readonly Remaining[];
}

/** A request that is stored until it is carried out, so that a crash does not end it half-way. */
export interface ForgetRequest {
  readonly id: string;
  readonly target: ForgetTarget;
  /** True to stop open turns first, and to refuse the request if they do not end. False to delete open turns too. */
  readonly stops: boolean;
  /** True to count only what a deletion would delete. Absent in requests of earlier versions. */
  readonly dryRun?: boolean;
}

/** The result of `erase`: how much was deleted from the tables of turns, keys and feedback. */
export interface Erased {
  readonly removed: Removed;
  /** Ids of the deleted conversations on the agent platform. */
  readonly platformSessions: readonly string[];
}

export interface ForgetStore {
  /** Stores a request and resolves with its id. */
  request(target: ForgetTarget, stops: boolean): Promise<string>;
  /** Stores a request to count what is stored about the target, and resolves with its id. */
  requestDryRun(target: ForgetTarget): Promise<string>;
  /** Resolves with the oldest request that is not carried out yet. */
  next(): Promise<ForgetRequest | undefined>;
  /** Resolves with the ids of at most 1,000 turns of the target that wait or run. */
  open(target: ForgetTarget): Promise<readonly string[]>;
  /**
   * Deletes the target's turns, conversations, feedback and other state, in one transaction. If the target is a person
   * or a thread, turns that wait or run are not deleted.
   */
  erase(target: ForgetTarget): Promise<Erased>;
  /** Resolves with what `erase` and `anonymize` would delete or change now. */
  preview(target: ForgetTarget): Promise<Erased>;
  /**
   * Removes the texts of at most 1,000 of the target's audit records. If the target is a person or a workspace, also
   * replaces the people in these records by the pseudonym. Resolves with the number of changed records.
   */
  anonymize(target: ForgetTarget, pseudonym: string): Promise<number>;
  /** Stores the receipt, removes the target from the request, and adds a record to the audit, in one transaction. */
  finish(request: ForgetRequest, receipt: Receipt): Promise<void>;
  /** Resolves with the receipt of a request; undefined until there is one. */
  receipt(id: string): Promise<Receipt | undefined>;
  /** Deletes receipts that are older than `before`. */
  prune(before: number): Promise<void>;
}
