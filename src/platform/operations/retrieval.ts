import { z } from 'zod';
import { tryJson } from '../json.ts';
import { operationsOf } from '../operation.ts';
import { asFields, type Fields, finderIn, idOf, isFields, one } from '../shapes.ts';
import { dataOf, documented, listOf } from '../wire/answers.ts';
import { decode } from '../wire/decode.ts';
import type { Deployment } from '../wire/deployment.ts';
import { wired } from '../wire/facts.ts';
import { anyText, coded, number, raw, text, texts, within } from '../wire/members.ts';

const operation = operationsOf('retrieval', 'open');

/** A passage that a search found (platform contract RAG-11). The platform's order and scores are kept (RAG-6). */
const hit = z.object({
  chunkId: text('Id of the chunk that contains the passage').optional(),
  fileId: text('Id of the file of the chunk').optional(),
  fileName: anyText('Name of the file').optional(),
  content: anyText('Text of the chunk').optional(),
  metadata: z.record(z.string(), z.string()).describe('Metadata of the file').optional(),
  url: anyText('Address of the preview of the file').optional(),
  searchScore: number('Score that the search gave the passage').optional(),
  rrfScore: number('Score from the ranks in two searches: by words and by meaning').optional(),
  rerankScore: number('Score that the reranker gave the passage').optional(),
  workspaceId: text('Id of the knowledge workspace').optional(),
  workspaceName: anyText('Name of the knowledge workspace').optional(),
  raw: raw(),
});
export type Hit = z.output<typeof hit>;

/** Keywords of a search, sent as one text with `|` between them (platform contract RAG-2). */
const keywords = wired(
  z
    .array(
      z
        .string()
        .min(1)
        .regex(/^[^|]*$/, 'must not hold "|", which separates keywords'),
    )
    .min(1)
    .describe('Keywords to search for; if absent, the platform takes keywords from the query'),
  { as: 'piped' },
);

/** Searches knowledge workspaces for passages (platform contract RAG-1 to RAG-10). */
export const retrieve = operation({
  id: 'retrieve',
  command: 'search',
  doc: 'Searches knowledge workspaces for passages.',
  method: 'POST',
  path: '/v1/openapi/rag',
  retry: 'read',
  shape: 'one',
  request: z
    .strictObject({
      query: text('What to search for').nullable().optional(),
      keywords: keywords.nullable().optional(),
      workspaces: texts('Names or ids of the knowledge workspaces to search').optional(),
      ragObject: coded(
        { both: 0, qna: 1, doc: 2 },
        'What to search; the platform does not search question-answer pairs yet',
      ).default('both'),
      topk: z.int().min(1).default(5).describe('Maximum number of passages'),
      minSimilarity: within(
        [0, 1],
        'Minimum similarity of a passage; if absent, the platform uses 0.8',
      ).optional(),
      metadataProvider: z
        .array(z.literal('default'))
        .length(1)
        .describe('Metadata that the search uses; the platform supports only "default"')
        .optional(),
      metadataSearchType: coded(
        { filter: 0, weight: 1 },
        'filter: return only passages of files whose metadata matches; weight: rank these passages higher',
      ).optional(),
      ragMode: coded({ hybrid: 1, embedding: 2, fullText: 3 }, 'How to search').default('hybrid'),
      weights: z
        .record(z.string(), z.number())
        .describe('Weight of each index, such as Embedding and FullText; allowed only if ragMode is hybrid')
        .nullable()
        .optional(),
      reranker: text('Name of a rerank model of the deployment').nullable().optional(),
    })
    .refine(({ query, keywords: words }) => (query ?? words ?? undefined) !== undefined, {
      message: 'needs a query or keywords',
    })
    .refine((body) => body.metadataSearchType === undefined || body.metadataProvider !== undefined, {
      message: 'metadataSearchType needs metadataProvider',
    })
    .refine((body) => (body.weights ?? undefined) === undefined || body.ragMode === 'hybrid', {
      message: 'weights apply in hybrid mode only',
    }),
  response: z.object({
    searchId: text('Id of the search').optional(),
    items: wired(z.array(hit).describe('Passages that the search found, the best passage first'), {
      name: 'results',
    }),
  }),
  advise: ({ ragObject }) =>
    ragObject === 'qna' ? ['question-answer pairs are not searched yet: nothing will be found'] : [],
  read: readHits,
});

function readHits(body: unknown, deployment: Deployment): unknown {
  const data = dataOf(body);
  const searchId = idOf(one(data) ?? {}, ['searchId']);
  const list = listOf(body);
  const items = list
    ?.filter(isFields)
    .map((item) => decode(hit, withMetadata(item), deployment))
    .filter(documented);
  return items?.length === list?.length || (items?.length ?? 0) > 0 ? { searchId, items } : undefined;
}

/**
 * Converts the values of the metadata (an object or JSON text) into texts. Takes a missing workspace name from the
 * metadata.
 */
function withMetadata(item: Fields): Fields {
  const find = finderIn(item);
  const found = find(['metadata']);
  const given = typeof found === 'string' ? tryJson(found) : found;
  const entries = Object.entries(asFields(given) ?? {}).filter(([, value]) => value !== null);
  const metadata = Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  return {
    ...item,
    ...(given !== undefined && { metadata }),
    workspaceName: find(['workspaceName']) || metadata.WorkspaceName,
  };
}
