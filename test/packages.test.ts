/** What is installed in production: `npm ci --omit=dev --ignore-scripts`, as the image does it. */

import { execSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Packages of `npm ci --omit=dev --omit=optional`: each one more is one more to trust. */
const MOST = 200;
/** With botbuilder, which only a managed identity in Teams needs. */
const MOST_WITH_OPTIONAL = 290;

interface Locked {
  readonly dev?: true;
  readonly optional?: true;
  /** Also a dependency of a package for development. */
  readonly devOptional?: true;
  readonly hasInstallScript?: true;
  readonly integrity?: string;
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

function production(packages: Readonly<Record<string, Locked>>): readonly (readonly [string, Locked])[] {
  return Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev === undefined);
}

const installed = production(lock.packages);

test(`at most ${MOST} packages, ${MOST_WITH_OPTIONAL} with the optional ones`, () => {
  const needed = installed.filter(([, { optional, devOptional }]) => (optional ?? devOptional) === undefined);
  expect(needed.length).toBeGreaterThan(100);
  expect(needed.length).toBeLessThanOrEqual(MOST);
  expect(installed.length).toBeGreaterThan(needed.length);
  expect(installed.length).toBeLessThanOrEqual(MOST_WITH_OPTIONAL);
});

test('packages for development do not count', () => {
  const paths = production({ '': {}, 'node_modules/a': {}, 'node_modules/b': { dev: true } });
  expect(paths.map(([path]) => path)).toEqual(['node_modules/a']);
});

test('none needs its install script, so that none is run', () => {
  expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([]);
});

test('each is held to its content', () => {
  expect(installed.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([]);
});

interface Component {
  readonly purl: string;
  readonly properties?: readonly { readonly name: string }[];
}

test('the bill of materials that SECURITY.md tells how to print names them all', () => {
  const root = new URL('..', import.meta.url).pathname;
  const [command = ''] = /npm sbom [^`]+/.exec(readFileSync(`${root}SECURITY.md`, 'utf8')) ?? [];
  const printed = execSync(command, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  const { components } = JSON.parse(printed.toString()) as { components: readonly Component[] };
  const forDevelopment = ({ properties = [] }: Component) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development');
  const named = components
    .filter((component) => !forDevelopment(component))
    .map(({ purl }) => decodeURIComponent(purl.replace(/^pkg:npm\/|@[^@]*$/g, '')));
  const names = installed.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect([...new Set(named)].toSorted()).toEqual([...new Set(names)].toSorted());
});

test('the package that npm makes of a clone holds the built code and page', () => {
  const root = new URL('..', import.meta.url).pathname;
  rmSync(`${root}dist`, { recursive: true, force: true });
  const printed = execSync('npm pack --dry-run --json', { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
  const [packed] = JSON.parse(printed.toString()) as [
    { readonly files: readonly { readonly path: string }[] },
  ];
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'dist/src/main.js',
      'dist/adapters/console/page/dist/index.html',
      'bin/parley.js',
    ]),
  );
});

test('each base image is held to its content', () => {
  const dockerfile = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
  const [, image = ''] = /^ARG NODE_IMAGE=(.*)$/m.exec(dockerfile) ?? [];
  expect(image).toMatch(/^node:24\.\d+\.\d+-\S+@sha256:[0-9a-f]{64}$/);
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(new Set(bases.map((base) => base?.replace(/\W/g, '')))).toEqual(new Set(['NODE_IMAGE', 'scratch']));
});
