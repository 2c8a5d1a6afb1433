import type { Owner } from '../search/passage-index.ts';
import { createCounts, rarityOf, sameMeaning } from '../search/probes.ts';
import { findPassages, type Indexes } from '../search/retrieve.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Chunk } from '../store/passages.ts';
import type { PastTurn } from '../store/sessions.ts';
import { weightOf } from '../words/embedding.ts';
import { contentTerms, type Language, languageOf, termsOf } from '../words/terms.ts';

/** What to search for: terms with weights, and the documents that the conversation is about. */
export interface Query {
  readonly question: string;
  /** Text to search for: the question and, if the question is a follow-up, the earlier questions. */
  readonly searched: string;
  readonly language: Language;
  readonly terms: ReadonlyMap<string, number>;
  /** Terms of this question only. */
  readonly own: readonly string[];
  /** Ids of the documents that the previous answer used. */
  readonly recent: ReadonlySet<string>;
  readonly followUp: boolean;
}

/** Weight of a term from the previous question, and weight of a term from the question before that. */
const EARLIER_WEIGHTS = [0.6, 0.3];

/** Maximum terms of a question. For a pasted page, the terms of its beginning are enough. */
const MAX_TERMS = 64;

const POINTS_BACK =
  /^(and|but|so|then|also|what about|how about|why|ok|okay)\b|\b(it|its|that|this|they|them|those|these|there|one|ones|same|instead|else)\b/i;
const POINTS_BACK_CJK = /^(那|还有|然后|それ|その|では|じゃあ)|[它其]|这个|那个|呢[？?]?$/;

/** Builds the query for a question. For a follow-up, adds the terms of the earlier questions. */
export function buildQuery(question: string, history: readonly PastTurn[], asFollowUp = false): Query {
  const own = contentTerms(question).slice(0, MAX_TERMS);
  const previous = history.at(-1);
  const followUp = previous !== undefined && (asFollowUp || pointsBack(question, own));
  const terms = new Map(own.map((term) => [term, 1]));
  if (followUp) {
    for (const [age, weight] of EARLIER_WEIGHTS.entries()) {
      const earlier = history.at(-1 - age);
      for (const term of contentTerms(earlier?.question ?? '').slice(0, MAX_TERMS))
        if (!terms.has(term)) terms.set(term, weight);
    }
  }
  const recent = new Set(followUp ? previous.sources.map((source) => source.document) : []);
  const earlier = followUp ? history.slice(-EARLIER_WEIGHTS.length).map((turn) => turn.question) : [];
  const searched = [question, ...earlier].join(' ');
  return { question, searched, language: languageOf(question), terms, own, recent, followUp };
}

/**
 * True if a question refers to the conversation: it contains a pronoun or a joining word, or at most one term that is
 * not a stop word.
 */
function pointsBack(question: string, own: readonly string[]): boolean {
  const short = termsOf(question).length <= 12;
  return own.length <= 1 || (short && (POINTS_BACK.test(question) || POINTS_BACK_CJK.test(question)));
}

export interface Hit {
  readonly chunk: Chunk;
  readonly document: StoredDocument;
  /**
   * How well the passage fits the question, from 0 to 1. The share of the question that the passage covers counts most.
   */
  readonly score: number;
}

export interface SearchScope {
  readonly mayRead: (owner: Owner) => boolean;
  readonly limit: number;
  /** Minimum score of a passage that is returned. */
  readonly leastScore: number;
}

/**
 * A term, its weight, and its synonyms. The rarer a term is, the higher is its weight; synonyms count slightly less.
 */
export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
  readonly others: readonly string[];
}

/** Maximum number of passages that are scored. */
const CANDIDATES = 60;
/** How much a synonym counts, as a share of the term's weight. */
const SYNONYM_SHARE = 0.7;
/** How much a term counts if it occurs only in the document's title, as a share of the term's weight. */
const TITLE_SHARE = 0.4;
/** Added to the score of a passage if the previous answer used the same document. */
const RECENT_BONUS = 0.08;
/** Added to the score of an introduction if the question asks what something is. */
const INTRODUCTION_BONUS = 0.45;
const ASKS_WHAT_IT_IS = /^\s*(what|who) (is|are)\b|是什么|とは(何|なん|$)/i;
/** Maximum score of a passage. It is below 1, because quoted words never prove that the answer is right. */
const MAX_SCORE = 0.99;
/** Minimum share of the question that a passage must cover to be returned. */
const MIN_COVERAGE = 0.4;

/**
 * Weighs the query's terms by how rare they are in all passages. If no passage contains a term or a synonym of it, the
 * term is treated as a spelling mistake: the most similar word of the documents counts in its place. If there is no
 * similar word, the term counts as the rarest.
 */
export function weigh(query: Query, documents: Documents): readonly WeightedTerm[] {
  const counts = createCounts(documents);
  const rarity = rarityOf(counts);
  return [...query.terms].map(([term, weight]) => {
    const others = sameMeaning(term).filter((other) => isLatin(other) === isLatin(term));
    const isKnown = [term, ...others].some((each) => counts.of(each) > 0);
    const near = isKnown ? undefined : nearestWord(term, documents);
    if (near === undefined) return { term, others, weight: weight * weightOf(term, rarity) };
    return { term, others: [near], weight: weight * weightOf(near, rarity) };
  });
}

/**
 * True for a term in Latin script. A synonym counts only if it is in the same script as the question, because an answer
 * quotes its passages, and the person must be able to read them.
 */
const isLatin = (term: string): boolean => /^[\p{Script=Latin}\d]/u.test(term);

/**
 * Returns the passages for the query, best first. Finds them by words and by meaning, then scores them by how much of
 * the question they cover.
 */
export function search(query: Query, indexes: Indexes, scope: SearchScope): readonly Hit[] {
  const { documents } = indexes;
  const terms = weigh(query, documents);
  if (terms.length === 0) return [];
  const found = findPassages(query.searched, indexes, scope.mayRead);
  const best = found[0]?.rrf ?? 1;
  const hits: Hit[] = [];
  for (const { row, rrf } of found.slice(0, CANDIDATES)) {
    const chunk = documents.chunk(row);
    const document = chunk && documents.find(chunk.document);
    if (chunk === undefined || document === undefined) continue;
    const score = scoreOf({ chunk, document, rank: rrf / best }, terms, query);
    if (score !== undefined && score >= scope.leastScore) hits.push({ chunk, document, score });
  }
  return hits
    .sort((a, b) => b.score - a.score)
    .slice(0, scope.limit)
    .map((hit) => ({ ...hit, score: Math.min(MAX_SCORE, hit.score) }));
}

interface Candidate {
  readonly chunk: Chunk;
  readonly document: StoredDocument;
  /** Score of the merged rankings, as a share of the best passage's score. */
  readonly rank: number;
}

function scoreOf(candidate: Candidate, terms: readonly WeightedTerm[], query: Query): number | undefined {
  const { chunk, document, rank } = candidate;
  const title = new Set(termsOf(document.title));
  const heading = new Set(termsOf(chunk.heading));
  const here = new Set([...termsOf(chunk.text), ...heading]);
  const own = terms.filter(({ term }) => query.own.includes(term));
  const spoken = spokenOf(terms, here, title);
  const ownSpoken = own.length === 0 ? spoken : spokenOf(own, here, title);
  const recent = query.recent.has(document.id) ? RECENT_BONUS : 0;
  if (spoken + recent < MIN_COVERAGE || (ownSpoken === 0 && !query.followUp)) return undefined;
  const isIntroduction = chunk.heading === '' && own.every(({ term }) => title.has(term));
  const introduction = isIntroduction && ASKS_WHAT_IT_IS.test(query.question) ? INTRODUCTION_BONUS : 0;
  // Synonyms do not count in headings. A heading is short, so a synonym in it proves little.
  const named = (own.length === 0 ? terms : own).map((term) => ({ ...term, others: [] }));
  const inHeading = coverage(named, heading);
  const raw = 0.5 * spoken + 0.3 * inHeading + 0.2 * rank + recent + introduction;
  return Math.round((0.15 + 0.84 * raw) * 1000) / 1000;
}

/**
 * Returns which share of the question a passage covers. A term counts in full if the passage contains it, and less if
 * only the document's title does.
 */
const spokenOf = (
  terms: readonly WeightedTerm[],
  here: ReadonlySet<string>,
  title: ReadonlySet<string>,
): number => {
  const inPassage = coverage(terms, here);
  return inPassage + TITLE_SHARE * (coverage(terms, new Set([...here, ...title])) - inPassage);
};

/** Returns the weight of the terms that `held` contains, as a share of the weight of all terms. */
export function coverage(terms: readonly WeightedTerm[], held: ReadonlySet<string>): number {
  let total = 0;
  let found = 0;
  for (const { term, weight, others } of terms) {
    total += weight;
    if (held.has(term)) found += weight;
    else if (others.some((other) => held.has(other))) found += weight * SYNONYM_SHARE;
  }
  return total === 0 ? 0 : found / total;
}

/**
 * Minimum letters of a word that is corrected (shorter words resemble too many others), and minimum letters for two
 * corrections.
 */
const MIN_CORRECTED_LETTERS = 5;
const TWO_MISTAKES_FROM = 8;

/**
 * Returns the word of the documents that is most similar to a word that no document contains. The two words begin with
 * the same letter, and differ by one mistake, or by up to two mistakes if the word is long. Returns undefined if no
 * word is similar enough.
 */
function nearestWord(term: string, documents: Documents): string | undefined {
  if (term.length < MIN_CORRECTED_LETTERS || !/^[a-z]+$/.test(term)) return undefined;
  const allowed = term.length >= TWO_MISTAKES_FROM ? 2 : 1;
  let best: string | undefined;
  let fewest = allowed + 1;
  for (const word of documents.wordsFrom(term.charAt(0))) {
    if (Math.abs(word.length - term.length) > allowed) continue;
    const mistakes = distance(term, word);
    if (mistakes < fewest) {
      best = word;
      fewest = mistakes;
    }
  }
  return best;
}

/**
 * Returns how many letters must be inserted, left out, changed or swapped with a neighbour to turn one word into the
 * other.
 */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(change, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, swap));
    }
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
