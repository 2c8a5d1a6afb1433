import type { Agent } from '../agents/agent.ts';
import type { AgentDirectory, ListedAgent } from '../agents/directory.ts';
import type { Gatekeeper } from '../auth/identity.ts';
import type { Clock } from '../clock.ts';
import type { Faults } from '../faults/faults.ts';
import type { SandboxAccount, SandboxAgent, SandboxCatalogue } from '../fixtures.ts';
import { invalid } from '../http/reply.ts';
import type { Options } from '../options.ts';
import type { Images } from '../store/images.ts';
import type { Session, Sessions } from '../store/sessions.ts';

export interface ChatDeps {
  readonly catalogue: SandboxCatalogue;
  readonly clock: Clock;
  readonly options: Options;
  readonly gatekeeper: Gatekeeper;
  readonly sessions: Sessions;
  readonly images: Images;
  readonly faults: Faults;
  readonly directory: AgentDirectory;
  /** What answers for an agent. */
  readonly programOf: (agent: ListedAgent) => Agent;
}

/** Refuses an agent that is not published (platform contract ADM-8). */
export function published(agent: ListedAgent): ListedAgent {
  if (agent.made?.conduct.published === false) throw invalid(`The agent ${agent.title} is not published.`);
  return agent;
}

interface SessionWish {
  readonly id: string | undefined;
  readonly kind: Session['kind'];
  readonly agent: SandboxAgent;
  readonly account: SandboxAccount;
  /** Operation id, for fault F16. */
  readonly route: string;
}

/** The session that was asked for, or a new one. Another account's session is as unknown as none (platform contract CHL-14). */
export function openSession(parts: ChatDeps, wish: SessionWish): Session {
  const { agent, account, kind } = wish;
  if (wish.id === undefined || wish.id === '') {
    return parts.sessions.create({ kind, agent: agent.name, account: account.id });
  }
  const lifeMs = parts.options.conversationLifeSeconds * 1000;
  const found = parts.sessions.find(wish.id, lifeMs);
  const fits = found?.kind === kind && found.agent === agent.name && found.account === account.id;
  if (!fits || found === undefined || parts.faults.forgetsSession(wish.route)) {
    throw invalid(`The ${kind === 'open' ? 'sessionId' : 'conversation_id'} ${wish.id} is unknown.`);
  }
  return found;
}
