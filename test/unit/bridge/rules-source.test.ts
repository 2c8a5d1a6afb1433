/** Tests that a changed rules file is used completely or not at all, and without a command from the operator. */

import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFileSource, type FileSource } from '../../../src/bridge/file-source.ts';
import { systemClock } from '../../../src/clock.ts';
import { checkRules } from '../../../src/config/rules-file.ts';
import type { CompiledRules } from '../../../src/core/access/compile.ts';
import type { Clock } from '../../../src/core/clock.ts';

const known = { agents: ['books'], channels: ['slack'] };
const MEMBERS = 'rules:\n  - { allow: ask, who: member }\n';
const GUESTS = 'rules:\n  - { allow: ask, who: [member, guest] }\n';
const BROKEN = 'rules:\n  - { allow: aks, who: guest }\n';
/** Checks the file 100 times a second instead of once. */
const hasty: Clock = { now: systemClock.now, wait: (_, signal) => systemClock.wait(10, signal) };

let folder: string;
let file: string;
let record: string;
let source: FileSource<CompiledRules>;
let logged: { level: string; text: unknown }[];
let reads: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-rules-source-'));
  [file, record] = [join(folder, 'rules.yaml'), join(folder, 'data', 'record.json')];
  [logged, reads] = [[], 0];
  writeFileSync(file, MEMBERS);
});
afterEach(async () => {
  await source.stop();
  rmSync(folder, { recursive: true });
});

/** @param meanwhile called between the first reading of the file and the start of the watch */
function open(meanwhile: () => void = () => undefined): void {
  const log = (level: string) => (facts: object, text: string) =>
    void logged.push({ level, text: `${text} ${JSON.stringify(facts)}` });
  const read = () => {
    reads += 1;
    return checkRules(file, known);
  };
  const { value, digest } = checkRules(file, known);
  if (value === undefined) throw new Error('The first rules have a fault.');
  meanwhile();
  source = createFileSource<CompiledRules>({
    ...{ file, noun: 'rules', first: { value, digest }, read, clock: hasty, record },
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
  });
}

const guestMayAsk = () =>
  source.current().decide({ id: 'g', standing: 'guest' }, 'ask', { channel: 'slack', agent: 'books' })
    .allowed;
const recorded = (): unknown => JSON.parse(readFileSync(record, 'utf8'));

test('a changed file is used, also one that was moved into place, and recorded', async () => {
  open();
  expect(guestMayAsk()).toBe(false);
  await expect.poll(recorded).toMatchObject({ digest: checkRules(file, known).digest, process: process.pid });
  writeFileSync(file, GUESTS);
  await expect.poll(guestMayAsk).toBe(true);
  await expect.poll(recorded).toMatchObject({ digest: checkRules(file, known).digest });
  writeFileSync(`${file}.new`, MEMBERS);
  renameSync(`${file}.new`, file);
  await expect.poll(guestMayAsk).toBe(false);
  expect(logged.map(({ level }) => level)).toEqual(['info', 'info']);
});

/** Puts into place something that has no end, or that no program writes to. */
const become = (make: () => void) => () => {
  rmSync(file);
  make();
};

test.each([
  ['with a fault', () => writeFileSync(file, BROKEN), /rules\.0\.allow is \\"aks\\"/],
  ['that is gone', () => rmSync(file), /does not exist/],
  ['that is no YAML', () => writeFileSync(file, 'rules: ['), /opens a list/],
  ['that is a FIFO (S31)', become(() => execFileSync('mkfifo', [file])), /is not a regular file/],
  ['that is a device (S31)', become(() => symlinkSync('/dev/zero', file)), /is not a regular file/],
  ['that is a folder', become(() => mkdirSync(file)), /is not a regular file/],
  ['that is too large (S31)', () => truncateSync(file, 2 ** 40), /larger than 4 MiB/],
])('a file %s changes nothing, and the log names the fault', async (_, change, fault) => {
  writeFileSync(file, GUESTS);
  open();
  const before = source.current();
  change();
  await expect.poll(() => logged).toMatchObject([{ level: 'error', text: expect.stringMatching(fault) }]);
  expect(source.current()).toBe(before);
  expect(guestMayAsk()).toBe(true);
  rmSync(file, { recursive: true, force: true });
  writeFileSync(file, MEMBERS);
  await expect.poll(guestMayAsk).toBe(false);
});

test('a file that changed just before the bridge began to watch it is used', async () => {
  open(() => writeFileSync(file, GUESTS));
  await expect.poll(guestMayAsk).toBe(true);
});

test('an unchanged file is not read again, except on request', async () => {
  open();
  await systemClock.wait(100);
  expect(reads).toBe(0);
  source.reload();
  expect(reads).toBe(1);
});
