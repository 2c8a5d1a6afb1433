import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { type Fields, finderIn, isFields, numberOf, textOf } from '../shapes.ts';
import { listOf } from '../wire/answers.ts';
import { text } from '../wire/members.ts';

const operation = operationsOf('references', 'open');
const KINDS = ['document', 'image', 'QnA', 'other'] as const;

const reference = z.object({
  title: z.string().describe('Title of the source'),
  content: z.string().describe('The passage that the answer used'),
  score: z.number().describe('Relevance from 0 to 1; higher is more relevant').optional(),
  url: z.string().describe('Address of the source; only files have an address').optional(),
  type: z.enum(KINDS).describe('Kind of the source'),
});
export type Reference = z.infer<typeof reference>;

/** Lists the sources of a finished answer in the platform's order (platform contract REF-1, REF-2). */
export const references = operation({
  id: 'references',
  command: 'list',
  doc: 'Lists the sources of a finished answer.',
  method: 'GET',
  path: '/openapi/chat/record/{chatRecordId}/reference',
  shape: 'many',
  request: z.strictObject({
    chatRecordId: text('Id of the record of the answer; the answer contains this id as chatRecord'),
  }),
  response: z.array(reference),
  read: readReferences,
});

function readReferences(body: unknown): unknown {
  const list = listOf(body);
  const isRead = (item: unknown): item is Fields => isFields(item) && isReference(item);
  // The text's numbers are positions in this list, so an unreadable entry keeps its place.
  const read = list?.map((item) => readReference(isRead(item) ? item : {}));
  return list?.length === 0 || list?.some(isRead) ? read : undefined;
}

const isReference = (item: Fields): boolean =>
  finderIn(item)(['title', 'content', 'url', 'type']) !== undefined;

function readReference(item: Fields): unknown {
  const type = textOf(item, ['type'])?.toLowerCase();
  return {
    title: textOf(item, ['title']) ?? '',
    content: textOf(item, ['content']) ?? '',
    score: numberOf(item, ['score']),
    url: textOf(item, ['url']),
    type: KINDS.find((kind) => kind.toLowerCase() === type) ?? 'other',
  };
}
