/**
 * Decides by the rules in force who may do what, and returns the sentence for a person who may not. Nothing else
 * decides this.
 */

import { words } from '../words.ts';
import type { CompiledRules, Decision } from './compile.ts';
import type { Place, RuleAction, Subject } from './rules.ts';

export interface Permissions {
  /**
   * Decides by the rules in force. Without an agent in the place, `ask` is allowed if the person may ask at least one
   * agent.
   */
  decide(person: Subject, action: RuleAction, place: Place): Decision;
  /** Returns the reason for a refusal, as a sentence for the person; undefined if the person may do it. */
  refusal(person: Subject, action: RuleAction, place: Place): string | undefined;
  /** Returns the agents that the person may ask. */
  agents(person: Subject, place: Place): readonly string[];
  /** True if some rule allows the action to somebody. */
  offers(action: RuleAction): boolean;
}

/**
 * @param rules returns the rules in force, which may change at any time
 * @param agents names of all agents
 */
export function createPermissions(rules: () => CompiledRules, agents: readonly string[]): Permissions {
  const asks = (person: Subject, place: Place) =>
    agents.filter((agent) => rules().decide(person, 'ask', { ...place, agent }).allowed);
  const decide = (person: Subject, action: RuleAction, place: Place): Decision => {
    const decided = rules().decide(person, action, place);
    if (decided.allowed || action !== 'ask' || place.agent !== undefined) return decided;
    const [agent] = asks(person, place);
    return agent === undefined ? decided : rules().decide(person, action, { ...place, agent });
  };
  return {
    decide,
    agents: asks,
    offers: (action) =>
      rules().set.rules.some(({ effect, actions }) => effect === 'allow' && actions.includes(action)),
    refusal(person, action, place) {
      if (decide(person, action, place).allowed) return undefined;
      const others = asks(person, { ...place, agent: undefined });
      if (others.length === 0) return strangers[person.standing] ?? words.mayNot[action];
      return action === 'ask' && place.agent !== undefined
        ? words.mayNotAsk(place.agent, others)
        : words.mayNot[action];
    },
  };
}

const strangers: Partial<Record<Subject['standing'], string>> = {
  guest: words.guests,
  external: words.guests,
  bot: words.bots,
};
