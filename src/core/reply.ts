import type { ErrorCode } from '../errors.ts';
import type { AgentName, TurnId } from './ids.ts';

/** A thought or a tool call of the agent, updated in place by its id. */
export interface Step {
  readonly id: string;
  readonly name: string;
  readonly detail?: string;
  readonly state: 'running' | 'done' | 'failed';
  readonly elapsedMs?: number;
  /** Further facts that the platform reported: its own word for the state, and the times of the model and of the action. */
  readonly reported?: { readonly state?: string; readonly model?: number; readonly action?: number };
}

/**
 * Reference with which the gateway opens an image or file. Plain data, so it can be stored. `platform`: name of the
 * platform that has the file; absent for `main`.
 */
export type MediaRef = (
  | { readonly kind: 'file-id'; readonly id: string }
  | { readonly kind: 'url'; readonly url: string }
) & { readonly platform?: string | undefined };

export interface Media {
  /** Unique within its reply. */
  readonly id: string;
  readonly kind: 'image' | 'file';
  readonly name: string;
  readonly ref: MediaRef;
  /** The address that the answer's Markdown uses for this image, if the text shows the image. */
  readonly inline?: string;
  /** An address that a person may open directly (a page of the platform); http or https only. */
  readonly link?: string;
}

export interface Fragment {
  readonly text: string;
  /** 0 to 1, where 1 is most relevant; absent if the platform provides none. */
  readonly score?: number;
}

/** One document behind an answer. All passages of a document belong to one source, best first. */
export interface Source {
  readonly key: string;
  /** Blank if the platform provides no title; people see the result of `sourceTitle`. */
  readonly title: string;
  readonly kind: 'document' | 'image' | 'QnA' | 'other';
  /** Number of the source's first mark in the answer's text: 2 for `[2]`. */
  readonly mark?: number;
  /** All marks of the source, if it has several passages; read them with `marksOf`. */
  readonly marks?: readonly number[];
  /** 0 to 1, where 1 is most relevant; absent if the platform provides none. */
  readonly score?: number;
  readonly link?: string;
  /** The platform's document id, for details and preview. */
  readonly document?: string;
  readonly fragments: readonly Fragment[];
}

/** Returns all marks of a source. A source that an earlier version stored has at most one. */
export const marksOf = ({ mark, marks = mark === undefined ? [] : [mark] }: MarkedSource) => marks;
type MarkedSource = Pick<Source, 'mark' | 'marks'>;

/** A line that the bridge adds below the answer. */
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

/** Position of a version among the versions of its reply, counted from 1. */
export interface Editions {
  readonly shown: number;
  readonly count: number;
}

/** Content of a reply, independent of the channel. Immutable: each change returns a new document. */
export interface ReplyDocument {
  /** The turn that wrote the document; for an earlier version that is shown again, the turn of that version. */
  readonly turn: TurnId;
  /** Absent until an agent is chosen, and for the bridge's own texts. */
  readonly agent?: AgentName;
  /** Platform account that the agent used; the bridge opens media with the rights of this account. */
  readonly account?: string;
  /** Platform on which the agent ran; absent for `main`. */
  readonly platform?: string;
  /** Increases by one with every change. */
  readonly version: number;
  readonly state: ReplyState;
  /** Text shown in the state `thinking` instead of the default. */
  readonly meanwhile?: string;
  /**
   * Set while the question waits for a platform that is down. The reply then shows `meanwhile` in a message, and no
   * progress.
   */
  readonly postponed?: true;
  /** The answer in Markdown, as the platform wrote it. */
  readonly text: string;
  /**
   * Increases by one whenever existing text is replaced. Between two documents with the same number, text was only
   * appended.
   */
  readonly rewrites: number;
  readonly steps: readonly Step[];
  readonly media: readonly Media[];
  readonly sources: readonly Source[];
  readonly suggestions: readonly string[];
  readonly notices: readonly Notice[];
  /** The error because of which the answer failed or was interrupted. */
  readonly error?: ErrorCode;
  /** Set if the platform did not mark the end of the answer, so it may be incomplete. */
  readonly endedWithoutMarker?: true;
  /** True if Retry is offered. */
  readonly retry: boolean;
  /** Absent while there is only one version. */
  readonly editions?: Editions;
  /**
   * While the reply is being written: the beginning of the question's first line, used for titles and deleted with
   * the turn. In a finished reply that an adapter requests: the whole question.
   */
  readonly question?: string;
}

/**
 * True if the answer has ended. The document then does not change again, except by sources that arrive late.
 * @example
 * ```ts
 * const label = isFinal(document) ? actions.regenerate.label : actions.stop.label;
 * ```
 */
export function isFinal(document: ReplyDocument): boolean {
  return document.state !== 'thinking' && document.state !== 'writing';
}

type Change = Partial<Omit<ReplyDocument, 'turn' | 'version'>>;

export function change(document: ReplyDocument, to: Change): ReplyDocument {
  return { ...document, ...to, version: document.version + 1 };
}
