/** Tests that a changed file of accounts is used completely or not at all, and without a command from the operator. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileSource, type FileSource } from '../../../src/bridge/file-source.ts';
import { systemClock } from '../../../src/clock.ts';
import { checkAccounts } from '../../../src/config/accounts-file.ts';
import type { AccountTable } from '../../../src/core/agents/access.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { person, thread } from '../../fakes/samples.ts';

/** Checks the file 100 times a second instead of once. */
const hasty: Clock = { now: systemClock.now, wait: (_, signal) => systemClock.wait(10, signal) };
const BOTH = 'account,email\nada,ada@example.org\nben,ben@example.org\n';
const BEN = 'account,email\nben,ben@example.org\n';

let folder: string;
let file: string;
let source: FileSource<AccountTable>;
let logged: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-accounts-source-'));
  file = join(folder, 'accounts.csv');
  logged = [];
  writeFileSync(file, BOTH);
  const log = (level: string) => (facts: object, text: string) =>
    void logged.push(`${level} ${text} ${JSON.stringify(facts)}`);
  const read = () => checkAccounts(file, []);
  const { value, digest } = read();
  if (value === undefined) throw new Error('The first accounts have a fault.');
  source = createFileSource<AccountTable>({
    ...{ file, noun: 'accounts', first: { value, digest }, read, clock: hasty },
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
  });
});
afterEach(async () => {
  await source.stop();
  rmSync(folder, { recursive: true });
});

const accountOf = (email: string) => source.current().find(person({ email }), thread());

test('a person taken out of the file loses the account, and comes back with the line', async () => {
  expect(accountOf('ada@example.org')).toBe('ada');
  writeFileSync(file, BEN);
  await expect.poll(() => accountOf('ada@example.org')).toBeUndefined();
  expect(accountOf('ben@example.org')).toBe('ben');
  writeFileSync(file, BOTH);
  await expect.poll(() => accountOf('ada@example.org')).toBe('ada');
  expect(logged.map((line) => line.split(' ')[0])).toEqual(['info', 'info']);
});

test.each([
  ['with a fault', () => writeFileSync(file, `${BEN}cleo,\n`), /accounts\.csv:3: the line names no person/],
  ['that is empty', () => writeFileSync(file, ''), /is empty/],
  ['that is gone', () => rmSync(file), /does not exist/],
])('a file %s changes nothing, and the log names the fault', async (_, change, fault) => {
  change();
  await expect.poll(() => logged.join('\n'), { timeout: 10_000 }).toMatch(fault);
  expect(logged[0]).toMatch(/^error the accounts file has faults, so the earlier accounts stay in force/);
  expect([accountOf('ada@example.org'), accountOf('ben@example.org')]).toEqual(['ada', 'ben']);
});
