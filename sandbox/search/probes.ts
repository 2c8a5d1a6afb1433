import type { Documents } from '../store/documents.ts';
import type { Rarity } from '../words/embedding.ts';
import { meaningsOf, termsOfMeaning } from '../words/features.ts';
import { contentTerms, isEmptyTerm, termsOf } from '../words/terms.ts';

/**
 * Maximum characters of a question that are read, and maximum terms that are searched. If the question is a pasted
 * page, its beginning suffices to find its meaning.
 */
const MAX_QUESTION_CHARS = 8_000;
const MAX_TERMS = 64;

/** Returns the beginning of a text. Never cuts a character in half. */
export const beginning = (text: string): string => text.slice(0, MAX_QUESTION_CHARS).toWellFormed();

/** One thing to search for in the full text. */
export interface Probe {
  /** Terms that must follow one another. Most probes have one term. */
  readonly terms: readonly string[];
  /** Other terms with the same meaning. */
  readonly others: readonly string[];
  /** Text to search for inside words, used if no passage contains `terms` or one of `others`. */
  readonly piece: string;
}

/** Makes a probe of each term in a query. Leaves out terms that say nothing about the subject. */
export const probesOfQuery = (query: string): readonly Probe[] =>
  contentTerms(beginning(query))
    .slice(0, MAX_TERMS)
    .map((term) => ({ terms: [term], others: sameMeaning(term), piece: term }));

/** Returns the other terms with the same meaning. */
export const sameMeaning = (term: string): readonly string[] =>
  meaningsOf(term)
    .flatMap(({ line, share }) => (share === 1 ? termsOfMeaning(line) : []))
    .filter((other) => other !== term);

/** Makes a probe of each keyword: all of its words, in their order (platform contract RAG-2: keywords). */
export const probesOfKeywords = (keywords: readonly string[]): readonly Probe[] =>
  keywords
    .slice(0, MAX_TERMS)
    .map((keyword) => beginning(keyword))
    .map((keyword) => ({
      terms: termsOf(keyword).slice(0, MAX_TERMS),
      others: [],
      piece: letters(keyword),
    }))
    .filter((probe) => probe.terms.length > 0);

/** Keeps letters, digits, white space, `_`, `.` and `-` only. A control character would end a query to SQLite early. */
const letters = (keyword: string): string => keyword.replace(/[^\p{L}\p{N}\p{M}\s_.-]+/gu, ' ').trim();

/** Returns the terms from which the vector of a question is made. */
export const questionTerms = (query: string): readonly string[] =>
  termsOf(beginning(query))
    .filter((term) => !isEmptyTerm(term))
    .slice(0, MAX_TERMS);

/** How many passages contain a term. Counts each term once per search. */
export type Counts = ReturnType<typeof createCounts>;

export function createCounts(documents: Documents) {
  const known = new Map<string, number>();
  const count = (term: string): number => {
    const found = documents.occurrences(term);
    // The index stores letters without accents, and splits words in scripts that it does not know. So count a term with
    // such characters as a phrase.
    return found > 0 || /^[a-z0-9]*$/.test(term) ? found : documents.frequency('chunk_words', phrase([term]));
  };
  return {
    total: documents.chunkCount(),
    of: (term: string) => {
      const found = known.get(term) ?? count(term);
      known.set(term, found);
      return found;
    },
  };
}

/** Returns a phrase for FTS5. Its quotation marks keep FTS5 from reading words as operators. */
export const phrase = (terms: readonly string[]): string => `"${terms.join(' ').replaceAll('"', '""')}"`;

export function rarityOf(counts: Counts): Rarity {
  const rarity = (found: number): number =>
    Math.log(1 + (counts.total - found + 0.5) / (Math.min(found, counts.total) + 0.5));
  const known = (found: number): number | undefined => (found === 0 ? undefined : rarity(found));
  return {
    ofTerm: (term) => known(counts.of(term)),
    ofMeaning: (line) => known(termsOfMeaning(line).reduce((sum, term) => sum + counts.of(term), 0)),
    highest: rarity(0),
  };
}
