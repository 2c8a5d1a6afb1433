import type { AgentGateway } from '../../core/agents/agent.ts';
import { chatByToken } from '../operations/chat.ts';
import { type AgentContext, agentAuthority, describeAgentSources, openAgentMedia } from './agent-context.ts';
import { askAgent } from './asking.ts';
import { checkAgent } from './check.ts';
import { uploadAgentImages } from './image-upload.ts';
import { liteContent, liteOptions } from './lite-content.ts';

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
