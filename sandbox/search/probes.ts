import type { Documents } from '../store/documents.ts';
import type { Rarity } from '../words/embedding.ts';
import { meaningsOf, termsOfMeaning } from '../words/features.ts';
import { contentTerms, isEmptyTerm, termsOf } from '../words/terms.ts';

/** Characters of a question that are read, and terms that are looked up: a pasted page means what its beginning does. */
const READ_AT_MOST = 8_000;
const TERMS_AT_MOST = 64;

/** The beginning of a text, never with half of a character. */
export const beginning = (text: string): string => text.slice(0, READ_AT_MOST).toWellFormed();

/** One thing to look for in the full text. */
export interface Probe {
  /** Terms that must follow one another; most probes have one. */
  readonly terms: readonly string[];
  /** Other terms of the same meaning. */
  readonly others: readonly string[];
  /** What to look for inside of words when no passage has any of them. */
  readonly piece: string;
}

/** A probe for each term that a query is about. */
export const probesOfQuery = (query: string): readonly Probe[] =>
  contentTerms(beginning(query))
    .slice(0, TERMS_AT_MOST)
    .map((term) => ({ terms: [term], others: sameMeaning(term), piece: term }));

/** Other terms that mean the same as a term. */
export const sameMeaning = (term: string): readonly string[] =>
  meaningsOf(term)
    .flatMap(({ line, share }) => (share === 1 ? termsOfMeaning(line) : []))
    .filter((other) => other !== term);

/** A probe for each keyword, taken as it is: all of its words in this order (platform contract RAG-2). */
export const probesOfKeywords = (keywords: readonly string[]): readonly Probe[] =>
  keywords
    .slice(0, TERMS_AT_MOST)
    .map((keyword) => beginning(keyword))
    .map((keyword) => ({
      terms: termsOf(keyword).slice(0, TERMS_AT_MOST),
      others: [],
      piece: letters(keyword),
    }))
    .filter((probe) => probe.terms.length > 0);

/** Control characters would end a query of SQLite's early. */
const letters = (keyword: string): string => keyword.replace(/[^\p{L}\p{N}\p{M}\s_.-]+/gu, ' ').trim();

/** The terms of a question for its vector. */
export const questionTerms = (query: string): readonly string[] =>
  termsOf(beginning(query))
    .filter((term) => !isEmptyTerm(term))
    .slice(0, TERMS_AT_MOST);

/** In how many passages words are; each is counted once for one search. */
export interface Counts {
  readonly total: number;
  of(term: string): number;
}

export function createCounts(documents: Documents): Counts {
  const known = new Map<string, number>();
  const count = (term: string): number => {
    const found = documents.occurrences(term);
    // The index writes letters without their accents, and cuts up writings that it does not know.
    return found > 0 || /^[a-z0-9]*$/.test(term) ? found : documents.frequency('chunk_words', phrase([term]));
  };
  return {
    total: documents.chunkCount(),
    of: (term) => {
      const found = known.get(term) ?? count(term);
      known.set(term, found);
      return found;
    },
  };
}

/** A phrase of FTS5; in quotation marks nothing is an operator. */
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
