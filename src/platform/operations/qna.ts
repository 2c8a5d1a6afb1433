import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { answersNothing } from '../wire/answers.ts';
import { text, texts } from '../wire/members.ts';

/** Platform contract QNA-1, QNA-2. */
export const createQna = defineOperation({
  id: 'createQna',
  capability: 'qna',
  command: 'create',
  doc: 'Keeps a question and its answer in a knowledge workspace.',
  method: 'POST',
  path: '/v1/openapi/workspace/qna/create',
  credential: 'open',
  answer: 'json',
  retry: 'never',
  body: 'json',
  request: z.strictObject({
    workspace: text('Name of the knowledge workspace'),
    questions: texts('The question, in one or more wordings'),
    answer: text('The answer'),
    metadatas: z
      .array(z.strictObject({ typeCode: text('Which metadata'), content: text('Its value') }))
      .describe('Metadata of the pair')
      .optional(),
  }),
  ...answersNothing,
});
