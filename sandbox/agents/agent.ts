import type { Clock } from '../clock.ts';
import type { SandboxAccount, SandboxAgent } from '../fixtures.ts';
import type { StoredImage } from '../store/images.ts';
import type { PastTurn, Source } from '../store/sessions.ts';
import type { Conduct } from './conduct.ts';

/** One question to an agent, the same for both interfaces. */
export interface AgentRequest {
  readonly agent: SandboxAgent;
  readonly account: SandboxAccount;
  readonly question: string;
  readonly images: readonly StoredImage[];
  /** Earlier turns, oldest first. */
  readonly history: readonly PastTurn[];
  /** Language tags such as `en-US`; empty if the caller gave none. */
  readonly chatLanguage: string;
  readonly systemLanguage: string;
  /** True to return the retrieved passages and compose no answer (platform contract CHL-12: `layout_mode`). */
  readonly retrievalOnly: boolean;
  readonly skipHint: boolean;
  /** Ids or names of the workspaces and documents to search; empty to search all. */
  readonly workspaces: readonly string[];
  readonly documents: readonly string[];
  /**
   * Configured behaviour of an agent that was created through the API; absent for the agents that ship with the
   * sandbox.
   */
  readonly conduct?: Conduct;
  /** Address of the sandbox, used in links that people open. */
  readonly base: string;
  readonly signal: AbortSignal;
}

/** Default values of a question's properties, for callers that set only the question's text. */
export const plainQuestion = {
  images: [],
  chatLanguage: '',
  systemLanguage: 'en-US',
  retrievalOnly: false,
  skipHint: false,
  workspaces: [],
  documents: [],
} as const;

export interface Thought {
  readonly thought: string;
  readonly pluginName: string;
  /** Times in milliseconds (platform contract EXP-12: thoughts). */
  readonly elapsedTime: { readonly model: number; readonly action: number; readonly total: number };
  readonly state: string;
}

export interface Media {
  readonly type: 'image' | 'file';
  readonly name: string | null;
  readonly url: string;
}

/** One part of an answer; an agent yields the parts in order. */
export type Piece =
  | { readonly type: 'thought'; readonly thought: Thought }
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'media'; readonly medias: readonly Media[] }
  | { readonly type: 'suggestions'; readonly questions: readonly string[] };

/**
 * Answers a question. May throw a `Refusal`. A refusal before the first piece sets the HTTP status; a later refusal
 * becomes an error inside the stream.
 */
export type Agent = (request: AgentRequest) => AsyncIterable<Piece>;

export interface Pace {
  readonly clock: Clock;
  /** Milliseconds between two word groups. */
  readonly paceMs: () => number;
}

/** Maximum word groups of one text, which limits the total time of the pauses in a long answer. */
const MAX_GROUPS = 600;
const WORD =
  /\s*(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{1,2}|\S)(?:[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])*/gu;

/**
 * Splits a text into groups of three or more words; the last group may be shorter. The joined groups are equal to the
 * text.
 */
export function wordGroups(text: string): readonly string[] {
  const words = text.match(WORD) ?? [];
  const size = Math.max(3, Math.ceil(words.length / MAX_GROUPS));
  const groups: string[] = [];
  let used = 0;
  for (let at = 0; at < words.length; at += size) {
    const group = words.slice(at, at + size).join('');
    groups.push(group);
    used += group.length;
  }
  const rest = text.slice(used);
  return rest === '' ? groups : [...groups, rest];
}

/** Yields a text with a pause after each word group. Stops when the caller has disconnected. */
export async function* say(
  text: string,
  { signal }: AgentRequest,
  { clock, paceMs }: Pace,
): AsyncIterable<Piece> {
  const everyMs = paceMs();
  for (const group of wordGroups(text)) {
    if (signal.aborted) return;
    yield { type: 'text', text: group };
    await clock.sleep(everyMs, signal);
  }
}
