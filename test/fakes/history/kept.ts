/** The record of a run from the servers: plain data that can be stored, changed and checked again. */

import { parse, plainBlocks } from '../../../src/kit/ladder.ts';
import type { Asking } from './platform.ts';
import type { Saying } from './saying.ts';

export interface Place {
  /** Slack workspace or Microsoft 365 tenant. */
  readonly team: string;
  /** A room. */
  readonly channel: string;
  /** The thread's first message. In a Teams chat, the chat itself. */
  readonly thread: string;
}

export interface Question extends Place {
  /** Id of the message, unique in its room. Ids are in the order of time. */
  readonly ts: string;
  /** The answers that the revisions of the question ask for, oldest revision first. */
  readonly sayings: readonly Saying[];
  readonly deletedAt?: number;
  /** True if the question is still marked as waiting. */
  readonly waits: boolean;
  readonly sentAt: number;
  /** Time at which the bridge first acknowledged the question's event with HTTP 200; absent if it never did. */
  readonly acceptedAt?: number;
  /** Number of acknowledged copies of the question's event. */
  readonly copies: number;
  /**
   * Number of acknowledged edits before the first unacknowledged edit. The bridge possibly does not know of that edit
   * and the later ones.
   */
  readonly heardEdits: number;
  /** True if the deletion of the question was acknowledged. */
  readonly isDeletionHeard: boolean;
}

/** A state of a message that people could see until a call replaced it. */
export interface Version {
  readonly until: number;
  readonly words: string;
  /** True if the message in this state showed a failure with its reference, or said that the answer was stopped. */
  readonly notice: boolean;
  /** Fingerprint of all that people saw of the message; absent in older records. */
  readonly look?: string;
}

/** A message of the app that more than one person sees. */
export interface Shown extends Place {
  readonly ts: string;
  /** The turn that wrote the message last, and the number of the part of the reply that the message shows. */
  readonly mark?: { readonly turn: string; readonly part: number };
  /** The questions that the message's buttons name. */
  readonly names: readonly string[];
  /** Words of the answer, without markup and blanks. */
  readonly words: string;
  /** Other content: notices, buttons. */
  readonly beside: string;
  /** True if the message shows a failure with its reference, or says that the answer was stopped. */
  readonly isNotice: boolean;
  /** Fingerprint of all that people see of the message; absent in older records. */
  readonly look?: string;
  readonly live: boolean;
  readonly postedAt: number;
  readonly deletedAt?: number;
  /** Replaced states, oldest first. */
  readonly versions: readonly Version[];
}

/** A press on a reply, or a Stop, as the channel reported it. */
export interface Act {
  readonly kind: string;
  readonly team: string;
  readonly channel: string;
  /** The pressed message; absent if the person pressed the channel's own Stop. */
  readonly ts?: string;
  readonly at: number;
  /** False if the bridge did not acknowledge the press. The press may still have had an effect. */
  readonly isAccepted: boolean;
  /** Body of the response. */
  readonly answer: string;
}

export interface Span {
  readonly at: number;
  readonly until: number;
}

/** A fault of the machines: a killed or paused process. */
export interface MachineFault extends Span {
  readonly name: string;
}

/** Maximum times in milliseconds. */
export interface Bounds {
  /** From the acceptance of a question to the first visible sign of it. */
  readonly noticeMs: number;
  /** From the claim of a question to its end. */
  readonly endMs: number;
}

/** The times of the delivery contract. */
export const CONTRACT: Bounds = { noticeMs: 5_000, endMs: 600_000 };

export interface Called extends Place {
  readonly at: number;
  readonly doneAt: number;
  readonly method: string;
  /** Id of the message that the call created or changed. */
  readonly ts: string;
  readonly ok: boolean;
  readonly error: string;
  /** Kind of the planted fault that hit the call. */
  readonly fault?: string;
  /** Arguments of the call, as JSON. */
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
  readonly acts: readonly Act[];
  readonly machineFaults: readonly MachineFault[];
  /** Times at which the platform refused a sign-in because of a planted fault. */
  readonly signInsRefused: readonly number[];
  /** Number of bridge processes; absent if there is only one. */
  readonly replicas?: number;
  /** Times that are not measured, because no process ran or the machine was overloaded. */
  readonly excused: readonly Span[];
  readonly bounds: Bounds;
}

/** The part of a history that a channel records. */
export type Seen = Omit<
  History,
  'askings' | 'breaks' | 'machineFaults' | 'signInsRefused' | 'replicas' | 'excused' | 'bounds'
>;

/** Matches the notice of a failure, which contains a reference, and the notice of a stopped answer. */
export const NOTICE = /\(Reference [0-9a-f]{8}\)|Stopped/;

/** Marks a stream that a person stopped in Teams. */
export const STOPPED_STREAM = 'Stopped by a person';

/** Most texts whose words are kept. */
const KEPT_TEXTS = 20_000;
const wordsByText = new Map<string, string>();

/**
 * Returns the visible words without markup, blanks and list numbers. Keeps them, because a run is recorded and checked
 * many times, and most of its texts stay the same.
 */
export function wordsOf(markdown: string): string {
  const known = wordsByText.get(markdown);
  if (known !== undefined) return known;
  const words = plainBlocks(parse(markdown), '\n').replace(/[\s|`>#*\0\uFFFD-]+/g, '');
  if (wordsByText.size >= KEPT_TEXTS) wordsByText.clear();
  wordsByText.set(markdown, words);
  return words;
}
