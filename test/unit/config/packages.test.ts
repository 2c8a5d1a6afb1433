/** Tests what operators read whose configuration is that of a Parley which contained XMPP. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { announced, loadSettings } from '../../../src/cli/channels.ts';
import { house } from '../../fakes/house.ts';

const PACKAGE = new URL('../../../channels/xmpp', import.meta.url).pathname;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-packages-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const load = (text: string) => {
  const file = join(folder, 'parley.yaml');
  writeFileSync(file, text);
  return loadSettings(house, file);
};

async function refusal(text: string): Promise<string> {
  const thrown: unknown = await load(text).catch((error: unknown) => error);
  if (thrown instanceof Error) return thrown.message.replaceAll(`${folder}/`, '');
  throw new Error('the configuration was taken');
}

const OWN = 'jid: bridge@example.org, password: { env: SECRET }, rooms: [ field@rooms.example.org ]';

test('settings of XMPP outside its package are one fault, with the lines to write', async () => {
  vi.stubEnv('SECRET', 'hush');
  const told = await refusal(`log: { level: info }\nxmpp: { ${OWN} }\n`);
  expect(told).toMatch(
    /^The configuration has an error:\n {2}parley\.yaml:2:1: xmpp is not a part of Parley any more/,
  );
  const lines = told.slice(told.indexOf('    channels:'));
  expect(parse(lines)).toEqual({
    channels: [
      {
        module: relative(folder, PACKAGE),
        settings: {
          ...{ jid: 'bridge@example.org', password: { env: 'SECRET' } },
          rooms: ['field@rooms.example.org'],
        },
      },
    ],
  });
  const loaded = await load(lines);
  expect(announced(loaded).at(-1)).toEqual({
    title: 'XMPP',
    line: 'on as bridge@example.org, in 1 room and in direct messages',
  });
});

test('the fault shows no password', async () => {
  const told = await refusal('xmpp: { jid: bridge@example.org, password: hush-hush }\n');
  expect(told).toContain('password: (the password that is here now)');
  expect(told).not.toContain('hush-hush');
});

test.each([
  'XMPP_JID',
  'XMPP_PASSWORD_FILE',
])('%s alone is one fault, with the lines to write', async (name) => {
  vi.stubEnv(name, 'bridge@example.org');
  expect(await refusal('')).toMatch(
    new RegExp(
      `has an error:\\n.*although ${name.replace('_FILE', '')} is set[^\\n]*:\\n {4}channels:\\n {6}- module: [^\\n]+$`,
    ),
  );
});

test('with the package, variables set its settings', async () => {
  vi.stubEnv('XMPP_JID', 'bridge@example.org');
  vi.stubEnv('XMPP_PASSWORD', 'hush');
  const loaded = await load(JSON.stringify({ channels: [{ module: PACKAGE }] }));
  expect(announced(loaded).at(-1)?.line).toBe('on as bridge@example.org, in 0 rooms and in direct messages');
});

test('settings in both places are refused', async () => {
  const entry = JSON.stringify([{ module: PACKAGE, settings: { password: 'hush' } }]);
  expect(await refusal(`channels: ${entry}\nxmpp: { jid: bridge@example.org }\n`)).toContain(
    'parley.yaml:2:1: xmpp is not a setting. Write it under channels, in the settings of entry 1.',
  );
});

test('variables are no fault beside a module that cannot be loaded, because it may be the package', async () => {
  vi.stubEnv('XMPP_JID', 'bridge@example.org');
  const { broken } = await load('channels: [{ module: ./gone }]');
  expect(broken).toHaveLength(1);
});
