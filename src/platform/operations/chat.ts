import { z } from 'zod';
import { operationsOf } from '../operation.ts';
import { finalText, idsOf } from '../stream/text.ts';
import { wired } from '../wire/facts.ts';
import { anyText, coded, flag, text } from '../wire/members.ts';

/** An agent's whole answer in one JSON body (platform contract CHL-16, EXP-8, DEC-16). */
const wholeAnswer = z.object({
  text: z.string().describe('The answer, as Markdown'),
  session: text('Id of the conversation to which the answer belongs').optional(),
  chatRecord: text(
    'Id of the record of the answer; with this id, the operation `references` lists the sources',
  ).optional(),
  sources: z.array(z.unknown()).describe('Sources of the answer').optional(),
  suggestions: z.array(z.string()).describe('Suggested questions').optional(),
  thoughts: z
    .array(z.unknown())
    .describe('Thoughts of the agent, and the tools that the agent used')
    .optional(),
  media: z.array(z.unknown()).describe('Images and files of the answer').optional(),
  finishReason: text("The platform's word for why the answer ended, such as stop").optional(),
});

function readAnswer(body: unknown): unknown {
  return { text: finalText(body)?.text ?? '', ...idsOf(body) };
}

const content = z
  .union([
    z.string().min(1),
    z
      .array(
        z.union([
          z.object({ type: z.literal('text'), text: z.string() }),
          z.object({ type: z.literal('image_ids'), image_ids: z.array(z.string()).min(1) }),
        ]),
      )
      .min(1),
  ])
  .describe('A text, or a list of parts; a part is a text or contains ids of uploaded images');

const ASKING = ['user', 'human'] as const;
const ids = (doc: string, name: string) =>
  wired(z.array(z.string().min(1)).describe(doc), { name, as: 'one-or-many' }).optional();

const common = {
  stream: flag(
    'true: the answer arrives as a stream while the agent writes; false: the answer arrives whole',
  ).default(false),
  showToolResult: flag('Whether the answer includes tool results', { name: 'show_tool_result' }).optional(),
  fileIds: ids('Ids of the files from which the agent answers', 'file_id'),
  workspaceIds: ids('Ids of the knowledge workspaces from which the agent answers', 'workspace_id'),
  layoutMode: coded(
    { chat: 0, retrieval: 1 },
    'chat: the agent answers the question; retrieval: the platform returns the passages that it finds',
    {
      name: 'layout_mode',
    },
  ).optional(),
  skipHint: flag(
    'Whether the platform skips its prompt about personal data and lets the agent answer at once',
    { name: 'skip_hint' },
  ).optional(),
};

const keyMessage = z.strictObject({
  role: z.enum(['user', 'ai', 'system', 'human', 'assistant']).describe('Role of the author of the message'),
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
 * Asks an agent, which the API key selects (platform contract CHL-1 to CHL-17). The platform stores no conversation, so
 * each question contains the earlier turns.
 */
export const chatByKey = operation({
  ...asking,
  id: 'chatByKey',
  command: 'by-key',
  doc: 'Asks an agent. The API key decides which agent answers. The request contains earlier questions and answers as messages.',
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
      .describe('Messages of the conversation: earlier questions and answers, and then the new question'),
    ...common,
  }),
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Asks an agent as a platform user (platform contract CHL-2 to CHL-17). The platform stores the conversation. */
export const chatByToken = operation({
  ...asking,
  id: 'chatByToken',
  command: 'by-token',
  doc: 'Asks an agent, named by its id, as a platform user. The platform keeps the conversation.',
  path: '/webapi/lite_api/v2/api/chat-with-bot/{agent_id}',
  request: z.strictObject({
    agentId: text("The agent's uuid", { name: 'agent_id' }),
    messages: z
      .array(z.strictObject({ role: z.enum(ASKING).describe('Role of the author of the message'), content }))
      .length(1)
      .describe('The question, as exactly one message'),
    conversationId: text('Id of the conversation to continue; if absent, a new conversation begins', {
      name: 'conversation_id',
    }).optional(),
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
    sessionId: text('Id of the session to continue; null begins a new session').nullable().default(null),
    stream: flag(
      'true: the answer arrives as a stream while the agent writes; false: the answer arrives whole',
    ).default(false),
    includeThought: flag("Whether the answer includes the agent's thoughts").optional(),
    language: z
      .strictObject({
        chatLanguage: anyText('Language of the answer; if absent or empty, the agent decides').optional(),
        systemLanguage: text('Language of plugin names and prompts').optional(),
      })
      .describe("Languages of the answer and of the platform's own texts, as BCP 47 tags")
      .optional(),
  }),
});
