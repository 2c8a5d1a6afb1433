import type { AgentGateway } from '../../core/agents/agent.ts';
import { chatByKey, type KeyMessage } from '../operations/chat.ts';
import { type AgentContext, agentAuthority, describeAgentSources, openAgentMedia } from './agent-context.ts';
import { askAgent } from './asking.ts';
import { checkAgent } from './check.ts';
import { uploadAgentImages } from './image-upload.ts';
import { liteContent, liteOptions } from './lite-content.ts';

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
