import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { Library } from '../../../src/core/library.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createLibrary, createPlatform, type Platform } from '../../../src/platform/index.ts';
import { type RunningSandbox, sandboxCatalogue } from '../../../src/sandbox/index.ts';
import { CORPUS, start } from '../sandbox/support.ts';

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const signal = new AbortController().signal;
let sandbox: RunningSandbox;
let platform: Platform;
let library: Library;

beforeAll(async () => {
  sandbox = await start({ knowledge: [CORPUS] });
  await sandbox.indexed;
  platform = createPlatform({ baseUrl: sandbox.url }, { clock: systemClock, log, random: Math.random });
  const { client, secret } = sandboxCatalogue.openClient;
  library = createLibrary(
    platform.client({
      open: { kind: 'client-account', client, secret: new Secret(secret), account: 'member-one' },
    }),
  );
});
afterAll(async () => {
  await platform.close();
  await sandbox.close();
});

it('finds passages, those of one document together, the best first', async () => {
  const sources = await library.search('hotel limit abroad', {}, { signal });
  expect(sources[0]?.title).toContain('ravel');
  expect(sources[0]?.fragments[0]?.text).toMatch(/hotel/i);
  expect(new Set(sources.map(({ key }) => key)).size).toBe(sources.length);
});

it('sees the workspaces and files of the account that it asks as, and no others', async () => {
  const own = await library.workspaces({ signal });
  const seen = own.find(({ files = 0 }) => files > 3);
  const { files, total } = await library.files(seen?.name ?? '', 3, { signal });
  expect(files.map(({ state }) => state)).toEqual(['ready', 'ready', 'ready']);
  expect(total).toBeGreaterThan(3);
  const everything = await library.workspaces({ signal, account: 'admin' });
  expect(everything.length).toBeGreaterThanOrEqual(own.length);
  await expect(library.files('No such workspace', 3, { signal })).rejects.toMatchObject({
    code: 'platform-parameter',
  });
});
