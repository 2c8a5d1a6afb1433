/** Tests the manifest in the repository, and manifests for other configurations. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sharedOf } from '../../../../src/cli/channels.ts';
import { embeddedSettings } from '../../../../src/cli/embedded.ts';
import { manifestOf } from '../../../../src/cli/manifest.ts';
import { load, stateOf } from '../../../fakes/house.ts';
import { refusals } from './schema.ts';
import { APP_ID } from './settings.ts';

const root = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

async function made(environment: Record<string, string>, teams?: object, version?: string) {
  const loaded = load(environment, teams && { teams }, embeddedSettings());
  return manifestOf(stateOf(loaded, 'teams'), sharedOf(loaded.config, version));
}

const COMPLETE = {
  MICROSOFT_APP_ID: APP_ID,
  MICROSOFT_APP_TENANT_ID: APP_ID,
  MICROSOFT_APP_PASSWORD: 'a secret',
  PARLEY_PUBLIC_URL: 'https://parley.example.org/',
};

test('the checked-in manifest equals that of the defaults, and fits Microsoft’s schema', async () => {
  const { text, missing } = await made({});
  expect(read('manifests/teams/manifest.json')).toBe(text);
  expect(refusals(JSON.parse(text))).toEqual([]);
  expect(missing).toHaveLength(2);
});

test('a complete configuration gives a complete app with Parley’s version', async () => {
  const { text, missing } = await made(COMPLETE);
  expect(missing).toEqual([]);
  expect(refusals(JSON.parse(text))).toEqual([]);
  expect(JSON.parse(text)).toMatchObject({
    id: APP_ID,
    version: JSON.parse(read('package.json')).version,
    validDomains: ['parley.example.org'],
    developer: { websiteUrl: 'https://parley.example.org' },
  });
  expect(text).not.toContain('a secret');
});

describe('a configured value', () => {
  test('is in the manifest', async () => {
    const changed = {
      name: 'Oracle',
      description: 'Knows',
      developer: { name: 'Acme', terms: 'https://acme.example/terms' },
      prompts: [{ title: 'Passes', message: 'How long?' }],
      allMessages: true,
    };
    const { text } = await made(COMPLETE, changed, '2.0.1');
    expect(refusals(JSON.parse(text))).toEqual([]);
    expect(JSON.parse(text)).toMatchObject({
      version: '2.0.1',
      name: { short: 'Oracle', full: expect.stringContaining('Oracle') },
      description: { short: 'Knows' },
      developer: { name: 'Acme', termsOfUseUrl: 'https://acme.example/terms' },
      authorization: {},
    });
    expect(text).toContain('Passes');
  });
});
