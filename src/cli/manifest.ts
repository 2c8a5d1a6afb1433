import { stringify } from 'yaml';
import { adapters } from '../../adapters/registry.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { embeddedSettings } from './embedded.ts';

const HEAD = `# What Slack must know of the app; docs/slack.md tells where it is pasted. Made by \`parley manifest slack\`.
`;

/** Prints the app's manifest for what is switched on. */
export async function manifest(channel: string, options: { readonly config?: string }): Promise<number> {
  if (channel !== 'slack') {
    console.error(`There is no manifest for "${channel}". Known: slack.`);
    return 64;
  }
  const { config } = loadConfig({
    sandbox: embeddedSettings(),
    ...(options.config !== undefined && { file: options.config }),
  });
  process.stdout.write(await slackManifestText(config));
  return 0;
}

export async function slackManifestText({ slack, server, identity }: Config): Promise<string> {
  const { slackManifest } = await adapters.slack();
  const publicUrl = server.publicUrl?.replace(/\/*$/, '');
  const made = slackManifest({
    name: slack?.name ?? 'Parley',
    command: slack?.command ?? '/ask',
    prompts: slack?.prompts ?? [],
    email: identity.table.some((line) => line.email !== undefined),
    publicUrl,
    socketMode: slack?.appToken !== undefined || publicUrl === undefined,
    installable: slack?.clientId !== undefined,
  });
  return `${HEAD}${stringify(made, { lineWidth: 110, aliasDuplicateObjects: false })}`;
}
