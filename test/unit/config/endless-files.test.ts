/** Tests that no file named in the configuration can stop the process: endless, blocking or huge ones (attack S31). */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pictureBeside } from '../../../sandbox/knowledge/pictures.ts';
import { readExpectations } from '../../../src/cli/rules-input.ts';
import { checkAccounts } from '../../../src/config/accounts-file.ts';
import { readConfigFile } from '../../../src/config/file.ts';
import { readCapped } from '../../../src/settings/capped-file.ts';
import { secretFileSetting } from '../../../src/settings/secret.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-endless-'));
  file = join(folder, 'file.png');
});
afterEach(() => rmSync(folder, { recursive: true }));

const HUGE = 2 ** 40;
const endless: readonly (readonly [string, () => void, RegExp])[] = [
  ['a FIFO', () => execFileSync('mkfifo', [file]), /not a regular file/],
  ['a device without an end', () => symlinkSync('/dev/zero', file), /not a regular file/],
  ['a device without a beginning', () => symlinkSync('/dev/null', file), /not a regular file/],
  ['a folder', () => mkdirSync(file), /not a regular file/],
  [
    'a file of 1 TiB',
    () => {
      writeFileSync(file, '');
      truncateSync(file, HUGE);
    },
    /larger than/,
  ],
];

describe.each(endless)('%s (S31)', (_, make, reason) => {
  beforeEach(make);

  it('is no configuration file and no rules file', () => {
    expect(readConfigFile(file).faults.map(({ what }) => what)).toEqual([expect.stringMatching(reason)]);
  });

  it('is no accounts file', () => {
    expect(checkAccounts(file, []).faults.map(({ what }) => what)).toEqual([expect.stringMatching(reason)]);
  });

  it('contains no secret', () => {
    const { error } = secretFileSetting('A secret').safeParse(file);
    expect(error?.issues.map(({ message }) => message)).toEqual([expect.stringMatching(reason)]);
  });

  it('contains no expectations', async () => {
    const known = { agents: [], channels: [] };
    await expect(readExpectations(file, known)).rejects.toMatchObject({ code: 'config-invalid' });
  });

  it('is no picture of a document in the sandbox', async () => {
    expect(await pictureBeside('file.png', folder)).toBeUndefined();
  });
});

it('a file that claims to be empty is read whole', () => {
  expect(readCapped('/proc/self/status', 64 * 1024).toString()).toContain('VmPeak');
  expect(() => readCapped('/proc/self/status', 100)).toThrow('larger than');
});

it('a file of exactly the maximum size is read whole', () => {
  writeFileSync(file, 'x'.repeat(200_000));
  expect(readCapped(file, 200_000)).toHaveLength(200_000);
  expect(() => readCapped(file, 199_999)).toThrow('larger than');
});
