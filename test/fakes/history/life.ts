/** Runs the bridge inside the test, or as a process that can be killed. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { channels } from '../../../adapters/registry.ts';
import { type Bridge, startBridge } from '../../../src/bridge.ts';
import { createAdapters, sharedOf } from '../../../src/cli/channels.ts';
import { createLog } from '../../../src/observe/log.ts';
import { type makeDataFolder, runParley } from '../../e2e/house/running-parley.ts';
import { loadConfig } from '../load-config.ts';

export interface Life {
  /** Process id of the bridge. If the bridge runs inside the test, process id of the test. */
  readonly pid: number;
  /** Log lines. */
  log(): string;
  /** Shuts the bridge down. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Kills the process, like a power cut. */
  kill(): Promise<void>;
  /** Sends a signal to the process: SIGSTOP pauses it, SIGCONT lets it continue. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void;
}

type DataFolder = Awaited<ReturnType<typeof makeDataFolder>>;

export interface Beginning {
  readonly data: DataFolder;
  /** Address of the agent platform. */
  readonly platform: string;
  /** Settings of `platform.outage`, as YAML. */
  readonly outage?: string;
  /** Lines of the configuration for the channels. */
  readonly channel: string;
  /** Settings of the console, as YAML; by default, there is no console. */
  readonly console?: string;
  /** Longest silence of the platform, in milliseconds; default 60,000. */
  readonly silenceMs?: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly bridge: 'inside' | 'process';
}

/** Writes the configuration. Returns a function that starts the bridge; each start uses the same data folder. */
export async function createLife(beginning: Beginning): Promise<() => Promise<Life>> {
  const { data, environment, bridge } = beginning;
  const file = join(data.path, 'parley.yaml');
  await writeFile(file, configOf(beginning));
  const settings = {
    ...environment,
    PARLEY_DATA: data.path,
    PARLEY_KEY: 'a key of thirty-two characters or more',
  };
  return bridge === 'inside' ? () => inside(file, settings) : () => asProcess(data, file, settings);
}

/**
 * Configures three agents: `speaker` answers without sources, `librarian` with sources whose look-up never ends, and
 * `member` signs in and keeps sessions.
 */
const configOf = ({
  platform,
  channel,
  silenceMs = 60_000,
  outage = '{}',
  console = '{ enabled: false }',
}: Beginning): string => `
platform:
  baseUrl: '${platform}'
  timeouts: { firstByteMs: ${silenceMs}, idleMs: ${silenceMs} }
  outage: ${outage}
agents:
  speaker:
    interface: lite-key
    credential: { kind: api-key, key: a-key-of-the-test }
  librarian:
    interface: lite-key
    credential: { kind: api-key, key: a-key-of-the-test }
    mediaCredential: { kind: client-account, client: c, secret: s, account: a }
  member:
    interface: open
    expertCode: member
    credential: { kind: client-account, client: member, secret: s, account: a }
limits: { questionsPerMinute: 1000000, turns: 5000 }
console: ${console}
${channel}
log: { level: info, format: json }
`;

async function inside(file: string, environment: Readonly<Record<string, string>>): Promise<Life> {
  const loaded = loadConfig({ file, environment, channels });
  const { config } = loaded;
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json', write: (line) => void lines.push(line) });
  const { adapters } = await createAdapters(loaded, sharedOf(config), log);
  const web = { avoid: [], awaited: () => [] };
  const bridge: Bridge = await startBridge({ config, log, adapters, web });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= bridge.stop();
    return stopped;
  };
  return {
    pid: process.pid,
    log: () => lines.join(''),
    stop,
    kill: () => Promise.reject(new Error('Only a process can be killed.')),
    signal: () => {
      throw new Error('Only a process can be paused.');
    },
  };
}

async function asProcess(
  data: DataFolder,
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<Life> {
  const parley = await runParley(data, { ...environment, PARLEY_CONFIG: file });
  return {
    pid: parley.pid ?? 0,
    log: parley.output,
    stop: async () => void (await parley.terminate()),
    kill: parley.kill,
    signal: (name) => {
      if (parley.pid !== undefined) process.kill(parley.pid, name);
    },
  };
}
