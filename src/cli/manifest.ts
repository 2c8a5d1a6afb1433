import { stringify } from 'yaml';
import { adapters } from '../../adapters/registry.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { BridgeError } from '../errors.ts';
import { embeddedSettings } from './embedded.ts';
import { teamsApp, teamsManifestText, writeTeamsPackage } from './teams-app.ts';

export interface ManifestOptions {
  readonly config?: string;
  /** Where the package for Teams is written, in place of printing the manifest. */
  readonly out?: string;
  /** Of the app for Teams; Parley's own by default. */
  readonly appVersion?: string;
}

const HEAD = `# What Slack must know of the app; docs/slack.md tells where it is pasted. Made by \`parley manifest slack\`.
`;

type Show = (config: Config, options: ManifestOptions) => Promise<void>;

const CHANNELS: Readonly<Record<string, Show>> = { slack: showSlack, teams: showTeams };

/** Prints the app's manifest for what is switched on, or writes the package. */
export async function manifest(channel: string, options: ManifestOptions): Promise<number> {
  const show = Object.hasOwn(CHANNELS, channel) ? CHANNELS[channel] : undefined;
  if (show === undefined) {
    const known = Object.keys(CHANNELS).join(', ');
    throw new BridgeError('usage', `There is no manifest for "${channel}". Known: ${known}.`);
  }
  const { config } = loadConfig({
    sandbox: embeddedSettings(),
    ...(options.config !== undefined && { file: options.config }),
  });
  await show(config, options);
  return 0;
}

async function showSlack(config: Config, { out, appVersion }: ManifestOptions): Promise<void> {
  if (out !== undefined || appVersion !== undefined) {
    const cure = 'Slack takes the text that `parley manifest slack` prints.';
    throw new BridgeError('usage', `--out and --app-version are for the app of Teams. ${cure}`);
  }
  process.stdout.write(await slackManifestText(config));
}

async function showTeams(config: Config, { out, appVersion }: ManifestOptions): Promise<void> {
  const app = teamsApp(config, appVersion);
  if (out !== undefined) {
    await writeTeamsPackage(app, out);
    console.log(`${out} is the app. Upload it in Teams: Apps, Manage your apps, Upload an app.`);
    return;
  }
  const { text, missing } = await teamsManifestText(app);
  for (const each of missing) console.error(`Good to be looked at only: ${each}`);
  process.stdout.write(text);
}

export async function slackManifestText({ slack, server, identity }: Config): Promise<string> {
  const { slackManifest } = await adapters.slack();
  const publicUrl = server.publicUrl?.replace(/\/*$/, '');
  const made = slackManifest({
    name: slack?.name ?? 'Parley',
    command: slack?.command ?? '/ask',
    prompts: slack?.prompts ?? [],
    agentNames: slack?.agentNames ?? false,
    email: identity.table.some((line) => line.email !== undefined),
    publicUrl,
    socketMode: slack?.appToken !== undefined || publicUrl === undefined,
    installable: slack?.clientId !== undefined,
  });
  return `${HEAD}${stringify(made, { lineWidth: 110, aliasDuplicateObjects: false })}`;
}
