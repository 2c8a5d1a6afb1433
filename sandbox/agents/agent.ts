import type { SandboxAccount, SandboxAgent } from '../fixtures.ts';
import type { StoredImage } from '../store/images.ts';
import type { PastTurn, Source } from '../store/sessions.ts';
import type { Conduct } from './conduct.ts';

/** One question as an agent sees it, whichever interface brought it. */
export interface Asked {
  readonly agent: SandboxAgent;
  readonly account: SandboxAccount;
  readonly question: string;
  readonly images: readonly StoredImage[];
  /** Earlier turns, oldest first. */
  readonly history: readonly PastTurn[];
  /** Language tags; empty when the caller gave none. */
  readonly chatLanguage: string;
  readonly systemLanguage: string;
  readonly wantsThoughts: boolean;
  /** True: return what was retrieved instead of an answer (platform contract CHL-12). */
  readonly retrievalOnly: boolean;
  readonly skipHint: boolean;
  /** Ids or names that limit the search; empty for no limit. */
  readonly workspaces: readonly string[];
  readonly documents: readonly string[];
  /** How its maker wants it to behave; absent for the agents that ship with the sandbox. */
  readonly conduct?: Conduct;
  /** Address of the sandbox for links that people open. */
  readonly base: string;
  readonly signal: AbortSignal;
}

export interface Thought {
  readonly thought: string;
  readonly pluginName: string;
  /** Milliseconds (platform contract EXP-12). */
  readonly elapsedTime: { readonly model: number; readonly action: number; readonly total: number };
  readonly state: string;
}

export interface Media {
  readonly type: 'image' | 'file';
  readonly name: string | null;
  readonly url: string;
}

/** What an agent produces, in order. */
export type Piece =
  | { readonly type: 'thought'; readonly thought: Thought }
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'media'; readonly medias: readonly Media[] }
  | { readonly type: 'suggestions'; readonly questions: readonly string[] };

/** Throws a Refusal to fail; before the first piece it becomes the status, later an error inside the stream. */
export type Agent = (asked: Asked) => AsyncIterable<Piece>;
