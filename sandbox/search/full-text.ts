import type { Documents } from '../store/documents.ts';
import type { ScoredRow } from '../store/passages.ts';
import type { Described } from './metadata.ts';
import type { Owner, PassageIndex } from './passage-index.ts';
import { type Counts, type Probe, phrase } from './probes.ts';

interface TextSearch {
  readonly probes: readonly Probe[];
  readonly counts: Counts;
  /** Documents with their metadata. A search looks into metadata as well as text. */
  readonly described: Iterable<Described>;
  readonly limit: number;
  readonly mayRead: (owner: Owner) => boolean;
}

/** Weight of a part of a word, and of another word with the same meaning. The word itself has weight 1. */
const PIECE_SHARE = 0.6;
const OTHER_SHARE = 0.3;
/**
 * Minimum letters of a part of a word (the trigram table finds no shorter one), and maximum letters that are searched
 * for.
 */
const PIECE_FROM = 3;
const PIECE_TO = 100;
/** Highest BM25 score that one term can have, as a multiple of the term's rarity: k1 + 1 in SQLite's formula. */
const SATURATED = 2.2;

/** The searches, in order. Each has its table, the phrases to search for, and the weight of a match. */
const LOOKUPS = [
  { table: 'chunk_words', phrases: 'words', share: 1 },
  { table: 'chunk_words', phrases: 'others', share: OTHER_SHARE },
  { table: 'chunk_trigrams', phrases: 'pieces', share: PIECE_SHARE },
] as const;

/**
 * Ranks the readable passages by BM25, best first. Each score is divided by the highest score that a passage can have
 * in this search, so scores are between 0 and 1, however many documents there are.
 */
export function searchText(
  search: TextSearch,
  documents: Documents,
  index: PassageIndex,
): readonly ScoredRow[] {
  const { probes, counts, limit } = search;
  const found = probes.map((probe) => lookUp(probe, counts, documents));
  const scores = new Map<number, number>();
  for (const { table, phrases: kind, share } of LOOKUPS) {
    const phrases = found.flatMap((one) => one[kind]);
    if (phrases.length === 0) continue;
    let left = limit;
    for (const { row, score } of documents.ranked(table, [...new Set(phrases)].join(' OR '))) {
      const owner = index.ownerOf(row);
      if (owner === undefined || !search.mayRead(owner)) continue;
      scores.set(row, (scores.get(row) ?? 0) + share * score);
      left -= 1;
      if (left === 0) break;
    }
  }
  for (const { row, score } of byMetadata(search, found, index))
    scores.set(row, (scores.get(row) ?? 0) + score);
  const highest = found.reduce((sum, { rarity }) => sum + SATURATED * rarity, 0);
  return [...scores]
    .map(([row, score]) => ({ row, score: Math.min(1, score / highest) }))
    .sort((a, b) => b.score - a.score || a.row - b.row)
    .slice(0, limit);
}

/** Scores all passages of documents whose metadata match, as if each passage contained the metadata once. */
function* byMetadata(
  search: TextSearch,
  found: readonly LookedUp[],
  index: PassageIndex,
): Iterable<ScoredRow> {
  for (const described of search.described) {
    const named = found.filter(({ probe }) => probe.terms.every((term) => described.terms.has(term)));
    if (named.length === 0 || !search.mayRead(described)) continue;
    const score = named.reduce((sum, { rarity }) => sum + rarity, 0);
    for (const row of index.rowsOf(described.document)) yield { row, score };
  }
}

/** The phrases to search for in each table to find a probe, and how rare the probe is. */
interface LookedUp {
  readonly probe: Probe;
  /** Phrases to search for in the table of words. */
  readonly words: readonly string[];
  /** Phrases with other words of the same meaning, also for the table of words. */
  readonly others: readonly string[];
  /** Phrases to search for in the table of trigrams. */
  readonly pieces: readonly string[];
  readonly rarity: number;
}

/**
 * Chooses the phrases to search for. If a passage contains the probe's terms, these are the terms and other words with
 * the same meaning. If not, they are only the other words. If no passage contains the other words either, the probe's
 * `piece` is searched inside longer words.
 */
function lookUp(probe: Probe, counts: Counts, documents: Documents): LookedUp {
  const passages = passagesWith(probe, counts, documents);
  const rarity = bm25Rarity(passages, counts.total);
  const others = probe.others.filter((term) => counts.of(term) > 0).map((term) => phrase([term]));
  const looked = { probe, rarity, words: [], others: [], pieces: [] };
  if (passages > 0) return { ...looked, words: [phrase(probe.terms)], others };
  if (others.length > 0) return { ...looked, words: others };
  const { length } = probe.piece;
  return length >= PIECE_FROM && length <= PIECE_TO ? { ...looked, pieces: [phrase([probe.piece])] } : looked;
}

function passagesWith(probe: Probe, counts: Counts, documents: Documents): number {
  const [first = '', ...others] = probe.terms;
  return others.length === 0 ? counts.of(first) : documents.frequency('chunk_words', phrase(probe.terms));
}

/**
 * Returns the rarity with SQLite's formula for bm25(). Never returns a negative rarity, because a match of a very
 * common word must not lower a score.
 */
const bm25Rarity = (found: number, total: number): number =>
  Math.max(1e-6, Math.log((total - found + 0.5) / (found + 0.5)));
