/** Tests which CSV files of accounts are accepted, and that each fault is named with its line and its cure. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkAccounts } from '../../../src/config/accounts-file.ts';
import { loadConfig } from '../../fakes/load-config.ts';
import { person, thread } from '../../fakes/samples.ts';

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-accounts-file-'));
  file = join(folder, 'accounts.csv');
});
afterAll(() => rmSync(folder, { recursive: true }));

const check = (content: string | Uint8Array) => {
  writeFileSync(file, content);
  return checkAccounts(file, ['slack', 'teams', 'console']);
};
const faultsOf = (content: string | Uint8Array) =>
  check(content).faults.map(({ place, subject, what, cure }) =>
    `${place}: ${subject} ${what}. ${cure}`.replace(file, 'accounts.csv'),
  );

describe('people are found', () => {
  const inSlack = (tenant: string) => thread({ channel: 'slack', tenant });
  const find = (content: string, ...whom: [Parameters<typeof person>[0], ReturnType<typeof thread>?]) =>
    check(content).value?.find(person(whom[0]), whom[1] ?? inSlack('T1'));

  test('by id, in their channel and workspace only', () => {
    const content = 'account,channel,tenant,person\nada,slack,T1,U1\nben,slack,,U2\ncleo,teams,,U1\n';
    expect(find(content, { id: 'U1' })).toBe('ada');
    expect(find(content, { id: 'U1' }, inSlack('T2'))).toBeUndefined();
    expect(find(content, { id: 'U2' }, inSlack('T2'))).toBe('ben');
    expect(find(content, { id: 'U1' }, thread({ channel: 'teams' }))).toBe('cleo');
    expect(find(content, { id: 'U9' })).toBeUndefined();
  });

  test('by e-mail address in any letter case, but never an external person or a bot', () => {
    const content = 'email,account\nADA@example.org,ada\n';
    const email = 'ada@Example.org';
    expect(find(content, { email })).toBe('ada');
    expect(find(content, { email, standing: 'guest' })).toBe('ada');
    expect(find(content, { email, standing: 'external' })).toBeUndefined();
    expect(find(content, { email, standing: 'bot' })).toBeUndefined();
  });

  test('with the first line that matches', () => {
    const content = 'account,channel,person,email\nfirst,,,ada@example.org\nsecond,slack,U1,\n';
    expect(find(content, { id: 'U1', email: 'ada@example.org' })).toBe('first');
    expect(find(content, { id: 'U1' })).toBe('second');
  });

  test('with a byte order mark, CRLF, quotation marks, blank lines and spaces', () => {
    const content = '\uFEFF"Account", email\r\n\r\n"o""neill","o@example.org"\r\nben , ben@example.org';
    expect(find(content, { email: 'o@example.org' })).toBe('o"neill');
    expect(find(content, { email: 'ben@example.org' })).toBe('ben');
    expect(check(content).count).toBe(2);
  });
});

describe('a file is refused as a whole', () => {
  test.each([
    [
      '',
      'accounts.csv:1: the file is empty. Begin with the columns, such as account,channel,tenant,person,email.',
    ],
    [
      'account,email\n',
      'accounts.csv:1: the file names no people. Add people, or remove identity.file if nobody should have an account from it.',
    ],
    [
      'acount,email\na,b@c.de\n',
      'accounts.csv:1: "acount" is not a column of this file. Did you mean "account"?',
    ],
    ['account;email\na;b@c.de\n', 'accounts.csv:1: the line has no commas. Separate the columns by commas.'],
    ['account,email,email\na,b@c.de,\n', 'accounts.csv:1: email appears twice. Remove one of the columns.'],
    [
      'account,channel\na,slack\n',
      'accounts.csv:1: the line lacks the column person or email. Columns: account, channel, tenant, person, email.',
    ],
    [
      'account,email\nada,a@b.de\nben\n',
      'accounts.csv:3: the line has 1 cells instead of 2. Write one cell for each column.',
    ],
    [
      'account,email\n"x (teams/T1/ada)",a@b.de\n',
      'accounts.csv:2: the line has an account that ends like "(CHANNEL/WORKSPACE/ID)". This ending is reserved for people who ask with their own token. Use another account.',
    ],
    ['account,email\n,a@b.de\n', 'accounts.csv:2: the line names no account. Add the platform account.'],
    ['account,email\nada,\n', 'accounts.csv:2: the line names no person. Give person or email.'],
    [
      'account,email\nada,a@b\n',
      'accounts.csv:2: the line has a value in the column email that is not an e-mail address. Correct the address.',
    ],
    [
      'account,person\nada,U1\n',
      'accounts.csv:2: the line gives an id without its channel. Add the channel, because ids belong to a channel.',
    ],
    [
      'account,channel,person\nada,slak,U1\n',
      'accounts.csv:2: the line names the channel "slak", which is not configured. Did you mean "slack"?',
    ],
    [
      'account,channel,person,email\nada,slack,U1,a@b.de\n',
      'accounts.csv:2: the line names both a person and an e-mail address. Write one line for each.',
    ],
    [
      'account,email\n"ada,a@b.de\n',
      'accounts.csv:2: the line contains a quotation mark in the wrong position. Write a cell as "text", and a quotation mark in it as "".',
    ],
    [
      'account,email\n"a\nb",a@b.de\n\nada,\n',
      'accounts.csv:5: the line names no person. Give person or email.',
    ],
    [
      'account,email\nad\u0430,a@b.de\n',
      'accounts.csv:2: the line has a cell account that mixes letters of several scripts in one word. Type it again.',
    ],
    [
      'account,email\nada,a@b.de\nben,A@B.de\n',
      'accounts.csv:3: the line names the same person as line 2. Remove one of the two lines.',
    ],
    [
      'account,email\nada,a@b.de\nada,b@b.de\n',
      'accounts.csv:3: the line gives the account of line 2 to another person. Give each person their own account.',
    ],
    [
      'account,email\nada,a@b.de\nAda,b@b.de\n',
      'accounts.csv:3: the line names an account that looks like the one in line 2. Write both in the same way.',
    ],
  ])('%j', (content, fault) => {
    expect(faultsOf(content)).toContain(fault);
    expect(check(content).value).toBeUndefined();
  });

  test('that contains a person of a wider line, but not in the other order', () => {
    const columns = 'account,channel,tenant,person\n';
    expect(faultsOf(`${columns}ada,slack,,U1\nben,slack,T1,U1\n`)).toEqual([
      'accounts.csv:3: the line names the same person as line 2. Remove one of the two lines.',
    ]);
    expect(faultsOf(`${columns}ben,slack,T1,U1\nada,slack,,U1\n`)).toEqual([]);
  });

  test('that is a spreadsheet, is missing, or has too many faults to list', () => {
    expect(faultsOf(new Uint8Array([0x50, 0x4b, 3, 4, 0xff, 0]))).toEqual([
      'accounts.csv: the file is not UTF-8 text. Export it as "CSV UTF-8".',
    ]);
    expect(checkAccounts(join(folder, 'none.csv'), []).faults[0]?.what).toBe('does not exist');
    const many = faultsOf(`account,email\n${'ada,\n'.repeat(50)}`);
    expect([many.length, many.at(-1)]).toEqual([
      21,
      'accounts.csv: the file has 30 more faults. Correct the faults above, and check again.',
    ]);
  });
});

test('one person may have lines in several channels', () => {
  const content = 'account,channel,person,email\nada,slack,U1,\nada,teams,a-1,\nada,,,ada@example.org\n';
  expect(faultsOf(content)).toEqual([]);
});

test('the faults of the file are reported with those of the configuration', () => {
  writeFileSync(file, 'account,email\nada,\n');
  const config = join(folder, 'parley.yaml');
  writeFileSync(config, `identity: { file: ${file} }\nlimits: { turns: 0 }\n`);
  expect(() => loadConfig({ environment: {}, file: config })).toThrow(
    /limits\.turns is 0[\s\S]*accounts\.csv:2: the line names no person/,
  );
});
