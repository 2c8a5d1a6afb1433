import type { ErrorCode } from '../errors.ts';
import type { AgentName, TurnId } from './ids.ts';

/** A thought or a tool of the agent, updated in place by its id. */
export interface Step {
  readonly id: string;
  readonly name: string;
  readonly detail?: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly elapsedMs?: number;
}

/** Reference with which the gateway finds the bytes of a medium again. Plain data. */
export type MediaRef =
  | { readonly kind: 'file-id'; readonly id: string }
  | { readonly kind: 'url'; readonly url: string };

export interface Media {
  /** Unique in its reply. */
  readonly id: string;
  readonly kind: 'image' | 'file';
  readonly name: string;
  readonly ref: MediaRef;
  /** The destination by which the answer's Markdown shows this image, where it does. */
  readonly inline?: string;
  /** An address that a person may open directly (a page of the platform); http or https only. */
  readonly link?: string;
}

export interface Fragment {
  readonly text: string;
  /** 0 to 1, nearer 1 is more relevant; absent where the platform gives none. */
  readonly score?: number;
}

/** One document behind an answer; fragments of one document are one source, the best first. */
export interface Source {
  readonly key: string;
  /** Blank where the platform names none; `sourceTitle` is what people read. */
  readonly title: string;
  readonly kind: 'document' | 'image' | 'QnA' | 'other';
  /** The mark that the answer's text uses for it: `[2]` is 2. */
  readonly mark?: number;
  readonly score?: number;
  readonly link?: string;
  /** The platform's document id, for details and preview. */
  readonly document?: string;
  readonly fragments: readonly Fragment[];
}

/** A line of the bridge's own under the answer. */
export interface Notice {
  readonly tone: 'info' | 'warning' | 'error';
  readonly text: string;
}

export type ReplyState =
  | 'thinking'
  | 'writing'
  | 'done'
  | 'partial'
  | 'stopped'
  | 'failed'
  /** The question was deleted: the writer deletes the reply's messages until no part is left. */
  | 'withdrawn';

/** Which of a reply's versions this is, counted from 1. */
export interface Editions {
  readonly shown: number;
  readonly count: number;
}

/** Content of a reply, independent of the channel. Immutable; each fold returns a new one. */
export interface ReplyDocument {
  /** The turn that wrote it; of an earlier version that is shown again, the turn of that version. */
  readonly turn: TurnId;
  /** Absent while nobody was chosen, and where the bridge itself speaks. */
  readonly agent?: AgentName;
  /** The platform account the agent ran as: its media open with that account's rights. */
  readonly account?: string;
  /** Grows by one with every change. */
  readonly version: number;
  readonly state: ReplyState;
  /** Text of a reply in state `thinking`, if there is more to say than that it thinks. */
  readonly meanwhile?: string;
  /** The answer as the platform wrote it, Markdown. */
  readonly text: string;
  /** Grows by one whenever text that already stood was replaced; equal numbers mean: only appended since. */
  readonly rewrites: number;
  readonly steps: readonly Step[];
  readonly media: readonly Media[];
  readonly sources: readonly Source[];
  readonly suggestions: readonly string[];
  readonly notices: readonly Notice[];
  /** The error that made the answer fail or break off. */
  readonly error?: ErrorCode;
  /** The platform did not mark the end of the answer, so it may be incomplete. */
  readonly endedWithoutMarker?: true;
  /** True if Retry is offered. */
  readonly retry: boolean;
  /** Absent while there is one version only. */
  readonly editions?: Editions;
  /**
   * While it is written, the beginning of the question's first line, for titles, never stored beyond the turn; of a
   * finished reply that an adapter asks for, the question.
   */
  readonly question?: string;
}

/** A document that will not change again. */
export function isFinal(document: ReplyDocument): boolean {
  return document.state !== 'thinking' && document.state !== 'writing';
}

type Change = Partial<Omit<ReplyDocument, 'turn' | 'version'>>;

export function change(document: ReplyDocument, to: Change): ReplyDocument {
  return { ...document, ...to, version: document.version + 1 };
}
