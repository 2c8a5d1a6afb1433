import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Chunk, Owner, ScoredRow } from '../store/passages.ts';
import { readEntries } from '../store/passages.ts';
import { termsOf, wordsOf } from '../words/terms.ts';
import { alike, best, type Found, find } from './find.ts';
import type { RetrievalRequest } from './request.ts';

export interface Hit {
  readonly chunk: Chunk;
  readonly document: StoredDocument;
  /** Best score that any ranking gave the passage, from 0 to 1. */
  readonly searchScore: number;
  /** Score of the merged rankings; 0 unless the search was hybrid. */
  readonly rrfScore: number;
}

/** Maximum passages that are taken from each ranking before the rankings are merged. */
const CANDIDATES = 100;

/**
 * Returns the passages that answer a request, best first. Before ranking, leaves out passages that the account may not
 * read, so that they do not displace readable ones.
 */
export function retrieve(
  request: RetrievalRequest,
  documents: Documents,
  mayReadWorkspace: (workspace: string) => boolean,
): readonly Hit[] {
  if (!request.documents) return [];
  const readable = documents.described().filter(({ workspace }) => mayReadWorkspace(workspace));
  const named = new Set(readable.filter((one) => isNamed(one.metadata, request)).map(({ id }) => id));
  const filtered = request.metadata === 'filters' && named.size > 0;
  const mayRead = ({ document, workspace }: Owner): boolean =>
    mayReadWorkspace(workspace) && (!filtered || named.has(document));
  const isRaised = (row: number) =>
    request.metadata !== 'ignored' && named.has(documents.ownerOf(row).document);
  const rankings = rankingsOf(request, documents).map(({ scored, weight }) => ({
    rows: best(scored, documents, { mayRead, limit: CANDIDATES }),
    weight,
  }));
  return raise(fuse(rankings), isRaised)
    .slice(0, request.topk)
    .flatMap((found) => hitOf(found, request, documents));
}

/** True if the query or a keyword contains a value of the metadata. */
function isNamed(metadata: string, { query, keywords = [] }: RetrievalRequest): boolean {
  const phrases = [query, ...keywords].map((text) => ` ${wordsOf(text).join(' ')} `);
  return readEntries(metadata)
    .map(({ value }) => ` ${wordsOf(value).join(' ')} `)
    .some((value) => value !== '  ' && phrases.some((text) => text.includes(value)));
}

/**
 * Returns the rankings of a search: by coverage, which stands for the similarity of a platform with a model, and by
 * BM25. `minSimilarity` applies to the former only (platform contract RAG-6).
 */
function rankingsOf(
  { query, keywords, mode, weights, minSimilarity }: RetrievalRequest,
  documents: Documents,
) {
  const question = find(alike(termsOf(query === '' ? (keywords ?? []).join(' ') : query)), documents);
  const texts = keywords === undefined ? question : find(alike(keywords), documents);
  const embedding = question.map(similar).filter(({ score }) => score >= minSimilarity);
  const fullText = texts.map(({ row, words: score }) => ({ row, score }));
  return [
    { scored: mode === 'fullText' ? [] : embedding, weight: weights.embedding },
    { scored: mode === 'embedding' ? [] : fullText, weight: weights.fullText },
  ];
}

/** Highest similarity. It is below 1, because words never prove that a passage answers the question. */
const MAX_SIMILARITY = 0.99;

/** The similarity is the coverage; among passages of equal coverage, BM25 decides. */
const similar = ({ row, covered, words }: Found): ScoredRow => ({
  row,
  score: MAX_SIMILARITY * (0.95 * covered + 0.05 * words),
});

function hitOf(
  { row, score, rrf }: FusedRow,
  { mode }: RetrievalRequest,
  documents: Documents,
): readonly Hit[] {
  const chunk = documents.chunk(row);
  const document = chunk && documents.find(chunk.document);
  if (chunk === undefined || document === undefined) return [];
  return [{ chunk, document, searchScore: score, rrfScore: mode === 'hybrid' ? rrf : 0 }];
}

/** Constant of reciprocal rank fusion. The larger it is, the smaller is the advantage of the first ranks. */
const RRF_CONSTANT = 60;

/** A row in the merged ranking. Its `score` is the best that any index gave it. */
interface FusedRow extends ScoredRow {
  /** Sum of weight / (60 + rank) over all rankings that contain the row. */
  readonly rrf: number;
}

/** Merges rankings by reciprocal rank fusion, best first. Ignores a ranking with weight 0. */
function fuse(
  rankings: readonly { readonly rows: readonly ScoredRow[]; readonly weight: number }[],
): readonly FusedRow[] {
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

/** Factor for the merged score of a document if the question names a value of its metadata. */
const NAMED_FACTOR = 1.5;

/** Raises the rank and the merged score of the rows for which `named` is true. Does not change their other score. */
const raise = (rows: readonly FusedRow[], named: (row: number) => boolean): readonly FusedRow[] =>
  rows
    .map((found) => ({ ...found, rrf: found.rrf * (named(found.row) ? NAMED_FACTOR : 1) }))
    .sort((a, b) => b.rrf - a.rrf);
