/** Tests a bridge that is installed with `--omit=optional`. */

import { spawnSync } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { makeDataFolder, runParley } from './house/running-parley.ts';

const TEST_MS = 180_000;
const WITHOUT = {
  NODE_OPTIONS: `--import=${new URL('./house/missing-packages.ts', import.meta.url).href}`,
  MISSING_PACKAGES:
    '@slack/ openai mammoth unpdf botbuilder @opentelemetry/sdk-trace @opentelemetry/exporter-',
};
const SLACK = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 's'.repeat(32) };

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

async function parley(...args: readonly string[]) {
  const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
  const env = {
    ...process.env,
    ...WITHOUT,
    ...SLACK,
    PARLEY_DATA: data.path,
    PORT: '0',
    PARLEY_SANDBOX_PORT: '0',
  };
  return spawnSync(process.execPath, ['bin/parley.js', ...args], { env, encoding: 'utf8', timeout: TEST_MS });
}

test(
  'the bridge, its sandbox and the console run without them',
  async () => {
    const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
    const running = await runParley(data, { ...WITHOUT, OTEL_TRACES_EXPORTER: 'otlp' });
    opened.defer(async () => void (await running.terminate()));
    expect((await fetch(`${running.url}/readyz`)).status).toBe(200);
    expect(running.output()).toMatch(
      /Traces are not exported: The export of traces needs the optional package @opentelemetry\/[a-z-]+, which is not installed\. Install Parley without --omit=optional/,
    );
  },
  TEST_MS,
);

test(
  'Slack without its SDK is named with the cure',
  async () => {
    const cure =
      /Slack needs the optional package @slack\/[a-z-]+, which is not installed\. Install Parley without --omit=optional, or run npm install @slack/;
    expect((await parley('config', 'check')).status).toBe(0);
    const start = await parley('start');
    expect(start.status).not.toBe(0);
    expect(`${start.stdout}${start.stderr}`).toMatch(cure);
    const doctor = await parley('doctor');
    expect(`${doctor.stdout}${doctor.stderr}`).toMatch(cure);
  },
  TEST_MS,
);
