/** Tests that a bridge loads a channel's adapter and SDK only if the channel is on. */

import { afterEach, expect, test } from 'vitest';
import { startFakeTeams } from '../fakes/teams/index.ts';
import { makeDataFolder, runParley } from './house/running-parley.ts';

const TEST_MS = 180_000;
const NODE_OPTIONS = `--import=${new URL('./house/noted-modules.ts', import.meta.url).href}`;

const opened = new AsyncDisposableStack();
afterEach(() => opened.disposeAsync());

/** Returns the paths of the channel modules and packages that a ready bridge has loaded. */
async function loaded(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
  const parley = opened.adopt(await runParley(data, { ...environment, NODE_OPTIONS }), async (it) => {
    await it.terminate();
  });
  const lines = parley.output().match(/^loaded .*\/(adapters|node_modules)\/.*$/gm) ?? [];
  return [...new Set(lines.map((line) => line.replace(/^.*?\/(?=(adapters|node_modules)\/)/, '')))];
}

const SDK = /^node_modules\/(@slack|botbuilder|botframework|@azure)/;
const of = (channel: string, all: readonly string[]): readonly string[] =>
  all.filter((path) => path.startsWith(`adapters/${channel}/`)).toSorted();
/** The modules that describe each channel to the registry. They are always loaded, and load no SDK themselves. */
const light = {
  slack: ['channel.ts', 'config.ts', 'settings.ts'].map((name) => `adapters/slack/${name}`),
  teams: ['channel.ts', 'settings.ts'].map((name) => `adapters/teams/${name}`),
};

test(
  'a channel that is off loads only its definition',
  async () => {
    const fake = opened.adopt(await startFakeTeams(), (it) => it.close());
    const without = await loaded({});
    expect(of('slack', without)).toEqual(light.slack);
    expect(of('teams', without)).toEqual(light.teams);
    expect(without.filter((path) => SDK.test(path))).toEqual([]);
    expect(of('console', without)).toContain('adapters/console/index.ts');
    const withTeams = await loaded({
      MICROSOFT_APP_ID: fake.app.id,
      PARLEY_PUBLIC_URL: 'https://parley.example.org',
      MICROSOFT_APP_TENANT_ID: fake.tenant().id,
      MICROSOFT_APP_PASSWORD: [...fake.app.secrets][0] ?? '',
    });
    expect(of('teams', withTeams)).toContain('adapters/teams/index.ts');
    expect(of('slack', withTeams)).toEqual(light.slack);
  },
  TEST_MS,
);
