import type { AgentName, TurnId } from '../ids.ts';
import type { Person, Quote, ThreadRef } from '../message.ts';
import type { Media, MediaRef, Source, Step } from '../reply.ts';
import type { PlatformHealth } from './breaker.ts';
import type { Call, FileInWorkspace, Library } from './library.ts';

/** An event of an answer. A gateway emits the events in order. */
export type AgentEvent =
  /**
   * Replaces the text from `at` (an offset in UTF-16 units) to its end. A snapshot may replace existing text;
   * a delta only appends.
   */
  | { readonly type: 'text'; readonly at: number; readonly text: string }
  | { readonly type: 'session'; readonly session: string }
  | { readonly type: 'record'; readonly chatRecord: string }
  | { readonly type: 'step'; readonly step: Step }
  | { readonly type: 'media'; readonly media: Media }
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  | { readonly type: 'suggestions'; readonly suggestions: readonly string[] }
  | { readonly type: 'remark'; readonly remark: Remark }
  /** `reason` is the platform's own word for why the answer ended. */
  | { readonly type: 'end'; readonly reason?: string };

/**
 * A warning shown with an answer: the agent lost the earlier context, the answer was cut at a limit, the
 * platform did not mark the end, so the answer may be incomplete, or a picture in the text was left out.
 */
export type Remark = 'context-lost' | 'answer-cut' | 'end-unmarked' | 'data-left-out';

/** An earlier exchange of a thread, for agents whose platform has no sessions. */
export interface Exchange {
  readonly question: string;
  readonly answer: string;
  /**
   * The reply that contains the answer. Writing a newer version replaces this exchange; deleting the reply deletes
   * it.
   */
  readonly reply?: TurnId;
}

export interface Question {
  /** Markdown; never blank. */
  readonly text: string;
  readonly asker: Person;
  /** The thread of the question. */
  readonly thread: ThreadRef;
  readonly quoted: readonly Quote[];
  /** What people saw with the question and the agent does not get, such as `the video demo.mp4`. Data, no instruction. */
  readonly omitted?: readonly string[];
  /** Image ids that `uploadImages` returned, in order. */
  readonly images: readonly string[];
  /** Files that were given with the question and that the agent can find. */
  readonly documents?: readonly FileInWorkspace[];
  /** The platform's session; absent to start a new one. */
  readonly session?: string | undefined;
  /** Earlier exchanges, oldest first, already limited in number and length; empty for agents with sessions. */
  readonly history: readonly Exchange[];
  /** The platform account to ask as; absent for the agent's own credential. */
  readonly account?: string | undefined;
  /** The asker's locale as a BCP 47 tag, if known. It does not set the language of the answer. */
  readonly locale?: string | undefined;
  /** True if the person agreed to send personal data; the platform then does not ask for consent. */
  readonly skipHint?: boolean;
  /** The language chosen for the answer as a BCP 47 tag, if any. */
  readonly language?: string | undefined;
  /** The room's settings for agents with the lite interface. */
  readonly lite?: LiteOptions;
}

/** Options that only the lite interface has (platform contract CHL-11, CHL-12). */
export interface LiteOptions {
  /** Ids of the knowledge workspaces from which the agent answers, in place of those in the agent's settings. */
  readonly workspaceIds?: readonly string[];
  /** retrieval: the platform returns the passages that it finds, and the agent composes no answer. */
  readonly layoutMode?: 'chat' | 'retrieval';
}

export interface ImageFile {
  readonly name: string;
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly bytes: Uint8Array;
}

export interface OpenedMedia {
  /** The media type, determined from the signature of the content. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** One line in the output of `doctor`. */
export interface Finding {
  /** The tested item, such as `Slack sign-in`. */
  readonly what: string;
  readonly ok: boolean;
  /** Set to false if the item could not be tested; that is not a fault. */
  readonly tested?: false;
  /** The fault and its remedy; if there is no fault, the state that was found. */
  readonly detail: string;
}

/** Decides whether a question may be sent, because another process may have claimed its turn. */
export interface AskingGuard {
  /** Called before each request. Rejects if the question must not be sent. */
  ready(): Promise<void>;
  /**
   * Called just before the first byte of a request is written. The process may have been paused while it connected to
   * the platform, and another process may have claimed the turn meanwhile. If `maySend` returns false, nothing is
   * written, and `ready` is called again.
   */
  maySend(): boolean;
}

/** One agent's client for one chat interface of the platform. */
export interface AgentGateway {
  readonly sees: { readonly images: boolean };
  /** True if the interface accepts a language for the answer. */
  readonly takesLanguage?: true;
  /**
   * Where earlier turns are stored: in the platform's session, or in the bridge's history. `either`: in a session once
   * the agent has named one, until then in the history.
   */
  readonly memory: 'session' | 'history' | 'either';
  /** True if the platform may answer with a prompt about personal data, and a question can switch that prompt off. */
  readonly canSkipHint?: boolean;
  /**
   * Asks the agent once and emits the events of the answer. Returns after the `end` event. Throws a `BridgeError` if
   * the answer breaks off; the events emitted so far remain valid.
   */
  ask(question: Question, signal: AbortSignal, guard: AskingGuard): AsyncIterable<AgentEvent>;
  /**
   * Resolves with the sources of a finished answer, best first. `known` lists the sources that the answer's stream
   * contained.
   */
  sources(
    answer: { readonly chatRecord?: string | undefined; readonly known: readonly Source[] },
    call: Call,
  ): Promise<readonly Source[]>;
  uploadImages(images: readonly ImageFile[], call: Call): Promise<readonly string[]>;
  /** Opens an image or file of an answer, at most 20 MiB. Throws `media-unavailable`. */
  openMedia(media: MediaRef, call: Call): Promise<OpenedMedia>;
  /**
   * Resolves if the platform accepts this account, or accepted it in the last minute. Rejects with the platform's
   * refusal, or if the platform cannot be asked. Absent if the gateway cannot check accounts.
   */
  admit?(account: string, signal: AbortSignal): Promise<void>;
  check(signal: AbortSignal): Promise<readonly Finding[]>;
  /** Resolves with true if the server behind the agent responds to a cheap request. Never rejects. Absent without one. */
  answers?(): Promise<boolean>;
}

/** Takes the place of a platform's name for agents that run without a platform. Stored with their answers. */
export const OWN = '@bridge';

export interface Agent {
  readonly name: AgentName;
  readonly description: string;
  /** An emoji such as `:books:`, or the https address of an image. */
  readonly icon?: string;
  /** Heading of a group below which a channel lists the agent. */
  readonly group?: string;
  /** Questions that a channel offers before anything was asked. */
  readonly questions?: readonly string[];
  readonly interface: 'open' | 'lite-key' | 'lite-token' | 'openai' | 'function';
  /** True if the credential belongs to one platform account, so that everyone asks with the same rights. */
  readonly oneAccount?: true;
  /**
   * True if private answers need the asker's own token of the identity provider. Other answers use another credential,
   * if there is one.
   */
  readonly asAsker?: true;
  /** Name of the knowledge workspace that receives corrected answers; if absent, the room's workspace receives them. */
  readonly workspace?: string;
  /**
   * Name of the platform that runs the agent; absent for `main`, and `OWN` if no platform runs it. The accounts of people
   * and rooms belong to `main`, so agents of other platforms answer everyone with their own credential.
   */
  readonly platform?: string;
  readonly gateway: AgentGateway;
  /** The documents of the agent's platform; absent if the operator configured no access to them. */
  readonly library?: Library;
  /** Health of the agent's platform, shared by all its agents; absent if questions are not kept during an outage. */
  readonly health?: PlatformHealth;
}
