/** People's ratings of answers. */

import type { AgentName, TurnId } from '../ids.ts';
import type { Verdict } from '../message.ts';

/** A person's rating of one version of an answer. Contains no text of the question or the answer. */
export interface Feedback {
  /** The turn that wrote the version, and the first turn of its reply. */
  readonly turn: TurnId;
  readonly reply: TurnId;
  /** The channel's id of the person. */
  readonly person: string;
  readonly verdict: Verdict;
  readonly note?: string;
  readonly at: number;
  readonly channel: string;
  readonly tenant: string;
  readonly room: string;
  readonly agent?: AgentName;
}

export interface FeedbackStore {
  /**
   * Stores the rating and replaces the person's earlier one; `none` deletes it. If the new rating has the same
   * verdict, the earlier note is kept.
   */
  give(feedback: Feedback): Promise<void>;
  /** Resolves with all ratings, oldest first. */
  all(): Promise<readonly Feedback[]>;
  /** Deletes at most 1,000 ratings that are older than `before`. Resolves with their number. */
  prune(before: number): Promise<number>;
}
