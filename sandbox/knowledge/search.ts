import { best, find, type Wanted } from '../search/find.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Chunk, Owner } from '../store/passages.ts';
import type { PastTurn } from '../store/sessions.ts';
import { termsOf, wordsOf } from '../words/terms.ts';
import type { Comparison } from './questions.ts';

/** What to search for: terms with weights, and the documents that the conversation is about. */
interface Query {
  /** The question, after the question to which it refers. */
  readonly question: string;
  readonly terms: Wanted;
  /** Ids of the documents that the previous answer used, if the question refers to it. */
  readonly recent: ReadonlySet<string>;
}

/** Weight of a term from the previous question, and weight of a term from the question before that. */
const EARLIER_WEIGHTS = [0.6, 0.3];

const POINTS_BACK =
  /^(and|but|so|then|also|what about|how about|why|ok|okay)\b|\b(it|its|that|this|they|them|those|these|there|one|ones|same|instead|else)\b/i;
const POINTS_BACK_CJK = /^(那|还有|然后|それ|その|では|じゃあ)|[它其]|这个|那个|呢[？?]?$/;
/** Maximum words of a question that is about the conversation because it contains a pronoun. */
const SHORT = 12;

/** Builds the query for a question. For a follow-up, adds the terms of the earlier questions. */
export function buildQuery(question: string, history: readonly PastTurn[]): Query {
  const terms = new Map(termsOf(question).map((term) => [term, 1]));
  const followUp = history.length > 0 && (terms.size <= 1 || pointsBack(question));
  if (!followUp) return { question, terms, recent: new Set() };
  for (const [age, weight] of EARLIER_WEIGHTS.entries())
    for (const term of termsOf(history.at(-1 - age)?.question ?? ''))
      if (!terms.has(term)) terms.set(term, weight);
  const last = history.at(-1);
  const recent = new Set(last?.sources.map(({ document }) => document));
  return { question: `${last?.question} ${question}`, terms, recent };
}

/** True if a question refers to the conversation: it is short and contains a pronoun or a joining word. */
const pointsBack = (question: string): boolean =>
  wordsOf(question).length <= SHORT && (POINTS_BACK.test(question) || POINTS_BACK_CJK.test(question));

export interface Hit {
  readonly chunk: Chunk;
  readonly document: StoredDocument;
  /** From 0 to 1; the better the passage fits the question, the higher. */
  readonly score: number;
}

export interface SearchScope {
  readonly mayRead: (owner: Owner) => boolean;
  readonly limit: number;
  /** Minimum score of a passage that is returned. */
  readonly leastScore: number;
  /** Compares a question with the listed questions; absent if the agent reads other documents than the project's pages. */
  readonly compare?: Comparison | undefined;
}

/**
 * A passage is returned if it contains this share of the question, or if its BM25 score is as high as that of a passage
 * with this part of a whole word. The second limit is for long questions, most of whose words are in no passage.
 */
const LEAST_COVERED = 0.6;
const LEAST_WORDS = 0.7;
/** Added to the score of a passage if the previous answer used the same document. */
const RECENT_BONUS = 0.1;
/** Weight of the covered share in a passage's score. The BM25 score has the remaining weight. */
const COVERED_SHARE = 0.4;
/** Maximum score of a passage. It is below 1, because quoted words never prove that the answer is right. */
const MAX_SCORE = 0.99;

/** Minimum number of passages whose headings are compared with the question. */
const CANDIDATES = 20;
/** Added to the score of a passage whose heading has the same terms as the question; less if only some are the same. */
const HEADING_BONUS = 0.3;
/** Share of the scores of a document's passages that is added to the score of each of them, and their number. */
const PAGE_BONUS = 0.1;
const SECTIONS = 4;
/** Weight of a passage's text, compared with the listed questions of its section. */
const TEXT_WEIGHT = 0.15;
/** Returns a score from 0 to 1: fits are from about -1 to 2. */
const scoreOf = (fit: number): number => (fit + 1) / 3;

/** Returns the passages for the query, best first. */
export function search(query: Query, documents: Documents, scope: SearchScope): readonly Hit[] {
  const { recent } = query;
  const scored = find(query.terms, documents).flatMap(({ row, covered, words }) => {
    const bonus = recent.size > 0 && recent.has(documents.ownerOf(row).document) ? RECENT_BONUS : 0;
    const score = COVERED_SHARE * covered + (1 - COVERED_SHARE) * words + bonus;
    const fits = covered + bonus >= LEAST_COVERED || words * query.terms.size >= LEAST_WORDS;
    return fits ? [{ row, score }] : [];
  });
  const candidates = best(scored, documents, { ...scope, limit: Math.max(scope.limit, CANDIDATES) });
  const hits = candidates.flatMap(({ row, score }) => hitOf(documents.chunk(row), score, documents));
  const { compare } = scope;
  return (
    compare ? withListed(hits, query.question, documents, { ...scope, compare }) : withHeadings(hits, query)
  )
    .sort((a, b) => b.score - a.score)
    .map((hit) => ({ ...hit, score: rounded(hit.score) }))
    .filter(({ score }) => score >= scope.leastScore)
    .slice(0, scope.limit);
}

const rounded = (score: number): number =>
  Math.round(1_000 * Math.min(MAX_SCORE, Math.max(0, score))) / 1_000;

function hitOf(chunk: Chunk | undefined, score: number, documents: Documents): readonly Hit[] {
  const document = chunk && documents.find(chunk.document);
  return chunk === undefined || document === undefined ? [] : [{ chunk, document, score }];
}

function withHeadings(hits: readonly Hit[], { terms }: Query): Hit[] {
  const headed = hits.map((hit) => {
    const words = termsOf(lastHeading(hit.chunk));
    const shared = words.filter((term) => terms.has(term)).length;
    const bonus = (HEADING_BONUS * shared) / new Set([...words, ...terms.keys()]).size;
    return { ...hit, score: hit.score + bonus };
  });
  const pages = Map.groupBy(headed, ({ document }) => document.id);
  const scoreOf = (page: readonly Hit[] = []) =>
    page.slice(0, SECTIONS).reduce((sum, { score }) => sum + score, 0);
  return headed.map((hit) => ({
    ...hit,
    score: hit.score + PAGE_BONUS * scoreOf(pages.get(hit.document.id)),
  }));
}

/**
 * Returns the sections whose listed questions fit the question best, each with its best passage; none if the pages do not
 * answer the question.
 */
function withListed(
  hits: readonly Hit[],
  question: string,
  documents: Documents,
  { mayRead, compare }: SearchScope & { readonly compare: Comparison },
): Hit[] {
  return compare(question).flatMap(({ path, heading, fit }): readonly Hit[] => {
    const document = documents.at(path);
    if (document === undefined || !mayRead({ document: document.id, workspace: document.workspace }))
      return [];
    const isHere = (chunk: Chunk) => lastHeading(chunk) === heading;
    const found = hits.find((hit) => hit.document.id === document.id && isHere(hit.chunk));
    const chunk = found?.chunk ?? documents.chunksOf(document.id).find(isHere);
    return hitOf(chunk, scoreOf(fit) + TEXT_WEIGHT * (found?.score ?? 0), documents);
  });
}

const lastHeading = ({ heading }: Chunk): string => heading.split(' › ').at(-1) ?? '';
