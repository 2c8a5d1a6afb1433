/** Measures the CPU time of a decision with many rules, and of reading these rules (performance target P18). */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRules } from '../../src/config/rules-file.ts';
import { type CompiledRules, compileRules } from '../../src/core/access/compile.ts';
import type { Place, Rule, RuleSet, Subject } from '../../src/core/access/rules.ts';
import { atMost, type Figure } from './figure.ts';

const MANY = 10_000;
const FEW = 100;
const MAX_US = 50;
const MAX_RATIO = 3;
const MAX_READ_MS = 3_000;
const DECISIONS = 20_000;
/** Number of runs, of which the fastest counts, because other work on the machine only adds time. */
const TRIES = 5;
/** Number of groups of one person. */
const GROUPS = 200;
const AGENTS = ['books', 'films', 'maps'];

interface Case {
  readonly set: RuleSet;
  readonly subject: Subject;
  /** Returns the place of the nth decision. */
  place(nth: number): Place;
}

const at = (nth: number): Place => ({
  ...{ channel: 'slack', tenant: 'T1', room: `C${nth}`, kind: 'room' },
  ...{ agent: AGENTS[nth % AGENTS.length] },
});
const line = (nth: number, over: Partial<Rule>): Rule => ({
  ...{
    effect: nth % 3 === 0 ? 'deny' : 'allow',
    actions: ['ask'],
    who: ['everyone'],
    place: `rules.yaml:${nth}`,
  },
  ...over,
});
const rulesOf = (count: number, over: (nth: number) => Partial<Rule>): readonly Rule[] => [
  ...Array.from({ length: count - 1 }, (_, nth) => line(nth, over(nth))),
  line(1, {}),
];
const member: Subject = { id: 'U1', standing: 'member', email: 'person1@example.org' };

/**
 * Sets of rules of different shapes. In each set, the last rule is for everyone, so that a decision cannot end early.
 */
const shapes: Readonly<Record<string, (count: number) => Case>> = {
  'a rule for each room': (count) => ({
    ...{ set: { rules: rulesOf(count, (nth) => ({ rooms: [`C${nth}`] })), quotas: [], groups: new Map() } },
    ...{ subject: member, place: (nth) => at(nth % (2 * count)) },
  }),
  'a rule for each person': (count) => ({
    ...{
      set: {
        rules: rulesOf(count, (nth) => ({ who: [`person${nth}@example.org`] })),
        quotas: [],
        groups: new Map(),
      },
    },
    ...{ subject: member, place: at },
  }),
  'a rule for each group and agent, the person in 200 groups': (count) => ({
    set: {
      rules: rulesOf(count, (nth) => ({ who: [`group:g${nth}`], agents: ['films'] })),
      quotas: [],
      groups: new Map(Array.from({ length: count }, (_, nth) => [`g${nth}`, [`claim:g${nth}`]])),
    },
    subject: { ...member, groups: Array.from({ length: Math.min(count, GROUPS) }, (_, nth) => `g${nth}`) },
    place: at,
  }),
};

/** CPU time of this process so far, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function microseconds(compiled: CompiledRules, { subject, place }: Case): number {
  const runs = Array.from({ length: TRIES }, () => {
    const began = cpuMs();
    for (let nth = 0; nth < DECISIONS; nth++) compiled.decide(subject, 'ask', place(nth));
    return ((cpuMs() - began) / DECISIONS) * 1_000;
  });
  return Math.min(...runs);
}

const timeOf = (made: Case): number => microseconds(compileRules(made.set), made);

export async function run(): Promise<readonly Figure[]> {
  const figures = Object.entries(shapes).flatMap(([name, shape]): readonly Figure[] => {
    const [many, few] = [timeOf(shape(MANY)), timeOf(shape(FEW))];
    const ratio = many / few;
    return [
      {
        ...{ name: `rules: a decision with 10,000 rules, ${name}`, value: many, unit: 'µs' },
        ...{ target: `<= ${MAX_US} µs`, ok: many <= MAX_US },
      },
      {
        ...{ name: 'rules: the same, compared with 100 rules', value: ratio, unit: 'times' },
        ...{ target: `<= ${MAX_RATIO}`, ok: ratio <= MAX_RATIO },
      },
    ];
  });
  return [...figures, atMost('rules: reading and checking a file of 10,000 rules', reading(), MAX_READ_MS)];
}

function reading(): number {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-rules-'));
  const file = join(folder, 'rules.yaml');
  const lines = Array.from(
    { length: MANY },
    (_, nth) =>
      `  - { allow: [ask, share], who: person${nth}@example.org, agent: books, where: { channel: slack, room: C${nth} } }`,
  );
  writeFileSync(file, ['rules:', ...lines].join('\n'));
  const began = cpuMs();
  readRules(file, { agents: AGENTS, channels: ['slack'] });
  const ms = cpuMs() - began;
  rmSync(folder, { recursive: true });
  return ms;
}
