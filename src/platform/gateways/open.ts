import type { AgentGateway, Question } from '../../core/agents/agent.ts';
import type { Call } from '../../core/agents/library.ts';
import type { Source } from '../../core/reply.ts';
import { BridgeError } from '../../errors.ts';
import { call } from '../client.ts';
import { askExpert } from '../operations/chat.ts';
import { references } from '../operations/references.ts';
import { groupSources, passageOfReference } from '../sources.ts';
import { type AgentContext, agentAuthority, describeAgentSources, questionText } from './agent-context.ts';
import { gatewayOf } from './gateway.ts';

/**
 * Delay before the second request for an answer's sources, in milliseconds. The platform may have them ready later
 * than the answer (platform contract REF-3).
 */
const REFERENCES_AGAIN_MS = 1500;

/**
 * Creates the gateway for the Open API. The platform stores the conversation in a session (platform contract EXP-1 to
 * EXP-16).
 */
export function openGateway(context: AgentContext, expertCode: string): AgentGateway {
  const { chatLanguage, includeThought = false } = context.options;
  const request = (question: Question, session: string | undefined) => ({
    expertCode,
    content: questionText(question),
    sessionId: session ?? null,
    stream: true,
    includeThought,
    ...languages(question.language ?? chatLanguage, question.locale),
  });
  return {
    ...gatewayOf(context, { memory: 'session', operation: askExpert, request }),
    sees: { images: false },
    takesLanguage: true,
    sources: ({ chatRecord, known }, target) => referencesOf(context, chatRecord, known, target),
    uploadImages: async () => {
      throw new BridgeError('agent-sees-no-images', 'The Open API accepts no images with a question.');
    },
  };
}

/** Returns the language fields of a request; fields without a value are left out (platform contract EXP-7). */
function languages(chatLanguage: string | undefined, systemLanguage: string | undefined) {
  const language = {
    ...(chatLanguage !== undefined && { chatLanguage }),
    ...(systemLanguage !== undefined && { systemLanguage }),
  };
  return Object.keys(language).length === 0 ? {} : { language };
}

async function referencesOf(
  context: AgentContext,
  chatRecordId: string | undefined,
  known: readonly Source[],
  target: Call,
): Promise<readonly Source[]> {
  const { account, signal } = target;
  if (chatRecordId === undefined) return describeAgentSources(context, known, target);
  const { wiring } = context;
  const authority = agentAuthority(context, account);
  const list = () => call(wiring, references, { chatRecordId }, { authority, signal });
  let found = await list();
  if (found.length === 0) {
    await wiring.clock.wait(REFERENCES_AGAIN_MS, signal);
    found = await list();
  }
  return found.length === 0
    ? describeAgentSources(context, known, target)
    : groupSources(found.map(passageOfReference), wiring.base);
}
