/** Checks the rules of test/architecture/rules.ts, and that each check can fail. */

import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { channels, packages } from '../adapters/registry.ts';
import { codeLines } from '../tools/count.ts';
import { rooms } from './architecture/rooms.ts';
import {
  channelNames,
  cycles,
  fileSizes,
  folderCycles,
  folderOrder,
  functionSizes,
  importTable,
  lightRegistry,
  oneKit,
  plainLanguage,
  type Rule,
  reservations,
  tableIsSound,
} from './architecture/rules.ts';
import { type Parsed, parseSource } from './architecture/source.ts';

const root = new URL('..', import.meta.url).pathname;

const house = globSync('{src,adapters,channels,sandbox}/**/*.{ts,tsx}', {
  cwd: root,
  exclude: ['**/dist/**', '**/node_modules/**'],
})
  .map((path) => path.split(sep).join('/'))
  .map((path) => parseSource({ path, text: readFileSync(`${root}${path}`, 'utf8') }));

const unnamed = channelNames([...channels, ...packages].map(({ name }) => name));

const rules: Readonly<Record<string, Rule>> = {
  importTable,
  cycles,
  folderCycles,
  folderOrder,
  fileSizes,
  functionSizes,
  plainLanguage,
  reservations,
  tableIsSound,
  unnamed,
  lightRegistry,
  oneKit,
};

test('all source files were read', () => expect(house.length).toBeGreaterThan(100));

test.each(Object.entries(rules))('%s holds', (_, rule) => expect(rule(house)).toEqual([]));

/** Returns the packages that a file loads when it runs. */
const packagesOf = ({ imports }: Parsed): readonly string[] =>
  imports
    .filter(({ when }) => when !== 'type')
    .map(({ specifier }) => specifier)
    .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
    .map((specifier) =>
      specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/'),
    );

test.each([
  ['', /^(?!adapters\/console\/page\/|channels\/)/],
  ...packages.map(({ folder }) => [`${folder}/`, new RegExp(`^${folder}/(?!test/)`)] as const),
] as const)('code that runs needs only packages that are installed with it: %s', (folder, own) => {
  const manifest = JSON.parse(readFileSync(`${root}${folder}package.json`, 'utf8'));
  const { dependencies, optionalDependencies, peerDependencies } = manifest as Record<string, object>;
  const needed = house.filter(({ path }) => own.test(path)).flatMap(packagesOf);
  expect(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })).toEqual(
    expect.arrayContaining([...new Set(needed)]),
  );
});

test('the documentation names the core’s rooms and imports as they are', () => {
  const page = readFileSync(`${root}docs/architecture.md`, 'utf8');
  const told = [...page.matchAll(/^\| `([\w-]+)` \|[^|]*\|([^|]*)\|$/gm)].map(([, name, others = '']) => ({
    name: `core/${name}`,
    mayImport: (others.match(/[\w-]+/g) ?? []).map((other) => `core/${other}`).toSorted(),
  }));
  const built = rooms.filter(({ name }) => name.startsWith('core/'));
  const among = ({ name, mayImport }: (typeof built)[number]) => ({
    name,
    mayImport: mayImport.filter((each) => each.startsWith('core/')).toSorted(),
  });
  expect(told).toEqual(built.map(among));
});

const lines = (count: number) => 'x;\n'.repeat(count);
const planted: readonly {
  rule: Rule;
  path: string;
  text: string;
  others?: Readonly<Record<string, string>>;
}[] = [
  { rule: importTable, path: 'src/core/a.ts', text: "import { x } from 'node:fs';" },
  { rule: importTable, path: 'src/core/a.ts', text: "import type { X } from '../store/index.ts';" },
  { rule: importTable, path: 'src/core/a.ts', text: "const x = await import('zod');" },
  { rule: importTable, path: 'src/core/a.ts', text: "type X = import('../web/server.ts').X;" },
  { rule: importTable, path: 'src/core/a.ts', text: "import type { Turns } from './turns/worker.ts';" },
  {
    rule: importTable,
    path: 'src/core/agents/a.ts',
    text: "import type { Inbox } from '../stores/inbox.ts';",
  },
  { rule: importTable, path: 'src/core/attic/a.ts', text: 'x;' },
  { rule: importTable, path: 'src/store/a.ts', text: "import { x } from '../core/turns/worker.ts';" },
  { rule: importTable, path: 'sandbox/a.ts', text: "import { x } from '../src/core/ids.ts';" },
  { rule: importTable, path: 'src/bridge.ts', text: "import { x } from '../sandbox/index.ts';" },
  { rule: importTable, path: 'src/cli/a.ts', text: "import { x } from '../../sandbox/fixtures.ts';" },
  { rule: importTable, path: 'adapters/console/a.ts', text: "import { x } from '../terminal/index.ts';" },
  { rule: importTable, path: 'adapters/console/a.ts', text: "export { x } from '../../src/core/ids.ts';" },
  { rule: importTable, path: 'adapters/registry.ts', text: "import { x } from './terminal/index.ts';" },
  { rule: unnamed, path: 'src/cli/a.ts', text: "const x = await import('../../adapters/registry.ts');" },
  { rule: unnamed, path: 'src/cli/a.ts', text: "import type { X } from '../../adapters/slack/config.ts';" },
  { rule: unnamed, path: 'src/core/a.ts', text: "thread.channel === 'teams';" },
  { rule: unnamed, path: 'src/core/a.ts', text: "const place = 'console.token';" },
  { rule: unnamed, path: 'src/core/a.ts', text: 'log.info(`Slack`);' },
  { rule: unnamed, path: 'src/cli/a.ts', text: 'config.slack;' },
  { rule: unnamed, path: 'src/config/a.ts', text: 'const { teams } = config;' },
  { rule: unnamed, path: 'src/config/a.ts', text: 'interface A { console: string }' },
  {
    rule: lightRegistry,
    path: 'adapters/registry.ts',
    text: "import { slack } from './slack/channel.ts';",
    others: { 'adapters/slack/channel.ts': "import { App } from '@slack/bolt';" },
  },
  { rule: importTable, path: 'src/attic/a.ts', text: 'x;' },
  { rule: oneKit, path: 'adapters/slack/a.ts', text: "import { text } from '../../src/kit/json.ts';" },
  { rule: oneKit, path: 'adapters/slack/a.ts', text: "import type { Secret } from '../../src/secret.ts';" },
  { rule: oneKit, path: 'channels/xmpp/a.ts', text: "import { z } from '../../src/kit.ts';" },
  { rule: oneKit, path: 'channels/xmpp/a.ts', text: "import type { Rig } from 'parley/testing';" },
  { rule: oneKit, path: 'channels/xmpp/a/b.ts', text: "import { x } from '../../slack/a.ts';" },
  {
    rule: oneKit,
    path: 'channels/xmpp/test/a.ts',
    text: "import { x } from '../../../test/fakes/quiet.ts';",
  },
  { rule: unnamed, path: 'src/cli/a.ts', text: "const name = 'xmpp';" },
  {
    rule: cycles,
    path: 'src/core/a.ts',
    text: "import type { B } from './b.ts';",
    others: { 'src/core/b.ts': "import type { A } from './a.ts';" },
  },
  {
    rule: folderCycles,
    path: 'sandbox/store/a.ts',
    text: "import type { B } from '../http/b.ts';",
    others: {
      'sandbox/http/b.ts': "import { o } from '../options.ts';",
      'sandbox/options.ts': "import type { C } from './store/c.ts';",
      'sandbox/store/c.ts': 'export interface C {}',
    },
  },
  {
    rule: folderOrder,
    path: 'adapters/slack/api/a.ts',
    text: "import type { B } from '../receive/b.ts';",
    others: { 'adapters/slack/receive/b.ts': 'export interface B {}' },
  },
  { rule: folderOrder, path: 'adapters/slack/unnamed/a.ts', text: '' },
  { rule: fileSizes, path: 'src/core/a.ts', text: lines(301) },
  { rule: functionSizes, path: 'src/core/a.ts', text: `function f() {\n${lines(60)}}` },
  { rule: functionSizes, path: 'src/core/a.ts', text: 'const f = (a, b, c, d, e) => a;' },
  { rule: plainLanguage, path: 'src/core/a.ts', text: 'export default 1;' },
  { rule: plainLanguage, path: 'src/core/a.ts', text: 'enum A { B }' },
  { rule: plainLanguage, path: 'src/core/a.ts', text: 'let a: any;' },
  { rule: plainLanguage, path: 'src/core/a.ts', text: 'a!.b;' },
  { rule: reservations, path: 'src/core/a.ts', text: 'Date.now();' },
  { rule: reservations, path: 'src/core/a.ts', text: 'setTimeout(f, 1);' },
  { rule: reservations, path: 'src/core/a.ts', text: 'AbortSignal.timeout(1);' },
  { rule: reservations, path: 'src/core/a.ts', text: 'console.log(1);' },
  { rule: reservations, path: 'src/core/a.ts', text: 'process.env.X;' },
  { rule: reservations, path: 'src/platform/a.ts', text: "import { request } from 'undici';" },
  { rule: reservations, path: 'src/core/a.ts', text: "import { DatabaseSync } from 'node:sqlite';" },
  { rule: tableIsSound, path: 'src/core/a.ts', text: 'x;' },
];

describe('each rule finds a planted breach', () => {
  test.each(planted)('$path: $text', ({ rule, path, text, others = {} }) => {
    const files = [[path, text] as const, ...Object.entries(others)];
    expect(rule(files.map(([place, source]) => parseSource({ path: place, text: source })))).not.toEqual([]);
  });
});

test('blank lines and comments are not counted as code', () => {
  expect(
    codeLines('/** One line. */\n/**\n * Three lines.\n */\n\n// Another.\nconst a = 1; // Code.\na;\n'),
  ).toBe(2);
});
