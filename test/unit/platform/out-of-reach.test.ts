/**
 * Tests CHK-23 and attack S24: code that handles chat cannot call operations that cannot be undone. Only operators
 * can. The exception `src/platform/library-adding.ts` is not checked: it may delete a file that the bridge itself
 * uploaded.
 */

import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { operations } from '../../../src/platform/api.ts';

const root = new URL('../../../', import.meta.url).pathname;
/** All code that handles messages from chat. */
const CHAT = [
  'src/core/**/*.ts',
  'src/bridge.ts',
  'src/bridge/**/*.ts',
  'src/web/**/*.ts',
  'src/kit.ts',
  'src/platform/gateways/**/*.ts',
  'src/platform/library.ts',
  'src/platform/media/**/*.ts',
  'adapters/**/*.{ts,tsx}',
];

/**
 * Files for which `reaches` may return `client`. `bridge/library.ts` only passes the platform client to
 * `createLibrary`; `platform/library.ts` imports from `tasks/` only the search for knowledge workspaces.
 */
const MAY_REACH = ['src/bridge/library.ts', 'src/platform/library.ts'];

const destroying = operations.filter(({ destroys }) => destroys).map(({ id }) => id);
const files = globSync(CHAT, { cwd: root }).filter((path) => !path.includes('/dist/'));

/** Returns the irreversible operations that a source names, and `client` if it uses the client that could call them. */
function reaches(source: string): readonly string[] {
  const client = /\bplatform\.client\(|\bcreateClient\b|\btasks\//.test(source) ? ['client'] : [];
  return [...client, ...destroying.filter((id) => new RegExp(`\\b${id}\\b`).test(source))];
}

it('CHK-23, S24: the operations that cannot be undone are marked', () => {
  expect(destroying.toSorted()).toEqual([
    'deleteFile',
    'deleteOrgs',
    'deleteTypes',
    'deleteUsers',
    'deleteWorkspaces',
    'unlinkOrgUsers',
  ]);
});

it('CHK-23, S24: no code between chat and the platform names them', () => {
  expect(files.length).toBeGreaterThan(100);
  const found = files.map((path) => ({ path, reaches: reaches(readFileSync(root + path, 'utf8')) }));
  const beyond = ({ path, reaches: names }: (typeof found)[number]) =>
    names.filter((name) => !(name === 'client' && MAY_REACH.includes(path)));
  expect(found.filter((file) => beyond(file).length > 0)).toEqual([]);
});

it('CHK-23: the check detects a forbidden path', () => {
  expect(reaches("import { deleteFile } from './operations/files.ts';")).toEqual(['deleteFile']);
  expect(reaches('const client = platform.client(credentials);')).toEqual(['client']);
});
