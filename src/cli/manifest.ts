import { writeFile } from 'node:fs/promises';
import type { ChannelState } from '../config/load.ts';
import { codeOf, usage } from '../errors.ts';
import type { Manifest, Shared } from '../kit/channel.ts';
import { type CommandDeps, loadSettings, sharedOf } from './channels.ts';

interface ManifestOptions {
  readonly config?: string;
  /** Path to write the app package to. If absent, the manifest is printed. */
  readonly out?: string;
  /** Version of the app package; by default, Parley's own version. */
  readonly appVersion?: string;
}

/**
 * Prints the manifest of a channel's app, or writes the app package. Both contain what the configuration switches on.
 */
export async function manifest(
  options: ManifestOptions,
  deps: CommandDeps,
  [name]: readonly [string],
): Promise<number> {
  const { config, channels: states } = await loadSettings(deps, options.config);
  const channels = states.map(({ channel }) => channel).filter(({ manifest: form }) => form !== undefined);
  const state = states.find(({ channel }) => channel.name === name && channel.manifest !== undefined);
  if (state === undefined) {
    const known = channels.map((each) => each.name).join(', ');
    throw usage(`There is no manifest for "${name}". Known channels: ${known}.`);
  }
  const { out, appVersion } = options;
  const { channel } = state;
  if (channel.manifest === 'text' && (out !== undefined || appVersion !== undefined)) {
    const cure = `${channel.title} accepts the text that \`parley manifest ${name}\` prints.`;
    const others = channels.filter((each) => each.manifest === 'package').map(({ title }) => title);
    throw usage(`--out and --app-version are for the app of ${others.join(' or ')}. ${cure}`);
  }
  const made = await manifestOf(state, sharedOf(config, appVersion));
  if (out !== undefined && made.package !== undefined) await writePackage(made.package, out);
  else {
    for (const each of made.missing) console.error(`For inspection only: ${each}`);
    process.stdout.write(made.text);
  }
  return 0;
}

/** Creates the manifest. If the channel is not configured, uses its default settings. */
export async function manifestOf(
  { channel, configured = channel.schema({}).parse({}) }: Pick<ChannelState, 'channel' | 'configured'>,
  shared: Shared,
): Promise<Manifest> {
  return (await configured.manifest?.(shared)) ?? { text: '', missing: [] };
}

/** Writes the app package to `path`. Replaces a file that exists there. */
async function writePackage(made: NonNullable<Manifest['package']>, path: string): Promise<void> {
  await writeFile(path, await made.bytes()).catch((cause: unknown) => {
    const message = `${path} cannot be written (${codeOf(cause)}). Name another file with --out.`;
    throw usage(message, cause);
  });
  console.log(`${path} contains the app. ${made.next}`);
}
