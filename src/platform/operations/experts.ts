import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { anyText, flag, text } from '../wire/members.ts';
import { readAnswer, wholeAnswer } from './answer.ts';

/** Platform contract EXP-1 to EXP-16. */
export const askExpert = defineOperation({
  id: 'askExpert',
  capability: 'experts',
  command: 'ask',
  doc: 'Asks a published agent through the Open API, in a session that the platform keeps.',
  method: 'POST',
  path: '/openapi/chat/expert',
  credential: 'open',
  answer: 'stream',
  retry: 'chat',
  body: 'json',
  shape: 'one',
  request: z.strictObject({
    expertCode: text("The agent's code"),
    content: z.string().trim().min(1).describe('The question'),
    sessionId: text('The session to go on with; null starts a new one').nullable().default(null),
    stream: flag('Whether the answer is told while it grows').default(false),
    includeThought: flag("Whether the agent's thoughts come with the answer").optional(),
    language: z
      .strictObject({
        chatLanguage: anyText('The language to answer in; absent or empty lets the agent decide').optional(),
        systemLanguage: text('The language of plugin names and prompts').optional(),
      })
      .describe('Languages, as BCP 47 tags')
      .optional(),
  }),
  response: wholeAnswer,
  read: readAnswer,
});
