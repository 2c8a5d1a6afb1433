/**
 * Tests how channels from outside Parley are found, loaded and checked, and that two channels with one name are
 * refused.
 */

import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { announced, loadSettings, type Settings } from '../../../src/cli/channels.ts';
import { loadOutside } from '../../../src/cli/outside.ts';
import { projectVersion } from '../../../src/cli/project.ts';
import { readSettings } from '../../../src/config/load.ts';
import { BridgeError } from '../../../src/errors.ts';
import { house } from '../../fakes/house.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const ECHO = new URL('../../fakes/outside/echo.mjs', import.meta.url);
const NEVER = 'export const channel = () => new Promise(() => undefined);';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-outside-'));
  mkdirSync(join(folder, 'channels'));
  copyFileSync(ECHO, join(folder, 'channels/echo.mjs'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** Writes a copy of the echo channel's module with these texts replaced. */
function variant(name: string, ...changes: readonly (readonly [string, string])[]): void {
  const text = changes.reduce((all, [from, to]) => all.replaceAll(from, to), `${readEcho()}\n// ${folder}`);
  writeFileSync(join(folder, name), text);
}
const readEcho = () => readFileSync(ECHO, 'utf8');

async function load(text: string): Promise<Settings> {
  const file = join(folder, 'parley.yaml');
  writeFileSync(file, text);
  return loadSettings(house, file);
}

async function refusal(text: string): Promise<string> {
  const thrown: unknown = await load(text).catch((error: unknown) => error);
  if (thrown instanceof BridgeError && thrown.code === 'config-invalid') {
    return thrown.message.replaceAll(`${folder}/`, '');
  }
  throw new Error(`the configuration was taken: ${thrown}`);
}

const one = (settings = '') => `channels:\n  - module: ./channels/echo.mjs\n${settings}`;

test('a module’s path is relative to the configuration file, and its channel is announced like any other', async () => {
  const loaded = await load(one('    settings: { greeting: good day }\n'));
  expect(loaded.broken).toEqual([]);
  expect(announced(loaded).at(-1)).toEqual({ title: 'Echo', line: 'on, and says good day' });
  expect(loaded.channels.at(-1)).toMatchObject({ isOn: true, isOutside: true });
});

test('a module may import the kit, and export a channel in place of a function', async () => {
  const imports = "import { defineChannel, secretSetting, z } from 'parley/kit';";
  variant(
    'channels/echo.mjs',
    [
      'export const channel = ({ defineChannel, secretSetting, z }) =>\n',
      `${imports}\nexport const channel =\n`,
    ],
    ['let host;', "let host; void import('parley/kit/ladder');"],
  );
  const loaded = await load(one());
  expect(loaded.broken).toEqual([]);
  expect(announced(loaded).at(-1)).toEqual({ title: 'Echo', line: 'on, and says hello' });
});

test('a channel’s environment variables override its settings', async () => {
  vi.stubEnv('ECHO_TOKEN', ' ');
  expect(await refusal(one('    settings: { token: word }\n'))).toContain('ECHO_TOKEN: echo.token is blank');
});

test('unknown and wrong settings of a channel are refused with their place and the cure', async () => {
  const told = await refusal(one('    settings:\n      greting: hi\n      greeting: x\n'));
  expect(told).toContain('parley.yaml:4:7: echo.greting is not a setting. Did you mean "greeting"?');
  expect(told).toContain('parley.yaml:5:7: echo.greeting is "x". Give at least 2 characters.');
});

test('an entry of the list of channels is checked like any setting', async () => {
  expect(await refusal('channels:\n  - modul: ./x.js\n')).toContain(
    'parley.yaml:2:5: channels.0.modul is not a setting. Did you mean "module"?',
  );
});

test.each([
  ["name: 'echo'", "name: 'slack'", 'defines the channel "slack", which exists already'],
  ["name: 'echo'", "name: 'server'", 'defines the channel "server", which exists already'],
  ["name: 'echo'", "name: 'terminal'", 'defines the channel "terminal", which exists already'],
  ['ECHO_TOKEN', 'SLACK_BOT_TOKEN', 'uses the variable SLACK_BOT_TOKEN, which another setting already uses'],
  ['ECHO_TOKEN', 'PORT', 'uses the variable PORT, which another setting already uses'],
  ['ECHO_TOKEN', 'PARLEY_KEY_FILE', 'uses the variable PARLEY_KEY_FILE, which another setting already uses'],
])('a name or variable that is in use is refused: %s -> %s', async (from, to, told) => {
  variant('other.mjs', [from, to]);
  expect(await refusal('channels: [{ module: ./other.mjs }]\n')).toContain(
    `parley.yaml:1:14: channels.0.module ${told}`,
  );
});

test('the same channel twice is refused', async () => {
  expect(await refusal(`${one()}  - module: channels/echo.mjs\n`)).toContain(
    'parley.yaml:3:5: channels.1.module defines the channel "echo", which exists already',
  );
});

test('settings of a channel outside its entry are refused', async () => {
  expect(await refusal(`${one()}echo: { greeting: hi }\n`)).toContain(
    'echo is not a setting. Write it under',
  );
});

test.each([
  ['throws at import', "throw new Error('at\\n import');", 'at import'],
  ['is not JavaScript', 'this is not', ''],
  ['exports no channel', 'export const other = 1;', 'exports no "channel"'],
  [
    'does not return a definition',
    'export const channel = () => ({ name: "x" });',
    'must be what defineChannel returns',
  ],
  ['throws in its channel function', "export const channel = () => { throw new Error('made'); };", 'made'],
])('a module that %s is named in one line, and the others are loaded', async (_, text, why) => {
  writeFileSync(join(folder, 'bad.mjs'), `${text}\n// ${folder}`);
  const loaded = await load(`channels: [{ module: ./bad.mjs }, { module: ./channels/echo.mjs }]\n`);
  expect(loaded.broken).toEqual([{ module: './bad.mjs', index: 0, why: expect.stringContaining(why) }]);
  expect(loaded.broken[0]?.why).not.toContain('\n');
  expect(announced(loaded).map(({ title }) => title)).toEqual(['Console', 'Slack', 'Teams', 'Echo']);
});

test('a missing module, a module for another API version, and one whose checks throw are each reported', async () => {
  variant('new.mjs', ['api: 1', 'api: 2']);
  const modules = ['./nowhere.mjs', './new.mjs', './channels/echo.mjs'];
  const entries = modules.map((module) => `  - { module: ${module}, settings: { fails: faults } }\n`);
  const { broken } = await load(`channels:\n${entries.join('')}`);
  expect(broken.map(({ why }) => why)).toEqual([
    expect.stringContaining('Cannot find module'),
    expect.stringContaining('fault in api'),
    'the faults broke',
  ]);
});

test('a module that cannot be loaded is reported with the other faults', async () => {
  const told = await refusal(
    'channels: [{ module: ./channels/echo.mjs, settings: { greeting: x } }, { module: ./gone.mjs }]\nlog: { levl: info }\n',
  );
  expect(told).toContain('The configuration has 3 errors:');
  expect(told).toContain('parley.yaml:1:55: echo.greeting is "x".');
  expect(told).toContain('parley.yaml:1:74: channels.1.module cannot be loaded: Cannot find module');
  expect(told).toContain('parley.yaml:2:8: log.levl is not a setting.');
});

test.each([
  ['main', { main: './echo.mjs' }],
  ['exports', { exports: './echo.mjs', main: 'other.js' }],
  ['exports of "."', { exports: { '.': { import: { default: './echo.mjs' } }, './more': './more.js' } }],
  ['conditions', { exports: { require: './echo.cjs', node: './echo.mjs' } }],
])('a folder is entered by %s of its package.json', async (_, manifest) => {
  writeFileSync(join(folder, 'channels/package.json'), JSON.stringify(manifest));
  const { broken, channels } = await load('channels: [{ module: ./channels }]\n');
  expect(broken).toEqual([]);
  expect(channels.at(-1)?.channel.title).toBe('Echo');
});

test('a folder without package.json, or one that names no file, is entered by index.js', async () => {
  mkdirSync(join(folder, 'bare'));
  writeFileSync(join(folder, 'bare/index.js'), `${readEcho()}\n// ${folder}`);
  expect((await load('channels: [{ module: ./bare }]\n')).broken).toEqual([]);
  writeFileSync(join(folder, 'bare/package.json'), '{"name":"bare","type":"module"}');
  expect((await load('channels: [{ module: ./bare/ }]\n')).broken).toEqual([]);
});

test.each([
  [
    '{"main":"gone.js"}',
    /names the file "gone\.js", which does not exist\. Build the package, or correct "main"/,
  ],
  ['{', /package\.json is not valid JSON/],
  [
    '{"exports":{"./more":"./more.js"}}',
    /has no entry\. Add index\.js, or name the file in "exports" of its package\.json/,
  ],
  [undefined, /has no entry/],
])('a folder without an entry file names the cure: %s', async (manifest, why) => {
  mkdirSync(join(folder, 'empty'));
  if (manifest !== undefined) writeFileSync(join(folder, 'empty/package.json'), manifest);
  const { broken } = await load('channels: [{ module: ./empty }]\n');
  expect(broken[0]?.why).toMatch(why);
});

describe('the Parley that a channel needs', () => {
  const needing = (range: string) => {
    const folderOf = join(folder, 'package');
    mkdirSync(folderOf);
    const manifest = { name: 'parley-echo', exports: './echo.mjs', peerDependencies: { parley: range } };
    writeFileSync(join(folderOf, 'package.json'), JSON.stringify(manifest));
    variant('package/echo.mjs');
  };
  const version = projectVersion();

  test.each([`^${version}`, '>=0.0.1', '0.1'])('%s is loaded', async (range) => {
    needing(range);
    expect((await load('channels: [{ module: ./package }]\n')).broken).toEqual([]);
  });

  test.each([
    ['^9.1', './package'],
    ['>=0.0.1 <0.1', './package/echo.mjs'],
    ['no range', './package'],
  ])('%s is refused on one line with both versions and the cure', async (range, module) => {
    needing(range);
    const { broken } = await load(`channels: [{ module: ${module} }]\n`);
    expect(broken.map(({ why }) => why)).toEqual([
      `parley-echo needs Parley ${range}, and this is Parley ${version}. Install a version of parley-echo for Parley ${version}, or a Parley in that range.`,
    ]);
  });
});

test('a module that never loads is given up after 5 s', async () => {
  writeFileSync(join(folder, 'never.mjs'), `${NEVER}\n// ${folder}`);
  const file = join(folder, 'parley.yaml');
  writeFileSync(file, 'channels: [{ module: ./never.mjs }]\n');
  const clock = createVirtualClock();
  const loading = loadOutside(readSettings({ environment: {}, file }), [], clock);
  await clock.pass(5_000);
  const { broken } = await loading;
  expect(broken).toEqual([{ module: './never.mjs', index: 0, why: 'It did not return within 5 s.' }]);
});

test('a channel whose announcement throws is announced with the error', async () => {
  const loaded = await load(one('    settings: { fails: announce }\n'));
  expect(announced(loaded).at(-1)?.line).toBe('on, but its function "announce" failed: the announce broke');
});
