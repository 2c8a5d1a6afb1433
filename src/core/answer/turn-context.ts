import { asBridgeError } from '../../errors.ts';
import type { Agent } from '../agents/agent.ts';
import type { TurnDeps } from '../live-reply/deps.ts';
import type { LiveReply } from '../live-reply/live-reply.ts';
import type { TurnScope } from '../live-reply/scope.ts';
import type { Claim } from '../stores/inbox.ts';
import type { SessionKey } from '../stores/sessions.ts';

/** A person's reply to the platform's prompt about personal data. */
export type Choice = 'send' | 'without';

export interface TurnContext {
  readonly claim: Claim;
  readonly scope: TurnScope;
  readonly liveReply: LiveReply;
  readonly deps: TurnDeps;
  /** Set if the message answers the platform's prompt about personal data and asks no question. */
  readonly choice?: Choice;
}

/** The agent that answers this turn, and its platform account. */
export interface ResolvedAgent {
  readonly agent: Agent;
  readonly account?: string | undefined;
  /** The asker's own platform account, if it differs from `account`. */
  readonly own?: string | undefined;
  readonly session: SessionKey;
}

/**
 * Records that the bridge has answered in the thread. Must be called as soon as the text is complete, because people may
 * write the next question without a mention from then on. If the store fails, the next message only needs a mention.
 */
export async function noteAnswered({ claim: { turn }, liveReply, deps }: TurnContext): Promise<void> {
  if (turn.origin.kind === 'show' || liveReply.document().state === 'withdrawn') return;
  const { thread } = turn.message;
  await deps
    .engagement(thread.channel)
    .answered(thread)
    .catch((thrown: unknown) =>
      liveReply.emit('trouble', { code: asBridgeError(thrown).code, what: 'thread' }),
    );
}
