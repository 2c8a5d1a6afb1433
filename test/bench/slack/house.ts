/** The bridge and a platform as processes of their own, and the fake Slack that asks them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FakeSlack, type FakeSlackOptions, startFakeSlack } from '../../fakes/slack/index.ts';
import { freePorts } from '../free-ports.ts';

const ENTRY = new URL('../../../bin/parley.js', import.meta.url).pathname;
const PLATFORM = new URL('./platform.ts', import.meta.url).pathname;
/** Milliseconds of each call (performance.md, Targets). */
const LATENCY_MS = 80;

export interface AnswerTimes {
  readonly firstAt: number;
  readonly endAt: number;
}

export interface House {
  readonly slack: FakeSlack;
  readonly bridge: string;
  /** When the platform said its first and last words, by the id of the question. */
  answers(): Promise<Readonly<Record<string, AnswerTimes>>>;
  close(): Promise<void>;
}

export interface HouseOptions extends FakeSlackOptions {
  /** False: replies are shown by edits. */
  readonly streaming?: boolean;
}

/** What was opened is closed again, also when a later part fails to open. */
export async function openHouse({ streaming = true, ...options }: HouseOptions = {}): Promise<House> {
  const opened = new AsyncDisposableStack();
  try {
    const folder = await mkdtemp(join(tmpdir(), 'parley-bench-slack-'));
    opened.defer(() => rm(folder, { recursive: true, force: true }));
    const slack = opened.adopt(await startFakeSlack({ latencyMs: LATENCY_MS, ...options }), (it) =>
      it.close(),
    );
    const [port] = await freePorts();
    const platform = opened.adopt(run(PLATFORM, [String(port)]), ended);
    await once(platform.stdout ?? platform, 'data');
    const config = join(folder, 'parley.yaml');
    await writeFile(config, configOf(port, streaming));
    const bridge = opened.adopt(
      run(ENTRY, ['start', '--config', config], environmentOf(slack, folder)),
      ended,
    );
    const address = await readyAddress(bridge);
    slack.deliverTo(`${address}/slack/events`);
    return {
      slack,
      bridge: address,
      answers: async () => (await fetch(`http://127.0.0.1:${port}/times`)).json() as never,
      close: () => opened.disposeAsync(),
    };
  } catch (thrown) {
    await opened.disposeAsync();
    throw thrown;
  }
}

function run(
  file: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcess {
  return spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
}

const configOf = (port: number, streaming: boolean): string => `
platform: { baseUrl: 'http://127.0.0.1:${port}' }
agents:
  speaker:
    interface: lite-key
    description: Says what it is asked to say
    credential: { kind: api-key, key: bench-key }
limits: { questionsPerMinute: 1000000, turns: 500 }
console: { enabled: false }
slack: { streaming: ${streaming} }
log: { level: error }
`;

const environmentOf = (slack: FakeSlack, folder: string) => ({
  PORT: '0',
  PARLEY_DATA: folder,
  SLACK_BOT_TOKEN: slack.workspace().token,
  SLACK_SIGNING_SECRET: slack.app.signingSecret,
  SLACK_API_URL: slack.apiUrl,
});

/** Goes on reading after it, so that the bridge can go on printing. */
function readyAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /ready: (http\S+)/.exec(printed);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    child.once('exit', () => reject(new Error(`The bridge ended before it was ready: ${printed}`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
