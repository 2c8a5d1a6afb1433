import type { z } from 'zod';
import type { AgentGateway, Question } from '../../core/agents/agent.ts';
import type { Operation } from '../operation.ts';
import { type AgentContext, admitAccount, agentAuthority, openAgentMedia } from './agent-context.ts';
import { askAgent } from './asking.ts';
import { checkAgent } from './check.ts';

/** The part of a gateway that differs between the platform's interfaces. */
interface AgentInterface<Schema extends z.ZodObject> {
  readonly memory: 'history' | 'session';
  readonly operation: Operation<Schema, unknown>;
  /** @param session the conversation that the question continues; only for interfaces that store conversations */
  request(question: Question, session: string | undefined): z.input<Schema>;
}

/** Creates the part of a gateway that is the same for all interfaces of the platform. */
export function gatewayOf<Schema extends z.ZodObject>(
  context: AgentContext,
  { memory, operation, request }: AgentInterface<Schema>,
) {
  const { wiring, fallback } = context;
  return {
    memory,
    ask(question, signal, guard) {
      const authority = agentAuthority(context, question.account);
      const session = memory === 'session' ? question.session : undefined;
      const requestIn = (known: string | undefined) => request(question, known);
      return askAgent({ wiring, operation, authority, session, request: requestIn, fallback, guard }, signal);
    },
    openMedia: (media, call) => openAgentMedia(context, media, call),
    admit: (account, signal) => admitAccount(context, account, signal),
    check: (signal) => checkAgent(context, signal),
  } satisfies Partial<AgentGateway>;
}
