import { best, find, type Wanted } from '../search/find.ts';
import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Chunk, Owner, ScoredRow } from '../store/passages.ts';
import type { PastTurn } from '../store/sessions.ts';
import { termsOf, wordsOf } from '../words/terms.ts';

/** What to search for: terms with weights, and the documents that the conversation is about. */
export interface Query {
  readonly terms: Wanted;
  /** Ids of the documents that the previous answer used, if the question refers to it. */
  readonly recent: ReadonlySet<string>;
  readonly followUp: boolean;
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
  if (!followUp) return { terms, recent: new Set(), followUp };
  for (const [age, weight] of EARLIER_WEIGHTS.entries())
    for (const term of termsOf(history.at(-1 - age)?.question ?? ''))
      if (!terms.has(term)) terms.set(term, weight);
  return { terms, recent: new Set(history.at(-1)?.sources.map(({ document }) => document)), followUp };
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

/** Number of passages whose headings are compared with the question. */
const CANDIDATES = 40;
/** Added to the score of a passage whose heading has the same terms as the question; less if only some are the same. */
const HEADING_BONUS = 0.3;
/**
 * Added to the score of a document's introduction. If the question has only words of the document's title, the first
 * number times the share of the title's words that it has; otherwise the second one, because a section says more.
 */
const TITLE_BONUS = 0.3;
const INTRODUCTION_BONUS = -0.1;
/** Added to the score of a passage whose heading is a code, such as `too-large`, unless the question contains the code. */
const CODE_BONUS = -0.5;
const CODE = /^[a-z\d]+(-[a-z\d]+)+$/;
/** Share of the scores of a document's best sections that is added to each section's score, and their number. */
const PAGE_BONUS = 0.1;
const SECTIONS = 4;

/** Returns the passages for the query, best first. */
export function search(query: Query, documents: Documents, scope: SearchScope): readonly Hit[] {
  const { recent } = query;
  const scored = find(query.terms, documents).flatMap(({ row, covered, words }) => {
    const bonus = recent.size > 0 && recent.has(documents.ownerOf(row).document) ? RECENT_BONUS : 0;
    const score = COVERED_SHARE * covered + (1 - COVERED_SHARE) * words + bonus;
    const fits = covered + bonus >= LEAST_COVERED || words * query.terms.size >= LEAST_WORDS;
    return fits ? [{ row, score }] : [];
  });
  const hits = best(scored, documents, { ...scope, limit: CANDIDATES })
    .flatMap((found) => hitOf(found, query, documents))
    .sort((a, b) => b.score - a.score);
  const pages = Map.groupBy(hits, ({ document }) => document.id);
  return hits
    .map((hit) => ({ ...hit, score: hit.score + PAGE_BONUS * scoreOf(pages.get(hit.document.id)) }))
    .sort((a, b) => b.score - a.score)
    .map((hit) => ({ ...hit, score: rounded(hit.score) }))
    .filter(({ score }) => score >= scope.leastScore)
    .slice(0, scope.limit);
}

const rounded = (score: number): number =>
  Math.round(1_000 * Math.min(MAX_SCORE, Math.max(0, score))) / 1_000;

/** Returns the sum of the scores of a document's best sections. */
const scoreOf = (hits: readonly Hit[] = []): number =>
  [...Map.groupBy(hits, ({ chunk }) => chunk.heading).values()]
    .slice(0, SECTIONS)
    .reduce((sum, [best]) => sum + (best?.score ?? 0), 0);

/** Reads a passage, and adds what its heading or title is worth to its score. */
function hitOf({ row, score }: ScoredRow, { terms }: Query, documents: Documents): readonly Hit[] {
  const chunk = documents.chunk(row);
  const document = chunk && documents.find(chunk.document);
  if (chunk === undefined || document === undefined) return [];
  const raised = score + (chunk.heading === '' ? bonusOf(document, terms) : bonusOfHeading(chunk, terms));
  return [{ chunk, document, score: raised }];
}

function bonusOf({ title }: StoredDocument, terms: Wanted): number {
  const words = wordsOf(title);
  const isNamed = [...terms.keys()].every((term) => words.includes(term));
  return isNamed ? (TITLE_BONUS * terms.size) / words.length : INTRODUCTION_BONUS;
}

function bonusOfHeading({ heading }: Chunk, terms: Wanted): number {
  const last = heading.split(' › ').at(-1) ?? '';
  const headed = termsOf(last);
  const shared = headed.filter((term) => terms.has(term)).length;
  if (CODE.test(last) && shared < headed.length) return CODE_BONUS;
  return (HEADING_BONUS * shared) / new Set([...headed, ...terms.keys()]).size;
}
