/**
 * Tests the documentation site: the sidebar has every page, every link works, and no resource comes from another host.
 */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { chapters, fragmentOf, linkFrom, pages } from '../../docs/site/sidebar.ts';
import { deadLinks, foreignLoads, readSite, type Site } from './built-site.ts';
import { readPages } from './pages.ts';

const folder = new URL('../../docs/site/', import.meta.url).pathname;
/**
 * Maximum milliseconds to install the site generator's packages. After that, the tests of the built site are skipped.
 */
const INSTALL_MS = 90_000;
/**
 * Maximum milliseconds of the build. It takes 14 s; the bound is far higher, so that no test fails on a busy machine.
 */
const BUILD_MS = 900_000;

test('the sidebar names every page once, and only pages that exist', () => {
  const written = readPages()
    .map(({ path }) => path)
    .filter((path) => path !== 'README.md');
  expect(pages.map(({ path }) => path).toSorted()).toEqual(written.toSorted());
});

test('no two entries of a chapter have the same title', () => {
  const doubles = chapters.filter(
    ({ pages: listed }) => new Set(listed.map(({ title }) => title)).size < listed.length,
  );
  expect(doubles).toEqual([]);
});

test.each([
  ['docs/slack.md', 'operating.md#backup', '/operating.md#backup'],
  ['docs/reference/proven.md', '../teams.md', '/teams.md'],
  ['SECURITY.md', 'docs/platform/README.md', '/platform/index.md'],
  ['docs/slack.md', 'https://example.org/a.md', 'https://example.org/a.md'],
  ['docs/slack.md', '#what-is-kept', '#what-is-kept'],
])('%s links to %s', (path, to, address) => expect(linkFrom(path, to)).toBe(address));

test('pictures take less than 1 MB', () => {
  const folder = new URL('../../docs/pictures/', import.meta.url).pathname;
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(1024 * 1024);
});

test('fragments are those of code hosts', () => {
  expect(fragmentOf('When `parley.sqlite` is lost')).toBe('when-parleysqlite-is-lost');
  expect(fragmentOf('3. Sources')).toBe('3-sources');
});

test('a dead link and a foreign stylesheet are found', () => {
  const site: Site = new Map([
    [
      'index.html',
      '<a class="x" href="/a.html#there">a</a><a href="b/">b</a><a href="https://example.org">c</a>',
    ],
    ['a.html', '<h2 id="here"></h2><a href="./index.html">home</a><img src="https://example.org/i.png">'],
    ['style.css', '@font-face { src: url(//example.org/f.woff2) }'],
  ]);
  expect(deadLinks(site)).toEqual(['index.html: /a.html#there', 'index.html: b/']);
  expect(foreignLoads(site)).toEqual([
    'a.html: https://example.org/i.png',
    'style.css: //example.org/f.woff2',
  ]);
});

test('the lock file of the generator contains all its dependencies', async () => {
  const { code, output } = await run('npm', ['ci', '--dry-run', '--offline', '--ignore-scripts']);
  expect(code, output).toBe(0);
});

const missing = await installed();
if (missing !== undefined) process.stdout.write(`Skipped "the built site": ${missing}\n`);

describe.skipIf(missing !== undefined)('the built site', async () => {
  const out = mkdtempSync(join(tmpdir(), 'parley-site-'));
  afterAll(() => rmSync(out, { recursive: true, force: true }));
  let site: Site = new Map();

  test(
    'is built without warnings',
    async () => {
      const vitepress = 'node_modules/vitepress/bin/vitepress.js';
      const { code, output } = await run(process.execPath, [vitepress, 'build', '--outDir', out]);
      expect(code, output).toBe(0);
      site = readSite(out);
    },
    BUILD_MS,
  );

  test('has every page', () => {
    expect([...site.keys()].filter((path) => path.endsWith('.html'))).toHaveLength(pages.length + 1);
  });

  test('has no dead link', () => expect(deadLinks(site)).toEqual([]));

  test('loads nothing from another host', () => expect(foreignLoads(site)).toEqual([]));

  test('shows its drawings', () => {
    const drawings = [
      ...(site.get('how-it-works.html')?.matchAll(/<figure class="drawing">[\s\S]*?<\/figure>/g) ?? []),
    ];
    expect(drawings).toHaveLength(1);
    // If a drawing contained a `<style>`, the built HTML would keep this element, but the page's script would drop it.
    // Because of this difference, the script would show the drawing without its last node.
    expect(drawings.join('')).not.toContain('<style');
  });
});

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Installs the site generator if it is missing. Resolves with the reason if that fails. */
async function installed(): Promise<string | undefined> {
  // npm writes this file last, so it shows that an earlier installation was complete.
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return undefined;
  const { code, output } = await run(
    'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries=0'],
    INSTALL_MS,
  );
  if (code === 0) return undefined;
  const why = /npm error code (\S+)/.exec(output)?.[1] ?? `no end within ${INSTALL_MS / 1_000} s`;
  return `the generator could not be installed (${why}).`;
}

function run(command: string, args: readonly string[], timeout?: number): Promise<Ended> {
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}
