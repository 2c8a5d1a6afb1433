import type { AgentName, TurnId } from '../ids.ts';
import type { Quote } from '../message.ts';
import type { Media, MediaRef, Source, Step } from '../reply.ts';

/** An event of an answer; a gateway sends them in order. */
export type AgentEvent =
  /** Replaces everything from `at` (an offset in UTF-16 units of the text so far): snapshots rewrite, deltas append. */
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

/** One earlier exchange of a thread, for agents whose platform keeps no session. */
export interface Exchange {
  readonly question: string;
  readonly answer: string;
  /** The reply that holds the answer: a newer version of it takes its place, and it goes with the reply. */
  readonly reply?: TurnId;
}

export interface Question {
  /** Markdown; never blank. */
  readonly text: string;
  readonly quoted: readonly Quote[];
  /** Image ids that `uploadImages` returned, in order. */
  readonly images: readonly string[];
  /** The platform's session; absent starts a new one. */
  readonly session?: string | undefined;
  /** Oldest first, already bounded; empty for agents with sessions. */
  readonly history: readonly Exchange[];
  /** The platform account to ask as; absent for the agent's own credential. */
  readonly account?: string | undefined;
  /** BCP 47: the asker's locale, where known. It does not decide the language of the answer. */
  readonly locale?: string | undefined;
  /** The person has agreed to send personal data: the platform's prompt about it is skipped. */
  readonly skipHint?: boolean;
  /** BCP 47: the language to answer in, where one was chosen. */
  readonly language?: string | undefined;
}

export interface ImageFile {
  readonly name: string;
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly bytes: Uint8Array;
}

export interface OpenedMedia {
  /** The content's own type, decided by its signature. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** One line of `doctor`. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** False if it could not be tested; it is then no fault. */
  readonly tested?: false;
  /** The fault and its cure, or the state that was found. */
  readonly detail: string;
}

/** A wait on the platform: whose account, and until when. */
export interface Call {
  readonly account?: string | undefined;
  readonly signal: AbortSignal;
}

/** Our client of one chat interface of the platform, for one agent. */
export interface AgentGateway {
  readonly sees: { readonly images: boolean };
  /** True where the interface takes a language to answer in. */
  readonly takesLanguage?: true;
  /** Store of the earlier turns: the platform's session, or the bridge's history. */
  readonly memory: 'session' | 'history';
  /** The platform may answer with a prompt about personal data, which a question can skip. */
  readonly canSkipHint?: boolean;
  /**
   * Asks once and tells the answer's events. Ends normally after `end`. Throws a `BridgeError` when the answer
   * broke off; what was told until then stands.
   */
  ask(question: Question, signal: AbortSignal): AsyncIterable<AgentEvent>;
  /** The sources of a finished answer, best first; `known` are those that the stream already told. */
  sources(
    answer: { readonly chatRecord?: string | undefined; readonly known: readonly Source[] },
    call: Call,
  ): Promise<readonly Source[]>;
  uploadImages(images: readonly ImageFile[], call: Call): Promise<readonly string[]>;
  /** At most 20 MiB. Throws `media-unavailable`. */
  openMedia(media: MediaRef, call: Call): Promise<OpenedMedia>;
  check(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** An agent as the bridge knows it. */
export interface Agent {
  readonly name: AgentName;
  readonly description: string;
  /** An emoji such as `:books:`, or an https address of an image. */
  readonly icon?: string;
  readonly interface: 'open' | 'lite-key' | 'lite-token';
  /** True if the credential belongs to one platform account, so all people ask with the same rights. */
  readonly oneAccount?: true;
  readonly gateway: AgentGateway;
}
