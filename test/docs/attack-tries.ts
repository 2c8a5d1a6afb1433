/**
 * Counts the tests of each attack, for the table at the end of docs/reference/attacks.md. `node
 * test/docs/attack-tries.ts` writes the table.
 */

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { citedIn } from './rules.ts';

const root = join(import.meta.dirname, '../..');
export const ATTACKS = join(root, 'docs/reference/attacks.md');
const COLUMNS = ['Slack', 'Teams', 'XMPP', 'console', 'terminal', 'shared code'] as const;
const HEAD = `| attack | ${COLUMNS.join(' | ')} | successes |`;

interface ListedTest {
  /** Names of the groups and of the test, outermost first, separated by ` > `. */
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
}

/** Returns the codes of the attacks, in the order of the page. */
const codesIn = (page: string): readonly string[] =>
  [...page.matchAll(/^\| (S\d\d) \|/gm)].map(([, code = '']) => code);

/** Returns the files of tests that the page names. */
const filesIn = (page: string): readonly string[] => [
  ...new Set(
    [...page.matchAll(/`((?:channels\/\w+\/)?test\/[^`]+\.test\.ts)`/g)].map(([, file = '']) => file),
  ),
];

/** Returns the tests of the files, with one test for each row of a `test.each`. Runs none of them. */
function listTests(files: readonly string[]): readonly ListedTest[] {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { VITEST: _inside, ...env } = process.env;
  const options = { cwd: root, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  // One worker without isolation loads each module once. The option --json must be last: it takes a path after it.
  const once = ['--no-isolate', '--max-workers=1'];
  const args = [vitest, 'list', ...files, '--no-static-parse', ...once, '--json'];
  const { stdout, stderr } = spawnSync(process.execPath, args, options);
  const start = stdout.indexOf('[');
  if (start < 0) throw new Error(`vitest listed no tests: ${stdout}${stderr}`);
  return JSON.parse(stdout.slice(start)) as readonly ListedTest[];
}

/** Returns the channel that the test attacks. The name of the test decides; if it names no channel, the path does. */
function columnOf({ name, file }: ListedTest): (typeof COLUMNS)[number] {
  const path = file.slice(root.length);
  const channels = [
    ['Slack', /\bin Slack\b/, /slack/],
    ['Teams', /\bin Teams\b/, /teams/],
    ['XMPP', /\bin XMPP\b/, /xmpp/],
    ['console', /\bin the console\b/, /\/console|\/page\//],
    ['terminal', /\bin the terminal\b/, /\/cli\//],
  ] as const;
  const [column = 'shared code'] =
    channels.find(([, named]) => named.test(name)) ??
    channels.find(([, , within]) => within.test(path)) ??
    [];
  return column;
}

/** Returns the table: for each attack, the tests of each channel whose names cite the attack. */
function tableOf(codes: readonly string[], tests: readonly ListedTest[]): string {
  const cited = tests.map((each) => ({ codes: citedIn(each.name), column: columnOf(each) }));
  const rows = codes.map((code) => {
    const counts = COLUMNS.map(
      (column) => cited.filter((each) => each.column === column && each.codes.has(code)).length,
    );
    return `| attack ${code} | ${counts.map((count) => count || '–').join(' | ')} | 0 |`;
  });
  return [HEAD, `| --- |${' --- |'.repeat(COLUMNS.length + 1)}`, ...rows].join('\n');
}

/** Returns the page with a new table, which is counted from the names of the tests. */
export function withTries(page: string): string {
  const codes = codesIn(page);
  const table = tableOf(codes, listTests(filesIn(page)));
  return page.replace(/^\| attack \| Slack [\s\S]*?(?:\n(?!\|)|(?![\s\S]))/m, `${table}\n`);
}

/** Returns the numbers of tries in the page's table, by attack and column. */
export function triesIn(page: string): ReadonlyMap<string, readonly number[]> {
  const rows = [...page.matchAll(/^\| (attack S\d\d) \| (.+) \| \d+ \|$/gm)];
  const numbersOf = (cells: string) => cells.split(' | ').map((cell) => (cell === '–' ? 0 : Number(cell)));
  return new Map(rows.map(([, attack = '', cells = '']) => [attack, numbersOf(cells)]));
}

if (import.meta.main) writeFileSync(ATTACKS, withTries(readFileSync(ATTACKS, 'utf8')));
