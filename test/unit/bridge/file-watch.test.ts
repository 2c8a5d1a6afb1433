/** Tests when a watched file counts as changed, with a clock that the test advances. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchFile } from '../../../src/bridge/file-watch.ts';

let folder: string;
let file: string;
let ended: AbortController;
let watching: Promise<void>;
/** Number of checks so far, and those at which the file counted as changed. */
let looks: number;
let changes: number[];
/** What happens to the file before a check. */
let before: (look: number) => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-file-watch-'));
  file = join(folder, 'rules.yaml');
  writeFileSync(file, 'first');
  ended = new AbortController();
  [looks, changes, before] = [0, [], () => undefined];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Watches the file for `count` checks, which are one second apart. */
async function watch(count: number): Promise<void> {
  const wait = async (ms: number) => {
    expect(ms).toBe(1_000);
    looks += 1;
    before(looks);
    if (looks > count) ended.abort();
  };
  watching = watchFile(
    file,
    { now: () => looks * 1_000, wait },
    ended.signal,
    async () => void changes.push(looks),
  );
  await watching;
}
const write = (text: string) => writeFileSync(file, text);

test('a file that stays as it is counts as changed once, at the second check', async () => {
  await watch(30);
  expect(changes).toEqual([2]);
});

test('a change counts once two checks have found the same state', async () => {
  before = (look) => {
    if (look === 5) write('longer');
    if (look === 6) write('longer still');
  };
  await watch(30);
  expect(changes).toEqual([2, 7]);
});

test('a file that changes every second is read every ten seconds, and after its last change', async () => {
  before = (look) => {
    if (look <= 35) write('x'.repeat(look));
  };
  await watch(60);
  expect(changes).toEqual([10, 20, 30, 36]);
});

test('a file that is replaced after a long rest is not read before two checks agree', async () => {
  before = (look) => {
    if (look === 25) write('half');
    if (look === 26) write('whole text');
  };
  await watch(40);
  expect(changes).toEqual([2, 27]);
});
