/** Stored records of the chat: the wire's types with the members that the wire does not show. */

import type { Media, ReplyDocument, Source } from '../../../src/kit.ts';
import type { FileView, MessageView, RoomView, SourceView, Thumb } from '../wire.ts';

/** An agent's reply as kept: media and sources as the document has them, so that links are made when they are shown. */
export interface ReplyRecord {
  readonly turn: string;
  /** The first turn that wrote in its message. */
  readonly root?: string;
  /** The message that asked. */
  readonly question: string;
  readonly agent?: string;
  /** The platform account the agent ran as: its media open with that account's rights. */
  readonly account?: string;
  readonly state: ReplyDocument['state'] | 'waiting';
  readonly ahead?: number;
  readonly meanwhile?: string;
  readonly text: string;
  readonly steps: ReplyDocument['steps'];
  readonly media: readonly Media[];
  readonly sources: readonly Source[];
  readonly suggestions: readonly string[];
  readonly notices: ReplyDocument['notices'];
  readonly retry: boolean;
  readonly editions?: ReplyDocument['editions'] & object;
  /** Turns that wrote in this message before, the newest last. */
  readonly earlier?: readonly string[];
  /** True if the console ended the reply because its turn was missing from the inbox. Retry asks the question anew. */
  readonly lost?: true;
}

/** The agent and the question of a message that asks. */
export interface Asked {
  readonly agent?: string;
  /** The message's text without the mention. */
  readonly text: string;
}

export interface SharedRecord {
  readonly source?: SourceView;
  readonly answer?: { readonly text: string; readonly sources: readonly SourceView[] };
  readonly from: {
    readonly room: string;
    readonly thread: string;
    readonly agent: string;
    readonly question: string;
  };
}

export interface MessageRecord {
  readonly id: string;
  readonly room: string;
  readonly thread: string;
  readonly at: number;
  readonly author: MessageView['author'];
  readonly text: string;
  readonly files: readonly FileView[];
  readonly asked?: Asked;
  readonly reply?: ReplyRecord;
  readonly shared?: SharedRecord;
  /** Number of edits by its author. */
  readonly revision?: number;
  readonly deleted?: true;
  /** Ratings of the reply's versions: by turn, by person. */
  readonly verdicts?: Readonly<Record<string, Readonly<Record<string, Thumb>>>>;
  readonly seq: number;
}

/** Summary of the messages under a thread's root. */
export interface Answers {
  readonly count: number;
  readonly lastAt: number;
}

/** The thread of every message of a direct room. */
export const DIRECT_THREAD = 'direct';

export const isRoot = (record: MessageRecord): boolean => record.thread === record.id;

export type { RoomView };
