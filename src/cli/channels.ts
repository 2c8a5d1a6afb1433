/**
 * Loads, creates and checks channels, on behalf of the CLI's commands. `main.ts` provides the built-in channels; the
 * settings configure all of them.
 */

import { reasonOf, strayLine, within } from '../bridge/guarded.ts';
import { systemClock } from '../clock.ts';
import {
  type ChannelState,
  type CheckOptions,
  checkSettings,
  type Loaded,
  readSettings,
  type Written,
} from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { Finding } from '../core/agents/agent.ts';
import type { Log } from '../core/log.ts';
import { type Channel, type Fault, isTree, type Shared } from '../kit/channel.ts';
import { catchStrays, ownedBy } from '../kit/stray.ts';
import type { ShowReply, TerminalChannel } from '../kit/terminal.ts';
import type { ChannelAdapter } from '../kit.ts';
import { embeddedSettings } from './embedded.ts';
import { type Broken, loadOutside } from './outside.ts';
import { type ChannelPackage, withoutPackages } from './packages.ts';
import { projectFolder, projectVersion } from './project.ts';

/** Maximum times in milliseconds: to create a channel from outside Parley, and to check any channel. */
const CREATE_MS = 5_000;
const CHECK_MS = 30_000;

/** The parts that `main.ts` provides to the commands. Each function loads its code only when a command calls it. */
export interface CommandDeps {
  channels(): Promise<readonly Channel[]>;
  packages(): Promise<readonly ChannelPackage[]>;
  terminal(show: ShowReply): Promise<TerminalChannel>;
}

/** The configuration, and the channels from outside that could not be loaded. */
export type Settings = Awaited<ReturnType<typeof loadSettings>>;

/**
 * Loads and checks the configuration. Throws the errors of `checkSettings`.
 * @param file read in place of PARLEY_CONFIG and parley.yaml
 */
export async function loadSettings(deps: CommandDeps, file: string | undefined) {
  const written = readSettings(file === undefined ? {} : { file });
  const [channels, packages] = [await deps.channels(), await deps.packages()];
  return completeSettings(written, { sandbox: embeddedSettings(), channels, packages });
}

interface Given extends CheckOptions {
  readonly packages: readonly ChannelPackage[];
}

/**
 * Loads the channels that a file names, and checks the settings.
 * @param given `outside`: channels that are loaded already
 * @param file the settings of the file, if the settings to check are others
 */
export async function completeSettings(settings: Written, given: Given, file = settings) {
  const { channels = [] } = given;
  const { broken, outside: loaded, faults } = await loadOutside(file, channels, systemClock);
  const outside = [...loaded, ...(given.outside ?? [])];
  // A module that could not be loaded may be the package, so its variables are no fault.
  const packages = broken.length === 0 ? given.packages : [];
  const { written, left } = withoutPackages(settings, packages, outside);
  const options = { ...given, outside, faults: [...faults, ...left, ...(given.faults ?? [])] };
  try {
    return { ...checkSettings(written, options), broken };
  } catch (thrown) {
    if (broken.length === 0) throw thrown;
    // Check again, so that one error names all faults: those in the settings, and the channels that could not be
    // loaded.
    const all = [...options.faults, ...broken.map(brokenFault)];
    return { ...checkSettings(written, { ...options, faults: all }), broken };
  }
}

const brokenFault = ({ index, why }: Broken): Fault => ({
  path: ['channels', index, 'module'],
  what: `cannot be loaded: ${why.replace(/\.$/, '')}`,
  cure: 'Correct the module, or remove the entry.',
});

export function sharedOf(config: Config, version = projectVersion()): Shared {
  const { server, data, defaultAgent, identity, rules } = config;
  const publicUrl = server.publicUrl?.replace(/\/*$/, '');
  const { fileDays } = config.retention;
  return {
    ...(publicUrl !== undefined && { publicUrl }),
    host: server.host,
    trustedProxies: server.trustedProxies,
    data,
    isReplicated: config.database !== undefined,
    ...(fileDays !== undefined && { fileDays }),
    defaultAgent,
    byEmail:
      rules !== undefined ||
      identity.file !== undefined ||
      identity.table.some(({ email }) => email !== undefined),
    project: { folder: projectFolder(), version },
  };
}

/** Returns the title of each channel, and how it runs, as the end of the sentence "Slack is …". */
export function announced({ config, channels }: Loaded): readonly { title: string; line: string }[] {
  const shared = sharedOf(config);
  return channels.map((state) => ({ title: state.channel.title, line: lineOf(state, shared) }));
}

function lineOf({ off, isOutside, configured }: ChannelState, shared: Shared): string {
  if (off !== undefined || configured === undefined) return off ?? 'off: its settings are not valid';
  try {
    return configured.announce(shared);
  } catch (thrown) {
    if (!isOutside) throw thrown;
    return `on, but its function "announce" failed: ${reasonOf(thrown)}`;
  }
}

export const brokenLine = ({ module, why }: Broken): string =>
  `The channel in ${module} cannot be loaded: ${why.replace(/\.$/, '')}. The other channels run; the questions of this channel stay queued.`;

/**
 * Creates the adapters of all channels that are switched on. Logs a channel from outside that cannot be created, and
 * continues without it.
 */
export async function createAdapters({ channels }: Loaded, shared: Shared, log: Log) {
  const on = (isOutside: boolean) => channels.filter((state) => state.isOn && state.isOutside === isOutside);
  const own = on(false).map(({ configured }) => configured?.create(shared));
  // From now on, because a channel may start work before the bridge starts.
  if (on(true).length > 0) catchStrays();
  const others = on(true).map((state) => createOutside(state, shared, log));
  const present = (made: readonly (ChannelAdapter | undefined)[]) =>
    made.filter((each) => each !== undefined);
  /** Display names of all channels, by channel. */
  const titles = new Map(channels.map(({ channel }) => [channel.name, channel.title]));
  return { adapters: present(await Promise.all(own)), outside: present(await Promise.all(others)), titles };
}

async function createOutside(
  { channel: { name }, configured }: ChannelState,
  shared: Shared,
  log: Log,
): Promise<ChannelAdapter | undefined> {
  try {
    // The guard of the running bridge does not own what `create` starts, such as a timer.
    const stray = (thrown: unknown): void =>
      log.error({ channel: name, err: thrown }, strayLine(name, thrown));
    const create = () => ownedBy(stray, () => configured?.create(shared));
    const adapter = await within(CREATE_MS, create, { clock: systemClock });
    if (adapter?.name !== name) throw new TypeError(`Its adapter must have the name "${name}".`);
    const { limits, abilities, start, stop, writer, openFile } = adapter;
    const isWhole = [limits, abilities].every(isTree) && [start, stop, writer, openFile].every(isFunction);
    if (!isWhole)
      throw new TypeError('Its adapter lacks functions or properties that every ChannelAdapter needs.');
    return adapter;
  } catch (thrown) {
    log.error({ channel: name }, `The channel "${name}" cannot be created: ${reasonOf(thrown)}`);
    return undefined;
  }
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** Returns what `doctor` reports about each channel: whether it is on and, if so, the results of its checks. */
export async function checkChannels(loaded: Settings): Promise<readonly Finding[]> {
  const { config, channels, broken } = loaded;
  const shared = sharedOf(config);
  const found = await Promise.all(channels.map((state) => checkChannel(state, shared)));
  const keepsSecrets = channels.some(({ isOn, channel }) => isOn && channel.on === 'when-configured');
  const failed = broken.map((each) => ({
    what: `channel ${each.module}`,
    ok: false,
    detail: brokenLine(each),
  }));
  const none = channels.some(({ isOn }) => isOn) ? [] : [NO_CHANNEL];
  return [...(keepsSecrets ? [checkKey(config)] : []), ...found.flat(), ...failed, ...none];
}

const NO_CHANNEL: Finding = {
  what: 'channels',
  ok: true,
  tested: false,
  detail: 'none is on, so the bridge receives no questions. Set up Slack, Teams or a channel of your own.',
};

async function checkChannel(state: ChannelState, shared: Shared): Promise<readonly Finding[]> {
  const { channel, configured, isOn, isOutside } = state;
  const line = { what: channel.title, ok: true, detail: lineOf(state, shared) };
  if (!isOn || configured === undefined) return [line];
  const checks = () => configured.checks(shared, systemClock);
  if (!isOutside) return [line, ...(await checks())];
  return within(CHECK_MS, checks, { clock: systemClock }).then(
    (found) => [line, ...found],
    (thrown) => [line, { what: channel.title, ok: false, detail: `its checks failed: ${reasonOf(thrown)}` }],
  );
}

/**
 * Returns what `doctor` reports about the encryption key. The key concerns every channel, because channels store
 * secrets and answers on disk.
 */
function checkKey({ key }: Config): Finding {
  const detail = key === undefined ? 'not set: secrets are encrypted with a key in the data folder' : 'set';
  return { what: 'PARLEY_KEY', ok: true, detail };
}
