import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { secretFileSetting } from '../../../src/settings/secret.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-secret-'));
  path = join(folder, 'secret');
  writeFileSync(path, 'first-secret');
});
afterEach(() => rmSync(folder, { recursive: true }));

const secret = () => secretFileSetting('A secret').parse(path);

test('a secret rewritten in place with the same length applies immediately', () => {
  const kept = secret();
  expect(kept.reveal()).toBe('first-secret');
  writeFileSync(path, 'other-secret');
  utimesSync(path, new Date(), new Date(Date.now() + 1_000));
  expect(kept.reveal()).toBe('other-secret');
});

test('a secret replaced by another file of the same length and time applies immediately', () => {
  const kept = secret();
  const { atime, mtime } = statSync(path);
  writeFileSync(`${path}.new`, 'other-secret');
  utimesSync(`${path}.new`, atime, mtime);
  utimesSync(path, atime, mtime);
  expect(kept.reveal()).toBe('first-secret');
  renameSync(`${path}.new`, path);
  expect(kept.reveal()).toBe('other-secret');
});

test('a secret whose file is missing or blank keeps its value', () => {
  const kept = secret();
  writeFileSync(path, '   ');
  expect(kept.reveal()).toBe('first-secret');
  rmSync(path);
  expect(kept.reveal()).toBe('first-secret');
});

test.each([
  ['a FIFO', () => execFileSync('mkfifo', [path])],
  ['a device', () => symlinkSync('/dev/zero', path)],
])('a secret whose file becomes %s keeps its value (S31)', (_, make) => {
  const kept = secret();
  rmSync(path);
  make();
  expect(kept.reveal()).toBe('first-secret');
});

test('a secret is read again after each change, also after a blank one, and only then', () => {
  const kept = secret();
  for (const [nth, written] of [
    'second-secret',
    '',
    'third-secret',
    ' ',
    'third-secret',
    'fourth',
  ].entries()) {
    const before = kept.reveal();
    // A program may empty the file and then write it, within one tick of the file system's clock.
    writeFileSync(path, '');
    expect(kept.reveal()).toBe(before);
    writeFileSync(path, written);
    utimesSync(path, new Date(), new Date(1_000_000 * (nth + 1)));
    for (let time = 0; time < 3; time += 1)
      expect(kept.reveal()).toBe(written.trim() === '' ? before : written);
  }
});
