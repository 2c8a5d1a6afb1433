/** Tests channels from the operator's own modules: a channel that fails is named, and the others run. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type DataFolder,
  ENTRY,
  makeDataFolder,
  type RunningParley,
  runParley,
} from './house/running-parley.ts';

const ECHO = readFileSync(new URL('../fakes/outside/echo.mjs', import.meta.url), 'utf8');
const TEST_MS = 180_000;
const WITHIN = { timeout: 90_000, interval: 50 };

let data: DataFolder;
let file: string;
beforeEach(async () => {
  data = await makeDataFolder();
  file = join(data.path, 'parley.yaml');
});
afterEach(async () => {
  await data.remove();
});

/** Writes the module of a channel. Returns the channel's entry in the configuration. */
function entry(name: string, settings: object = {}, text = ECHO): object {
  const own = text
    .replaceAll("'echo'", `'${name}'`)
    .replaceAll(`agent: '${name}'`, "agent: 'echo'")
    .replaceAll("'/echo'", `'/${name}'`)
    .replaceAll('ECHO_TOKEN', `${name.toUpperCase().replaceAll('-', '_')}_TOKEN`);
  writeFileSync(join(data.path, `${name}.mjs`), own);
  return { module: `./${name}.mjs`, settings };
}

async function start(...channels: readonly object[]): Promise<RunningParley> {
  writeFileSync(file, JSON.stringify({ channels, log: { format: 'json' } }));
  return runParley(data, { PARLEY_CONFIG: file });
}

const ask = async ({ url }: RunningParley, name: string, text: string): Promise<unknown> => {
  const response = await fetch(`${url}/${name}`, { method: 'POST', body: text });
  return response.json();
};
const said = async ({ url }: RunningParley, name: string): Promise<string> =>
  (await fetch(`${url}/${name}`)).text();
const named = (parley: RunningParley, text: string): number =>
  parley
    .output()
    .split('\n')
    .filter((line) => line.includes(text)).length;

test(
  'a working channel answers, and each failing channel is named in one line while the others run',
  async () => {
    const parley = await start(
      entry('at-import', {}, "throw new Error('no\\n luck');"),
      entry('at-create', { fails: 'create' }),
      entry('at-start', { hangs: 'start' }),
      entry('at-request', { fails: 'request' }),
      entry('at-next', { fails: 'next' }),
      entry('at-perform', { hangs: 'perform' }),
      entry('echo'),
    );
    try {
      expect(named(parley, 'Echo is on, and says hello')).toBe(7 - 1);
      expect(named(parley, 'The channel in ./at-import.mjs cannot be loaded: no luck')).toBe(1);
      expect(named(parley, 'The channel \\"at-create\\" cannot be created: the create broke')).toBe(1);
      expect(named(parley, 'The channel \\"at-start\\" failed in start: It did not return')).toBe(1);
      expect((await fetch(`${parley.url}/readyz`)).status).toBe(200);
      expect((await fetch(`${parley.url}/at-request`)).status).toBe(500);
      for (const name of ['at-next', 'at-perform']) {
        expect(await ask(parley, name, 'a question')).toMatchObject({ kind: 'kept' });
      }
      expect(await ask(parley, 'echo', 'say this')).toMatchObject({ kind: 'kept' });
      await expect.poll(() => said(parley, 'echo'), WITHIN).toContain('say this');
      await expect.poll(() => named(parley, '\\"at-next\\" failed in next: the next broke'), WITHIN).toBe(1);
      expect((await fetch(`${parley.url}/console/state`)).status).toBe(200);
      expect((await fetch(parley.url)).headers.get('content-type')).toContain('text/html');
    } finally {
      await parley.kill();
    }
  },
  TEST_MS,
);

test(
  'stray errors of a channel are logged with its name and counted, and end nothing',
  async () => {
    const parley = await start(
      ...['create', 'start', 'perform'].map((each) => entry(`at-${each}`, { strays: each })),
      entry('echo'),
    );
    try {
      expect(await ask(parley, 'at-perform', 'say this too')).toMatchObject({ kind: 'kept' });
      await expect.poll(() => said(parley, 'at-perform'), WITHIN).toContain('say this too');
      for (const each of ['create', 'start', 'perform'])
        await expect
          .poll(
            () => named(parley, `The channel \\"at-${each}\\" has a stray error, which it should handle`),
            WITHIN,
          )
          .toBeGreaterThan(0);
      expect(await ask(parley, 'echo', 'say this')).toMatchObject({ kind: 'kept' });
      await expect.poll(() => said(parley, 'echo'), WITHIN).toContain('say this');
      const metrics = await (await fetch(`${parley.url}/metrics`)).text();
      for (const each of ['start', 'perform'])
        expect(metrics).toContain(`parley_channel_stray_errors_total{channel="at-${each}"} 2`);
    } finally {
      expect(await parley.terminate()).toBe(0);
    }
  },
  TEST_MS,
);

test(
  'a module in TypeScript that imports the kit shares it with the bridge, whatever Parley is installed beside it',
  async () => {
    const other = join(data.path, 'node_modules/parley');
    mkdirSync(other, { recursive: true });
    const manifest = { name: 'parley', version: '0.0.1', type: 'module', exports: { './kit': './kit.js' } };
    writeFileSync(join(other, 'package.json'), JSON.stringify(manifest));
    writeFileSync(join(other, 'kit.js'), "throw new Error('the wrong Parley');");
    const module = `import * as ladder from 'parley/kit/ladder';
import { BridgeError, defineChannel, secretSetting, z } from 'parley/kit';
export function channel(kit: { BridgeError: unknown; hashOf: unknown }) {
  if (kit.BridgeError !== BridgeError || kit.hashOf !== ladder.hashOf) throw new Error('two copies');
  return definition;
}
const definition = `;
    const head = 'export const channel = ({ defineChannel, secretSetting, z }) =>\n';
    writeFileSync(
      join(data.path, 'typed.ts'),
      ECHO.replace(head, () => module),
    );
    writeFileSync(file, JSON.stringify({ channels: [{ module: './typed.ts' }] }));
    const { stdout } = spawnSync(process.execPath, [ENTRY, 'config', 'check', '--config', file]);
    expect(stdout.toString()).toMatch(/^Echo: on, and says hello/m);
  },
  TEST_MS,
);

describe('questions of a channel that cannot be loaded', () => {
  test(
    'stay queued until it is back',
    async () => {
      const first = await start(entry('echo', { hangs: 'perform' }));
      await ask(first, 'echo', 'say this later');
      await first.kill();
      const second = await start(entry('echo', {}, 'boom();'));
      await expect.poll(() => named(second, 'stay queued until it runs again'), WITHIN).toBe(1);
      expect(await second.terminate()).toBe(0);
      const third = await start(entry('echo'));
      await expect.poll(() => said(third, 'echo'), WITHIN).toContain('say this later');
      expect(await third.terminate()).toBe(0);
    },
    TEST_MS,
  );
});
