import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Chunk } from '../store/passages.ts';
import { embedQuestion } from './embedding.ts';
import { searchText } from './full-text.ts';
import { type FusedRow, fuse } from './fuse.ts';
import type { Owner, PassageIndex, ScoredRow } from './passage-index.ts';
import {
  type Counts,
  createCounts,
  probesOfKeywords,
  probesOfQuery,
  questionTerms,
  rarityOf,
} from './probes.ts';
import type { RetrievalRequest } from './request.ts';
import { cosineOf, similarity } from './similarity.ts';

export interface Hit {
  readonly chunk: Chunk;
  readonly document: StoredDocument;
  /** 0 to 1: the best score that an index gave. */
  readonly searchScore: number;
  /** 0 unless the search was hybrid. */
  readonly rrfScore: number;
}

export interface Shelves {
  readonly documents: Documents;
  readonly index: PassageIndex;
}

interface Search {
  readonly request: RetrievalRequest;
  readonly counts: Counts;
  readonly mayRead: (owner: Owner) => boolean;
}

/** Passages that an index hands to the fusion, at least. */
const CANDIDATES = 100;

/**
 * The passages that answer a request, best first. What may not be read is left out before anything is ranked, so that
 * it takes nobody's place.
 */
export function retrieve(
  request: RetrievalRequest,
  shelves: Shelves,
  mayRead: (workspace: string) => boolean,
): readonly Hit[] {
  if (!request.documents) return [];
  const search: Search = {
    request,
    counts: createCounts(shelves.documents),
    mayRead: ({ workspace }) => mayRead(workspace),
  };
  return rank(search, shelves)
    .slice(0, request.topk)
    .flatMap((found) => hitOf(found, shelves.documents));
}

function rank(search: Search, shelves: Shelves): readonly FusedRow[] {
  const { mode, weights } = search.request;
  if (mode === 'embedding') return alone(byVector(search, shelves));
  if (mode === 'fullText') return alone(byText(search, shelves));
  return fuse([
    { rows: byVector(search, shelves), weight: weights.embedding },
    { rows: byText(search, shelves), weight: weights.fullText },
  ]);
}

const alone = (rows: readonly ScoredRow[]): readonly FusedRow[] =>
  rows.map((found) => ({ ...found, rrf: 0 }));

/** The least similarity holds here and nowhere else (platform contract RAG-6). */
function byVector({ request, counts, mayRead }: Search, { index }: Shelves): readonly ScoredRow[] {
  const { query, keywords = [], minSimilarity } = request;
  const asked = query === '' ? keywords.join(' ') : query;
  const { vector, selfCosine } = embedQuestion(questionTerms(asked), rarityOf(counts));
  const least = cosineOf(minSimilarity, selfCosine);
  return index
    .nearest({ vector, least, limit: CANDIDATES, mayRead })
    .map(({ row, score }) => ({ row, score: similarity(score, selfCosine) }));
}

function byText({ request, counts, mayRead }: Search, { documents, index }: Shelves): readonly ScoredRow[] {
  const { query, keywords } = request;
  const probes = keywords === undefined ? probesOfQuery(query) : probesOfKeywords(keywords);
  return searchText({ probes, counts, limit: CANDIDATES, mayRead }, documents, index);
}

function hitOf(found: FusedRow, documents: Documents): readonly Hit[] {
  const chunk = documents.chunk(found.row);
  const document = chunk && documents.find(chunk.document);
  if (chunk === undefined || document === undefined) return [];
  return [{ chunk, document, searchScore: found.score, rrfScore: found.rrf }];
}
