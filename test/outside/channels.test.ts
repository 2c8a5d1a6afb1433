/**
 * Checks channels that are written as anybody's would be, with the published kit alone: IRC on ngircd, which keeps what
 * it showed, and Telegram over a stand-in for its Bot API, which edits and splits messages and has buttons.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/conform/report.ts';

const root = new URL('../../', import.meta.url).pathname;
const hasServer = spawnSync('ngircd', ['--version']).status === 0;

/** Maximum lines of code of the Telegram channel. */
const LINES = 120;

function conform(name: string): Report {
  const folder = `test/outside/${name}`;
  const args = ['bin/parley.js', 'conform', folder, '--rig', `${folder}/rig.js`, '--runs', '5', '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    timeout: 170_000,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const idsOf = ({ checks }: Report, status: string) =>
  checks.filter((each) => each.status === status).map(({ id }) => id);

describe.each(['irc', 'telegram'])('the channel %s', (name) => {
  test('imports nothing but modules of Node, and gets everything else from the kit', () => {
    const code = readFileSync(`${root}test/outside/${name}/channel.js`, 'utf8');
    expect(
      [...code.matchAll(/^import .* from '([^']*)'/gm)].filter(([, from]) => !from?.startsWith('node:')),
    ).toEqual([]);
  });
});

test.skipIf(!hasServer)(
  'IRC conforms on ngircd (skipped if ngircd is missing)',
  () => {
    const report = conform('irc');
    expect(idsOf(report, 'fail')).toEqual([]);
    expect(idsOf(report, 'pass')).toEqual(
      expect.arrayContaining(['takeover.crash', 'content.late-sources', 'actions.press']),
    );
  },
  180_000,
);

test('Telegram conforms, with splitting and buttons, in few lines', () => {
  const report = conform('telegram');
  expect(idsOf(report, 'fail')).toEqual([]);
  expect(idsOf(report, 'not-checked')).toEqual(['intake.deleted', 'pacing.waiting']);
  const code = readFileSync(`${root}test/outside/telegram/channel.js`, 'utf8');
  const lines = code.split('\n').filter((line) => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line));
  expect(lines.length).toBeLessThanOrEqual(LINES);
}, 180_000);
