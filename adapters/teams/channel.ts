/** Describes the Teams channel for the registry. The adapter and Microsoft's SDK are loaded only when needed. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineChannel, defined, type Shared } from '../../src/kit.ts';
import type { ManifestSettings } from './app/package.ts';
import type { SingleSignOn, TeamsConfig, TeamsCredential } from './config.ts';
import { NO_ID, type TeamsSettings, teamsFaults, teamsSettings, teamsVariables } from './settings.ts';

const SIGN_IN = {
  password: 'a client secret',
  certificate: 'a certificate',
  'managed-identity': 'a managed identity',
} as const;

export const teams = defineChannel({
  api: 1,
  name: 'teams',
  title: 'Teams',
  on: 'when-configured',
  page: 'docs/teams.md',
  settings: teamsSettings,
  variables: teamsVariables,
  faults: teamsFaults,
  announce(settings, shared) {
    const { credential, publicUrl, tenant, cloud } = teamsConfig(settings, shared);
    const where = cloud === 'Public' ? '' : ` in the cloud ${cloud}`;
    const address =
      publicUrl === undefined
        ? 'at /api/messages; set PARLEY_PUBLIC_URL to the https address at which Teams reaches the bridge'
        : `at ${publicUrl}/api/messages`;
    return `on for the directory ${tenant}${where}, with ${SIGN_IN[credential.kind]}, ${address}`;
  },
  create: async (settings, shared) => (await import('./index.ts')).createTeams(teamsConfig(settings, shared)),
  checks: async (settings, shared, clock) =>
    (await import('./doctor.ts')).examineTeams(teamsConfig(settings, shared), appOf(settings, shared), clock),
  live: async (settings, shared, clock) =>
    (await import('./live/index.ts')).teamsLive(teamsConfig(settings, shared), clock),
  manifest: {
    form: 'package',
    async make(settings, shared) {
      const { manifestText, missingOf, teamsPackage } = await import('./app/package.ts');
      const app = appOf(settings, shared);
      const icon = (name: string) => readFile(join(shared.project.folder, 'manifests/teams', name));
      return {
        text: manifestText(app),
        missing: missingOf(app),
        package: {
          async bytes() {
            const [color, outline] = await Promise.all([icon('color.png'), icon('outline.png')]);
            return teamsPackage(app, { color, outline });
          },
          next: 'Upload it in Teams: Apps, Manage your apps, Upload an app.',
        },
      };
    },
  },
});

/** Returns the contents of the app package. Works even if no setting of Teams is given. */
function appOf(settings: TeamsSettings, { publicUrl, project }: Shared): ManifestSettings {
  const { singleSignOn: signOn, ...own } = settings;
  const singleSignOn = signOn && singleSignOnOf(signOn, own.appId ?? NO_ID);
  return { ...own, version: project.version, ...defined({ singleSignOn, publicUrl }) };
}

export function teamsConfig(settings: TeamsSettings, { publicUrl }: Shared): TeamsConfig {
  const { appId = '', tenant = '', services, singleSignOn, ...others } = settings;
  const { cloud, name, prompts, streaming, allMessages, targeted, extendedMarkdown } = others;
  return {
    cloud,
    appId,
    tenant,
    name,
    prompts,
    streaming,
    allMessages,
    targeted,
    extendedMarkdown,
    credential: credentialOf(settings),
    ...defined({
      publicUrl,
      singleSignOn: singleSignOn && singleSignOnOf(singleSignOn, appId),
      services,
    }),
  };
}

/** Claims that contain a readable name of the person, in version 2.0 and in version 1.0 of Entra's tokens. */
const NAME_CLAIMS = ['preferred_username', 'upn'];

const singleSignOnOf = (
  { resource, application, nameClaim }: NonNullable<TeamsSettings['singleSignOn']>,
  appId: string,
): SingleSignOn => ({
  resource,
  application: application ?? appId,
  nameClaims: nameClaim === undefined ? NAME_CLAIMS : [nameClaim],
});

/**
 * Returns the bot's credential. Throws if there is none; `teamsFaults` has then already reported the missing
 * credential.
 */
function credentialOf({
  appType,
  password,
  certificate,
  certificateKey: key,
}: TeamsSettings): TeamsCredential {
  if (appType === 'UserAssignedMSI') return { kind: 'managed-identity' };
  if (password !== undefined) return { kind: 'password', password };
  if (certificate !== undefined && key !== undefined) return { kind: 'certificate', certificate, key };
  throw new TypeError('Teams has no credential.');
}
