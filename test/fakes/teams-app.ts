/** Parley's app package for a fake Teams, made by the code that `parley manifest teams` runs. */

import { readFileSync } from 'node:fs';
import { type ManifestSettings, teamsPackage } from '../../adapters/teams/app/package.ts';

const icon = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../manifests/teams/${name}`, import.meta.url)));

/** Settings of Teams that become part of the app. */
export type AppSettings = Partial<
  Pick<ManifestSettings, 'allMessages' | 'targeted' | 'copilot' | 'prompts'>
> & {
  readonly singleSignOn?: { readonly resource: string } | undefined;
};

/** Returns the app package of a bridge with these settings; by default, with the settings' defaults. */
export function appPackage(
  appId: string,
  { allMessages = false, targeted = false, copilot = false, prompts = [], singleSignOn }: AppSettings = {},
): Uint8Array {
  const app: ManifestSettings = {
    appId,
    name: 'Parley',
    description: 'Ask the agents of your organization in chats and channels',
    developer: { name: 'Parley' },
    version: '1.0.0',
    publicUrl: 'https://parley.example.org',
    allMessages,
    targeted,
    copilot,
    prompts,
    ...(singleSignOn !== undefined && {
      singleSignOn: { resource: singleSignOn.resource, application: appId, nameClaims: [] },
    }),
  };
  return teamsPackage(app, { color: icon('color.png'), outline: icon('outline.png') });
}
