/** The chat's records as they are stored: the types of `wire.ts`, plus properties that the page does not receive. */

import type { Media } from '../../../src/kit/ladder.ts';
import type { Source } from '../../../src/kit.ts';
import type { MessageView, ReplyView, Thumb } from '../wire.ts';

/** An agent's reply as stored. Its media and sources contain no links, because each view makes its own. */
export interface ReplyRecord
  extends Omit<ReplyView, 'media' | 'sources' | 'asMe' | 'correctable' | 'thumbs'> {
  /** The first turn whose answer this message showed. */
  readonly root?: string;
  /** Number of the claim of `turn` that last wrote the reply; absent if only other turns, which show this version, did. */
  readonly attempt?: number;
  /** Platform account that the agent used. The reply's media are loaded with that account's rights. */
  readonly account?: string;
  readonly media: readonly Media[];
  readonly sources: readonly Source[];
  /** Earlier turns whose answers this message showed, the newest last. */
  readonly earlier?: readonly string[];
  /**
   * Set if the console ended the reply because its turn was missing from the bridge's inbox. Retry then asks the
   * question anew.
   */
  readonly lost?: true;
}

/** The question in a message, and the agent that the message mentions. */
export interface AgentQuestion {
  readonly agent?: string;
  /** Text of the message without the mention. */
  readonly text: string;
}

export interface MessageRecord extends Omit<MessageView, 'reply' | 'edited' | 'answers' | 'lastAt'> {
  readonly asked?: AgentQuestion;
  readonly reply?: ReplyRecord;
  /** Number of times that the author edited the message. */
  readonly revision?: number;
  /** Ratings of the reply's versions: by turn, then by person. */
  readonly verdicts?: Readonly<Record<string, Readonly<Record<string, Thumb>>>>;
}

/** The answers below a thread's root, as a summary. */
export interface Answers {
  readonly count: number;
  readonly lastAt: number;
}

/** Maximum length of the question that a shared answer shows, in UTF-16 units. */
export const SHARED_QUESTION_CHARS = 200;

/** Thread id of every message in a direct room. */
export const DIRECT_THREAD = 'direct';

export const isRoot = (record: MessageRecord): boolean => record.thread === record.id;
