/**
 * Compiles rules into indexes, so that a decision reads only a few index entries, no matter how many rules there are.
 * Pure.
 */

import {
  type Conditions,
  ownKeys,
  type PersonKeys,
  type Place,
  type Quota,
  type Rule,
  type RuleAction,
  type RuleSet,
  type Subject,
} from './rules.ts';

export interface Decision {
  readonly allowed: boolean;
  /** The rule that decided; absent if none matches. */
  readonly rule?: Rule;
  /** The quotas that apply to a question: at most one for the person, one for the room and one for the agent. */
  readonly limits: readonly Quota[];
}

export interface CompiledRules {
  readonly set: RuleSet;
  /** Decides whether the person may do something. The first matching rule decides. */
  decide(subject: Subject, action: RuleAction, place: Place): Decision;
  /** Returns the names of the person's groups. */
  groupsOf(subject: Subject, place: Place): readonly string[];
  /** Returns the index of the first rule that matches one of the keys of a person; undefined if none does. */
  first(keys: PersonKeys, action: RuleAction, place: Place): number | undefined;
}

/**
 * The positions of rules in the list, in ascending order, by tenant, room and agent (the key that `spotOf` returns).
 */
type Spots = Map<string, number[]>;
type Index = ReadonlyMap<RuleAction, ReadonlyMap<string, Spots>>;

export function compileRules(set: RuleSet): CompiledRules {
  const index = indexOf(set.rules);
  const groups = groupsByMember(set);
  const first = ({ proven, claimed }: PersonKeys, action: RuleAction, place: Place) => {
    const [people, { rules }] = [index.get(action), set];
    const matches = firstMatch(people, { rules, keys: proven, place });
    const denies = firstMatch(people, { rules, keys: claimed, place, effect: 'deny' });
    return matches === undefined || (denies !== undefined && denies < matches) ? denies : matches;
  };
  const claims = groupsByClaim(groups);
  const withGroups = (own: readonly string[]): Set<string> => {
    const keys = new Set(own);
    for (const key of own) for (const group of groups.get(key) ?? []) keys.add(group);
    return keys;
  };
  const keysOf = (subject: Subject, place: Place) => {
    const own = ownKeys(subject, place);
    const proven = withGroups(own.proven);
    const claimed = withGroups(own.claimed);
    const reported = subject.standing === 'unproven' ? claimed : proven;
    for (const claim of subject.groups ?? [])
      for (const group of claims.get(claim) ?? claims.get(claim.normalize('NFC')) ?? []) reported.add(group);
    return { proven, claimed };
  };
  return {
    set,
    first,
    groupsOf: (subject, place) =>
      [...keysOf(subject, place).proven].flatMap((key) =>
        key.startsWith(GROUP) ? [key.slice(GROUP.length)] : [],
      ),
    decide(subject, action, place) {
      const keys = keysOf(subject, place);
      const found = first(keys, action, place);
      const rule = found === undefined ? undefined : set.rules[found];
      const allowed = rule?.effect === 'allow';
      const limits = allowed && action === 'ask' ? quotasFor(set.quotas, keys.proven, place) : [];
      return { allowed, limits, ...(rule !== undefined && { rule }) };
    },
  };
}

const GROUP = 'group:';
const CLAIM = 'claim:';

/** Maps each member's key to the keys of its groups. */
export function groupsByMember({ groups }: RuleSet): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [group, members] of groups) {
    for (const member of members) found.set(member, [...(found.get(member) ?? []), `${GROUP}${group}`]);
  }
  return found;
}

/**
 * Maps the name of each group that a sign-in may report to the keys of those groups of the rules file that have it as a
 * member. With this map, no decision has to build the key `claim:NAME` from the name.
 */
function groupsByClaim(
  groups: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  const claims = [...groups].filter(([member]) => member.startsWith(CLAIM));
  return new Map(claims.map(([member, keys]) => [member.slice(CLAIM.length), keys]));
}

const ANY: readonly string[] = [''];

/** Joins tenant, room and agent into a key of the index. An empty part matches everything. */
const spotOf = (tenant: string, room: string, agent: string): string => `${tenant}\n${room}\n${agent}`;

function indexOf(rules: readonly Rule[]): Index {
  const index = new Map<RuleAction, Map<string, Spots>>();
  for (const [number, rule] of rules.entries()) {
    const spots = spotsOf(rule);
    for (const action of rule.actions) {
      const people = index.get(action) ?? new Map<string, Spots>();
      index.set(action, people);
      for (const key of rule.who) addTo(people, key, spots, number);
    }
  }
  return index;
}

function addTo(people: Map<string, Spots>, key: string, spots: readonly string[], number: number): void {
  const known = people.get(key) ?? new Map<string, number[]>();
  people.set(key, known);
  for (const spot of spots) {
    const numbers = known.get(spot);
    if (numbers === undefined) known.set(spot, [number]);
    else if (numbers.at(-1) !== number) numbers.push(number);
  }
}

function spotsOf({ tenants = ANY, rooms = ANY, agents = ANY }: Conditions): readonly string[] {
  return tenants.flatMap((tenant) =>
    rooms.flatMap((room) => agents.map((agent) => spotOf(tenant, room, agent))),
  );
}

/** Returns the keys under which a rule for this place may be in the index. */
function spotsAround({ tenant = '', room = '', agent = '' }: Place): readonly string[] {
  const withAny = (value: string) => (value === '' ? ANY : [value, '']);
  return spotsOf({ who: [], tenants: withAny(tenant), rooms: withAny(room), agents: withAny(agent) });
}

interface Search {
  readonly rules: readonly Rule[];
  readonly keys: Iterable<string>;
  readonly place: Place;
  /** If set, only rules with this effect count. */
  readonly effect?: Rule['effect'];
}

function firstMatch(people: ReadonlyMap<string, Spots> | undefined, search: Search): number | undefined {
  if (people === undefined) return undefined;
  const { rules, keys, place } = search;
  const around = new Set(spotsAround(place));
  let best = rules.length;
  for (const key of keys) {
    const spots = people.get(key);
    if (spots === undefined) continue;
    // Look through the smaller of the two sets: most people and groups have rules for only one spot.
    if (spots.size < around.size) {
      for (const [spot, numbers] of spots) if (around.has(spot)) best = earliest(numbers, best, search);
    } else for (const spot of around) best = earliest(spots.get(spot), best, search);
  }
  return best === rules.length ? undefined : best;
}

/** Returns the first of the given positions whose rule matches the place, or `best` if that is earlier. */
function earliest(
  numbers: readonly number[] | undefined,
  best: number,
  { rules, place, effect }: Omit<Search, 'keys'>,
): number {
  for (const number of numbers ?? []) {
    if (number >= best) return best;
    const rule = rules[number];
    if (rule === undefined || (effect !== undefined && rule.effect !== effect)) continue;
    if (includes(rule.channels, place.channel) && includes(rule.kinds, place.kind)) return number;
  }
  return best;
}

function includes(list: readonly string[] | undefined, value: string | undefined): boolean {
  return list === undefined || (value !== undefined && list.includes(value));
}

/** Returns the first matching quota for the person, for the room and for the agent. */
function quotasFor(quotas: readonly Quota[], keys: ReadonlySet<string>, place: Place): readonly Quota[] {
  const found = new Map<Quota['per'], Quota>();
  for (const quota of quotas) {
    if (!found.has(quota.per) && isFor(quota, keys, place)) found.set(quota.per, quota);
  }
  return [...found.values()];
}

function isFor(
  { who, channels, tenants, rooms, kinds, agents }: Conditions,
  keys: ReadonlySet<string>,
  place: Place,
): boolean {
  return (
    who.some((key) => keys.has(key)) &&
    includes(channels, place.channel) &&
    includes(tenants, place.tenant) &&
    includes(rooms, place.room) &&
    includes(kinds, place.kind) &&
    includes(agents, place.agent)
  );
}
