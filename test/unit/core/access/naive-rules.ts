/**
 * A second, simple implementation of the rules, which reads them one by one. It shares no code with the
 * implementation under test.
 */

import type { Conditions, Place, RuleAction, RuleSet, Subject } from '../../../../src/core/access/rules.ts';

/** Returns the index of the first matching rule. */
export function firstRule(
  set: RuleSet,
  subject: Subject,
  action: RuleAction,
  place: Place,
): number | undefined {
  const { email: _, ...withoutEmail } = subject;
  const found = set.rules.findIndex((rule) => {
    // A person of another organization has an address that this other organization chose. Such an address can match a
    // rule that denies, but no rule that allows.
    const isVouched = rule.effect === 'deny' || ['member', 'guest'].includes(subject.standing);
    const isNobody = subject.standing === 'unproven' && rule.effect === 'allow';
    const own = isNobody ? { id: '', standing: subject.standing } : isVouched ? subject : withoutEmail;
    return (
      rule.actions.includes(action) &&
      isInside(rule, place) &&
      rule.who.some((who) => is(own, who, { set, place }))
    );
  });
  return found === -1 ? undefined : found;
}

function isInside(rule: Conditions, { channel, tenant, room, kind, agent }: Place): boolean {
  const pairs = [
    [rule.channels, channel],
    [rule.tenants, tenant],
    [rule.rooms, room],
    [rule.kinds, kind],
    [rule.agents, agent],
  ] as const;
  return pairs.every(([list, value]) => list === undefined || list.some((each) => each === value));
}

interface Around {
  readonly set: RuleSet;
  readonly place: Place;
}

function is(subject: Subject, who: string, { set, place }: Around): boolean {
  if (who.startsWith('group:')) {
    const members = set.groups.get(who.slice('group:'.length)) ?? [];
    return members.some((member) => is(subject, member, { set, place }));
  }
  if (who.startsWith('claim:')) return (subject.groups ?? []).includes(who.slice('claim:'.length));
  if (who.startsWith('person:')) {
    const [channel, ...ids] = who.slice('person:'.length).split('/');
    const own = ids.length === 1 ? [subject.id] : [place.tenant, subject.id];
    return channel === place.channel && ids.join('/') === own.join('/');
  }
  return who === 'everyone' || who === subject.standing || who === subject.email?.toLowerCase();
}
