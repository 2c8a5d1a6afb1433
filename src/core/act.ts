import type { Agent } from './agent.ts';
import type { TurnScope } from './scope.ts';
import type { Stage } from './stage.ts';
import type { Claim, SessionKey } from './stores.ts';
import type { TurnParts } from './turn-parts.ts';

/** One turn while it runs. */
export interface Act {
  readonly claim: Claim;
  readonly scope: TurnScope;
  readonly stage: Stage;
  readonly parts: TurnParts;
}

/** Who answers this turn, and as whom. */
export interface Cast {
  readonly agent: Agent;
  readonly account?: string | undefined;
  /** The asker's own platform account, where it is another. */
  readonly own?: string | undefined;
  readonly session: SessionKey;
}
