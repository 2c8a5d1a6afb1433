import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { adapters, type TeamsApp } from '../../adapters/registry.ts';
import type { Config } from '../config/schema.ts';
import { teamsSetting } from '../config/teams-setting.ts';
import { BridgeError, codeOf } from '../errors.ts';
import { projectFolder, projectVersion } from './project.ts';

type AppSlice = Pick<Config, 'teams' | 'server'>;

/** What the app for Teams is made of; without any setting of Teams, the defaults. */
export function teamsApp({ teams, server }: AppSlice, version = projectVersion()): TeamsApp {
  const { appId, name, description, developer, prompts, allMessages } = teams ?? teamsSetting({}).parse({});
  const publicUrl = server.publicUrl?.replace(/\/*$/, '');
  return {
    ...{ name, description, developer, prompts, allMessages, version },
    ...(appId !== undefined && { appId }),
    ...(publicUrl !== undefined && { publicUrl }),
  };
}

/** The manifest, and what it lacks before Teams takes it. */
export async function teamsManifestText(
  app: TeamsApp,
): Promise<{ readonly text: string; readonly missing: readonly string[] }> {
  const { manifestText, missingOf } = await adapters.teams();
  return { text: manifestText(app), missing: missingOf(app) };
}

/** Writes the package that is uploaded. An older one of that name is replaced. */
export async function writeTeamsPackage(app: TeamsApp, path: string): Promise<void> {
  const { teamsPackage } = await adapters.teams();
  const [color, outline] = await Promise.all([icon('color.png'), icon('outline.png')]);
  await writeFile(path, teamsPackage(app, { color, outline })).catch((cause: unknown) => {
    const message = `${path} cannot be written (${codeOf(cause)}). Name another file with --out.`;
    throw new BridgeError('usage', message, { cause });
  });
}

const icon = (name: string): Promise<Uint8Array> => readFile(join(projectFolder(), 'manifests/teams', name));
