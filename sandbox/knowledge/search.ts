import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Chunk, FullTextTable } from '../store/passages.ts';
import { synonymsOf } from '../words/synonyms.ts';
import { termsOf } from '../words/terms.ts';
import type { Query } from './query.ts';
import { nearestWord } from './spelling.ts';

export interface Hit {
  readonly chunk: Chunk;
  readonly document: StoredDocument;
  /** 0 to 1: how much of what was asked the passage speaks about. */
  readonly score: number;
}

export interface SearchScope {
  readonly mayRead: (document: StoredDocument) => boolean;
  readonly limit: number;
  /** Passages below it are not used. */
  readonly leastScore: number;
}

/** A term with its rarity, and the words that count for it a little less. */
export interface WeightedTerm {
  readonly term: string;
  readonly weight: number;
  readonly others: readonly string[];
}

const CANDIDATES = 60;
/** Reciprocal rank fusion: the usual constant, and how much each table counts. */
const RRF_CONSTANT = 60;
const WORDS_SHARE = 1;
const TRIGRAMS_SHARE = 0.6;
/** What a synonym counts for. */
const SYNONYM_SHARE = 0.7;
/** What a term counts for that only the title of the document has. */
const TITLE_SHARE = 0.4;
/** A pair of characters that no passage has is mostly the end of one word and the beginning of the next. */
const CHANCE_PAIR = 0.25;
/** What it is worth that the previous answer came from the same document. */
const RECENT_BONUS = 0.08;
/** Score bonus of an introduction if the question asks what its subject is. */
const INTRODUCTION_BONUS = 0.3;
const ASKS_WHAT_IT_IS = /^\s*(what|who) (is|are)\b|是什么|とは(何|なん|$)/i;
/** A passage must speak about this much of the question. */
const COVERAGE_NEEDED = 0.4;

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** The query's terms with their rarity among all passages; a term that no passage has is the rarest. */
export function weigh(query: Query, documents: Documents): readonly WeightedTerm[] {
  return [...query.terms].map(([term, weight]) => {
    const known = weighTerm(term, synonymsOf(term), documents);
    const near = known.found === 0 ? nearestWord(term, documents) : undefined;
    const { rarity, others } = near === undefined ? known : weighTerm(term, [near], documents);
    const chance = known.found === 0 && !/^[\p{Script=Latin}\d]/u.test(term) ? CHANCE_PAIR : 1;
    return { term, weight: weight * rarity * chance, others };
  });
}

function weighTerm(term: string, others: readonly string[], documents: Documents) {
  const total = documents.chunkCount();
  const found = documents.frequency('chunk_words', [term, ...others].map(quote).join(' OR '));
  return { others, found, rarity: Math.log(1 + (total - found + 0.5) / (found + 0.5)) };
}

/** The best passages for the query, best first: both full-text tables, fused, then weighed by what they speak about. */
export function search(query: Query, documents: Documents, scope: SearchScope): readonly Hit[] {
  const terms = weigh(query, documents);
  if (terms.length === 0) return [];
  const fused = fuse(query, terms, readableRows(documents, scope));
  const best = Math.max(...fused.values(), Number.MIN_VALUE);
  const hits: Hit[] = [];
  for (const [row, rank] of fused) {
    const chunk = documents.chunk(row);
    const document = chunk && documents.find(chunk.document);
    if (chunk === undefined || document === undefined) continue;
    const score = scoreOf({ chunk, document, rank: rank / best }, terms, query);
    if (score !== undefined && score >= scope.leastScore) hits.push({ chunk, document, score });
  }
  return hits.sort((a, b) => b.score - a.score).slice(0, scope.limit);
}

function fuse(
  query: Query,
  terms: readonly WeightedTerm[],
  rowsOf: (table: FullTextTable, expression: string) => readonly number[],
): ReadonlyMap<number, number> {
  const words = [...new Set(terms.flatMap(({ term, others }) => [term, ...others]))];
  const trigrams = trigramQuery(query);
  const lists = [
    { rows: rowsOf('chunk_words', words.map(quote).join(' OR ')), share: WORDS_SHARE },
    { rows: trigrams === '' ? [] : rowsOf('chunk_trigrams', trigrams), share: TRIGRAMS_SHARE },
  ];
  const fused = new Map<number, number>();
  for (const { rows, share } of lists) {
    for (const [rank, row] of rows.entries())
      fused.set(row, (fused.get(row) ?? 0) + share / (RRF_CONSTANT + rank));
  }
  return fused;
}

/** The best rows of a table among those that may be read: what may not be read takes nobody's place. */
function readableRows(documents: Documents, { mayRead }: SearchScope) {
  const known = new Map<string, boolean>();
  const readable = (id: string): boolean => {
    const document = documents.find(id);
    return document !== undefined && mayRead(document);
  };
  return (table: FullTextTable, expression: string): readonly number[] => {
    const rows: number[] = [];
    for (const { row } of documents.ranked(table, expression)) {
      const id = documents.chunk(row)?.document ?? '';
      const may = known.get(id) ?? readable(id);
      known.set(id, may);
      if (may && rows.push(row) >= CANDIDATES) break;
    }
    return rows;
  };
}

const LONG_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{3,}/gu;

/** Three characters in a row of writing without spaces, and the stems of longer words anywhere inside a word. */
function trigramQuery(query: Query): string {
  const runs = query.question.match(LONG_SCRIPT) ?? [];
  const triples = runs.flatMap((run) => {
    const characters = [...run];
    return characters.slice(2).map((_, index) => characters.slice(index, index + 3).join(''));
  });
  const stems = [...query.terms.keys()].filter(
    (term) => term.length >= 4 && /^[\p{Script=Latin}\d]+$/u.test(term),
  );
  return [...new Set([...triples, ...stems])].map(quote).join(' OR ');
}

interface Candidate {
  readonly chunk: Chunk;
  readonly document: StoredDocument;
  /** Its fused rank relative to the best one. */
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
  if (spoken + recent < COVERAGE_NEEDED || (ownSpoken === 0 && !query.followUp)) return undefined;
  const isIntroduction = chunk.heading === '' && own.every(({ term }) => title.has(term));
  const introduction = isIntroduction && ASKS_WHAT_IT_IS.test(query.question) ? INTRODUCTION_BONUS : 0;
  const inHeading = coverage(own.length === 0 ? terms : own, heading);
  const raw = 0.5 * spoken + 0.3 * inHeading + 0.2 * rank + recent + introduction;
  return Math.round(Math.min(0.99, 0.15 + 0.84 * raw) * 1000) / 1000;
}

/** What the passage says itself counts in full; what only the title of its document says counts a little. */
const spokenOf = (
  terms: readonly WeightedTerm[],
  here: ReadonlySet<string>,
  title: ReadonlySet<string>,
): number => {
  const inPassage = coverage(terms, here);
  return inPassage + TITLE_SHARE * (coverage(terms, new Set([...here, ...title])) - inPassage);
};

/** The share of the terms' weight that the set holds. */
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
