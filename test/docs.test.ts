/**
 * Checks the documentation against the code: error codes, links, commands. (Settings: test/unit/config/docs.test.ts.)
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { channels } from '../adapters/registry.ts';
import { type RunningSandbox, startSandbox } from '../sandbox/index.ts';
import { variables } from '../src/config/environment.ts';
import { catalogue } from '../src/errors.ts';
import { commands, headings, ownLinks, type Page, raggedRows, readPages } from './docs/pages.ts';
import { citedIn, citingFiles, outsideReferences, pathsIn, referencePages, statedIn } from './docs/rules.ts';
import { type DataFolder, makeDataFolder } from './e2e/house/running-parley.ts';

const root = new URL('..', import.meta.url).pathname;
const pages = readPages();
const page = (path: string): Page => pages.find((each) => each.path === path) ?? { path, text: '' };

describe('errors', () => {
  const { text } = page('docs/errors.md');

  test('every code has a section, and every section a code', () => {
    expect(headings(text, 3).toSorted()).toEqual(Object.keys(catalogue).toSorted());
  });

  test.each(Object.entries(catalogue))('%s: the page quotes the sentences of the code', (code, entry) => {
    const section = text.split(`### ${code}\n`)[1]?.split(/^#{2,3} /m)[0] ?? '';
    expect(section).toContain(`**What people read:** ${entry.tellUser}`);
    if ('midway' in entry) {
      expect(section).toContain(
        `**After part of an answer, people read:** The answer was interrupted because ${entry.midway}.`,
      );
    }
    expect(section).toMatch(/\*\*What to do:\*\* \S/);
  });
});

test('links between the pages work', () => {
  const broken = pages.flatMap(({ path, text }) =>
    ownLinks(text)
      .filter((to) => !existsSync(join(root, dirname(path), to)))
      .map((to) => `${path}: ${to}`),
  );
  expect(broken).toEqual([]);
});

test('files that the pages name exist', () => {
  const current = pages.filter(({ path }) => path !== 'CHANGELOG.md');
  const missing = current.flatMap(({ path, text }) =>
    pathsIn(text)
      .filter((named) => globSync(named, { cwd: root }).length === 0)
      .map((named) => `${path}: ${named}`),
  );
  expect(missing).toEqual([]);
});

test('every row of a table has as many cells as its head', () => {
  const ragged = pages.flatMap(({ path, text }) => raggedRows(text).map((row) => `${path}: ${row}`));
  expect(ragged).toEqual([]);
});

test('a ragged row is found', () => {
  const table = '| a | b |\n|---|---|\n| 1 | 2 |\n| `x\\|y` | `p|q` | 3 |\n';
  expect(raggedRows(table)).toEqual(['| `x\\|y` | `p|q` | 3 |']);
});

test('a broken link is found', () => {
  expect(ownLinks('See [this](nowhere.md#there) and [that](https://example.org).')).toEqual(['nowhere.md']);
});

describe('rules', () => {
  const files = citingFiles();
  const reference = referencePages();
  const stated = reference.flatMap((each) => statedIn(each.text));

  test('that are cited are stated in docs/reference', () => {
    const unknown = [...files, ...reference].flatMap(({ path, text }) =>
      [...citedIn(text)].filter((code) => !stated.includes(code)).map((code) => `${path}: ${code}`),
    );
    expect(unknown).toEqual([]);
  });

  test('that are stated are stated once, and cited by code, tests or pages', () => {
    const cited = new Set(files.flatMap(({ text }) => [...citedIn(text)]));
    expect(stated.filter((code, index) => stated.indexOf(code) !== index)).toEqual([]);
    expect(stated.filter((code) => !cited.has(code) && !code.startsWith('Delivery contract'))).toEqual([]);
  });

  test('of attacks name tests that cite them', () => {
    const rows = page('docs/reference/attacks.md')
      .text.split('\n')
      .filter((line) => /^\| S\d\d /.test(line));
    const silent = rows.flatMap((row) =>
      pathsIn(row)
        .filter((path) => !citedIn(readFileSync(join(root, path), 'utf8')).has(row.slice(2, 5)))
        .map((path) => `${row.slice(2, 5)}: ${path}`),
    );
    expect(rows.length).toBeGreaterThan(20);
    expect(silent).toEqual([]);
  });

  test('are not looked up outside the repository', () => {
    const outside = [...files, ...reference].flatMap(({ path, text }) =>
      outsideReferences(text).map((name) => `${path}: ${name}`),
    );
    expect(outside).toEqual([]);
  });
});

test.each([
  ['--help', 0, 'stdout'],
  ['--nonsense', 64, 'stderr'],
] as const)('npm run bench -- %s prints help', (option, code, stream) => {
  const bench = spawnSync(process.execPath, ['test/bench/run.ts', option], { cwd: root, encoding: 'utf8' });
  expect(bench[stream]).toContain('Usage: npm run bench -- [NAME ...] [--full] [--turns N] [--json]');
  expect(bench.stderr).not.toContain('    at ');
  expect(bench.status).toBe(code);
});

describe('commands that the pages show', () => {
  let data: DataFolder;
  let sandbox: RunningSandbox;
  beforeAll(async () => {
    data = await makeDataFolder();
    sandbox = await startSandbox({ port: 0, memory: true, options: { paceMs: 0 } });
    await sandbox.indexed;
  });
  afterAll(async () => {
    await sandbox.close();
    await data.remove();
  });

  const prefix = 'npm run -s parley -- ';
  const shown = ['README.md', 'docs/getting-started.md'].flatMap((path) => commands(page(path).text));
  const runnable = [...new Set(shown.filter((line) => line.startsWith(prefix)))];

  test('are those that a new user types', () => {
    expect(runnable.length).toBeGreaterThan(3);
    const others = shown.filter((line) => !line.startsWith(prefix));
    expect([...new Set(others)].toSorted()).toEqual(['npm start', 'npm test']);
  });

  test.each(runnable)('%s', async (line) => {
    const { code, output } = await runShell(line, data, { PARLEY_SANDBOX_PORT: String(sandbox.port) });
    expect(output.trim()).not.toBe('');
    expect({ code, line }).toEqual({ code: 0, line });
  });
});

describe('commands of the page on Teams', () => {
  const lines = commands(page('docs/teams.md').text);
  const exported = lines.flatMap((line) => {
    const [, name = '', value = ''] = /^export (\w+)=(\S+)$/.exec(line) ?? [];
    return name === '' ? [] : [[name, value] as const];
  });
  const file = join(root, 'parley-teams.zip');
  let data: DataFolder;
  beforeAll(async () => {
    data = await makeDataFolder();
  });
  afterAll(async () => {
    await data.remove();
    rmSync(file, { force: true });
  });

  test('name every variable that they need', () => {
    const names = exported.map(([name]) => name);
    expect(names).toContain('MICROSOFT_APP_ID');
    expect(names.filter((name) => !variables(channels).some((each) => each.name === name))).toEqual([]);
  });

  // The live check needs a real organization.
  const runnable = lines.filter((line) => /^npm run -s parley -- (?!.*--live)/.test(line));

  test.each(runnable)('%s', async (line) => {
    const { code, output } = await runShell(line, data, Object.fromEntries(exported));
    expect({ code, line }, output).toEqual({ code: 0, line });
    expect(existsSync(file)).toBe(true);
  });

  test('the other commands belong to the tunnel and the Playground', () => {
    const others = lines.filter((line) => !/^(export|npm) /.test(line));
    const playground = others.filter((line) => !line.startsWith('devtunnel '));
    expect(playground.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'npx node',
      'PARLEY_CONFIG=playground.yaml MICROSOFT_APP_ID=6f0f5c6a-7a31-4c0e-9d0e-3a1c5b1f7e01',
      'npx @microsoft/m365agentsplayground',
    ]);
    const [script = ''] = playground;
    expect(existsSync(join(root, script.replace('npx node ', '')))).toBe(true);
  });
});

function runShell(
  line: string,
  data: DataFolder,
  more: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, PARLEY_DATA: data.path, PARLEY_SANDBOX_PORT: '0', PORT: '0', ...more };
  const child = spawn(line, { shell: true, cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}
