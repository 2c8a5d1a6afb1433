import { asFields, type Fields, idText } from '../http/fields.ts';
import { declined } from '../http/refusal.ts';

export type Mode = 'hybrid' | 'embedding' | 'fullText';

/** How much each index counts in a hybrid search. */
export interface Weights {
  readonly embedding: number;
  readonly fullText: number;
}

/** What is asked of retrieval (platform contract RAG-1 to RAG-10). */
export interface RetrievalRequest {
  /** Empty when there are only keywords. */
  readonly query: string;
  /** Undefined lets them be taken from the query. */
  readonly keywords: readonly string[] | undefined;
  /** Names or ids; undefined for all that may be read. */
  readonly workspaces: readonly string[] | undefined;
  /** False when only question-answer pairs are asked for: the platform does not search them. */
  readonly documents: boolean;
  readonly topk: number;
  readonly minSimilarity: number;
  readonly metadata: 'ignored' | 'filters' | 'weighs';
  readonly mode: Mode;
  readonly weights: Weights;
}

const TOPK_AT_MOST = 100;
const MIN_SIMILARITY = 0.8;
const RAG_OBJECTS = { 0: true, 1: false, 2: true };
const MODES: Readonly<Record<string, Mode>> = { 0: 'hybrid', 1: 'hybrid', 2: 'embedding', 3: 'fullText' };
const METADATA = { 0: 'filters', 1: 'weighs' } as const;

/** Reads a request; what it does not allow is a business failure that names the parameter (platform contract ERR-4). */
export function readRequest(fields: Fields): RetrievalRequest {
  const query = text(fields, 'query');
  const keywords = text(fields, 'keywords');
  if (query === '' && keywords === '') throw declined('One of the parameters query and keywords is needed.');
  refuseReranker(text(fields, 'reranker'));
  const mode = coded(fields, 'ragMode', MODES);
  return {
    query,
    keywords: keywords === '' ? undefined : keywords.split('|').filter((keyword) => keyword.trim() !== ''),
    workspaces: workspaces(fields),
    documents: coded(fields, 'ragObject', RAG_OBJECTS),
    topk: topk(fields),
    minSimilarity: minSimilarity(fields),
    metadata: metadata(fields),
    mode,
    weights: mode === 'hybrid' ? weights(fields) : { embedding: 1, fullText: 1 },
  };
}

const absent = (value: unknown): value is undefined | null => value === undefined || value === null;

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (absent(value)) return '';
  if (typeof value !== 'string') throw declined(`The parameter ${name} must be a string.`);
  return value.trim() === '' ? '' : value;
}

function refuseReranker(name: string): void {
  if (name !== '')
    throw declined(`The reranker ${name.slice(0, 80)} is unknown: no rerank model is configured.`);
}

/** A number that stands for something; 0 where it is left out, as the platform has it (platform contract RAG-4, RAG-8). */
function coded<T>(fields: Fields, name: string, meanings: Readonly<Record<number, T>>): T {
  const value = fields[name] ?? 0;
  const meaning = typeof value === 'number' ? meanings[value] : undefined;
  if (meaning === undefined) {
    throw declined(`The parameter ${name} must be one of ${Object.keys(meanings).join(', ')}.`);
  }
  return meaning;
}

function workspaces(fields: Fields): readonly string[] | undefined {
  const value = fields.workspaces;
  if (absent(value)) return undefined;
  const list: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  const named = list.map((item) => {
    const name = idText(item);
    if (name === undefined) throw declined('The parameter workspaces must be an array of names or ids.');
    return name;
  });
  return named.length === 0 ? undefined : named;
}

function topk(fields: Fields): number {
  const value = fields.topk;
  if (absent(value)) throw declined('The parameter topk is missing.');
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > TOPK_AT_MOST) {
    throw declined(`The parameter topk must be an integer from 1 to ${TOPK_AT_MOST}.`);
  }
  return value;
}

function minSimilarity(fields: Fields): number {
  const value = fields.minSimilarity ?? MIN_SIMILARITY;
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) {
    throw declined('The parameter minSimilarity must be a number from 0 to 1.');
  }
  return value;
}

/** The search type counts only beside the provider (platform contract RAG-7). */
function metadata(fields: Fields): RetrievalRequest['metadata'] {
  const value = fields.metadataProvider;
  if (absent(value)) return 'ignored';
  const list: readonly unknown[] = Array.isArray(value) ? value : [undefined];
  if (list.some((provider) => provider !== 'default')) {
    throw declined('The parameter metadataProvider must be ["default"].');
  }
  return list.length === 0 ? 'ignored' : coded(fields, 'metadataSearchType', METADATA);
}

/** Indexes are named in any case; one that is not named keeps its usual weight (platform contract RAG-9). */
function weights(fields: Fields): Weights {
  const value = fields.weights;
  const given = absent(value) ? {} : asFields(value);
  if (given === undefined) throw declined('The parameter weights must be an object.');
  const found = { embedding: 1, fullText: 1 };
  for (const [name, weight] of Object.entries(given)) {
    const index = INDEXES.get(name.toLowerCase());
    if (index === undefined) throw declined('The parameter weights may name Embedding and FullText.');
    if (typeof weight !== 'number' || !(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
      throw declined(`The weight of ${name} must be a number from 0 on.`);
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
