/** Stored records of the chat: the wire's types with the members that the wire does not show. */

import type { Media, Source } from '../../../src/kit.ts';
import type { MessageView, ReplyView, Thumb } from '../wire.ts';

/** An agent's reply as stored. Media and sources are those of the document: their links are created for each view. */
export interface ReplyRecord extends Omit<ReplyView, 'media' | 'sources' | 'asMe' | 'thumbs'> {
  /** The first turn that wrote to its message. */
  readonly root?: string;
  /** The platform account that the agent used. The reply's media are loaded with the rights of that account. */
  readonly account?: string;
  readonly media: readonly Media[];
  readonly sources: readonly Source[];
  /** Earlier turns that wrote to this message, the newest last. */
  readonly earlier?: readonly string[];
  /** True if the console ended the reply because its turn was missing from the inbox. Retry asks the question again. */
  readonly lost?: true;
}

/** The question in a message, and the agent that it names. */
export interface Asked {
  readonly agent?: string;
  /** The message's text without the mention. */
  readonly text: string;
}

export interface MessageRecord extends Omit<MessageView, 'reply' | 'edited' | 'answers' | 'lastAt'> {
  readonly asked?: Asked;
  readonly reply?: ReplyRecord;
  /** Number of edits by its author. */
  readonly revision?: number;
  /** Ratings of the reply's versions: by turn, by person. */
  readonly verdicts?: Readonly<Record<string, Readonly<Record<string, Thumb>>>>;
}

/** Summary of the messages under a thread's root. */
export interface Answers {
  readonly count: number;
  readonly lastAt: number;
}

/** The thread of every message of a direct room. */
export const DIRECT_THREAD = 'direct';

export const isRoot = (record: MessageRecord): boolean => record.thread === record.id;
