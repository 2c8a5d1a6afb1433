/** Tests that compiled rules decide as a simple evaluator does, which reads the rules one by one. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRules } from '../../../../src/core/access/compile.ts';
import { coveredRules } from '../../../../src/core/access/coverage.ts';
import {
  kinds,
  type Place,
  type Quota,
  type Rule,
  type RuleSet,
  ruleActions,
  type Subject,
  standings,
} from '../../../../src/core/access/rules.ts';
import { firstRule } from './naive-rules.ts';

const SEED = Number(process.env.PARLEY_SEED ?? Math.floor(Math.random() * 2 ** 31));
const RUNS = 2_000;
process.stdout.write(`decisions: seed ${SEED}, ${RUNS} rule sets\n`);

const CHANNELS = ['slack', 'teams'];
const TENANTS = ['T1', 'T2'];
const ROOMS = ['r1', 'r2'];
const AGENTS = ['books', 'films'];
const IDS = ['ada', 'bo'];
const EMAILS = ['ada@x.org', 'bo@x.org'];
const CLAIMS = ['Staff', 'Legal'];
const GROUPS = ['editors', 'lawyers'];
const PEOPLE = CHANNELS.flatMap((channel) =>
  IDS.flatMap((id) => [
    `person:${channel}/${id}`,
    ...TENANTS.map((tenant) => `person:${channel}/${tenant}/${id}`),
  ]),
);

const some = (values: readonly string[]) =>
  fc.option(fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 }), { nil: undefined });
const present = (record: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

const rule: fc.Arbitrary<Rule> = fc
  .record({
    effect: fc.constantFrom('allow' as const, 'deny' as const),
    actions: fc.uniqueArray(fc.constantFrom(...ruleActions), { minLength: 1, maxLength: 3 }),
    who: fc.uniqueArray(
      fc.constantFrom(
        'everyone',
        ...standings,
        ...GROUPS.map((group) => `group:${group}`),
        ...EMAILS,
        ...PEOPLE,
      ),
      { minLength: 1, maxLength: 3 },
    ),
    agents: some(AGENTS),
    channels: some(CHANNELS),
    tenants: some(TENANTS),
    rooms: some(ROOMS),
    kinds: some(kinds),
  })
  .map(({ effect, actions, who, ...lists }) => ({ effect, actions, who, place: 'p', ...present(lists) }));

const members = fc.uniqueArray(
  fc.constantFrom(...EMAILS, ...PEOPLE, ...CLAIMS.map((claim) => `claim:${claim}`)),
  { minLength: 1, maxLength: 3 },
);
const ruleSet: fc.Arbitrary<RuleSet> = fc
  .record({
    rules: fc.array(rule, { minLength: 1, maxLength: 12 }),
    members: fc.tuple(members, members),
  })
  .map(({ rules, members: lists }) => ({
    rules,
    quotas: [],
    groups: new Map(GROUPS.map((group, at) => [group, lists[at] ?? []])),
  }));

const subject: fc.Arbitrary<Subject> = fc
  .record({
    id: fc.constantFrom(...IDS, 'eve'),
    standing: fc.constantFrom(...standings),
    email: fc.option(fc.constantFrom(...EMAILS, 'ADA@x.org', 'eve@x.org'), { nil: undefined }),
    groups: some(CLAIMS),
  })
  .map(({ id, standing, ...others }) => ({ id, standing, ...present(others) }));

const place: fc.Arbitrary<Place> = fc
  .record({
    channel: fc.constantFrom(...CHANNELS, 'other'),
    tenant: fc.constantFrom(...TENANTS, 'T3'),
    room: fc.constantFrom(...ROOMS, 'r3'),
    kind: fc.constantFrom(...kinds),
    agent: fc.option(fc.constantFrom(...AGENTS, 'maps'), { nil: undefined }),
  })
  .map(({ channel, tenant, room, kind, agent }) => ({ channel, tenant, room, kind, ...present({ agent }) }));

const action = fc.constantFrom(...ruleActions);

test('a compiled decision is that of the first matching rule', () => {
  fc.assert(
    fc.property(
      ruleSet,
      fc.array(fc.tuple(subject, action, place), { minLength: 10, maxLength: 10 }),
      (set, asked) => {
        const compiled = compileRules(set);
        for (const [who, what, where] of asked) {
          const found = firstRule(set, who, what, where);
          const expected = found === undefined ? undefined : set.rules[found];
          const decided = compiled.decide(who, what, where);
          expect(decided.rule).toBe(expected);
          expect(decided.allowed).toBe(expected?.effect === 'allow');
        }
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
});

test('a rule that is said never to apply never decides', () => {
  let covered = 0;
  fc.assert(
    fc.property(
      ruleSet,
      fc.array(fc.tuple(subject, action, place), { minLength: 30, maxLength: 30 }),
      (set, asked) => {
        const dead = new Set(coveredRules(compileRules(set)).map(({ index }) => index));
        covered += dead.size;
        for (const [who, what, where] of asked) expect(dead).not.toContain(firstRule(set, who, what, where));
      },
    ),
    { seed: SEED, numRuns: RUNS / 2 },
  );
  expect(covered).toBeGreaterThan(0);
});

const line = (effect: Rule['effect'], over: Partial<Rule> = {}): Rule => ({
  ...{ effect, actions: ['ask'], who: ['everyone'], place: `line ${effect}` },
  ...over,
});
const setOf = (rules: readonly Rule[], over: Partial<RuleSet> = {}): RuleSet => ({
  ...{ rules, quotas: [], groups: new Map() },
  ...over,
});
const indexes = (...rules: readonly Rule[]) =>
  coveredRules(compileRules(setOf(rules))).map(({ index }) => index);

describe('a rule can never apply', () => {
  test.each<[string, readonly Rule[], readonly number[]]>([
    ['after the same rule', [line('allow'), line('deny')], [1]],
    ['after a rule for everyone', [line('allow'), line('deny', { who: ['guest'] })], [1]],
    [
      'after rules for all standings',
      [...standings.map((each) => line('allow', { who: [each] })), line('deny')],
      [5],
    ],
    [
      'after rules for all kinds of rooms',
      [...kinds.map((each) => line('allow', { kinds: [each] })), line('deny')],
      [3],
    ],
    ['not after a rule for another person', [line('allow', { who: ['a@x.org'] }), line('deny')], []],
    ['not after rules for some agents', [line('allow', { agents: ['a'] }), line('deny')], []],
    ['not if it has one more action', [line('allow'), line('deny', { actions: ['ask', 'share'] })], []],
    [
      'not if it concerns other rooms',
      [line('allow', { rooms: ['a'] }), line('deny', { rooms: ['a', 'b'] })],
      [],
    ],
  ])('%s', (_, rules, expected) => expect(indexes(...rules)).toEqual(expected));

  test('if earlier rules name all members of the person’s group', () => {
    const groups = new Map([['g', ['a@x.org']]]);
    const rules = [line('deny', { who: ['group:g'] }), line('allow', { who: ['a@x.org'] })];
    expect(coveredRules(compileRules(setOf(rules, { groups }))).map(({ index }) => index)).toEqual([1]);
  });
});

describe('a person', () => {
  const ada: Subject = { id: 'a', standing: 'member', email: 'Ada@X.org', groups: ['Légal'] };
  const may = (who: string, over: Partial<Subject> = {}, members: readonly string[] = []) =>
    compileRules(setOf([line('allow', { who: [who] })], { groups: new Map([['g', members]]) })).decide(
      { ...ada, ...over },
      'ask',
      { channel: 'slack', tenant: 'T1', room: 'r', kind: 'room', agent: 'books' },
    ).allowed;

  test('is found by e-mail address in any case, and by id only in its channel', () => {
    expect(may('ada@x.org')).toBe(true);
    expect(may('person:slack/a')).toBe(true);
    expect(may('person:teams/a')).toBe(false);
    expect(may('person:slack/T1/a')).toBe(true);
    expect(may('person:slack/T2/a')).toBe(false);
  });

  test.each([
    'external',
    'bot',
  ] as const)('gets no right by the e-mail address of a person, if %s', (standing) => {
    const over = { standing, groups: [] };
    expect(may('ada@x.org', over)).toBe(false);
    expect(may('group:g', over, ['ada@x.org'])).toBe(false);
    expect(may(standing, over)).toBe(true);
  });

  test('gets no right that names them while nothing proves their id, but is denied by it', () => {
    const over = { standing: 'unproven' } as const;
    for (const who of ['ada@x.org', 'person:slack/a', 'person:slack/T1/a'])
      expect(may(who, over)).toBe(false);
    expect(may('group:g', over, ['person:slack/a', 'claim:Légal'])).toBe(false);
    expect([may('unproven', over), may('everyone', over), may('member', over)]).toEqual([true, true, false]);
    const rules = [line('deny', { who: ['person:slack/a'] }), line('allow')];
    const where = { channel: 'slack', tenant: 'T1', room: 'r', kind: 'room', agent: 'books' } as const;
    expect(compileRules(setOf(rules)).decide({ ...ada, ...over }, 'ask', where).allowed).toBe(false);
  });

  test('of another organization is denied by the e-mail address', () => {
    const where = { channel: 'slack', tenant: 'T1', room: 'r', kind: 'room', agent: 'books' } as const;
    const rules = [line('deny', { who: ['group:g'] }), line('allow')];
    const groups = new Map([['g', ['ada@x.org']]]);
    const decide = (over: Partial<Subject>) =>
      compileRules(setOf(rules, { groups })).decide({ ...ada, ...over }, 'ask', where).allowed;
    expect(decide({ standing: 'external' })).toBe(false);
    expect(decide({ standing: 'external', email: 'ben@x.org' })).toBe(true);
  });

  test('is not found by an address that only looks like theirs after folding', () => {
    expect(may('mark@x.org', { email: 'MARK@X.ORG' })).toBe(true);
    // The Kelvin sign, which Unicode folds to "k".
    expect(may('mark@x.org', { email: 'mar\u212a@x.org' })).toBe(false);
    expect(may('mark@x.org', { email: '\uff4dark@x.org' })).toBe(false);
  });

  test('cannot pass for another person with an id that contains a slash', () => {
    expect(may('person:slack/T9/boss', { id: 'T9/boss' })).toBe(false);
  });

  test('is in a group by a claim, however its accents are encoded, but not by a look-alike', () => {
    expect(may('group:g', {}, ['claim:Légal'])).toBe(true);
    expect(may('group:g', { groups: ['Le\u0301gal'] }, ['claim:Légal'])).toBe(true);
    expect(may('group:g', { groups: ['L\u0435gal'] }, ['claim:Legal'])).toBe(false);
    expect(may('group:g', { groups: ['group:g', 'g', 'everyone'] }, ['claim:Legal'])).toBe(false);
  });
});

test('the first quota per person, per room and per agent applies, if the question is allowed', () => {
  const quota = (per: Quota['per'], questions: number, over: Partial<Quota> = {}): Quota => ({
    ...{ id: per, per, questions, every: 'day', who: ['everyone'], place: `${per} ${questions}` },
    ...over,
  });
  const quotas = [
    quota('person', 5, { who: ['guest'] }),
    quota('person', 50),
    quota('agent', 7, { agents: ['films'] }),
    quota('room', 9),
  ];
  const rules = compileRules(setOf([line('allow', { kinds: ['room'] })], { quotas }));
  const limits = (standing: Subject['standing'], agent: string, kind: Place['kind'] = 'room') =>
    rules
      .decide({ id: 'a', standing }, 'ask', { channel: 'slack', room: 'r', kind, agent })
      .limits.map(({ questions }) => questions);
  expect(limits('guest', 'books')).toEqual([5, 9]);
  expect(limits('member', 'films')).toEqual([50, 7, 9]);
  expect(limits('member', 'films', 'direct')).toEqual([]);
});
