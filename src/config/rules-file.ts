/** Reads a rules file: who may do what and where, and how many questions they may ask. */

import { createHash } from 'node:crypto';
import { type CompiledRules, compileRules } from '../core/access/compile.ts';
import { type Covered, coveredQuotas, coveredRules } from '../core/access/coverage.ts';
import { disguise, lookAlikes } from '../core/access/look-alikes.ts';
import { agentActions, type Conditions, type RuleSet } from '../core/access/rules.ts';
import { type Fault, isTree, valueAt } from '../settings/tree.ts';
import { type CheckedFile, check, configError, faultsOf, nearest } from './faults.ts';
import { type ConfigFile, readConfigFile } from './file.ts';
import { type RulesFile, rulesSchema } from './rules-schema.ts';

/** Maximum size of a rules file, in bytes. */
const FILE_BYTES = 4 * 1024 * 1024;
/**
 * Maximum number of combinations of the values in a rule's lists: for one rule, and for all rules together. Bounds the
 * size of the indexes.
 */
const MAX_CASES = 10_000;
const MAX_ALL_CASES = 500_000;

/** The names that rules may use. */
export interface KnownNames {
  readonly agents: readonly string[];
  readonly channels: readonly string[];
  /** The setting `limits.questionsPerMinute`; if absent, quotas are not compared with it. */
  readonly perMinute?: number;
}

/**
 * Reads and checks a rules file.
 * @throws BridgeError `config-invalid` with all faults, each with its position and cure
 */
export function readRules(name: string, known: KnownNames): CompiledRules {
  const { value, faults } = checkRules(name, known);
  if (value === undefined) throw configError(faults);
  return value;
}

/** Reads and checks a rules file. Never throws. */
export function checkRules(name: string, known: KnownNames): CheckedFile<CompiledRules> {
  const file = readConfigFile(name, FILE_BYTES);
  if (file.faults.length > 0) return { faults: file.faults };
  const placed = (fault: Fault) => ({ ...fault, place: file.placeOf(fault.path) });
  const checked = check(rulesSchema, file.tree);
  const wrong = checked.error?.issues.flatMap((issue) => faultsOf(issue, file.tree)) ?? [];
  const faults = [...wrong, ...nameFaults(file, known)];
  if (!checked.success || faults.length > 0) return { faults: faults.map(placed) };
  const compiled = compileRules(ruleSetOf(checked.data, file));
  const covered = [...coverageFaults(compiled), ...idleQuotas(compiled, known)];
  return covered.length > 0
    ? { faults: covered.map(placed) }
    : { value: compiled, count: compiled.set.rules.length, digest: file.digest, faults: [] };
}

/**
 * Returns the faults of names, for example the name of a channel that is not configured. Reads the unchecked rules, so
 * that these faults are reported together with all others.
 */
function nameFaults({ tree }: ConfigFile, known: KnownNames): readonly Fault[] {
  const groups = isTree(tree.groups) ? Object.keys(tree.groups) : [];
  const lines = ['rules', 'quotas'].flatMap((list) =>
    entriesOf(tree[list]).map((entry, index) => ({ entry, path: [list, index] })),
  );
  return [
    ...lines.flatMap((line) => lineFaults(line, { ...known, groups })),
    ...groups.flatMap((group) =>
      entriesOf(valueAt(tree, ['groups', group])).flatMap((who, index) =>
        peopleFaults({ entry: who, path: ['groups', group, index] }, { ...known, groups }),
      ),
    ),
    ...alike(groups).map(({ name, other }) => ({
      path: ['groups', name],
      what: `looks like the group "${other}"`,
      cure: 'Rename one of them, so that people do not confuse them.',
    })),
    ...claimFaults(tree.groups),
  ];
}

interface Line {
  readonly entry: unknown;
  readonly path: readonly PropertyKey[];
}

interface Names extends KnownNames {
  readonly groups: readonly string[];
}

function lineFaults({ entry, path }: Line, names: Names): readonly Fault[] {
  if (!isTree(entry)) return [];
  const at = (value: unknown, ...keys: readonly string[]) =>
    entriesOf(value).map((each, index) => ({
      entry: each,
      path: [...path, ...keys, ...(Array.isArray(value) ? [index] : [])],
    }));
  const actions = [...entriesOf(entry.allow), ...entriesOf(entry.deny)];
  const strange = actions.filter((each) => !agentActions.some((action) => action === each));
  const agentless =
    path[0] === 'rules' && entry.agent !== undefined && strange.length > 0
      ? [
          {
            path: [...path, 'agent'],
            what: `has no meaning for ${strange.join(', ')}`,
            cure: `Split the line: one without agent for ${strange.join(', ')}, and one with agent for the others (${agentActions.join(', ')}).`,
          },
        ]
      : [];
  return [
    ...at(entry.agent, 'agent').flatMap((each) => unknownName(each, 'agent', names.agents)),
    ...at(valueAt(entry, ['where', 'channel']), 'where', 'channel').flatMap((each) =>
      unknownName(each, 'channel', names.channels),
    ),
    ...at(entry.who, 'who').flatMap((each) => peopleFaults(each, names)),
    ...agentless,
  ];
}

/** Returns the faults of one entry of `who`, or of the members of a group. */
function peopleFaults({ entry, path }: Line, names: Names): readonly Fault[] {
  const [, kind, name = ''] = /^(group|person):([^/]*)/.exec(String(entry)) ?? [];
  if (kind === 'group') return unknownName({ entry: name, path }, 'group', names.groups);
  return kind === 'person' ? unknownName({ entry: name, path }, 'channel', names.channels) : [];
}

function unknownName({ entry, path }: Line, what: string, known: readonly string[]): readonly Fault[] {
  if (typeof entry !== 'string' || known.includes(entry)) return [];
  const near = nearest(entry, known);
  const list = known.length === 0 ? `There is no ${what} yet.` : `Known: ${known.slice(0, 20).join(', ')}.`;
  return [
    {
      path,
      what: `names the ${what} "${entry}", which is not configured`,
      cure: near === undefined ? list : `Did you mean "${near}"?`,
    },
  ];
}

const alike = (names: readonly string[]) => [...lookAlikes(names)].map(([name, other]) => ({ name, other }));

function claimFaults(groups: unknown): readonly Fault[] {
  const claims = Object.entries(isTree(groups) ? groups : {}).flatMap(([group, members]) =>
    entriesOf(members).flatMap((member, index) =>
      typeof member === 'string' && member.startsWith('claim:')
        ? [{ claim: member.slice('claim:'.length).normalize('NFC'), path: ['groups', group, index] }]
        : [],
    ),
  );
  const others = lookAlikes(claims.map(({ claim }) => claim));
  return claims.flatMap(({ claim, path }) => {
    const disguised = disguise(claim);
    const other = others.get(claim);
    const cure = 'Copy the name from the identity provider.';
    if (disguised !== undefined) return [{ path, what: disguised, cure }];
    return other === undefined ? [] : [{ path, what: `looks like the claim "${other}"`, cure }];
  });
}

const entriesOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined ? [] : [value];

function ruleSetOf({ rules, quotas, groups }: RulesFile, file: ConfigFile): RuleSet {
  const place = (list: string, index: number) => file.placeOf([list, index]).replace(/:\d+$/, '');
  return {
    rules: rules.map(({ allow, deny, ...line }, index) => ({
      effect: allow === undefined ? 'deny' : 'allow',
      actions: allow ?? deny ?? [],
      ...conditionsOf(line),
      place: place('rules', index),
    })),
    quotas: quotas.map(({ per, questions, every, ...line }, index) => ({
      id: idOf([per, every, conditionsOf(line)]),
      per,
      questions,
      every,
      ...conditionsOf(line),
      place: place('quotas', index),
    })),
    groups: new Map(Object.entries(groups)),
  };
}

/** Length of a quota's id: enough to tell 200 quotas apart. */
const ID_LENGTH = 16;
const idOf = (counted: unknown): string =>
  createHash('sha256').update(JSON.stringify(counted)).digest('hex').slice(0, ID_LENGTH);

function conditionsOf({
  who,
  agent,
  where = {},
}: Pick<RulesFile['rules'][number], 'who' | 'agent' | 'where'>) {
  const { channel, tenant, room, kind } = where;
  return {
    who,
    ...(agent !== undefined && { agents: agent }),
    ...(channel !== undefined && { channels: channel }),
    ...(tenant !== undefined && { tenants: tenant }),
    ...(room !== undefined && { rooms: room }),
    ...(kind !== undefined && { kinds: kind }),
  } satisfies Conditions;
}

const MINUTES = { minute: 1, hour: 60, day: 1_440 } as const;

/** Finds quotas per person that nobody can reach, because `limits.questionsPerMinute` allows fewer questions. */
function idleQuotas(
  { set }: CompiledRules,
  { perMinute = Number.POSITIVE_INFINITY }: KnownNames,
): readonly Fault[] {
  return set.quotas.flatMap(({ per, questions, every }, index) =>
    per !== 'person' || questions <= perMinute * MINUTES[every]
      ? []
      : [
          {
            path: ['quotas', index, 'questions'],
            what: `can never be reached, because limits.questionsPerMinute is ${perMinute}`,
            cure: 'Raise limits.questionsPerMinute in the configuration, or lower the quota.',
          },
        ],
  );
}

function coverageFaults(compiled: CompiledRules): readonly Fault[] {
  const { rules, quotas } = compiled.set;
  const sizes = rules.map(casesOf);
  const large = sizes.findIndex((size) => size > MAX_CASES);
  const cure = 'Name the people in a group, or use fewer rooms, workspaces and agents in one line.';
  if (large >= 0) {
    return [{ path: ['rules', large], what: `combines more than ${MAX_CASES} people and places`, cure }];
  }
  if (sizes.reduce((sum, size) => sum + size, 0) > MAX_ALL_CASES) {
    return [{ path: ['rules'], what: `combine more than ${MAX_ALL_CASES} people and places`, cure }];
  }
  const fault =
    (list: string) =>
    ({ index, by }: Covered): Fault => ({
      path: [list, index],
      what: `can never apply, because ${by.place} comes first and matches everything that this line matches`,
      cure: `Remove this line, or move it before ${by.place}.`,
    });
  return [...coveredRules(compiled).map(fault('rules')), ...coveredQuotas(quotas).map(fault('quotas'))];
}

const casesOf = ({ who, tenants = [''], rooms = [''], agents = [''] }: Conditions): number =>
  who.length * tenants.length * rooms.length * agents.length;
