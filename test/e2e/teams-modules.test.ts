/** A bridge without Teams never loads Microsoft's SDK, which takes longer to load than all the rest. */

import { afterEach, expect, test } from 'vitest';
import { startFakeTeams } from '../fakes/teams/index.ts';
import { makeDataFolder, runParley } from './house/running-parley.ts';

const TEST_MS = 60_000;
const NODE_OPTIONS = `--import=${new URL('./house/noted-modules.ts', import.meta.url).href}`;

const opened = new AsyncDisposableStack();
afterEach(() => opened.disposeAsync());

/** How many of the SDK's modules a bridge has loaded when it is ready. */
async function loaded(environment: Readonly<Record<string, string>>): Promise<number> {
  const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
  const parley = opened.adopt(await runParley(data, { ...environment, NODE_OPTIONS }), async (it) => {
    await it.terminate();
  });
  return parley.output().match(/^loaded /gm)?.length ?? 0;
}

test(
  'only a bridge with Teams loads the SDK of Teams',
  async () => {
    const fake = opened.adopt(await startFakeTeams(), (it) => it.close());
    const without = await loaded({});
    const withTeams = await loaded({
      MICROSOFT_APP_ID: fake.app.id,
      MICROSOFT_APP_TENANT_ID: fake.tenant().id,
      MICROSOFT_APP_PASSWORD: [...fake.app.secrets][0] ?? '',
    });
    expect(without).toBe(0);
    expect(withTeams).toBeGreaterThan(0);
  },
  TEST_MS,
);
