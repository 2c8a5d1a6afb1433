import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { readAnswer, wholeAnswer } from './answer.ts';

/** Platform contract EXP-1 to EXP-16. */
export const askExpert = defineOperation({
  id: 'askExpert',
  capability: 'experts',
  doc: 'Asks a published agent through the Open API, in a session that the platform keeps.',
  method: 'POST',
  path: '/openapi/chat/expert',
  credential: 'open',
  answer: 'stream',
  retry: 'chat',
  request: z.object({
    expertCode: z.string().min(1),
    content: z.string().trim().min(1),
    /** Absent starts a new session. */
    sessionId: z.string().min(1).optional(),
    stream: z.boolean(),
    includeThought: z.boolean().optional(),
    /** The language to answer in; absent lets the agent decide. */
    chatLanguage: z.string().min(1).optional(),
    /** The language of plugin names and prompts. */
    systemLanguage: z.string().min(1).optional(),
  }),
  response: wholeAnswer,
  wire: ({ expertCode, content, sessionId, stream, includeThought, chatLanguage, systemLanguage }) => ({
    json: {
      expertCode,
      content,
      sessionId: sessionId ?? null,
      stream,
      includeThought,
      language: (chatLanguage ?? systemLanguage) ? { chatLanguage, systemLanguage } : undefined,
    },
  }),
  read: readAnswer,
});
