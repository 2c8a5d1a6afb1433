import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Chunk, ScoredRow } from '../store/passages.ts';
import { embedQuestion } from '../words/embedding.ts';
import { termsOf } from '../words/terms.ts';
import { searchText } from './full-text.ts';
import { createMetadataIndex, type Described, namedIn } from './metadata.ts';
import { createPassageIndex, type Owner } from './passage-index.ts';
import {
  beginning,
  type Counts,
  createCounts,
  probesOfKeywords,
  probesOfQuery,
  questionTerms,
  rarityOf,
} from './probes.ts';
import { type RetrievalRequest, readRequest } from './request.ts';

export interface Hit {
  readonly chunk: Chunk;
  readonly document: StoredDocument;
  /** Best score that any index gave the passage, from 0 to 1. */
  readonly searchScore: number;
  /** Score of the merged rankings; 0 unless the search was hybrid. */
  readonly rrfScore: number;
}

export type Indexes = ReturnType<typeof createIndexes>;

interface Search {
  readonly request: RetrievalRequest;
  readonly counts: Counts;
  readonly mayRead: (owner: Owner) => boolean;
  /** The readable documents that have metadata. */
  readonly described: readonly Described[];
}

export const createIndexes = (documents: Documents) => ({
  documents,
  index: createPassageIndex(documents),
  metadata: createMetadataIndex(documents),
});

/** Maximum passages that are taken from each index before the rankings are merged. */
const CANDIDATES = 100;

/**
 * Returns the passages that answer a request, best first. Before ranking, leaves out passages that the account may not
 * read, so that they do not displace readable ones.
 */
export function retrieve(
  request: RetrievalRequest,
  indexes: Indexes,
  mayRead: (workspace: string) => boolean,
): readonly Hit[] {
  if (!request.documents) return [];
  const readable = ({ workspace }: Owner) => mayRead(workspace);
  const described = [...indexes.metadata.all()].filter(readable);
  const named = request.metadata === 'ignored' ? new Set<string>() : namedIn(described, askedTerms(request));
  const filtered = request.metadata === 'filters' && named.size > 0;
  const search: Search = {
    request,
    counts: createCounts(indexes.documents),
    described,
    mayRead: filtered ? (owner) => named.has(owner.document) && readable(owner) : readable,
  };
  const isNamed = (row: number) => named.has(indexes.index.ownerOf(row)?.document ?? '');
  return raise(rank(search, indexes), isNamed)
    .slice(0, request.topk)
    .flatMap((found) => hitOf(found, indexes.documents));
}

/** Returns the readable passages, ranked by words and by meaning together. */
export function findPassages(
  query: string,
  indexes: Indexes,
  mayRead: (owner: Owner) => boolean,
): readonly FusedRow[] {
  const request = readRequest({ query, topk: CANDIDATES, minSimilarity: 0 });
  return rank({ request, counts: createCounts(indexes.documents), described: [], mayRead }, indexes);
}

/**
 * Returns the terms of the question and of every keyword. The request counts as naming a value of a file's metadata if
 * these terms include all terms of the value.
 */
const askedTerms = ({ query, keywords = [] }: RetrievalRequest): ReadonlySet<string> =>
  new Set([query, ...keywords].flatMap((text) => termsOf(beginning(text))));

function rank(search: Search, indexes: Indexes): readonly FusedRow[] {
  const { mode, weights } = search.request;
  if (mode === 'embedding') return alone(byVector(search, indexes));
  if (mode === 'fullText') return alone(byText(search, indexes));
  return fuse([
    { rows: byVector(search, indexes), weight: weights.embedding },
    { rows: byText(search, indexes), weight: weights.fullText },
  ]);
}

const alone = (rows: readonly ScoredRow[]): readonly FusedRow[] =>
  rows.map((found) => ({ ...found, rrf: 0 }));

/** Ranks passages by similarity. `minSimilarity` applies to this ranking only (platform contract RAG-6). */
function byVector({ request, counts, mayRead }: Search, { index }: Indexes): readonly ScoredRow[] {
  const { query, keywords = [], minSimilarity } = request;
  const asked = query === '' ? keywords.join(' ') : query;
  const { vector, selfCosine } = embedQuestion(questionTerms(asked), rarityOf(counts));
  const least = cosineOf(minSimilarity, selfCosine);
  return index
    .nearest({ vector, least, limit: CANDIDATES, mayRead })
    .map(({ row, score }) => ({ row, score: similarity(score, selfCosine) }));
}

function byText(search: Search, { documents, index }: Indexes): readonly ScoredRow[] {
  const { query, keywords } = search.request;
  const probes = keywords === undefined ? probesOfQuery(query) : probesOfKeywords(keywords);
  return searchText({ ...search, probes, limit: CANDIDATES }, documents, index);
}

function hitOf(found: FusedRow, documents: Documents): readonly Hit[] {
  const chunk = documents.chunk(found.row);
  const document = chunk && documents.find(chunk.document);
  if (chunk === undefined || document === undefined) return [];
  return [{ chunk, document, searchScore: found.score, rrfScore: found.rrf }];
}

/** Constant of reciprocal rank fusion. The larger it is, the smaller is the advantage of the first ranks. */
const RRF_CONSTANT = 60;

interface Ranking {
  readonly rows: readonly ScoredRow[];
  readonly weight: number;
}

/** A row in the merged ranking. Its `score` is the best that any index gave it. */
interface FusedRow extends ScoredRow {
  /** Sum of weight / (60 + rank) over all indexes that found the row. */
  readonly rrf: number;
}

/** Merges rankings by reciprocal rank fusion, best first. Ignores an index with weight 0. */
export function fuse(rankings: readonly Ranking[]): readonly FusedRow[] {
  const fused = new Map<number, FusedRow>();
  for (const { rows, weight } of rankings) {
    if (weight <= 0) continue;
    for (const [at, { row, score }] of rows.entries()) {
      const known = fused.get(row);
      const rrf = (known?.rrf ?? 0) + weight / (RRF_CONSTANT + at + 1);
      fused.set(row, { row, rrf, score: Math.max(known?.score ?? 0, score) });
    }
  }
  return [...fused.values()].sort((a, b) => b.rrf - a.rrf || b.score - a.score || a.row - b.row);
}

/**
 * Factor for the score of a document if the question names a value of its metadata. Used only if the request says so.
 */
const NAMED_FACTOR = 1.5;

/**
 * Raises the rank and the merged score of the rows for which `named` is true. Does not change the scores of the
 * indexes.
 */
export function raise(rows: readonly FusedRow[], named: (row: number) => boolean): readonly FusedRow[] {
  return rows
    .map((found) => {
      const factor = named(found.row) ? NAMED_FACTOR : 1;
      return { found: { ...found, rrf: found.rrf * factor }, key: (found.rrf || found.score) * factor };
    })
    .sort((a, b) => b.key - a.key)
    .map(({ found }) => found);
}

/**
 * Parameters of the logistic curve that turns a cosine into the likelihood that a passage answers the question. Because
 * of the curve, one limit (default 0.8) serves short and long questions.
 *
 * A raw cosine depends on the question's length: if the passage contains all words of the question, the cosine is 0.1
 * for a question of one word and 0.4 for a question of six words. So the cosine is divided by `selfCosine`, the cosine
 * of the question with an imagined passage of usual length that contains each word of the question once. The ratio was
 * measured with the shipped documents and the recorded questions. For nine in ten unrelated questions, the best passage
 * has a ratio of at most 0.45 (median 0.16). For nine in ten real questions, the right passage has a ratio of at least
 * 0.5 (median 0.9). The curve is 0.8 at the ratio 0.45, and 0.5 at the ratio 0.25.
 */
const EVEN_AT = 0.25;
const STEEPNESS = 7;

/**
 * Converts a cosine to a similarity from 0 to 1. A higher cosine gives a higher similarity; a question without content
 * gives 0.
 */
export function similarity(cosine: number, selfCosine: number): number {
  if (selfCosine <= 0) return 0;
  return 1 / (1 + Math.exp(-STEEPNESS * (cosine / selfCosine - EVEN_AT)));
}

/** Returns the cosine for which `similarity` returns `least`. A search uses this cosine as its minimum. */
export function cosineOf(least: number, selfCosine: number): number {
  if (least <= 0) return Number.NEGATIVE_INFINITY;
  if (least >= 1) return Number.POSITIVE_INFINITY;
  return selfCosine * (EVEN_AT + Math.log(least / (1 - least)) / STEEPNESS);
}
