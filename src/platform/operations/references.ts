import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { isFields, many, numberOf, textOf } from '../shapes.ts';

const KINDS = ['document', 'image', 'QnA', 'other'] as const;

const reference = z.object({
  title: z.string(),
  content: z.string(),
  score: z.number().optional(),
  url: z.string().optional(),
  type: z.enum(KINDS),
});
export type Reference = z.infer<typeof reference>;

/** Platform contract REF-1, REF-2; in the platform's order. */
export const references = defineOperation({
  id: 'references',
  capability: 'references',
  doc: 'Lists what a finished answer was drawn from.',
  method: 'GET',
  path: '/openapi/chat/record/{chatRecordId}/reference',
  credential: 'open',
  answer: 'json',
  retry: 'read',
  request: z.object({ chatRecordId: z.string().min(1) }),
  response: z.array(reference),
  wire: (request) => ({ path: request }),
  read: (body) =>
    many(isFields(body) ? body.data : body)
      .filter(isFields)
      .map(readReference),
});

function readReference(item: Readonly<Record<string, unknown>>): unknown {
  return {
    title: textOf(item, ['title']) ?? '',
    content: textOf(item, ['content']) ?? '',
    score: numberOf(item, ['score']),
    url: textOf(item, ['url']),
    type: KINDS.find((kind) => kind === item.type) ?? 'other',
  };
}
