/** The record of a run from the servers: plain data that can be stored, changed and checked again. */

import { parse, plainBlocks } from '../../../src/kit.ts';
import type { Asking } from './platform.ts';
import type { Saying } from './saying.ts';

export interface Place {
  /** Slack workspace or Microsoft 365 tenant. */
  readonly team: string;
  /** A room. */
  readonly channel: string;
  /** The thread's first message; in a chat of Teams the chat itself. */
  readonly thread: string;
}

export interface Question extends Place {
  /** Identifies the message in its room; ordered by time. */
  readonly ts: string;
  /** The answer ids that each revision asks for, the newest last. */
  readonly sayings: readonly Saying[];
  readonly deletedAt?: number;
  /** True if it is still marked as waiting. */
  readonly waits: boolean;
}

/** A message of the app that more than one person sees. */
export interface Shown extends Place {
  readonly ts: string;
  /** The turn that wrote it last, and its part of the reply. */
  readonly mark?: { readonly turn: string; readonly part: number };
  /** The questions that its buttons name. */
  readonly names: readonly string[];
  /** Words of the answer, without markup and blanks. */
  readonly words: string;
  /** Other content: notices, buttons. */
  readonly beside: string;
  readonly live: boolean;
  readonly deletedAt?: number;
}

export interface Called extends Place {
  readonly at: number;
  readonly doneAt: number;
  readonly method: string;
  /** Id of the message that it created or changed. */
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
  /** Threads with a status that says the app is working. */
  readonly thinking: readonly Place[];
  /** Rooms in which the app may no longer write. */
  readonly closed: readonly { readonly team: string; readonly channel: string }[];
  /** Times at which the bridge was killed or restarted. */
  readonly breaks: readonly number[];
  readonly violations: readonly string[];
}

/** Calls that the channel received. */
export type Seen = Omit<History, 'askings' | 'breaks'>;

/** Returns the visible words without markup, blanks and list numbers. */
export const wordsOf = (markdown: string): string =>
  plainBlocks(parse(markdown), '\n').replace(/[\s|`>#*-]+/g, '');
