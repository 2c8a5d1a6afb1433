import { z } from 'zod';
import { asFields, type Fields } from '../http/json.ts';
import { declined } from '../http/reply.ts';
import {
  declinedBy,
  exact,
  parse,
  refuse,
  required,
  requiredCode,
  whole,
  withFallback,
} from '../http/schema.ts';

type Mode = 'hybrid' | 'embedding' | 'fullText';

/** Weight of each index in a hybrid search. */
type Weights = ReturnType<typeof readWeights>;

/** A request for retrieval (platform contract RAG-1 to RAG-10). */
export type RetrievalRequest = ReturnType<typeof readRequest>;

const MAX_TOPK = 100;
const TOPK = `must be an integer from 1 to ${MAX_TOPK}`;
const SIMILARITY = 'must be a number from 0 to 1';
const MIN_SIMILARITY = 0.8;

const text = z
  .string('must be a string')
  .nullish()
  .transform((value) => (value?.trim() ? value : ''));

/**
 * Returns a schema that converts a number to the meaning at that index. An absent number counts as 0, the documented
 * default (platform contract RAG-4, RAG-8: codes).
 */
const coded = <T>(...meanings: readonly T[]) =>
  z.unknown().transform((value, context) => {
    const at = typeof (value ?? 0) === 'number' ? Number(value ?? 0) : -1;
    const known = Object.hasOwn(meanings, at) ? meanings[at] : undefined;
    return known ?? refuse(context, `must be one of ${[...meanings.keys()].join(', ')}`);
  });

const both = exact({ query: text, keywords: text });

const members = exact({
  reranker: text.refine((name) => name === '', {
    error: ({ input }) =>
      `The reranker ${String(input).slice(0, 80)} is unknown: no rerank model is configured.`,
  }),
  ragMode: coded<Mode>('hybrid', 'hybrid', 'embedding', 'fullText'),
  workspaces: whole(z.array(requiredCode).nullish(), 'must be an array of names or ids'),
  ragObject: coded<'all' | 'pairs'>('all', 'pairs', 'all'),
  topk: z.int(required(TOPK)).min(1, TOPK).max(MAX_TOPK, TOPK),
  minSimilarity: withFallback(z.number(SIMILARITY).min(0, SIMILARITY).max(1, SIMILARITY), MIN_SIMILARITY),
  metadataProvider: whole(z.array(z.literal('default')).nullish(), 'must be ["default"]'),
});

/** Read only if the request has a `metadataProvider` (platform contract RAG-7). */
const searchType = exact({ metadataSearchType: coded<'filters' | 'weighs'>('filters', 'weighs') });

/** Reads a request. Refuses an invalid one with `success` false and the parameter's name (platform contract ERR-4). */
export function readRequest(fields: Fields) {
  const { query, keywords } = parse(both, fields, declinedBy);
  if (query === '' && keywords === '') throw declined('One of the parameters query and keywords is needed.');
  const wanted = parse(members, fields, declinedBy);
  const { ragMode: mode, topk, minSimilarity } = wanted;
  const provided = (wanted.metadataProvider ?? []).length > 0;
  return {
    /** The question; empty if the request has only keywords. */
    query,
    /** Keywords; undefined if they are taken from the question. */
    keywords: keywords === '' ? undefined : keywords.split('|').filter((keyword) => keyword.trim() !== ''),
    /** Names or ids of the workspaces to search; undefined to search all that the account may read. */
    workspaces: wanted.workspaces?.length ? wanted.workspaces : undefined,
    /** False if the request wants only question-answer pairs, which the platform does not search. */
    documents: wanted.ragObject === 'all',
    topk,
    minSimilarity,
    metadata: provided ? parse(searchType, fields, declinedBy).metadataSearchType : 'ignored',
    mode,
    weights: mode === 'hybrid' ? readWeights(fields.weights) : { embedding: 1, fullText: 1 },
  };
}

/**
 * Reads the weights of the indexes, whose names may have any letter case. An absent index has the weight 1 (platform
 * contract RAG-9: weights).
 */
function readWeights(value: unknown) {
  const given = asFields(value ?? {});
  if (given === undefined) throw declined('The parameter "weights" must be an object.');
  const found = { embedding: 1, fullText: 1 };
  for (const [name, weight] of Object.entries(given)) {
    const index = INDEXES.get(name.toLowerCase());
    if (index === undefined) throw declined('The parameter "weights" accepts only Embedding and FullText.');
    if (typeof weight !== 'number' || !(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
      throw declined(`The weight of ${name} must be a number of 0 or more.`);
    }
    found[index] = weight;
  }
  if (found.embedding + found.fullText === 0) throw declined('One of the weights must be above 0.');
  return found;
}

const INDEXES: ReadonlyMap<string, keyof Weights> = new Map([
  ['embedding', 'embedding'],
  ['fulltext', 'fullText'],
]);
