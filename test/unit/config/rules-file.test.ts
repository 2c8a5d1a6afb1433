/**
 * Tests how rules files are read: every fault is reported with its line and cure, and a faulty file is not used at
 * all.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRules } from '../../../src/config/rules-file.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-rules-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const known = { agents: ['books', 'films'], channels: ['slack', 'teams'], perMinute: 20 };

function read(text: string) {
  const file = join(folder, 'rules.yaml');
  writeFileSync(file, text);
  return readRules(file, known);
}

function faultsOf(text: string): string {
  try {
    read(text);
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'config-invalid' });
    return String(thrown instanceof Error ? thrown.message : thrown).replaceAll(`${folder}/`, '');
  }
  return 'no fault';
}

const rule = (line: string) => `rules:\n  - ${line}\n`;

test('reads rules, groups and quotas, with the line of each', () => {
  const { set, decide } = read(
    [
      'groups:',
      '  legal: [Ada@Example.org, person:slack/T1/U1, "claim:Legal team"]',
      'rules:',
      '  - { deny: ask, who: group:legal, agent: films }',
      '  - allow: [ask, share]',
      '    who: [member, group:legal]',
      '    where: { channel: [slack, teams], kind: room }',
      'quotas:',
      '  - { per: person, questions: 5, every: day, who: guest }',
    ].join('\n'),
  );
  expect(set.rules.map(({ place }) => place.replace(`${folder}/`, ''))).toEqual([
    'rules.yaml:4',
    'rules.yaml:5',
  ]);
  expect(set.groups.get('legal')).toEqual(['ada@example.org', 'person:slack/T1/U1', 'claim:Legal team']);
  expect(set.quotas).toMatchObject([{ per: 'person', questions: 5, every: 'day', who: ['guest'] }]);
  const asked = decide({ id: 'x', standing: 'guest', groups: ['Legal team'] }, 'ask', {
    ...{ channel: 'slack', tenant: 'T1', room: 'C1', kind: 'room', agent: 'books' },
  });
  expect(asked).toMatchObject({ allowed: true, limits: [{ questions: 5 }] });
});

describe('refuses', () => {
  test.each([
    ['an unknown action', rule('{ allow: aks }'), 'rules.yaml:2:7: rules.0.allow is "aks". Give one of ask'],
    [
      'an unknown agent',
      rule('{ allow: ask, agent: boks }'),
      'rules.yaml:2:19: rules.0.agent names the agent "boks", which is not configured. Did you mean "books"?',
    ],
    [
      'an unknown channel',
      rule('{ allow: ask, where: { channel: slak } }'),
      'names the channel "slak", which is not configured. Did you mean "slack"?',
    ],
    [
      'a person of an unknown channel',
      rule('{ allow: ask, who: person:slak/U1 }'),
      'names the channel "slak"',
    ],
    [
      'an unknown group',
      rule('{ allow: ask, who: group:legal }'),
      'names the group "legal", which is not configured. There is no group yet.',
    ],
    [
      'an unknown kind of room',
      rule('{ allow: ask, where: { kind: rom } }'),
      'rules.0.where.kind is "rom". Give one of direct, group, room',
    ],
    [
      'a person that is none',
      rule('{ allow: ask, who: ada }'),
      'rules.0.who is "ada". Write one of everyone, member, guest',
    ],
    ['a wrong type', rule('{ allow: ask, who: 5 }'), 'rules.0.who is 5. Give a text or a list of texts.'],
    [
      'an unknown member',
      rule('{ allow: ask, whom: guest }'),
      'rules.0.whom is not a setting. Did you mean "who"?',
    ],
    ['an empty list', rule('{ allow: [] }'), 'rules.yaml:2:7: rules.0.allow'],
    [
      'a line without an effect',
      rule('{ who: guest }'),
      'rules.0 neither allows nor denies anything. Write either allow or deny.',
    ],
    ['a line with both effects', rule('{ allow: ask, deny: ask }'), 'both allows and denies'],
    [
      'an agent for an action that has none',
      rule('{ allow: [ask, search], agent: books }'),
      'rules.0.agent has no meaning for search',
    ],
    ['no rule', 'rules: []', 'rules is a list. Give at least 1 entries.'],
    ['a file without rules', 'groups: {}', 'rules is missing'],
    [
      'a line that can never apply',
      'rules:\n  - { allow: ask }\n  - { deny: ask, who: guest }',
      'rules.yaml:3:5: rules.1 can never apply, because ',
    ],
    [
      'a quota that can never apply',
      'rules: [{ allow: ask }]\nquotas:\n  - { per: room, questions: 5, every: day }\n  - { per: room, questions: 9, every: day, who: guest }',
      'rules.yaml:4:5: quotas.1 can never apply',
    ],
    [
      'a quota of nothing',
      'rules: [{ allow: ask }]\nquotas:\n  - { per: room, questions: 0, every: week }',
      'quotas.0.questions is 0. Give at least 1.',
    ],
    [
      'a quota that people cannot reach',
      'rules: [{ allow: ask }]\nquotas:\n  - { per: person, questions: 30, every: minute }',
      'quotas.0.questions can never be reached, because limits.questionsPerMinute is 20. Raise',
    ],
    [
      'groups that look alike',
      'groups:\n  legal: [a@x.org]\n  lega1: [b@x.org]\nrules: [{ allow: ask }]',
      'rules.yaml:3:3: groups.lega1 looks like the group "legal"',
    ],
    [
      'a group name of other letters',
      'groups:\n  "lеgal": [a@x.org]\nrules: [{ allow: ask }]',
      'is not a valid name. Use 1 to 40 lower-case letters',
    ],
    [
      'claims that look alike',
      'groups:\n  a: ["claim:legal"]\n  b: ["claim:Legal"]\nrules: [{ allow: ask }]',
      'groups.b.0 looks like the claim "legal"',
    ],
    [
      'a claim of mixed scripts',
      'groups:\n  a: ["claim:lеgal"]\nrules: [{ allow: ask }]',
      'groups.a.0 mixes letters of several scripts',
    ],
    [
      'a claim with an invisible character',
      'groups:\n  a: ["claim:le\u200Bgal"]\nrules: [{ allow: ask }]',
      'groups.a.0 contains characters that cannot be seen',
    ],
    [
      'a member that is none',
      'groups:\n  a: [guest]\nrules: [{ allow: ask }]',
      'groups.a.0 is "guest". Write an e-mail address',
    ],
    ['what is no YAML', 'rules: [', 'opens a list that is never closed'],
    [
      'a key that is written twice',
      'rules: [{ allow: ask }]\nrules: [{ deny: ask }]',
      'sets rules a second time',
    ],
    [
      'a line with too many combinations',
      rule(
        `{ allow: ask, where: { room: [${Array.from({ length: 200 }, (_, at) => `r${at}`)}], tenant: [${Array.from({ length: 200 }, (_, at) => `t${at}`)}] } }`,
      ),
      'combines more than 10000 people and places',
    ],
  ])('%s', (_, text, expected) => expect(faultsOf(text)).toContain(expected));

  test('a file that does not exist', () => {
    expect(() => readRules(join(folder, 'none.yaml'), known)).toThrow(
      /none\.yaml: the file does not exist\. Correct the path/,
    );
  });

  test('all faults at once', () => {
    expect(
      faultsOf(
        'rules:\n  - { allow: aks }\n  - { allow: ask, agent: boks }\n  - { allow: ask, who: group:x }',
      ),
    ).toMatch(/has 3 errors[\s\S]*:2:[\s\S]*:3:[\s\S]*:4:/);
  });
});
