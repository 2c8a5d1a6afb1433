/**
 * Prints the number of code lines and files in each room: `npm run count -- [COMMIT]`. With a commit, also prints the
 * difference from that commit. Without one, also writes the table of docs/architecture.md. Counts TypeScript and
 * JavaScript in src, adapters, sandbox and bin, without blank lines and comments. Lists the packages in channels apart,
 * because they are not part of the product, and then all tests, which are not in the table.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const PLACES = ['src', 'adapters', 'sandbox', 'bin', 'channels', 'test', 'templates'];
/** Matches the rooms that are not part of the product. */
const APART = /^channels\//;
/** Matches the paths and the rooms of tests. A package's and a template's tests are in their folders. */
const TESTS = /^test\b|^(channels|templates)\/[^/]+\/test\b/;
/** Matches what is counted nowhere: a template's files that are no tests. */
const UNCOUNTED = /^templates\/[^/]+\/(?!test\/)/;
/** The page with the table, and the place of the table in it. */
const PAGE = 'docs/architecture.md';
const TABLE = /<!-- count -->[\s\S]*<!-- \/count -->/;
const CODE = /\.(ts|tsx|js)$/;
/** Maximum bytes of source code that git may print for a commit. */
const MOST_BYTES = 64 * 1024 * 1024;

interface Size {
  readonly files: number;
  readonly lines: number;
}

export function codeLines(text: string): number {
  let inComment = false;
  let lines = 0;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (inComment) inComment = !line.includes('*/');
    else if (line.startsWith('/*')) inComment = !line.includes('*/');
    else if (line !== '' && !line.startsWith('//')) lines += 1;
  }
  return lines;
}

/**
 * Returns the room of a file: `sandbox`, or the first two folders. A file directly in `src` or `adapters` belongs to
 * the room of that name.
 */
function roomOf(path: string): string {
  if (path.startsWith('sandbox/')) return 'sandbox';
  if (!path.startsWith('test/') && TESTS.test(path)) return path.split('/').slice(0, 3).join('/');
  return path.split('/').slice(0, -1).slice(0, 2).join('/');
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: MOST_BYTES });
}

function measure(commit: string | undefined): Map<string, Size> {
  const listed =
    commit === undefined
      ? ['ls-files', '-co', '--exclude-standard']
      : ['ls-tree', '-r', '--name-only', commit];
  const paths = git(...listed, '--', ...PLACES)
    .split('\n')
    .filter((path) => CODE.test(path) && !UNCOUNTED.test(path))
    // git lists a deleted file until the deletion is staged.
    .filter((path) => commit !== undefined || existsSync(path));
  const rooms = new Map<string, Size>();
  for (const path of paths) {
    const text = commit === undefined ? readFileSync(path, 'utf8') : git('show', `${commit}:${path}`);
    const { files, lines } = rooms.get(roomOf(path)) ?? { files: 0, lines: 0 };
    rooms.set(roomOf(path), { files: files + 1, lines: lines + codeLines(text) });
  }
  return rooms;
}

/** Returns the rooms of the product, their sum, and the packages. */
function ordered(rooms: ReadonlyMap<string, Size>): ReadonlyMap<string, Size> {
  const all = [...rooms].filter(([room]) => !TESTS.test(room)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const product = new Map(all.filter(([room]) => !APART.test(room)));
  const packages = all.filter(([room]) => APART.test(room));
  return new Map([...product, ['all', sum(product)], ...packages]);
}

/** Returns the rooms of the tests, and their sum. */
function tests(rooms: ReadonlyMap<string, Size>): ReadonlyMap<string, Size> {
  const all = [...rooms].filter(([room]) => TESTS.test(room)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new Map([...all, ['all tests', sum(new Map(all))]]);
}

const sum = (rooms: ReadonlyMap<string, Size>): Size =>
  [...rooms.values()].reduce((all, one) => ({ files: all.files + one.files, lines: all.lines + one.lines }), {
    files: 0,
    lines: 0,
  });

function print(now: ReadonlyMap<string, Size>, before: ReadonlyMap<string, Size>): void {
  const none: Size = { files: 0, lines: 0 };
  const whole = (rooms: ReadonlyMap<string, Size>) => new Map([...ordered(rooms), ...tests(rooms)]);
  const [after, earlier] = [whole(now), whole(before)];
  const gone = [...before.keys()].filter((room) => !now.has(room)).map((room) => [room, none] as const);
  for (const [room, is] of [...gone, ...after]) {
    const was = earlier.get(room) ?? none;
    const change =
      before.size === 0
        ? ''
        : `  ${signed(is.files - was.files)} files ${signed(is.lines - was.lines)} lines`;
    process.stdout.write(
      `${room.padEnd(24)} ${String(is.files).padStart(5)} files ${String(is.lines).padStart(7)} lines${change}\n`,
    );
  }
}

const signed = (count: number): string => `${count > 0 ? '+' : ''}${count}`.padStart(6);

function writeTable(now: ReadonlyMap<string, Size>): void {
  const rows = [...ordered(now)].map(
    ([room, { files, lines }]) => `| ${room} | ${files} | ${lines.toLocaleString('en')} |`,
  );
  const table = ['| folder | files | lines of code |', '| --- | ---: | ---: |', ...rows].join('\n');
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(PAGE, page.replace(TABLE, `<!-- count -->\n\n${table}\n\n<!-- /count -->`));
}

if (import.meta.main) {
  const [commit] = process.argv.slice(2);
  const now = measure(undefined);
  print(now, commit === undefined ? new Map() : measure(commit));
  if (commit === undefined) writeTable(now);
}
