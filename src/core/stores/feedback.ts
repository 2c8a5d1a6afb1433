/** People's ratings of answers. */

import type { AgentName, TurnId } from '../ids.ts';
import type { Verdict } from '../message.ts';

/** A person's rating of one version of an answer. Holds no text of question or answer. */
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
  /** The person's newest word on the version counts; `none` takes it back. A note stays while the verdict does. */
  give(feedback: Feedback): Promise<void>;
  /** Oldest first. */
  all(): Promise<readonly Feedback[]>;
  /** Drops what was given before `before`. */
  prune(before: number): Promise<void>;
}
