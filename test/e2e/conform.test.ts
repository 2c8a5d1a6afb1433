/** Tests `parley conform`: its report, its exit codes, and what it says about modules that cannot be used. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { checks } from '../../src/conform/run.ts';
import { type Plant, writeRigged } from '../fakes/outside/candidate.ts';
import { runHere } from '../fakes/run-here.ts';

const root = process.cwd();
const parley = join(root, 'bin/parley.js');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-conform-test-'));
});
afterEach(() => {
  process.chdir(root);
  rmSync(folder, { recursive: true });
});
// The command ends its process some time after the report, even if the channel has left something open.
beforeAll(() => void vi.spyOn(process, 'exit').mockReturnValue(undefined as never));

function conform(...args: readonly string[]) {
  return run([parley, 'conform', ...args]);
}

function run(args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

const write = (name: string, code: string): void => writeFileSync(join(folder, name), code);
const rigged = (plant?: Plant) => {
  writeRigged(folder, plant);
  return ['my-chat', '--rig', 'my-chat/rig.js'] as const;
};

test('a channel that keeps the rules gets a line for each check, and exit code 0', () => {
  const { status, stdout, stderr } = conform(...rigged(), '--runs', '2', '--seed', '5');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  for (const { id } of checks)
    expect(stdout).toMatch(new RegExp(`^  (pass       |not checked)  ${id}: `, 'm'));
  expect(stdout).toContain('Not checked, because the rig has no "edit".');
  expect(stdout).toMatch(
    /My Chat conforms as far as it was checked: \d+ passed, 0 failed, 9 not checked \(seed 5\)\.\n$/,
  );
});

test('a failure says what was expected and found, and how to repeat it', () => {
  const given = rigged({
    replace: [['const begun = plainText(text) ||', 'const begun = text.slice(0, 60) ||']],
  });
  const only = ['--only', 'ladder.last-document'];
  const { status, stdout } = conform(...given, ...only, '--seed', '1');
  expect(status).toBe(1);
  expect(stdout).toContain('FAIL         ladder.last-document: A reply shows its last document');
  expect(stdout).toContain('The reply does not show each word of the text once, in order. This happened: ');
  expect(stdout).toMatch(/Expected: \[\s+'w\d{4}'[\s\S]*Found: \[/);
  expect(stdout).toContain('Rule: docs/channels.md#4-show-answers');
  const [, seed = ''] = /--only ladder\.last-document --seed (\d+) --runs 1/.exec(stdout) ?? [];
  expect(conform(...given, ...only, '--seed', seed, '--runs', '1').stdout).toContain('FAIL');
});

test('a stray error of the channel fails the check, and the other checks run', () => {
  const stray = "setTimeout(() => { throw new Error('nobody catches this'); }, 1);\n      try {";
  const given = rigged({ replace: [['try {', stray]] });
  const { status, stdout, stderr } = conform(...given, '--only', 'intake', '--only', 'content.letters');
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
  expect(stdout).toMatch(/FAIL {9}content\.letters: [\s\S]*has a stray error[\s\S]*nobody catches this/);
  expect(stdout).toMatch(/pass {9}intake\.question: /);
});

test('the report is also JSON', async () => {
  const given = rigged();
  process.chdir(folder);
  const { code, out } = await runHere(['conform', ...given, '--only', 'intake', '--json', '--seed', '3']);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    ...{ channel: 'my-chat', title: 'My Chat', ok: true, seed: 3, runs: 20 },
    checks: expect.arrayContaining([
      expect.objectContaining({ id: 'intake.question', status: 'pass' }),
      expect.objectContaining({ id: 'intake.edited', status: 'not-checked', why: 'the rig has no "edit"' }),
    ]),
  });
});

test('a module, a rig or an option that cannot be used is named with its cure, and exit code 64', async () => {
  const [module] = rigged();
  write('empty.mjs', 'export const channels = 1;');
  write('throws.mjs', "export const conform = () => { throw new Error('no chat here'); };");
  write('bare.mjs', 'export const conform = () => ({ settings: {} });');
  write(
    'wrong.mjs',
    'export const conform = () => ({ settings: { url: 1 }, say() {}, shown() {}, close() {} });',
  );
  process.chdir(folder);
  const said = async (...args: readonly string[]) => {
    const { code, out, err } = await runHere(['conform', ...args]);
    expect({ code, out }).toEqual({ code: 64, out: '' });
    return err;
  };
  expect(await said('gone.mjs')).toMatch(
    /^gone\.mjs cannot be loaded: .*gone\.mjs.*\. Name the module of a channel/,
  );
  expect(await said('empty.mjs')).toContain('It exports no "channel".');
  expect(await said(module)).toContain(
    'my-chat exports no function "conform", which starts the chat. Export one',
  );
  expect(await said(module, '--rig', 'throws.mjs')).toContain(
    'my-chat cannot be checked: no chat here. Correct the rig',
  );
  expect(await said(module, '--rig', 'bare.mjs')).toContain(
    'must return a rig with the functions say, shown, close',
  );
  expect(await said(module, '--rig', 'wrong.mjs')).toMatch(
    /The settings that the rig gives are not valid: url: .*; token: /,
  );
  expect(await said(module, '--only', 'nonsense')).toContain(
    'There is no check or suite "nonsense". The suites are intake, ',
  );
  expect(await said(module, '--runs', '0')).toContain(
    '--runs must be a whole number from 1 to 10000, not "0".',
  );
});

test('a rig that hangs ends the command with an error, and one that hangs later fails its check', () => {
  const [module] = rigged();
  // Timers run 20 times as fast, because the command waits 30 s and 10 s.
  write(
    'hurry.mjs',
    'const { setTimeout: wait } = globalThis; globalThis.setTimeout = (then, ms, ...rest) => wait(then, ms / 20, ...rest);',
  );
  const hurried = (...args: readonly string[]) =>
    run(['--import', './hurry.mjs', parley, 'conform', ...args]);
  write('hangs.mjs', 'export const conform = () => new Promise(() => setInterval(() => {}, 1_000));');
  const { status, stderr } = hurried(module, '--rig', 'hangs.mjs');
  expect(status).toBe(64);
  expect(stderr).toContain('"conform" did not return within 30 s.');
  write(
    'mute.mjs',
    "import { conform as open } from './my-chat/rig.js';\nexport const conform = async (kit, bridge) => ({ ...(await open(kit, bridge)), say: () => new Promise(() => {}) });",
  );
  const mute = hurried(module, '--rig', 'mute.mjs', '--only', 'intake.question');
  expect(mute.status).toBe(1);
  expect(mute.stdout).toContain('An error was thrown: "say" did not return within 10 s.');
});
