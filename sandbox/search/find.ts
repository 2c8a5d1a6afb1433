import type { Documents } from '../store/documents.ts';
import type { Owner, ScoredRow } from '../store/passages.ts';
import { SYNONYMS, spaced } from '../words/terms.ts';

/** Texts to search for, each as one phrase, with their weights. */
export type Wanted = ReadonlyMap<string, number>;

export const alike = (texts: readonly string[]): Wanted => new Map(texts.map((text) => [text, 1]));

/** The scores of a passage, from 0 to 1. */
export interface Found {
  readonly row: number;
  /** Its BM25 score, divided by the highest score that a passage can have in this search. */
  readonly words: number;
  /** The share of the question that the passage contains. Rare words count more. */
  readonly covered: number;
}

/** Returns a phrase for FTS5. Its quotation marks keep FTS5 from reading words as operators. */
const phrase = (text: string): string => `"${text.replace(/["\0]/g, ' ').slice(0, MAX_PHRASE)}"`;
const MAX_PHRASE = 200;

/**
 * Ways to look for a text: the words in any form, then other words with the same meaning; if these find no passages,
 * words with the same beginning, then the text inside words. `share` is how much a match counts.
 */
const WAYS = [
  { table: 'words', share: 1, queries: (text: string) => [phrase(spaced(text))] },
  { table: 'words', share: 0.9, queries: (text: string) => sameMeaning(text).map(phrase) },
  { table: 'words', share: 0.6, queries: (text: string) => [`${phrase(beginningOf(text))} *`] },
  { table: 'trigrams', share: 0.6, queries: (text: string) => [phrase(text)] },
] as const;

/** Returns the words and phrases with the same meaning. */
const sameMeaning = (text: string): readonly string[] =>
  SYNONYMS.filter((line) => line.includes(text)).flat();

/** Cuts the ending of a long word, so that `certification` finds `certificate`. */
const beginningOf = (text: string): string => text.slice(0, Math.max(5, text.length - 4));

/** Minimum characters of a text that is searched for as a beginning or inside of words. */
const MIN_PIECE = 3;
/** Highest BM25 score that one phrase can have, as a multiple of its rarity: k1 + 1 in SQLite's formula. */
const SATURATED = 2.2;

/**
 * Weight of a pair of Chinese or Japanese characters that is in no passage. It is low, because such a pair is often no
 * word, but the end of one word and the beginning of the next.
 */
const UNKNOWN_PAIR = 0.5;

/** Searches for all texts. Returns every passage that contains one of them, in no order. */
export function find(wanted: Wanted, documents: Documents): readonly Found[] {
  const total = documents.chunkCount();
  const found = new Map<number, { row: number; words: number; covered: number }>();
  let all = 0;
  for (const [text, weight] of wanted) {
    const rows = lookUp(text, documents);
    const counted = rows.size === 0 && spaced(text) !== text ? UNKNOWN_PAIR : 1;
    const rarity = weight * counted * Math.log(1 + (total - rows.size + 0.5) / (rows.size + 0.5));
    all += rarity;
    for (const [row, { share, score }] of rows) {
      const known = found.get(row) ?? { row, words: 0, covered: 0 };
      known.words += weight * share * score;
      known.covered += share * rarity;
      found.set(row, known);
    }
  }
  return [...found.values()].map(({ row, words, covered }) => ({
    row,
    words: Math.min(1, words / (SATURATED * all)),
    covered: covered / all,
  }));
}

/** Returns the passages that contain a text, by their rows, with their BM25 scores and how much a match counts. */
function lookUp(text: string, documents: Documents) {
  const found = new Map<number, { readonly share: number; readonly score: number }>();
  for (const [at, { table, share, queries }] of WAYS.entries()) {
    if (at > 1 && (found.size > 0 || text.length < MIN_PIECE)) break;
    for (const { row, score } of queries(text).flatMap((query) => documents.matches(table, query)))
      if (!found.has(row)) found.set(row, { share, score });
  }
  return found;
}

/**
 * Returns the best of the passages that `mayRead` accepts, best first. Leaves out all others before it ranks, so that
 * they do not displace readable ones.
 */
export function best(
  scored: readonly ScoredRow[],
  documents: Documents,
  { mayRead, limit }: { readonly mayRead: (owner: Owner) => boolean; readonly limit: number },
): readonly ScoredRow[] {
  const chosen: ScoredRow[] = [];
  for (const found of scored.toSorted((a, b) => b.score - a.score || a.row - b.row)) {
    if (chosen.length === limit) break;
    if (mayRead(documents.ownerOf(found.row))) chosen.push(found);
  }
  return chosen;
}
