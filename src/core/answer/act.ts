import type { Agent } from '../agents/agent.ts';
import type { TurnParts } from '../live-reply/parts.ts';
import type { TurnScope } from '../live-reply/scope.ts';
import type { Stage } from '../live-reply/stage.ts';
import type { Claim } from '../stores/inbox.ts';
import type { SessionKey } from '../stores/sessions.ts';

/** A person's choice at the platform's prompt about personal data. */
export type Choice = 'send' | 'without';

/** One turn while it runs. */
export interface Act {
  readonly claim: Claim;
  readonly scope: TurnScope;
  readonly stage: Stage;
  readonly parts: TurnParts;
  /** Set if the message is such a choice and not a question. */
  readonly choice?: Choice;
}

/** Who answers this turn, and as whom. */
export interface Cast {
  readonly agent: Agent;
  readonly account?: string | undefined;
  /** The asker's own platform account, where it is another. */
  readonly own?: string | undefined;
  readonly session: SessionKey;
}
