/** Finds rules that can never decide, because earlier rules match each of their cases first. Pure. */

import { type CompiledRules, groupsByMember } from './compile.ts';
import { kinds, type PersonKeys, type Place, type Quota, type Rule, standings, vouched } from './rules.ts';

/** A rule or quota that never applies, and an earlier rule or quota that applies instead. */
export interface Covered {
  readonly index: number;
  readonly by: Pick<Rule, 'place'>;
}

/**
 * Returns the rules that can never decide. Tries each combination of a rule's conditions. In place of a condition that
 * the rule lacks, tries a value that no rule names.
 */
export function coveredRules({ set, first }: CompiledRules): readonly Covered[] {
  const groups = groupsByMember(set);
  return set.rules.flatMap((rule, index) => {
    let by = rule;
    for (const { action, keys, place } of casesOf(rule, groups)) {
      const decides = first(keys, action, place);
      if (decides === index) return [];
      by = set.rules[decides ?? index] ?? rule;
    }
    return [{ index, by }];
  });
}

interface Case {
  readonly action: Rule['actions'][number];
  readonly keys: PersonKeys;
  readonly place: Place;
}

function* casesOf(rule: Rule, groups: ReadonlyMap<string, readonly string[]>): Generator<Case> {
  for (const keys of peopleOf(rule, groups)) {
    for (const place of placesOf(rule)) {
      for (const action of rule.actions) yield { action, keys, place };
    }
  }
}

/** Yields the keys of each kind of person that the rule matches. */
function* peopleOf({ who }: Rule, groups: ReadonlyMap<string, readonly string[]>): Generator<PersonKeys> {
  for (const key of who) {
    const own = standings.find((standing) => standing === key);
    const around = [key, ...(groups.get(key) ?? [])];
    for (const standing of own === undefined ? standings : [own]) {
      const person = ['everyone', standing];
      const isProven = standing === 'unproven' ? WORDS.includes(key) : vouched(standing) || !isEmail(key);
      if (isProven) yield { proven: [...person, ...around], claimed: [] };
      else yield { proven: person, claimed: around };
    }
  }
}

/** Keys that match people of whom nothing is proven. */
const WORDS: readonly string[] = ['everyone', ...standings];

/** True for an e-mail address; all other keys with an address have a prefix, such as `person:`. */
const isEmail = (key: string): boolean => key.includes('@') && !key.includes(':');

const UNNAMED: readonly undefined[] = [undefined];

function* placesOf(rule: Rule): Generator<Place> {
  for (const channel of rule.channels ?? UNNAMED)
    for (const tenant of rule.tenants ?? UNNAMED)
      for (const room of rule.rooms ?? UNNAMED)
        for (const agent of rule.agents ?? UNNAMED)
          for (const kind of rule.kinds ?? kinds) {
            yield {
              ...(channel !== undefined && { channel }),
              ...(tenant !== undefined && { tenant }),
              ...(room !== undefined && { room }),
              agent,
              kind,
            };
          }
}

/**
 * Returns the quotas that never apply, because an earlier quota with the same `per` matches every question that they
 * match.
 */
export function coveredQuotas(quotas: readonly Quota[]): readonly Covered[] {
  return quotas.flatMap((quota, index) => {
    const by = quotas.slice(0, index).find((earlier) => earlier.per === quota.per && covers(earlier, quota));
    return by === undefined ? [] : [{ index, by }];
  });
}

function covers(earlier: Quota, later: Quota): boolean {
  const everyone = earlier.who.includes('everyone');
  return (
    (everyone || isWithin(later.who, earlier.who)) &&
    isWithin(later.channels, earlier.channels) &&
    isWithin(later.tenants, earlier.tenants) &&
    isWithin(later.rooms, earlier.rooms) &&
    isWithin(later.kinds, earlier.kinds) &&
    isWithin(later.agents, earlier.agents)
  );
}

function isWithin(inner: readonly string[] | undefined, outer: readonly string[] | undefined): boolean {
  return outer === undefined || (inner?.every((each) => outer.includes(each)) ?? false);
}
