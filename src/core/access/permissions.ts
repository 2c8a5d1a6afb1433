/**
 * Decides, by the rules in force, what each person may do, and writes the sentences of refusals. No other module makes
 * these decisions.
 */

import { words } from '../words.ts';
import type { CompiledRules, Decision } from './compile.ts';
import type { Conditions, Place, RuleAction, Subject } from './rules.ts';

export type Permissions = ReturnType<typeof createPermissions>;

/**
 * @param rules returns the rules in force, which may change at any time
 * @param agents names of all agents
 */
export function createPermissions(rules: () => CompiledRules, agents: readonly string[]) {
  const asks = (person: Subject, place: Place) =>
    agents.filter((agent) => rules().decide(person, 'ask', { ...place, agent }).allowed);
  const decide = (person: Subject, action: RuleAction, place: Place): Decision => {
    const decided = rules().decide(person, action, place);
    if (decided.allowed || action !== 'ask' || place.agent !== undefined) return decided;
    const [agent] = asks(person, place);
    return agent === undefined ? decided : rules().decide(person, action, { ...place, agent });
  };
  return {
    /**
     * Decides by the rules in force. If `place` names no agent, `ask` is allowed if the person may ask at least one
     * agent.
     */
    decide,
    /** Returns the agents that the person may ask. */
    agents: asks,
    /**
     * True if some rule allows the action to somebody. If `place` is given, considers only rules that may apply there.
     */
    offers: (action: RuleAction, place: Place = {}) =>
      rules().set.rules.some(
        (rule) => rule.effect === 'allow' && rule.actions.includes(action) && mayApply(rule, place),
      ),
    /** Returns the reason for a refusal, as a sentence for the person; undefined if the action is allowed. */
    refusal(person: Subject, action: RuleAction, place: Place) {
      if (decide(person, action, place).allowed) return undefined;
      const others = asks(person, { ...place, agent: undefined });
      if (others.length === 0) return strangers[person.standing] ?? words.mayNot[action];
      return action === 'ask' && place.agent !== undefined
        ? words.mayNotAsk(place.agent, others)
        : words.mayNot[action];
    },
  };
}

/** True if the rule applies to somebody at the place. A property that `place` lacks may have any value. */
function mayApply(
  { channels, tenants, rooms, kinds, agents }: Conditions,
  { channel, tenant, room, kind, agent }: Place,
): boolean {
  const fits = (list: readonly string[] | undefined, value: string | undefined) =>
    list === undefined || value === undefined || list.includes(value);
  return (
    fits(channels, channel) &&
    fits(tenants, tenant) &&
    fits(rooms, room) &&
    fits(kinds, kind) &&
    fits(agents, agent)
  );
}

const strangers: Partial<Record<Subject['standing'], string>> = {
  guest: words.guests,
  external: words.guests,
  bot: words.bots,
};
