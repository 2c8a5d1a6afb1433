import { existsSync } from 'node:fs';
import type { Channel, ConfiguredChannel, Environment } from '../kit/channel.ts';
import { type Fault, isTree, type Tree, valueAt, withValue } from '../settings/tree.ts';
import { isLoopback } from '../settings/values.ts';
import { overrides, processEnvironment } from './environment.ts';
import { configError, type PlacedFault } from './faults.ts';
import { noFile, readConfigFile } from './file.ts';
import { crossFaults, hasNoAgents } from './rules.ts';
import { type Config, type Settings, settings } from './schema.ts';
import { schemaFaults } from './schema-faults.ts';

/** The file that is read when PARLEY_CONFIG names none, where it exists. */
const USUAL_FILE = 'parley.yaml';

export interface LoadOptions {
  /** The environment; the process's own by default. */
  readonly environment?: Environment;
  /** The configuration file; by default PARLEY_CONFIG, else parley.yaml where it exists. */
  readonly file?: string;
  /** Settings (agents, identity) of the sandbox, used where no agent is configured. */
  readonly sandbox?: Tree;
  /** The channels that may be configured; none by default. */
  readonly channels?: readonly Channel[];
}

/** A channel and its part of the configuration. */
export interface ChannelState {
  readonly channel: Channel;
  readonly isOn: boolean;
  /** Absent if none of its settings is set. */
  readonly configured?: ConfiguredChannel;
}

export interface Loaded {
  readonly config: Config;
  /** In the order in which they were given. */
  readonly channels: readonly ChannelState[];
  /** True if the sandbox is to be started, because no platform is configured. */
  readonly embedded: boolean;
  /** The file that was read. */
  readonly file?: string;
}

/**
 * Reads the file and the environment.
 * @throws BridgeError `config-invalid` or `console-token-missing` that names all faults with place and cure
 */
export function loadConfig(options: LoadOptions = {}): Loaded {
  const { environment = processEnvironment(), channels = [] } = options;
  const file = fileName(options.file ?? environment.PARLEY_CONFIG);
  const written = file === undefined ? noFile : readConfigFile(file);
  const given = overrides(environment, channels);
  const merged = given.reduce<Tree>((tree, { path, value }) => withValue(tree, path, value), written.tree);
  const tree = usesSandbox(merged) ? withSandbox(merged, options.sandbox ?? {}) : merged;

  const variableOf = (fault: Fault) =>
    given.find(({ path }) => path.every((key, index) => fault.path[index] === key))?.name;
  const place = (fault: Fault): PlacedFault => ({
    ...fault,
    place: variableOf(fault) ?? written.placeOf(fault.path),
  });
  const names = channels.map(({ name }) => name);
  const house = Object.fromEntries(Object.entries(tree).filter(([key]) => !names.includes(key)));
  const checked = settings(environment, channels).safeParse(house);
  const slices = channels.map((channel) => checkSlice(channel, tree[channel.name], environment));
  const isGood = checked.success && slices.every((slice) => slice.isGood);
  const faults = [
    ...(isGood ? [] : schemaFaults(tree, environment, channels)),
    ...channels.flatMap((channel) => faultsAcross(channel, tree)),
    ...crossFaults(tree, !hasNoAgents(merged)),
  ];
  if (written.faults.length > 0) {
    const others = faults.filter((fault) => variableOf(fault) !== undefined);
    throw configError([...written.faults, ...others.map(place)]);
  }
  if (!checked.success || faults.length > 0) throw configError(faults.map(place));
  const embedded = checked.data.platform.baseUrl === undefined;
  const states = slices.map(({ isGood: _, ...state }) => state);
  return {
    config: complete(checked.data),
    channels: states,
    embedded,
    ...(file === undefined ? {} : { file }),
  };
}

/** @param own the channel's settings as they were written */
function checkSlice(
  channel: Channel,
  own: unknown,
  environment: Environment,
): ChannelState & { readonly isGood: boolean } {
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

/** Where no agent is configured: without a platform, or with one on this machine (a sandbox started by hand). */
function usesSandbox(tree: Tree): boolean {
  if (!hasNoAgents(tree)) return false;
  const address = valueAt(tree, ['platform', 'baseUrl']);
  const url = typeof address === 'string' ? URL.parse(address) : null;
  return address === undefined || (url !== null && isLoopback(url.hostname));
}

/** The sandbox's settings under those that were written. */
function withSandbox(tree: Tree, sandbox: Tree): Tree {
  return { ...sandbox, ...tree, agents: sandbox.agents ?? {} };
}
