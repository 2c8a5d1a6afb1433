/** Stories for the checks of a writer: how a document grows, and what happens to the calls that show it. */

import type { ReplyState } from '../core/reply.ts';
import { pick, type Random } from './random.ts';

/**
 * The planned outcome of one move.
 * - `hidden`: the call takes effect, but its response is lost.
 * - `lost`: the call is lost on its way to the chat.
 * - `rate`, `busy`: the chat refuses the call.
 * - `takeover`: another process takes over the turn before the move.
 * - `crash`: the call takes effect, and the process ends before the response arrives.
 */
export type PlannedOutcome = 'done' | 'hidden' | 'lost' | 'rate' | 'busy' | 'takeover' | 'crash';

export type Change =
  | { readonly kind: 'append'; readonly text: string }
  | { readonly kind: 'rewrite'; readonly at: number; readonly text: string }
  | { readonly kind: 'step' }
  | { readonly kind: 'nothing' };

export interface Step {
  readonly change: Change;
  readonly outcome: PlannedOutcome;
}

export type Story = ReturnType<typeof randomStory>;

const MOST_STEPS = 20;
const MOST_WORDS = 6;
/** Share of the calls whose outcome is not `done`. */
const FAILING = 1 / 3;

const FAILURES: readonly PlannedOutcome[] = ['hidden', 'lost', 'rate', 'busy', 'takeover'];
const ENDINGS: readonly ReplyState[] = ['done', 'partial', 'stopped', 'failed'];
/** Kinds of changes to draw from. The number of entries of a kind is its weight. */
const CHANGES: readonly Change['kind'][] = [
  'append',
  'append',
  'append',
  'append',
  'rewrite',
  'step',
  'nothing',
];

/** Length of each numbered word in characters, with the space after it. */
const WORD = 6;

/** Returns the words with these numbers, such as `w0001 w0002 `. */
export function numberedWords(from: number, count: number): string {
  return Array.from({ length: count }, (_, at) => `w${String(from + at).padStart(4, '0')} `).join('');
}

/** Returns the numbered words in a text, in order. */
export const wordsIn = (text: string): readonly string[] => text.match(/w\d{4}/g) ?? [];

/** Returns a story with a document of numbered words, in which each word occurs once. */
export function randomStory(random: Random) {
  let next = 1;
  let length = 0;
  const some = (): string => {
    const count = 1 + Math.floor(random() * MOST_WORDS);
    next += count;
    return numberedWords(next - count, count);
  };
  const changeOf = (kind: Change['kind']): Change => {
    if (kind === 'step' || kind === 'nothing') return { kind };
    const text = some();
    const at = kind === 'append' ? length : WORD * Math.floor(random() * (length / WORD + 1));
    length = at + text.length;
    return kind === 'append' ? { kind, text } : { kind, at, text };
  };
  const steps = Array.from({ length: Math.floor(random() * MOST_STEPS) }, (): Step => {
    const change = changeOf(pick(random, CHANGES));
    return { change, outcome: random() < FAILING ? pick(random, FAILURES) : 'done' };
  });
  return { steps, ending: pick(random, ENDINGS) };
}
