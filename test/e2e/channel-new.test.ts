/** Tests `parley channel new`: the channel that it writes conforms, and faults planted in it are found. */

import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { conform } from '../../src/conform/run.ts';
import * as kit from '../../src/kit/argument.ts';
import type { Kit, OpenRig } from '../../src/kit/package.ts';
import { project } from '../fakes/outside/candidate.ts';
import { type Outcome, runHere } from '../fakes/run-here.ts';

const parley = process.cwd();
/** Maximum size of the template: small enough to read in one sitting. */
const FILES = 12;
const LINES = 900;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-new-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function make(name = 'team-room'): Promise<Outcome> {
  process.chdir(folder);
  try {
    return await runHere(['channel', 'new', name]);
  } finally {
    process.chdir(parley);
  }
}

/** Checks the channel `team-room`. */
async function check(options: Parameters<typeof conform>[1]) {
  const load = (name: string) => import(pathToFileURL(join(folder, 'team-room', name)).href);
  const { channel } = (await load('channel.js')) as { channel(given: Kit): kit.Channel };
  const { conform: openRig } = (await load('rig.js')) as { conform: OpenRig };
  return conform({ channel: channel(kit), openRig, kit, project }, options);
}

test('the channel conforms, and its own tests pass', async () => {
  const { code, out } = await make();
  expect(code).toBe(0);
  expect(out).toContain('The channel is in the folder team-room.');
  expect(out).toContain('conform team-room --rig team-room/rig.js');
  const report = await check({ seed: 3, runs: 5 });
  expect(
    report.checks.filter((each) => each.status !== 'pass').map(({ id, status: its }) => [id, its]),
  ).toEqual([
    ['faults.invalid', 'not-checked'],
    ['pacing.waiting', 'not-checked'],
  ]);
  expect(report.title).toBe('Team Room');
  const tests = globSync('team-room/test/*.test.js', { cwd: folder });
  expect(tests).toHaveLength(2);
  const ran = spawnSync(process.execPath, ['--test', '--test-isolation=none', ...tests], { cwd: folder });
  expect(ran.status).toBe(0);
});

test('the template is small, and no placeholder is left', async () => {
  await make();
  const paths = globSync('team-room/**/*', { cwd: folder, withFileTypes: true }).filter((each) =>
    each.isFile(),
  );
  const texts = paths.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  expect(texts.length).toBeGreaterThan(5);
  expect(texts.length).toBeLessThanOrEqual(FILES);
  expect(texts.join('').split('\n').length).toBeLessThanOrEqual(LINES);
  expect(texts.filter((text) => /__\w+__/.test(text))).toEqual([]);
  expect(texts.join('')).toContain('TEAM_ROOM_TOKEN: { setting:');
});

test.each([
  ['team_room', 'is not a name for a channel. Use 1 to 40 lower-case letters'],
  ['Team', 'is not a name for a channel'],
  ['../team', 'is not a name for a channel'],
  ['slack', 'Parley itself uses the name "slack". Choose another name.'],
  ['platform', 'Parley itself uses the name "platform"'],
  ['terminal', 'Parley itself uses the name "terminal"'],
])('the name %s is refused', async (name, words) => {
  const { code, err } = await make(name);
  expect(code).toBe(64);
  expect(err).toContain(words);
  expect(globSync('*', { cwd: folder })).toEqual([]);
});

test('an existing folder is refused and stays as it is', async () => {
  await make();
  const file = join(folder, 'team-room/channel.js');
  writeFileSync(file, '// my work');
  const { code, err } = await make();
  expect(code).toBe(64);
  expect(err).toContain('The folder "team-room" exists already. Choose another name, or delete the folder.');
  expect(readFileSync(file, 'utf8')).toBe('// my work');
});

/** Faults of a channel: the check that must find the fault, the file, the text there, and the text that replaces it. */
const planted: readonly (readonly [
  fault: string,
  foundBy: string,
  file: string,
  from: string,
  to: string,
])[] = [
  [
    'shows a live mention',
    'hostile.text',
    'writer.js',
    "replaceAll('@', '@\\u2060')",
    "replaceAll('@', '@')",
  ],
  ['shows a live mention in a button', 'hostile.members', 'writer.js', 'label: harmless(label)', 'label'],
  ['answers its own messages', 'intake.own-message', 'channel.js', "if (event.person.isApp) return '';", ''],
  [
    'takes an edit for a new question',
    'intake.edited',
    'channel.js',
    "if (event.type === 'edited') return { kind: 'edit', message };",
    '',
  ],
  [
    'names another message in a deletion',
    'intake.deleted',
    'channel.js',
    'message: message.id, by:',
    "message: 'another', by:",
  ],
  ['gives all presses the same id', 'actions.unique', 'channel.js', 'key: event.key }', "key: 'press' }"],
  [
    'takes each press for that of the same person',
    'actions.press',
    'channel.js',
    'person: async () => message.sender',
    "person: async () => ({ ...message.sender, id: 'ben' })",
  ],
  [
    'asks in another thread after a press',
    'actions.press',
    'channel.js',
    'sender: by, text,',
    "sender: by, text, thread: { ...message.thread, key: 'another' },",
  ],
  [
    'takes presses without the secret',
    'actions.forged',
    'channel.js',
    'if (!kit.isSameSecret(request.headers.authorization,',
    'if (url === undefined && !kit.isSameSecret(request.headers.authorization,',
  ],
  [
    'lets everybody press',
    'actions.refused',
    'channel.js',
    "channel: 'Team Room',\n    host,",
    "channel: 'Team Room',\n    host: { ...host, refusal: () => undefined },",
  ],
];

test.each(planted)('a channel that %s fails %s', async (_, foundBy, file, from, to) => {
  await make();
  const path = join(folder, 'team-room', file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  const report = await check({ seed: 3, runs: 5, only: [foundBy] });
  expect(report.checks.map(({ id, status }) => [id, status])).toEqual([[foundBy, 'fail']]);
});
