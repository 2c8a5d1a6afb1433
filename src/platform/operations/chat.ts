import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { finalText, idsOf } from '../stream/text.ts';
import { wired } from '../wire/facts.ts';
import { anyText, coded, flag, text } from '../wire/members.ts';

/** An agent's whole answer in one JSON body (platform contract CHL-16, EXP-8, DEC-16). */
const wholeAnswer = z.object({
  text: z.string().describe('The answer, as Markdown'),
  session: text('Conversation that the answer belongs to').optional(),
  chatRecord: text('Id of the record of the answer, with which its sources are listed').optional(),
  sources: z.array(z.unknown()).describe('Sources of the answer').optional(),
  suggestions: z.array(z.string()).describe('Suggested questions').optional(),
  thoughts: z.array(z.unknown()).describe('Thoughts of the agent, and the tools that it used').optional(),
  media: z.array(z.unknown()).describe('Images and files of the answer').optional(),
});

function readAnswer(body: unknown): unknown {
  return { text: finalText(body)?.text ?? '', ...idsOf(body) };
}

const content = z
  .union([
    z.string().min(1),
    z.array(
      z.union([
        z.object({ type: z.literal('text'), text: z.string() }),
        z.object({ type: z.literal('image_ids'), image_ids: z.array(z.string()).min(1) }),
      ]),
    ),
  ])
  .describe('A text, or a list of parts: texts, and ids of uploaded images');

const ASKING = ['user', 'human'] as const;
const ids = (doc: string, name: string) =>
  wired(z.array(z.string().min(1)).describe(doc), { name, as: 'one-or-many' }).optional();

const common = {
  stream: flag('Whether the answer is streamed while it grows').default(false),
  showToolResult: flag('Whether the answer includes tool results', { name: 'show_tool_result' }).optional(),
  fileIds: ids('Files that the agent answers from', 'file_id'),
  workspaceIds: ids('Knowledge workspaces that the agent answers from', 'workspace_id'),
  layoutMode: coded(
    { chat: 0, retrieval: 1 },
    'chat: answer the question; retrieval: return the passages that were found',
    {
      name: 'layout_mode',
    },
  ).optional(),
  skipHint: flag('Skips the prompt about personal data', { name: 'skip_hint' }).optional(),
};

const keyMessage = z.strictObject({
  role: z.enum(['user', 'ai', 'system', 'human', 'assistant']).describe('Role of the author'),
  content,
});
export type KeyMessage = z.infer<typeof keyMessage>;

const operation = operationsOf('chat', 'bearer');
const asking = {
  method: 'POST',
  answer: 'stream',
  retry: 'chat',
  shape: 'one',
  response: wholeAnswer,
  read: readAnswer,
} as const;

/**
 * Asks the agent of an API key (platform contract CHL-1 to CHL-17). The platform stores no conversation, so each
 * question contains the earlier turns.
 */
export const chatByKey = operation({
  ...asking,
  id: 'chatByKey',
  command: 'by-key',
  doc: 'Asks the agent that an API key belongs to. Earlier questions and answers are sent as messages.',
  path: '/webapi/lite_api/v2/api/chat-with-bot/chat',
  credential: 'api-key',
  request: z.strictObject({
    messages: z
      .array(keyMessage)
      .min(1)
      .refine(
        (list) => ASKING.some((role) => role === list.at(-1)?.role),
        'the last message must be a question',
      )
      .describe(
        'The conversation as messages: earlier questions and answers, and the new question as the last message',
      ),
    ...common,
  }),
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Asks an agent as a platform user (platform contract CHL-2 to CHL-17). The platform stores the conversation. */
export const chatByToken = operation({
  ...asking,
  id: 'chatByToken',
  command: 'by-token',
  doc: 'Asks an agent by its id as a platform user; the platform keeps the conversation.',
  path: '/webapi/lite_api/v2/api/chat-with-bot/{agent_id}',
  request: z.strictObject({
    agentId: text("The agent's uuid", { name: 'agent_id' }),
    messages: z
      .array(z.strictObject({ role: z.enum(ASKING).describe('Role of the author'), content }))
      .length(1)
      .describe('The question; at most one message'),
    conversationId: text('The conversation to continue', { name: 'conversation_id' }).optional(),
    ...common,
  }),
  advise: ({ agentId }) =>
    UUID.test(agentId)
      ? []
      : [`the agent id ${agentId} is not a uuid; find it in the address of the agent's page`],
});

/** Asks an agent through the Open API (platform contract EXP-1 to EXP-16). The platform stores the conversation. */
export const askExpert = operation({
  ...asking,
  id: 'askExpert',
  capability: 'experts',
  command: 'ask',
  doc: 'Asks a published agent through the Open API, in a session that the platform keeps.',
  path: '/openapi/chat/expert',
  credential: 'open',
  request: z.strictObject({
    expertCode: text("The agent's code"),
    content: z.string().trim().min(1).describe('The question'),
    sessionId: text('The session to continue; null starts a new one').nullable().default(null),
    stream: flag('Whether the answer is streamed while it grows').default(false),
    includeThought: flag("Whether the answer includes the agent's thoughts").optional(),
    language: z
      .strictObject({
        chatLanguage: anyText('Language of the answer; if absent or empty, the agent decides').optional(),
        systemLanguage: text('Language of plugin names and prompts').optional(),
      })
      .describe('Languages, as BCP 47 tags')
      .optional(),
  }),
});
