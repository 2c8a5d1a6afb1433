import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { readAnswer, wholeAnswer } from './answer.ts';

const content = z.union([
  z.string().min(1),
  z.array(
    z.union([
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('image_ids'), image_ids: z.array(z.string()).min(1) }),
    ]),
  ),
]);

const ASKING = ['user', 'human'] as const;
const ids = z.array(z.string().min(1));

const common = {
  stream: z.boolean(),
  /** Whether tool results come with the answer. */
  showToolResult: z.boolean().optional(),
  fileIds: ids.optional(),
  workspaceIds: ids.optional(),
  /** 0 chats, 1 returns retrieved content. */
  layoutMode: z.union([z.literal(0), z.literal(1)]).optional(),
  /** Skips the prompt about personal data. */
  skipHint: z.boolean().optional(),
};

interface Common {
  readonly stream: boolean;
  readonly showToolResult?: boolean | undefined;
  readonly fileIds?: readonly string[] | undefined;
  readonly workspaceIds?: readonly string[] | undefined;
  readonly layoutMode?: 0 | 1 | undefined;
  readonly skipHint?: boolean | undefined;
}

function commonWire(request: Common): Record<string, unknown> {
  return {
    stream: request.stream,
    show_tool_result: request.showToolResult,
    file_id: oneOrMany(request.fileIds),
    workspace_id: oneOrMany(request.workspaceIds),
    layout_mode: request.layoutMode,
    skip_hint: request.skipHint,
  };
}

/** A string when there is one, a list when there are more (platform contract CHL-10, CHL-11). */
function oneOrMany(list: readonly string[] | undefined): string | readonly string[] | undefined {
  if (list === undefined || list.length === 0) return undefined;
  return list.length === 1 ? list[0] : list;
}

const keyMessage = z.object({ role: z.enum(['user', 'ai', 'system', 'human', 'assistant']), content });
export type KeyMessage = z.infer<typeof keyMessage>;

/** Platform contract CHL-1 to CHL-17. The key decides the agent; earlier turns travel with the question. */
export const chatByKey = defineOperation({
  id: 'chatByKey',
  capability: 'chat',
  doc: 'Asks the agent that an API key belongs to, with earlier turns as messages.',
  method: 'POST',
  path: '/webapi/lite_api/v2/api/chat-with-bot/chat',
  credential: 'api-key',
  answer: 'stream',
  retry: 'chat',
  request: z.object({
    messages: z
      .array(keyMessage)
      .min(1)
      .refine(
        (list) => ASKING.some((role) => role === list.at(-1)?.role),
        'the last message must be a question',
      ),
    ...common,
  }),
  response: wholeAnswer,
  wire: (request) => ({ json: { messages: request.messages, ...commonWire(request) } }),
  read: readAnswer,
});

/** Platform contract CHL-2 to CHL-17. The platform keeps the conversation. */
export const chatByToken = defineOperation({
  id: 'chatByToken',
  capability: 'chat',
  doc: 'Asks an agent by its id as a platform user; the platform keeps the conversation.',
  method: 'POST',
  path: '/webapi/lite_api/v2/api/chat-with-bot/{agent_id}',
  credential: 'bearer',
  answer: 'stream',
  retry: 'chat',
  request: z.object({
    agentId: z.string().min(1),
    messages: z.array(z.object({ role: z.enum(ASKING), content })).length(1),
    conversationId: z.string().min(1).optional(),
    ...common,
  }),
  response: wholeAnswer,
  wire: (request) => ({
    path: { agent_id: request.agentId },
    json: { messages: request.messages, conversation_id: request.conversationId, ...commonWire(request) },
  }),
  read: readAnswer,
});
