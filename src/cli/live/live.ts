/** `parley doctor --live CHANNEL`: runs the bridge with a scripted agent, and proves the channel act by act. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBridge } from '../../bridge.ts';
import { processEnvironment } from '../../config/environment.ts';
import { readSettings } from '../../config/load.ts';
import type { Finding } from '../../core/agents/agent.ts';
import { BridgeError } from '../../errors.ts';
import type { Channel } from '../../kit/channel.ts';
import { readJson, text } from '../../kit/json.ts';
import { type LiveAct, type LiveChannel, LiveFault } from '../../kit/live.ts';
import { createLog } from '../../observe/log.ts';
import { type CommandDeps, completeSettings, type Settings, sharedOf } from '../channels.ts';
import { logOptions } from '../compose.ts';
import { keepFilesPrivate } from '../own-process.ts';
import { projectVersion } from '../project.ts';
import { scriptedAgent } from './agent.ts';
import { callFigures } from './evidence.ts';
import { type LiveOptions, type LivePorts, listActs, report, withPorts } from './ports.ts';
import { chosen, performActs } from './run.ts';
import { openStage, watched } from './stage.ts';

const AGENT = 'live';

/**
 * Resolves with the exit code of `report`. Throws `usage`, `config-invalid`, and the errors of a start.
 * @param ports replaced in tests
 */
export async function live(options: LiveOptions, deps: CommandDeps, ports?: LivePorts): Promise<number> {
  if (ports === undefined) return withPorts(options, (own) => live(options, deps, own));
  keepFilesPrivate();
  const data = await mkdtemp(join(tmpdir(), 'parley-live-'));
  try {
    const settings = settingsFor(await channelNamed(options.live, deps), options.config, data);
    const channel = await openChannel(await settings, options.live, ports);
    const acts = chosen(channel.acts, options.only ?? []);
    if (options.list) return listActs(acts, ports);
    return await prove(channel, acts, await settings, { options, ports });
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

async function channelNamed(name: string, deps: CommandDeps): Promise<Channel> {
  const channels = await deps.channels();
  const found = channels.find((channel) => channel.name === name);
  if (found?.hasLive) return found;
  const names = [...channels.filter(({ hasLive }) => hasLive).map((each) => each.name), 'platform'];
  throw new BridgeError('usage', `There is no live check of "${name}". Write one of: ${names.join(', ')}.`);
}

/** Variables that would bring in more than the channel: other agents, rules, data of the installation. */
const FOREIGN = ['PLATFORM_BASE_URL', 'PARLEY_RULES', 'PARLEY_DATA', 'DATABASE_URL', 'DATABASE_URL_FILE'];

/** Returns the channel's settings with the scripted agent, which everyone may ask. */
function settingsFor(channel: Channel, file: string | undefined, data: string): Promise<Settings> {
  const environment = processEnvironment();
  const read = readSettings(file === undefined ? { environment } : { environment, file });
  const { tree } = read.content;
  const tried = {
    [channel.name]: tree[channel.name],
    server: tree.server,
    log: tree.log,
    data,
    agents: { [AGENT]: { interface: 'function', description: 'Answers the questions of a live check' } },
    limits: { questionsPerMinute: 60 },
  };
  const own = Object.fromEntries(Object.entries(tried).filter(([, value]) => value !== undefined));
  const given = Object.entries(environment).filter(([name]) => !FOREIGN.includes(name));
  const written = {
    ...read,
    environment: Object.fromEntries(given),
    content: { ...read.content, tree: own },
  };
  return completeSettings(written, { channels: [channel], packages: [], functions: [AGENT] });
}

async function openChannel(
  { channels, config }: Settings,
  name: string,
  { clock, terminal }: LivePorts,
): Promise<LiveChannel> {
  const configured = channels.find(({ channel, isOn }) => channel.name === name && isOn)?.configured;
  const shared = sharedOf(config);
  const channel = await configured?.live?.(shared, clock);
  if (configured !== undefined && channel !== undefined)
    return {
      ...channel,
      acts: [setupAct(() => configured.checks(shared, clock), terminal), ...channel.acts],
    };
  throw new BridgeError(
    'usage',
    `The channel "${name}" is off. Set it up first; parley doctor says what is missing.`,
  );
}

/** Makes the checks of `parley doctor` while the bridge runs. The details contain ids, so only the terminal shows them. */
const setupAct = (check: () => Promise<readonly Finding[]>, { say }: LivePorts['terminal']): LiveAct => ({
  name: 'setup',
  proves: 'The checks of parley doctor pass',
  by: 'tool',
  async perform({ clock, measure }) {
    const began = clock.now();
    const faults = (await check()).filter(({ ok }) => !ok);
    measure('checks, ms', clock.now() - began);
    for (const { what, detail } of faults) say(`   ${what}: ${detail}`);
    if (faults.length > 0) throw new LiveFault(`Not in order: ${faults.map(({ what }) => what).join(', ')}.`);
  },
});

async function prove(
  channel: LiveChannel,
  acts: readonly LiveAct[],
  { config, rules }: Settings,
  { options, ports }: { readonly options: LiveOptions; readonly ports: LivePorts },
): Promise<number> {
  const { clock, terminal, signal, limits } = ports;
  const seen = watched(channel.adapter, clock);
  // A warning often names the cause of a failed act, such as a request from another organization.
  const warn = (line: string) => terminal.say(`   The bridge warns: ${text(readJson(line)?.msg) ?? ''}`);
  const quiet = { level: 'warn', format: 'json', write: warn } as const;
  const bridge = await startBridge({
    config,
    rules: () => rules,
    log: createLog(config.log.level === 'debug' ? logOptions(config) : quiet),
    adapters: [seen.adapter],
    functions: new Map([[AGENT, scriptedAgent(clock)]]),
    version: projectVersion(),
    web: { avoid: [], awaited: () => [] },
  });
  try {
    terminal.say(
      `The bridge runs with a scripted agent (${channel.way}). Ctrl-C ends the check and writes what there is.`,
    );
    const results = await performActs(acts, {
      clock,
      signal,
      say: terminal.say,
      stage: (act, { measure }) =>
        openStage({ act: act.name, channel, watched: seen, terminal, clock, signal, limits, measure }),
    });
    const calls = callFigures(channel.calls);
    return await report(options, { acts: results, way: channel.way, calls }, ports);
  } finally {
    await bridge.stop();
  }
}
