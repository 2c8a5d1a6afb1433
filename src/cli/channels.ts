/** The channels as the commands see them: what the composition root passes in, read from the configuration. */

import { type Loaded, loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { Finding } from '../core/agents/agent.ts';
import type { Channel, Clock, Shared } from '../kit/channel.ts';
import type { ShowReply, Terminal } from '../kit/terminal.ts';
import type { ChannelAdapter } from '../kit.ts';
import { embeddedSettings } from './embedded.ts';
import { projectFolder, projectVersion } from './project.ts';

/** Parts that the composition root passes to the commands. Each is loaded when a command needs it. */
export interface House {
  channels(): Promise<readonly Channel[]>;
  terminal(show: ShowReply): Promise<Terminal>;
}

/** Throws as `loadConfig` does. @param file in place of PARLEY_CONFIG and parley.yaml */
export async function loadSettings(house: House, file: string | undefined): Promise<Loaded> {
  const channels = await house.channels();
  return loadConfig({ sandbox: embeddedSettings(), channels, ...(file !== undefined && { file }) });
}

export function sharedOf(config: Config, version = projectVersion()): Shared {
  const { server, data, defaultAgent, access, identity } = config;
  const publicUrl = server.publicUrl?.replace(/\/*$/, '');
  return {
    ...(publicUrl !== undefined && { publicUrl }),
    host: server.host,
    trustedProxies: server.trustedProxies,
    data,
    defaultAgent,
    access,
    byEmail: identity.table.some(({ email }) => email !== undefined),
    project: { folder: projectFolder(), version },
  };
}

/** Each channel's name, and whether it is on and how, as the end of a sentence. */
export function announced({ config, channels }: Loaded): readonly { title: string; line: string }[] {
  const shared = sharedOf(config);
  return channels.map(({ channel: { name, title }, isOn, configured }) => {
    if (configured === undefined) return { title, line: 'off, because none of its settings is set' };
    return { title, line: isOn ? configured.announce(shared) : `off, by ${name}.enabled` };
  });
}

/** The adapters of the channels that are on. */
export async function createAdapters({ channels }: Loaded, shared: Shared): Promise<ChannelAdapter[]> {
  const on = channels.flatMap(({ isOn, configured }) => (isOn && configured ? [configured] : []));
  return Promise.all(on.map((configured) => configured.create(shared)));
}

/** Findings of `doctor` about each channel: its state and, if it is on, the results of its checks. */
export async function checkChannels(loaded: Loaded, clock: Clock): Promise<readonly Finding[]> {
  const { config, channels } = loaded;
  const shared = sharedOf(config);
  const lines = announced(loaded);
  const found = await Promise.all(
    channels.map(({ isOn, configured }) => (isOn && configured ? configured.checks(shared, clock) : [])),
  );
  const findings = lines.flatMap(({ title, line }, index) => [
    { what: title, ok: true, detail: line },
    ...(found[index] ?? []),
  ]);
  const keepsSecrets = channels.some(({ isOn, channel }) => isOn && channel.on === 'when-configured');
  return [...(keepsSecrets ? [checkKey(config)] : []), ...findings];
}

/** Channels keep secrets and answers on disk. */
function checkKey({ key }: Config): Finding {
  const detail =
    key === undefined ? 'not set: what is secret is encrypted under a key in the data folder' : 'set';
  return { what: 'PARLEY_KEY', ok: true, detail };
}
