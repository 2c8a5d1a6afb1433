import type { AgentName, TurnId } from '../ids.ts';
import type { Quote } from '../message.ts';
import type { Media, MediaRef, Source, Step } from '../reply.ts';

/** An event of an answer. A gateway emits them in order. */
export type AgentEvent =
  /** Replaces everything from `at`, an offset in UTF-16 units of the text so far. Snapshots rewrite; deltas append. */
  | { readonly type: 'text'; readonly at: number; readonly text: string }
  | { readonly type: 'session'; readonly session: string }
  | { readonly type: 'record'; readonly chatRecord: string }
  | { readonly type: 'step'; readonly step: Step }
  | { readonly type: 'media'; readonly media: Media }
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  | { readonly type: 'suggestions'; readonly suggestions: readonly string[] }
  | { readonly type: 'remark'; readonly remark: Remark }
  | { readonly type: 'end' };

/**
 * A warning shown with an answer: the earlier context was lost, the answer was cut at a limit, or the platform did not
 * mark its end, so that it may be incomplete.
 */
export type Remark = 'context-lost' | 'answer-cut' | 'end-unmarked';

/** An earlier exchange of a thread, for agents whose platform has no sessions. */
export interface Exchange {
  readonly question: string;
  readonly answer: string;
  /**
   * The reply that contains the answer. A newer version of the reply replaces the exchange, and deleting the reply
   * deletes it.
   */
  readonly reply?: TurnId;
}

export interface Question {
  /** Markdown; never blank. */
  readonly text: string;
  readonly quoted: readonly Quote[];
  /** Image ids that `uploadImages` returned, in order. */
  readonly images: readonly string[];
  /** The platform's session; absent to start a new one. */
  readonly session?: string | undefined;
  /** Oldest first, already bounded; empty for agents with sessions. */
  readonly history: readonly Exchange[];
  /** The platform account to ask as; absent for the agent's own credential. */
  readonly account?: string | undefined;
  /** BCP 47: the asker's locale, if known. It does not decide the language of the answer. */
  readonly locale?: string | undefined;
  /** True if the person agreed to send personal data; the platform then skips its prompt. */
  readonly skipHint?: boolean;
  /** BCP 47: the chosen language of the answer, if any. */
  readonly language?: string | undefined;
}

export interface ImageFile {
  readonly name: string;
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly bytes: Uint8Array;
}

export interface OpenedMedia {
  /** The content's type, determined by its signature. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** One line of `doctor`. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** False if it could not be tested; that is not a fault. */
  readonly tested?: false;
  /** The fault and its remedy, or the state that was found. */
  readonly detail: string;
}

/** A platform call's account, and the signal that ends the wait. */
export interface Call {
  readonly account?: string | undefined;
  readonly signal: AbortSignal;
}

/** The client for one chat interface of the platform, for one agent. */
export interface AgentGateway {
  readonly sees: { readonly images: boolean };
  /** True if the interface accepts a language for the answer. */
  readonly takesLanguage?: true;
  /** Store of the earlier turns: the platform's session, or the bridge's history. */
  readonly memory: 'session' | 'history';
  /** True if the platform may answer with a prompt about personal data, which a question can skip. */
  readonly canSkipHint?: boolean;
  /**
   * Asks once and emits the answer's events. Ends normally after `end`. Throws a `BridgeError` if the answer broke off;
   * the events until then stay valid.
   */
  ask(question: Question, signal: AbortSignal): AsyncIterable<AgentEvent>;
  /** Resolves with the sources of a finished answer, best first; `known` are the ones already in the stream. */
  sources(
    answer: { readonly chatRecord?: string | undefined; readonly known: readonly Source[] },
    call: Call,
  ): Promise<readonly Source[]>;
  uploadImages(images: readonly ImageFile[], call: Call): Promise<readonly string[]>;
  /** Returns at most 20 MiB. Throws `media-unavailable`. */
  openMedia(media: MediaRef, call: Call): Promise<OpenedMedia>;
  check(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** A configured agent. */
export interface Agent {
  readonly name: AgentName;
  readonly description: string;
  /** An emoji such as `:books:`, or an https address of an image. */
  readonly icon?: string;
  readonly interface: 'open' | 'lite-key' | 'lite-token';
  /** True if the credential belongs to one platform account, so that all people ask with the same rights. */
  readonly oneAccount?: true;
  readonly gateway: AgentGateway;
}
