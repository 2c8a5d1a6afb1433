import type { Documents, StoredDocument } from '../store/documents.ts';
import type { Chunk } from '../store/passages.ts';
import { embedQuestion } from '../words/embedding.ts';
import { termsOf } from '../words/terms.ts';
import { searchText } from './full-text.ts';
import { type FusedRow, fuse, raise } from './fuse.ts';
import { createMetadataIndex, type Described, type MetadataIndex, namedIn } from './metadata.ts';
import { createPassageIndex, type Owner, type PassageIndex, type ScoredRow } from './passage-index.ts';
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
import { cosineOf, similarity } from './similarity.ts';

export interface Hit {
  readonly chunk: Chunk;
  readonly document: StoredDocument;
  /** 0 to 1: the best score that an index gave. */
  readonly searchScore: number;
  /** 0 unless the search was hybrid. */
  readonly rrfScore: number;
}

export interface Indexes {
  readonly documents: Documents;
  readonly index: PassageIndex;
  readonly metadata: MetadataIndex;
}

interface Search {
  readonly request: RetrievalRequest;
  readonly counts: Counts;
  readonly mayRead: (owner: Owner) => boolean;
  /** Documents with metadata that may be read. */
  readonly described: readonly Described[];
}

export const createIndexes = (documents: Documents): Indexes => ({
  documents,
  index: createPassageIndex(documents),
  metadata: createMetadataIndex(documents),
});

/** Passages that an index hands to the fusion, at least. */
const CANDIDATES = 100;

/**
 * The passages that answer a request, best first. What may not be read is left out before anything is ranked, so that
 * it takes nobody's place.
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

/** The passages that may be read, ranked by words and by meaning together. */
export function findPassages(
  query: string,
  indexes: Indexes,
  mayRead: (owner: Owner) => boolean,
): readonly FusedRow[] {
  const request = readRequest({ query, topk: CANDIDATES, minSimilarity: 0 });
  return rank({ request, counts: createCounts(indexes.documents), described: [], mayRead }, indexes);
}

/** Terms of the query and of every keyword: what can name a value of metadata. */
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

/** The least similarity holds here and nowhere else (platform contract RAG-6). */
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
