/** Tests `parley restore` on real files: what it refuses, and that an interruption at any step loses nothing. */

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { checkStore } from '../../../src/bridge/data.ts';
import { run } from '../../../src/cli/program.ts';
import { systemClock } from '../../../src/clock.ts';
import { openStore } from '../../../src/store/index.ts';
import { house } from '../../fakes/house.ts';

/** Number of changes of the file system after which the process "dies": every later change fails as well. */
const life = vi.hoisted(() => ({ left: Number.POSITIVE_INFINITY }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const mortal =
    <Given extends readonly unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    async (...given: Given) => {
      life.left -= 1;
      if (life.left < 0) throw new Error('killed');
      return work(...given);
    };
  const { cp, mkdir, rename, rm, rmdir } = real;
  return {
    ...real,
    cp: mortal(cp),
    mkdir: mortal(mkdir),
    rename: mortal(rename),
    rm: mortal(rm),
    rmdir: mortal(rmdir),
  };
});

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
let base: string;
let data: string;
let copy: string;
let lines: string[];
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'parley-restore-'));
  data = join(base, 'data');
  copy = join(base, 'copy');
  vi.stubEnv('PARLEY_DATA', data);
  lines = [];
  for (const stream of ['log', 'error'] as const)
    vi.spyOn(console, stream).mockImplementation((line) => void lines.push(String(line)));
  mkdirSync(join(data, 'console.sqlite.files'), { recursive: true });
  writeFileSync(join(data, 'console.sqlite.files', 'a'), 'an upload');
  writeFileSync(join(data, 'state.key'), 'k'.repeat(32));
  await write('first');
  expect(await run(['backup', copy], house)).toBe(0);
});
afterEach(() => {
  life.left = Number.POSITIVE_INFINITY;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(base, { recursive: true });
});

const open = () => openStore({ file: join(data, 'parley.sqlite'), clock: systemClock, log });
async function write(value: string) {
  const store = await open();
  await store.keyed('test').set('value', value, 60_000, 'nobody');
  await store.close();
}
async function read() {
  await checkStore(join(data, 'parley.sqlite'), data, log);
  const store = await open();
  const value = await store.keyed('test').get('value');
  await store.close();
  return value;
}
const asides = () => readdirSync(data).filter((name) => name.startsWith('replaced-'));
async function restore(...options: string[]) {
  lines.length = 0;
  const code = await run(['restore', copy, ...options], house);
  return { code, text: lines.join('\n') };
}

it('restores into a new folder, and replaces data only if asked', async () => {
  await write('second');
  writeFileSync(join(data, 'link.key'), 'newer than the copy');
  expect(await restore()).toMatchObject({ code: 64, text: expect.stringContaining('Add --replace') });
  expect(await read()).toBe('second');
  const { code, text } = await restore('--replace');
  const [aside = ''] = asides();
  expect(code).toBe(0);
  expect(text).toContain(`is in ${join(data, aside)}`);
  expect(await read()).toBe('first');
  expect(existsSync(join(data, 'link.key'))).toBe(false);
  expect(readdirSync(join(data, aside))).toContain('link.key');
  vi.stubEnv('PARLEY_DATA', join(base, 'other'));
  data = join(base, 'other');
  expect((await restore()).code).toBe(0);
  expect(await read()).toBe('first');
  expect(readFileSync(join(data, 'console.sqlite.files', 'a'), 'utf8')).toBe('an upload');
  expect(asides()).toEqual([]);
});

it('leaves the old or the new data when it is killed at any step, and a second run finishes', async () => {
  const outcomes = new Set<unknown>();
  await write('second');
  const second = join(base, 'second');
  cpSync(data, second, { recursive: true });
  for (let steps = 0; ; steps++) {
    rmSync(data, { recursive: true });
    cpSync(second, data, { recursive: true });
    life.left = steps;
    const { code } = await restore('--replace');
    life.left = Number.POSITIVE_INFINITY;
    const seen = await read().catch((thrown: Error) => thrown.message);
    outcomes.add(seen);
    if (code === 0) break;
    if (seen !== 'first')
      expect(['second', expect.stringContaining('Run `parley restore`')]).toContainEqual(seen);
    expect((await restore('--replace')).code).toBe(0);
    expect(await read()).toBe('first');
    expect(asides()).toHaveLength(1);
    expect(readdirSync(data).filter((name) => name.startsWith('.'))).toEqual([]);
  }
  expect(outcomes.size).toBe(3);
});

it('refuses while a bridge uses the data folder', async () => {
  const store = await open();
  expect(await restore('--replace')).toMatchObject({
    code: 73,
    text: expect.stringContaining('Another process'),
  });
  await store.close();
});

const change = (sql: string) => {
  const database = new DatabaseSync(join(copy, 'parley.sqlite'));
  database.exec(sql);
  database.close();
};
const manifest = (over: object) => {
  const file = join(copy, 'backup.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...over }));
};
it.each<[string, () => void, string]>([
  ['without the store', () => rmSync(join(copy, 'parley.sqlite')), 'contains no parley.sqlite'],
  ['that lacks a file', () => rmSync(join(copy, 'state.key')), 'state.key is missing'],
  ['with a shorter file', () => writeFileSync(join(copy, 'console.sqlite.files', 'a'), 'an'), 'has 2 bytes'],
  [
    'with a damaged store',
    () => {
      const bytes = readFileSync(join(copy, 'parley.sqlite'));
      writeFileSync(join(copy, 'parley.sqlite'), bytes.fill(7, 4_096, 20_000));
    },
    'cannot be restored (parley.sqlite: ',
  ],
  ['of a newer store', () => change('PRAGMA user_version = 999'), 'written by a newer version'],
  ['of a newer Parley', () => manifest({ parley: '999.0.0' }), 'Restore it with Parley 999.0.0'],
  ['of another key', () => manifest({ key: 'abcdef0123' }), 'another PARLEY_KEY (fingerprint abcdef01)'],
  ['whose description is damaged', () => writeFileSync(join(copy, 'backup.json'), '{}'), 'cannot be read'],
])('refuses a copy %s, and changes nothing', async (_, damage, reason) => {
  await write('second');
  damage();
  const before = readdirSync(data);
  const { code, text } = await restore('--replace');
  expect(code).not.toBe(0);
  expect(text).toContain(reason);
  expect(readdirSync(data)).toEqual(before);
  expect(await read()).toBe('second');
});

it('refuses a copy that was made without PARLEY_KEY while there is one, and says what it cannot check', async () => {
  vi.stubEnv('PARLEY_KEY', 'a-key-that-the-copy-was-made-without');
  expect(await restore('--replace')).toMatchObject({
    code: 78,
    text: expect.stringContaining('Unset PARLEY_KEY'),
  });
  vi.unstubAllEnvs();
  vi.stubEnv('PARLEY_DATA', data);
  rmSync(join(copy, 'backup.json'));
  const { code, text } = await restore('--replace');
  expect([code, text]).toEqual([0, expect.stringContaining('only its databases are checked')]);
});
