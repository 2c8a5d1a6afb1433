import { existsSync } from 'node:fs';
import type { Channel, ConfiguredChannel, Environment } from '../kit/channel.ts';
import { type Fault, isTree, type Tree, valueAt, withValue } from '../settings/tree.ts';
import { isLoopback } from '../settings/values.ts';
import { overrides, processEnvironment } from './environment.ts';
import { configError, type PlacedFault } from './faults.ts';
import { type ConfigFile, noFile, readConfigFile } from './file.ts';
import { crossFaults, hasNoAgents } from './rules.ts';
import { type Config, type Settings, settings } from './schema.ts';
import { schemaFaults } from './schema-faults.ts';

/** The configuration file that is read if PARLEY_CONFIG names none and this file exists. */
const USUAL_FILE = 'parley.yaml';

export interface ReadOptions {
  /** The environment; the process's own by default. */
  readonly environment?: Environment;
  /** The configuration file; by default PARLEY_CONFIG, else parley.yaml if it exists. */
  readonly file?: string;
}

/** Unchecked settings from the file and the environment. */
export interface Written {
  readonly environment: Environment;
  /** The file that was read. */
  readonly file?: string;
  readonly content: ConfigFile;
}

export interface CheckOptions {
  /** Settings (agents, identity) of the sandbox, used if no agent is configured. */
  readonly sandbox?: Tree;
  /** The channels that may be configured; none by default. */
  readonly channels?: readonly Channel[];
  /** Channels that were loaded from modules. */
  readonly outside?: readonly OutsideChannel[];
  /** Faults that were found while channels were loaded. */
  readonly faults?: readonly Fault[];
}

/** A channel from an entry of `channels`. */
export interface OutsideChannel {
  readonly channel: Channel;
  /** Index of the entry. */
  readonly index: number;
}

/** A channel and its part of the configuration. */
export interface ChannelState {
  readonly channel: Channel;
  readonly isOn: boolean;
  /** True if the channel comes from outside Parley. If such a channel fails, the others still run. */
  readonly isOutside: boolean;
  /** Absent if no setting of the channel is set. */
  readonly configured?: ConfiguredChannel;
}

export interface Loaded {
  readonly config: Config;
  /** The channels in the order in which they were passed in. */
  readonly channels: readonly ChannelState[];
  /** True if the sandbox is to be started, because no platform is configured. */
  readonly embedded: boolean;
  /** The file that was read. */
  readonly file?: string;
}

/** Reads the file and the environment. Never throws: an unreadable file is a fault of the content. */
export function readSettings(options: ReadOptions): Written {
  const { environment = processEnvironment() } = options;
  const file = fileName(options.file ?? environment.PARLEY_CONFIG);
  if (file === undefined) return { environment, content: noFile };
  return { environment, file, content: readConfigFile(file) };
}

/**
 * Checks the settings. @throws BridgeError `config-invalid` or `console-token-missing` with all faults, each
 * with place and remedy
 */
export function checkSettings(written: Written, options: CheckOptions): Loaded {
  const { environment, content, file } = written;
  const { outside = [], sandbox = {} } = options;
  const channels = [...(options.channels ?? []), ...outside.map(({ channel }) => channel)];
  const given = overrides(environment, channels);
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
  const states = channels.map((channel) => checkSlice(channel, tree[channel.name], environment));
  const isGood = checked.success && states.every((state) => state.isGood);
  const faults = [
    ...(options.faults ?? []),
    ...(isGood ? [] : schemaFaults(tree, environment, channels)),
    ...channels.flatMap((channel) => faultsAcross(channel, tree)),
    ...crossFaults(tree, !hasNoAgents(merged)),
  ];
  if (content.faults.length > 0) {
    const others = faults.filter((fault) => variableOf(fault) !== undefined);
    throw configError([...content.faults, ...others.map(place)]);
  }
  if (!checked.success || faults.length > 0) throw configError(faults.map(place));
  return {
    config: complete(checked.data),
    channels: states.map(({ isGood: _, ...state }) => ({
      ...state,
      isOutside: outside.some(({ channel }) => channel === state.channel),
    })),
    embedded: checked.data.platform.baseUrl === undefined,
    ...(file === undefined ? {} : { file }),
  };
}

/**
 * Moves the settings of channels from outside next to the others, so that all are checked in the same way.
 */
function withOutside(tree: Tree, outside: readonly OutsideChannel[]): Tree {
  const own = outside.map(({ channel: { name }, index }) => [
    name,
    valueAt(tree, ['channels', index, 'settings']) ?? {},
  ]);
  return { ...tree, ...Object.fromEntries(own) };
}

/**
 * Returns the position of a setting in the file, where a channel from outside has its settings in `channels`.
 */
function writtenPath(
  [name, ...rest]: readonly PropertyKey[],
  outside: readonly OutsideChannel[],
): readonly PropertyKey[] {
  const found = outside.find(({ channel }) => channel.name === name);
  if (found !== undefined) return ['channels', found.index, 'settings', ...rest];
  return name === undefined ? [] : [name, ...rest];
}

/** @param own the channel's unchecked settings */
function checkSlice(
  channel: Channel,
  own: unknown,
  environment: Environment,
): Omit<ChannelState, 'isOutside'> & { readonly isGood: boolean } {
  if (own === undefined && channel.on === 'when-configured') return { channel, isOn: false, isGood: true };
  const { success, data } = channel.schema(environment).safeParse(own === undefined ? {} : own);
  const isOn = valueAt(own, ['enabled']) !== false;
  return { channel, isOn, isGood: success, ...(data && { configured: data }) };
}

function faultsAcross(channel: Channel, tree: Tree): readonly Fault[] {
  const own = tree[channel.name] ?? (channel.on === 'unless-disabled' ? {} : undefined);
  return isTree(own) && own.enabled !== false ? channel.faults(own, tree) : [];
}

function complete({ platform, ...settings }: Settings): Config {
  const { baseUrl = `http://127.0.0.1:${settings.sandbox.port}`, authPattern, ...others } = platform;
  return {
    ...settings,
    platform: { ...others, baseUrl, ...(authPattern !== undefined && { authPattern }) },
    defaultAgent: settings.defaultAgent ?? Object.keys(settings.agents)[0] ?? '',
  };
}

function fileName(named: string | undefined): string | undefined {
  if (named !== undefined && named.trim() !== '') return named;
  return existsSync(USUAL_FILE) ? USUAL_FILE : undefined;
}

/**
 * True if no agent is configured, and either no platform or one on this machine (a sandbox that was started
 * by hand).
 */
function usesSandbox(tree: Tree): boolean {
  if (!hasNoAgents(tree)) return false;
  const address = valueAt(tree, ['platform', 'baseUrl']);
  const url = typeof address === 'string' ? URL.parse(address) : null;
  return address === undefined || (url !== null && isLoopback(url.hostname));
}

/** Adds the sandbox's settings as defaults; configured settings take precedence. */
function withSandbox(tree: Tree, sandbox: Tree): Tree {
  return { ...sandbox, ...tree, agents: sandbox.agents ?? {} };
}
