import meanings from './meanings.json' with { type: 'json' };
import { termsOf } from './terms.ts';

/** One meaning of a term. */
interface Meaning {
  /** Number of its line. */
  readonly line: number;
  /** 0 to 1: a term that is one pair of characters out of several says only its part. */
  readonly share: number;
}

/**
 * Words for the same thing, in the languages that people mix at work: English, Chinese, Japanese. Each line is one
 * meaning: what a passage and a question can share when they share no word.
 */
const lines = meanings.map((line) => line.split(/\s+/).map(termsOf));

const byTerm = new Map<string, Meaning[]>();
for (const [line, words] of lines.entries()) {
  for (const terms of words) for (const term of terms) learn(term, { line, share: 1 / terms.length });
}

function learn(term: string, meaning: Meaning): void {
  const known = byTerm.get(term) ?? [];
  if (!known.some(({ line }) => line === meaning.line)) byTerm.set(term, [...known, meaning]);
}

/** Meanings of a term; empty for most terms. */
export const meaningsOf = (term: string): readonly Meaning[] => byTerm.get(term) ?? [];

/** The terms that have a meaning. */
export const termsOfMeaning = (line: number): readonly string[] => [...new Set((lines[line] ?? []).flat())];
