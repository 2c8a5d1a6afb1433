import type { AgentGateway, Question } from '../../core/agents/agent.ts';
import { chatByKey, chatByToken, type KeyMessage } from '../operations/chat.ts';
import {
  type AgentContext,
  type AgentOptions,
  agentAuthority,
  describeAgentSources,
  openAgentMedia,
  questionText,
} from './agent-context.ts';
import { askAgent } from './asking.ts';
import { checkAgent } from './check.ts';
import { uploadAgentImages } from './image-upload.ts';

/** Asks by API key; the earlier turns travel with each question (platform contract CHL-1, CHL-5, CHL-15). */
export function liteKeyGateway(context: AgentContext): AgentGateway {
  const { wiring, options } = context;
  return {
    sees: { images: options.seesImages ?? true },
    memory: 'history',
    canSkipHint: options.skipHint !== true,
    async *ask(question, signal) {
      const earlier = question.history.flatMap((exchange): KeyMessage[] => [
        { role: 'user', content: exchange.question },
        { role: 'assistant', content: exchange.answer },
      ]);
      const spoken = earlier.filter((message) => message.content !== '');
      const messages = [...spoken, { role: 'user', content: liteContent(question) } as const];
      yield* askAgent(
        {
          wiring,
          operation: chatByKey,
          authority: agentAuthority(context, question.account),
          session: undefined,
          request: () => ({ messages, ...liteOptions(options, question) }),
          fallback: context.fallback,
        },
        signal,
      );
    },
    sources: ({ known }, call) => describeAgentSources(context, known, call),
    uploadImages: (images, call) => uploadAgentImages(context, images, call),
    openMedia: (media, call) => openAgentMedia(context, media, call),
    check: (signal) => checkAgent(context, signal),
  };
}

/** Asks as a platform user; the platform keeps the conversation (platform contract CHL-2, CHL-6, CHL-14). */
export function liteTokenGateway(context: AgentContext, agentId: string): AgentGateway {
  const { wiring, options } = context;
  return {
    sees: { images: options.seesImages ?? true },
    memory: 'session',
    canSkipHint: options.skipHint !== true,
    async *ask(question, signal) {
      yield* askAgent(
        {
          wiring,
          operation: chatByToken,
          authority: agentAuthority(context, question.account),
          session: question.session,
          request: (session) => ({
            agentId,
            messages: [{ role: 'user' as const, content: liteContent(question) }],
            ...(session === undefined ? {} : { conversationId: session }),
            ...liteOptions(options, question),
          }),
          fallback: context.fallback,
        },
        signal,
      );
    },
    sources: ({ known }, call) => describeAgentSources(context, known, call),
    uploadImages: (images, call) => uploadAgentImages(context, images, call),
    openMedia: (media, call) => openAgentMedia(context, media, call),
    check: (signal) => checkAgent(context, signal),
  };
}

/** A plain string when there is text only; else the text first, then the images (platform contract CHL-7). */
function liteContent(question: Question): KeyMessage['content'] {
  const text = questionText(question);
  if (question.images.length === 0) return text;
  return [
    { type: 'text', text },
    { type: 'image_ids', image_ids: [...question.images] },
  ];
}

/** The members that both lite chats share. */
function liteOptions(
  { showToolResult = true, skipHint = false, fileIds, workspaceIds }: AgentOptions,
  question: Question,
) {
  return {
    stream: true,
    showToolResult,
    skipHint: skipHint || question.skipHint === true,
    fileIds: fileIds && [...fileIds],
    workspaceIds: workspaceIds && [...workspaceIds],
  };
}
