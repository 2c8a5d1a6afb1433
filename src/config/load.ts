import { existsSync } from 'node:fs';
import type { CompiledRules } from '../core/access/compile.ts';
import type { AccountTable } from '../core/agents/access.ts';
import { OWN } from '../core/agents/agent.ts';
import type { Channel, ConfiguredChannel, Environment } from '../kit/channel.ts';
import { type Fault, isTree, type Tree, valueAt, withValue } from '../settings/tree.ts';
import { isLoopback } from '../settings/values.ts';
import { checkAccounts } from './accounts-file.ts';
import { crossFaults, hasNoAgents, needsPlatform } from './cross-checks.ts';
import { overrides, processEnvironment } from './environment.ts';
import { type CheckedFile, configError, type PlacedFault } from './faults.ts';
import { type ConfigFile, noFile, readConfigFile } from './file.ts';
import { defaultPlatform, MAIN } from './platform-setting.ts';
import { checkRules, type KnownNames } from './rules-file.ts';
import { type AgentSettings, type Config, QUESTIONS_PER_MINUTE, type Settings, settings } from './schema.ts';
import { schemaFaults } from './schema-faults.ts';
import { rulesOfSettings } from './shorthand.ts';

/** The configuration file that is read if PARLEY_CONFIG is not set and this file exists. */
const USUAL_FILE = 'parley.yaml';

export interface ReadOptions {
  /** Environment variables; those of the process by default. */
  readonly environment?: Environment;
  /** Name of the configuration file; by default PARLEY_CONFIG, or parley.yaml if that exists. */
  readonly file?: string;
}

/** Settings from the file and the environment, before they are checked. */
export interface Written {
  readonly environment: Environment;
  /** Name of the file that was read. */
  readonly file?: string;
  readonly content: ConfigFile;
}

export interface CheckOptions {
  /** The sandbox's settings (agents, identity), used if no agent is configured. */
  readonly sandbox?: Tree;
  /** The channels that may be configured; none by default. */
  readonly channels?: readonly Channel[];
  /** Channels that were loaded from modules outside Parley. */
  readonly outside?: readonly OutsideChannel[];
  /** Faults that were found while these channels were loaded. */
  readonly faults?: readonly Fault[];
  /** Names of the agents whose functions the caller has. */
  readonly functions?: readonly string[];
}

/** A channel that an entry of the setting `channels` names. */
export interface OutsideChannel {
  readonly channel: Channel;
  /** Index of the entry in `channels`. */
  readonly index: number;
}

/** A channel and its settings. */
export interface ChannelState {
  readonly channel: Channel;
  readonly isOn: boolean;
  /** Why the channel is off, as the end of the sentence "Slack is …"; absent if it is on. */
  readonly off?: string;
  /** True if the channel was loaded from outside Parley. If it fails, the other channels still run. */
  readonly isOutside: boolean;
  /** Absent if none of the channel's settings is given. */
  readonly configured?: ConfiguredChannel;
}

/** A configured file that is read again when it changes. */
export interface WatchedFile<Value> {
  readonly name: string;
  /** Content when the configuration was read. */
  readonly first: CheckedFile<Value>;
  read(): CheckedFile<Value>;
}

export interface Loaded {
  readonly config: Config;
  /** The channels, in the order in which the caller passed them. */
  readonly channels: readonly ChannelState[];
  /** The rules in force: those of the rules file, or of the settings `access` and `files`. */
  readonly rules: CompiledRules;
  /** Names that rules may use. */
  readonly names: KnownNames;
  readonly rulesFile: WatchedFile<CompiledRules> | undefined;
  /** The file of accounts (`identity.file`). */
  readonly accountsFile: WatchedFile<AccountTable> | undefined;
  /** True if the bridge must start the sandbox, because no platform is configured. */
  readonly embedded: boolean;
  /** Name of the file that was read. */
  readonly file?: string;
}

/** Reads the file and the environment. Never throws: an unreadable file is a fault in the result. */
export function readSettings(options: ReadOptions): Written {
  const { environment = processEnvironment() } = options;
  const file = fileName(options.file ?? environment.PARLEY_CONFIG);
  if (file === undefined) return { environment, content: noFile };
  return { environment, file, content: readConfigFile(file) };
}

/**
 * Checks the settings.
 * @throws BridgeError `config-invalid` or `console-token-missing` with all faults, each with its position and remedy
 */
export function checkSettings(written: Written, options: CheckOptions): Loaded {
  const { environment, content, file } = written;
  const { outside = [], sandbox = {} } = options;
  const channels = [...(options.channels ?? []), ...outside.map(({ channel }) => channel)];
  const given = overrides(environment, channels).map((each) =>
    each.path[0] === 'platform' && valueAt(content.tree, ['platforms', MAIN]) !== undefined
      ? { ...each, path: ['platforms', MAIN, ...each.path.slice(1)] }
      : each,
  );
  const merged = given.reduce<Tree>(
    (tree, { path, value }) => withValue(tree, path, value),
    withOutside(content.tree, outside),
  );
  const tree = usesSandbox(merged) ? withSandbox(merged, sandbox) : merged;
  const variableOf = (fault: Fault) =>
    given.find(({ path }) => path.every((key, index) => fault.path[index] === key))?.name;
  const place = (fault: Fault): PlacedFault => ({
    ...fault,
    place: variableOf(fault) ?? content.placeOf(writtenPath(fault.path, outside)),
  });
  const names = channels.map(({ name }) => name);
  const house = Object.fromEntries(Object.entries(tree).filter(([key]) => !names.includes(key)));
  const checked = settings(environment, channels).safeParse(house);
  const states = channels.map((channel) => checkSlice(channel, tree, environment));
  const isGood = checked.success && states.every((state) => state.isGood);
  const faults = [
    ...(options.faults ?? []),
    ...(isGood ? [] : schemaFaults(tree, environment, channels)),
    ...channels.flatMap((channel) => faultsAcross(channel, tree)),
    ...crossFaults(tree, !hasNoAgents(merged), options.functions ?? []),
  ];
  if (content.faults.length > 0) {
    const others = faults.filter((fault) => variableOf(fault) !== undefined);
    throw configError([...content.faults, ...others.map(place)]);
  }
  const known = knownNames(tree, channels);
  const rulesFile = watched(tree.rules, (name) => checkRules(name, known));
  const accountsFile = watched(valueAt(tree, ['identity', 'file']), (name) =>
    checkAccounts(name, known.channels),
  );
  const inFiles = [rulesFile, accountsFile].flatMap((each) => each?.first.faults ?? []);
  if (!checked.success || faults.length + inFiles.length > 0)
    throw configError([...faults.map(place), ...inFiles]);
  const config = complete(checked.data);
  return {
    config,
    rules: rulesFile?.first.value ?? rulesOfSettings(config),
    names: known,
    rulesFile,
    accountsFile,
    channels: states.map(({ isGood: _, ...state }) => ({
      ...state,
      isOutside: outside.some(({ channel }) => channel === state.channel),
    })),
    embedded: usesSandbox(merged) && valueAt(merged, ['platform', 'baseUrl']) === undefined,
    ...(file === undefined ? {} : { file }),
  };
}

/** Reads the file with the given name; returns undefined if none is configured. */
function watched<Value>(
  name: unknown,
  check: (name: string) => CheckedFile<Value>,
): WatchedFile<Value> | undefined {
  if (typeof name !== 'string' || name === '') return undefined;
  const read = () => check(name);
  return { name, first: read(), read };
}

/** Returns the names of the channels. The terminal is a channel too, although it has no settings. */
export const channelNames = (channels: readonly Channel[]): readonly string[] => [
  ...channels.map(({ name }) => name),
  'terminal',
];

/** Returns the names that rules may use. */
function knownNames({ agents, limits }: Tree, channels: readonly Channel[]): KnownNames {
  const perMinute = valueAt(limits, ['questionsPerMinute']) ?? QUESTIONS_PER_MINUTE;
  return {
    ...(typeof perMinute === 'number' && { perMinute }),
    agents: isTree(agents) ? Object.keys(agents) : [],
    channels: channelNames(channels),
  };
}

/**
 * Moves the settings of channels from outside Parley to the top level, so that they are checked like those of other
 * channels.
 */
function withOutside(tree: Tree, outside: readonly OutsideChannel[]): Tree {
  const own = outside.map(({ channel: { name }, index }) => [
    name,
    valueAt(tree, ['channels', index, 'settings']) ?? {},
  ]);
  return { ...tree, ...Object.fromEntries(own) };
}

/**
 * Returns where the file contains a setting. The settings of a channel from outside Parley are in its entry of
 * `channels`.
 */
function writtenPath(
  [name, ...rest]: readonly PropertyKey[],
  outside: readonly OutsideChannel[],
): readonly PropertyKey[] {
  const found = outside.find(({ channel }) => channel.name === name);
  if (found !== undefined) return ['channels', found.index, 'settings', ...rest];
  return name === undefined ? [] : [name, ...rest];
}

/**
 * Checks the settings of one channel.
 * @param tree all unchecked settings
 */
function checkSlice(
  channel: Channel,
  tree: Tree,
  environment: Environment,
): Omit<ChannelState, 'isOutside'> & { readonly isGood: boolean } {
  const own = tree[channel.name];
  const off = whyOff(channel, tree);
  const state = { channel, isOn: off === undefined, ...(off !== undefined && { off }) };
  if (own === undefined && channel.on === 'when-configured') return { ...state, isGood: true };
  const { success, data } = channel.schema(environment).safeParse(own === undefined ? {} : own);
  return { ...state, isGood: success, ...(data && { configured: data }) };
}

function whyOff({ name, on, localState, withDatabase }: Channel, tree: Tree): string | undefined {
  if (tree[name] === undefined && on === 'when-configured') return 'off: none of its settings is set';
  if (valueAt(tree, [name, 'enabled']) === false) return `off, by ${name}.enabled`;
  if (tree.database === undefined) return undefined;
  if (withDatabase !== undefined && tree[name] === undefined)
    return `off: with DATABASE_URL, it needs a setting of its own, such as ${name}.enabled: true`;
  if (localState === undefined) return undefined;
  return 'off: it keeps its data in the data folder, which the replicas of DATABASE_URL do not share';
}

function faultsAcross(channel: Channel, tree: Tree): readonly Fault[] {
  const own = tree[channel.name] ?? {};
  return isTree(own) && whyOff(channel, tree) === undefined ? channel.faults(own, tree) : [];
}

function complete({ platform: single, platforms: several, ...settings }: Settings): Config {
  const isUnused = single.baseUrl === undefined && !needsPlatform(settings);
  const platforms = several ?? (isUnused ? {} : { [MAIN]: single });
  const fallback = defaultPlatform(Object.keys(platforms));
  const entries = Object.entries(platforms).map(([name, { authPattern, ...others }]) => {
    const { baseUrl = `http://127.0.0.1:${settings.sandbox.port}` } = others;
    return [name, { ...others, baseUrl, ...(authPattern !== undefined && { authPattern }) }] as const;
  });
  const agents = Object.entries(settings.agents).map(([name, agent]): [string, AgentSettings] => [
    name,
    'credential' in agent ? { ...agent, platform: agent.platform ?? fallback } : { ...agent, platform: OWN },
  ]);
  return {
    ...settings,
    platforms: Object.fromEntries(entries),
    agents: Object.fromEntries(agents),
    defaultAgent: settings.defaultAgent ?? Object.keys(settings.agents)[0] ?? '',
  };
}

function fileName(named: string | undefined): string | undefined {
  if (named !== undefined && named.trim() !== '') return named;
  return existsSync(USUAL_FILE) ? USUAL_FILE : undefined;
}

/**
 * True if no agent is configured, and the platform is either not configured or on this machine. A platform on this
 * machine is a sandbox that was started by hand.
 */
function usesSandbox(tree: Tree): boolean {
  if (!hasNoAgents(tree) || tree.platforms !== undefined) return false;
  const address = valueAt(tree, ['platform', 'baseUrl']);
  const url = typeof address === 'string' ? URL.parse(address) : null;
  return address === undefined || (url !== null && isLoopback(url.hostname));
}

/** Adds the sandbox's settings as defaults. Configured settings take precedence. */
function withSandbox(tree: Tree, sandbox: Tree): Tree {
  return { ...sandbox, ...tree, agents: sandbox.agents ?? {} };
}
