import type { Clock } from '../clock.ts';
import type { SandboxAccount, SandboxAgent } from '../fixtures.ts';
import type { StoredImage } from '../store/images.ts';
import type { PastTurn, Source } from '../store/sessions.ts';
import type { Conduct } from './conduct.ts';

/** One question to an agent, the same for both interfaces. */
export interface Asked {
  readonly agent: SandboxAgent;
  readonly account: SandboxAccount;
  readonly question: string;
  readonly images: readonly StoredImage[];
  /** Earlier turns, oldest first. */
  readonly history: readonly PastTurn[];
  /** Language tags; empty if the caller gave none. */
  readonly chatLanguage: string;
  readonly systemLanguage: string;
  readonly wantsThoughts: boolean;
  /** True to return the retrieved passages instead of an answer (platform contract CHL-12). */
  readonly retrievalOnly: boolean;
  readonly skipHint: boolean;
  /** Ids or names that limit the search; empty for no limit. */
  readonly workspaces: readonly string[];
  readonly documents: readonly string[];
  /** Configured behaviour; absent for the agents that ship with the sandbox. */
  readonly conduct?: Conduct;
  /** Address of the sandbox, used in links that people open. */
  readonly base: string;
  readonly signal: AbortSignal;
}

/** Default members for a question of which only the text is given. */
export const plainQuestion = {
  images: [],
  chatLanguage: '',
  systemLanguage: 'en-US',
  wantsThoughts: false,
  retrievalOnly: false,
  skipHint: false,
  workspaces: [],
  documents: [],
} as const;

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

/** One part of an answer; an agent yields the parts in order. */
export type Piece =
  | { readonly type: 'thought'; readonly thought: Thought }
  | { readonly type: 'sources'; readonly sources: readonly Source[] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'media'; readonly medias: readonly Media[] }
  | { readonly type: 'suggestions'; readonly questions: readonly string[] };

/**
 * Answers a question. May throw a `Refusal`: before the first piece it sets the HTTP status, afterwards it
 * becomes an error inside the stream.
 */
export type Agent = (asked: Asked) => AsyncIterable<Piece>;

export interface Pace {
  readonly clock: Clock;
  /** Milliseconds between two groups of words. */
  readonly paceMs: () => number;
}

/** Maximum number of word groups of one text, which bounds the total time of the pauses in a long answer. */
const GROUPS_AT_MOST = 600;
const WORD =
  /\s*(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{1,2}|\S)(?:[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])*/gu;

/** Splits a text into groups of three words or more. The groups, joined, equal the text. */
export function wordGroups(text: string): readonly string[] {
  const words = text.match(WORD) ?? [];
  const size = Math.max(3, Math.ceil(words.length / GROUPS_AT_MOST));
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

/** Yields a text with a pause after each group of words. Stops when the caller has disconnected. */
export async function* say(text: string, { signal }: Asked, { clock, paceMs }: Pace): AsyncIterable<Piece> {
  const everyMs = paceMs();
  for (const group of wordGroups(text)) {
    if (signal.aborted) return;
    yield { type: 'text', text: group };
    await clock.sleep(everyMs, signal);
  }
}
