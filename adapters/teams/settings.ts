/** Teams' settings, and checks of their combinations. */

import { z } from 'zod';
import type { Fault, Tree } from '../../src/kit/ladder.ts';
import {
  type Environment,
  enabledSetting,
  isLoopback,
  promptsSetting,
  secretSetting,
  switchSetting,
  valueAt,
} from '../../src/kit.ts';

/** Matches an id of an app or a directory. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Stands in for the app's id in a manifest that is only printed, not uploaded. */
export const NO_ID = '00000000-0000-0000-0000-000000000000';

const ID_CURE = 'Give an id such as 00000000-0000-0000-0000-000000000000.';

/** Returns the setting for an id. It is read like a secret: from a variable or a file, and never blank. */
function idSetting(environment: Environment, description: string) {
  return secretSetting(environment, description)
    .transform((found, context) => {
      const id = found.reveal().trim().toLowerCase();
      if (ID.test(id)) return id;
      // Do not show the value, because it may be the client secret entered in the wrong place.
      const message = `is not an id (it has ${id.length} characters)`;
      context.addIssue({ code: 'custom', message, params: { cure: ID_CURE } });
      return z.NEVER;
    })
    .describe(description);
}

const localAddress = (what: string) =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .refine((written) => isLoopback(new URL(written).hostname), 'must be an address of this machine')
    .transform((written) => written.replace(/\/*$/, ''))
    .describe(what);

const localHosts = (what: string) =>
  z
    .array(
      z.string().refine((host) => {
        const url = URL.parse(`http://${host}`);
        return url !== null && url.host === host && isLoopback(url.hostname);
      }, 'must be a host name or address of this machine, with a port'),
    )
    .max(20)
    .describe(what);

const services = z
  .strictObject({
    login: localAddress('Address of the service that issues tokens'),
    openId: localAddress(
      'Address of the OpenID metadata that names the keys with which requests from Teams are signed',
    ),
    connectors: localHosts('Hosts that a request may name as the address for its answer'),
    attachments: localHosts('Hosts from which shared files are fetched'),
    graph: localAddress('Address of Microsoft Graph, where messages are looked up'),
  })
  .describe("Addresses of Microsoft's services, for tests on this machine; if absent, those of the cloud");

const singleSignOn = (environment: Environment) =>
  z
    .strictObject({
      resource: z
        .string()
        .regex(
          /^api:\/\/[^\s/]+(\/[^\s/]+)*$/,
          'must be an address such as api://botid-00000000-0000-0000-0000-000000000000',
        )
        .describe('Application ID URI of the app in Microsoft Entra, under "Expose an API"'),
      application: idSetting(
        environment,
        'Application (client) id of the app in Microsoft Entra that exposes the resource; if absent, that of the bot',
      ).optional(),
      nameClaim: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Claim of the token with the name that the audit shows for the person; if absent, preferred_username, then upn. The name gives no rights',
        ),
    })
    .describe(
      "Single sign-on in the chat with the app, for agents whose credential is the asker's own token",
    );

const shortText = (most: number, usual: string, what: string) =>
  z.string().trim().min(1).max(most).default(usual).describe(what);

const page = (what: string) =>
  z
    .url({ protocol: /^https$/, error: 'must be an https address' })
    .max(2_048)
    .describe(what);

const developer = z
  .strictObject({
    name: shortText(32, 'Parley', 'Name of the publisher'),
    website: page("Web site of the publisher; if absent, the bridge's own address").optional(),
    privacy: page('Address of the privacy policy; if absent, the web site').optional(),
    terms: page('Address of the terms of use; if absent, the web site').optional(),
  })
  .describe('Publisher of the app, as Teams shows it before people add it');

/** How the app looks in Teams. */
const appearance = {
  name: shortText(30, 'Parley', 'Name of the app in Teams'),
  description: shortText(
    80,
    'Ask the agents of your organization in chats and channels',
    'One line that describes the app in Teams',
  ),
  developer: developer.prefault({}),
};

/** The bot's registration and credential. */
const registration = (environment: Environment) => ({
  appId: idSetting(environment, 'Application (client) id of the bot').optional(),
  tenant: idSetting(environment, 'Directory (tenant) id of the organization whose people may ask').optional(),
  cloud: z
    .enum(['Public', 'USGov', 'USGovDoD', 'China'])
    .default('Public')
    .describe(
      'The Microsoft cloud of the bot and its organization: Public (also for GCC), USGov (GCC High), USGovDoD, China (21Vianet)',
    ),
  appType: z
    .enum(['SingleTenant', 'UserAssignedMSI'])
    .default('SingleTenant')
    .describe('Whether the bot signs in with a secret or a certificate, or as a managed identity'),
  password: secretSetting(environment, 'Client secret of the app').optional(),
  certificate: secretSetting(
    environment,
    'Certificate of the app (PEM), instead of a client secret; usually a file',
  ).optional(),
  certificateKey: secretSetting(
    environment,
    "The certificate's private key (PEM); usually a file",
  ).optional(),
});

export const teamsSettings = (environment: Environment) =>
  z
    .strictObject({
      enabled: enabledSetting('Teams'),
      ...registration(environment),
      ...appearance,
      prompts: promptsSetting(
        12,
        32,
        'Questions offered in a personal chat with the app, twelve at most; if none are set, the agents are offered',
      ),
      streaming: switchSetting(
        "Whether answers in personal chats grow as Teams' native streams; otherwise they grow by edits",
        true,
      ),
      allMessages: switchSetting(
        'Whether the app asks owners to let it read every message of a channel or chat; follow-up questions then need no mention',
      ),
      targeted: switchSetting(
        'Whether private answers in channels and chats come as messages that only one person sees',
      ),
      copilot: switchSetting('Whether the app is also an agent in Microsoft 365 Copilot'),
      extendedMarkdown: switchSetting("Whether tables and headings are sent in Teams' extended Markdown"),
      singleSignOn: singleSignOn(environment).optional(),
      services: services.optional(),
    })
    .describe('Microsoft Teams');

export type TeamsSettings = z.output<ReturnType<typeof teamsSettings>>;

export const teamsVariables = {
  MICROSOFT_APP_ID: { setting: 'appId', kind: 'secret' },
  MICROSOFT_APP_TENANT_ID: { setting: 'tenant', kind: 'secret' },
  MICROSOFT_APP_CLOUD: { setting: 'cloud', kind: 'text' },
  MICROSOFT_APP_TYPE: { setting: 'appType', kind: 'text' },
  MICROSOFT_APP_PASSWORD: { setting: 'password', kind: 'secret' },
  MICROSOFT_APP_CERT: { setting: 'certificate', kind: 'secret' },
  MICROSOFT_APP_KEY: { setting: 'certificateKey', kind: 'secret' },
} as const;

/**
 * For each setting, the environment variable to name in the cure of a fault. For the certificate and its key, the
 * variable contains the path of a file.
 */
const VARIABLES: Readonly<Record<string, string>> = {
  appId: 'MICROSOFT_APP_ID',
  tenant: 'MICROSOFT_APP_TENANT_ID',
  password: 'MICROSOFT_APP_PASSWORD',
  certificate: 'MICROSOFT_APP_CERT_FILE',
  certificateKey: 'MICROSOFT_APP_KEY_FILE',
};

/** Reports missing ids, an address without TLS, and a credential that is missing or given in two ways. */
export function teamsFaults(teams: Tree, whole: Tree): readonly Fault[] {
  const found = [
    ...addressFaults(teams, whole),
    ...resourceFaults(teams),
    ...missingFault(teams, 'appId', 'Copy the application (client) id of the bot'),
    ...missingFault(teams, 'tenant', 'Copy the directory (tenant) id of your organization'),
  ];
  return [...found, ...(teams.appType === 'UserAssignedMSI' ? identityFaults(teams) : proofFaults(teams))];
}

/** Teams sends messages only to an https address. Local services that replace Microsoft's need none. */
function addressFaults(teams: Tree, whole: Tree): readonly Fault[] {
  const path = ['server', 'publicUrl'];
  const written = valueAt(whole, path);
  const cure = 'Set it (PARLEY_PUBLIC_URL) to the https address at which Teams reaches the bridge.';
  const url = typeof written === 'string' ? URL.parse(written) : null;
  if (url === null || url.protocol === 'https:' || teams.services !== undefined) return [];
  return [{ path, what: 'is not an https address, and Teams accepts no other', cure }];
}

/** Teams gets a token only for a resource that ends with the application's id. */
function resourceFaults(teams: Tree): readonly Fault[] {
  const path = ['teams', 'singleSignOn', 'resource'];
  const resource = valueAt(teams, path.slice(1));
  const application = valueAt(teams, ['singleSignOn', 'application']) ?? teams.appId;
  if (typeof resource !== 'string' || typeof application !== 'string' || !ID.test(application.toLowerCase()))
    return [];
  if (resource.toLowerCase().endsWith(application.toLowerCase())) return [];
  const what = `does not end with the id of the app (${application})`;
  return [
    { path, what, cure: `Copy the Application ID URI of the app, such as api://botid-${application}.` },
  ];
}

function missingFault(teams: Tree, name: string, cure: string): readonly Fault[] {
  if (teams[name] !== undefined) return [];
  return [{ path: ['teams', name], what: 'is missing', cure: `${cure} (${VARIABLES[name]}).` }];
}

/** Checks that there is a client secret, or a certificate with its key. */
function proofFaults(teams: Tree): readonly Fault[] {
  const { password, certificate, certificateKey } = teams;
  if (certificate === undefined && certificateKey === undefined) {
    const cure =
      'Create a client secret under "Certificates & secrets" of the app; or set a certificate and its key, or set MICROSOFT_APP_TYPE to UserAssignedMSI';
    return missingFault(teams, 'password', cure);
  }
  const cure = 'Keep MICROSOFT_APP_PASSWORD, or the certificate with its key.';
  const both = { path: ['teams', 'password'], what: 'is set together with a certificate', cure };
  return [
    ...(password === undefined ? [] : [both]),
    ...missingFault(teams, 'certificate', 'Set the file of the certificate'),
    ...missingFault(teams, 'certificateKey', "Set the file of the certificate's private key"),
  ];
}

function identityFaults(teams: Tree): readonly Fault[] {
  return ['password', 'certificate', 'certificateKey']
    .filter((name) => teams[name] !== undefined)
    .map((name) => ({
      path: ['teams', name],
      what: 'is set although the bot signs in as a managed identity',
      cure: `Remove ${VARIABLES[name]}, or set MICROSOFT_APP_TYPE to SingleTenant.`,
    }));
}
