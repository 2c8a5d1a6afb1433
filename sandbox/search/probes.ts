import type { Documents } from '../store/documents.ts';
import type { Rarity } from '../words/embedding.ts';
import { meaningsOf, termsOfMeaning } from '../words/features.ts';
import { contentTerms, isEmptyTerm, termsOf } from '../words/terms.ts';

/**
 * Maximum characters of a question that are read, and maximum terms that are looked up. The beginning of a pasted
 * page is enough for its meaning.
 */
const READ_AT_MOST = 8_000;
const TERMS_AT_MOST = 64;

/** Returns the beginning of a text without cutting a character in half. */
export const beginning = (text: string): string => text.slice(0, READ_AT_MOST).toWellFormed();

/** One search in the full text. */
export interface Probe {
  /** Terms that must follow one another; most probes have one. */
  readonly terms: readonly string[];
  /** Other terms of the same meaning. */
  readonly others: readonly string[];
  /** Piece to search for inside words if no passage contains any of the terms. */
  readonly piece: string;
}

/** Makes a probe for each content term of a query. */
export const probesOfQuery = (query: string): readonly Probe[] =>
  contentTerms(beginning(query))
    .slice(0, TERMS_AT_MOST)
    .map((term) => ({ terms: [term], others: sameMeaning(term), piece: term }));

/** Returns the other terms with the same meaning. */
export const sameMeaning = (term: string): readonly string[] =>
  meaningsOf(term)
    .flatMap(({ line, share }) => (share === 1 ? termsOfMeaning(line) : []))
    .filter((other) => other !== term);

/** Makes a probe for each keyword: all of its words in their order (platform contract RAG-2). */
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

/** Removes control characters, which would end a query of SQLite early. */
const letters = (keyword: string): string => keyword.replace(/[^\p{L}\p{N}\p{M}\s_.-]+/gu, ' ').trim();

/** Returns the terms of a question for its vector. */
export const questionTerms = (query: string): readonly string[] =>
  termsOf(beginning(query))
    .filter((term) => !isEmptyTerm(term))
    .slice(0, TERMS_AT_MOST);

/** Numbers of passages that contain a term. Each term is counted once per search. */
export interface Counts {
  readonly total: number;
  of(term: string): number;
}

export function createCounts(documents: Documents): Counts {
  const known = new Map<string, number>();
  const count = (term: string): number => {
    const found = documents.occurrences(term);
    // The index stores letters without accents and splits scripts that it does not know.
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

/** Returns a phrase of FTS5. Quotation marks keep its words from being read as operators. */
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
