/**
 * What an operator sees of the whole bridge: turns, their ends, limits and replicas. Contains no text of people or
 * agents.
 */

import type { StoreStatus } from './status.ts';

/** The condition that all listed properties have these values. Times are in milliseconds since the epoch. */
export interface TurnFilter {
  /** Inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly turn?: string | undefined;
  readonly channel?: string | undefined;
  readonly tenant?: string | undefined;
  readonly room?: string | undefined;
  readonly person?: string | undefined;
  readonly agent?: string | undefined;
  /** Code of the error with which the turn ended. */
  readonly code?: string | undefined;
  readonly states?: readonly string[] | undefined;
}

/**
 * Why a turn waits: an earlier question of its thread has not ended (`thread`), the agent platform is down
 * (`platform`), the channel is switched off (`channel`), no replica owns the workspace (`replica`), or it is the next
 * that a replica claims (`next`).
 */
export type WaitReason = 'thread' | 'platform' | 'channel' | 'replica' | 'next';

/** A turn, or another act of the audit, as an operator sees it. */
export interface TurnLine {
  readonly turn?: string | undefined;
  readonly action: string;
  /** `waiting`, `running`, or the state in which the turn ended. */
  readonly state: string;
  /** Time at which the turn was stored if it has not ended; otherwise the time of its end. */
  readonly at: number;
  readonly channel?: string | undefined;
  readonly tenant?: string | undefined;
  readonly room?: string | undefined;
  /** The channel's id of the person who acted. */
  readonly person?: string | undefined;
  readonly kind?: string | undefined;
  readonly agent?: string | undefined;
  readonly account?: string | undefined;
  readonly code?: string | undefined;
  /** Time from the storing of the question to the end of its turn, in milliseconds. */
  readonly ms?: number | undefined;
  readonly questionChars?: number | undefined;
  readonly answerChars?: number | undefined;
  readonly files?: number | undefined;
  /** Number of the answer's sources. */
  readonly sources?: number | undefined;
  readonly why?: WaitReason | undefined;
  readonly phase?: string | undefined;
  readonly attempt?: number | undefined;
  /** Id of the replica that runs the turn. */
  readonly replica?: string | undefined;
}

/** The place of the last line of a page. The next page begins after it. */
export interface PageEnd {
  readonly at: number;
  readonly seq: number;
}

export interface TurnPage {
  readonly lines: readonly TurnLine[];
  /** Absent on the last page. */
  readonly next?: PageEnd;
  /** Maximum number of records that a query reads; set if there are older records that it did not read. */
  readonly searched?: number;
}

/** Open turns, the oldest first. */
export interface OpenTurns {
  readonly lines: readonly TurnLine[];
  /** Maximum number of turns that a query reads; set if there are more open turns. */
  readonly searched?: number;
}

/** Number of turns that ended alike. */
export interface TurnCount {
  readonly state: string;
  readonly count: number;
  readonly agent?: string | undefined;
  readonly code?: string | undefined;
}

export interface TurnCounted {
  /** The most frequent first, 500 at most. */
  readonly counts: readonly TurnCount[];
  readonly searched?: number;
}

/** A person's rating of an answer. */
export interface RatingLine {
  readonly turn: string;
  readonly person: string;
  readonly verdict: string;
  readonly at: number;
  readonly channel: string;
  readonly tenant: string;
  readonly room: string;
  readonly agent?: string | undefined;
  /** True if the person wrote a note, which `parley feedback` prints. */
  readonly noted: boolean;
}

/** Calls of one family of API methods that all processes made for a workspace. */
export interface CallBudget {
  readonly channel: string;
  readonly tenant: string;
  readonly family: string;
  /** Calls in the last minute. */
  readonly calls: number;
  /** Calls per minute that the channel's documentation allows; absent if it states no number. */
  readonly perMinute?: number;
  /** The lower limit that the channel's refusals have taught. */
  readonly learned?: number;
  /** Calls that the channel refused with a rate limit in the last 24 hours, at most 50. */
  readonly refused: number;
  readonly refusedAt?: number;
}

export interface LinkedPerson {
  readonly channel: string;
  readonly tenant: string;
  readonly person: string;
  readonly account: string;
  readonly name?: string;
  readonly since?: number;
  readonly until: number;
}

/** Reads the figures for an operator. All functions reject with `store-unavailable`. */
export interface Operations {
  status(): Promise<StoreStatus>;
  /** Resolves with the waiting and running turns. Reads at most 500 of each; ignores the times of the filter. */
  open(filter: TurnFilter): Promise<OpenTurns>;
  /**
   * Resolves with ended turns, the newest first: at most `limit`, and those after `after`. Reads the newest 100,000
   * records of the time at most.
   */
  ended(filter: TurnFilter, limit: number, after?: PageEnd): Promise<TurnPage>;
  /** Counts the ended turns that `ended` finds. */
  counted(filter: TurnFilter): Promise<TurnCounted>;
  /** Resolves with the newest ratings, at most `limit`. */
  ratings(filter: TurnFilter, limit: number): Promise<readonly RatingLine[]>;
  /** Resolves with the newest corrections, at most `limit`. */
  corrections(filter: TurnFilter, limit: number): Promise<readonly TurnLine[]>;
  /** Resolves with the calls of each workspace; at most 1,000 workspaces. */
  budgets(): Promise<readonly CallBudget[]>;
  /** Resolves with the number of linked people, and at most `limit` of them. */
  people(limit: number): Promise<{ readonly count: number; readonly people: readonly LinkedPerson[] }>;
}
