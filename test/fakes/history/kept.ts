/** What a run left behind, as the servers saw it: plain data, so that it can be kept, changed and checked again. */

import { parse, plainBlocks } from '../../../src/kit.ts';
import type { Asking } from './platform.ts';
import type { Saying } from './saying.ts';

export interface Place {
  /** A Slack workspace, a tenant of Microsoft 365. */
  readonly team: string;
  /** A room. */
  readonly channel: string;
  /** The thread's first message; in a chat of Teams the chat itself. */
  readonly thread: string;
}

export interface Question extends Place {
  /** What tells it from the other messages of its room, in their order. */
  readonly ts: string;
  /** What it asks for: of each of its revisions, the newest last. */
  readonly sayings: readonly Saying[];
  readonly deletedAt?: number;
  /** Still marked as one that waits. */
  readonly waits: boolean;
}

/** A message of the app that more than one person sees. */
export interface Shown extends Place {
  readonly ts: string;
  /** Which turn wrote it last, and which part of the reply it is. */
  readonly mark?: { readonly turn: string; readonly part: number };
  /** The questions that its buttons name. */
  readonly names: readonly string[];
  /** Words of the answer, without markup and blanks. */
  readonly words: string;
  /** Everything beside the answer: notices, buttons. */
  readonly beside: string;
  readonly live: boolean;
  readonly deletedAt?: number;
}

export interface Called extends Place {
  readonly at: number;
  readonly doneAt: number;
  readonly method: string;
  /** Of the message that it made or changed. */
  readonly ts: string;
  readonly ok: boolean;
  readonly error: string;
  /** Its arguments, as JSON. */
  readonly said: string;
}

export interface History {
  readonly questions: readonly Question[];
  readonly shown: readonly Shown[];
  readonly calls: readonly Called[];
  readonly askings: readonly Asking[];
  /** Threads whose status says that the app works. */
  readonly thinking: readonly Place[];
  /** Rooms that the app may not write to any more. */
  readonly closed: readonly { readonly team: string; readonly channel: string }[];
  /** When the bridge was killed or began again. */
  readonly breaks: readonly number[];
  readonly violations: readonly string[];
}

/** What the channel saw of it. */
export type Seen = Omit<History, 'askings' | 'breaks'>;

/** Words as people read them: no markup, no blanks, no numbers of lists. */
export const wordsOf = (markdown: string): string =>
  plainBlocks(parse(markdown), '\n').replace(/[\s|`>#*-]+/g, '');
