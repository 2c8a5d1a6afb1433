/**
 * The clouds of Teams, each with its own services (Teams SDK, "Sovereign cloud configuration" and "Service URL
 * validation"; Azure Bot Service, bots for US Government and for China; Microsoft Graph, "National cloud deployments").
 * No cloud accepts another cloud's tokens.
 */

import type { CloudName, TeamsConfig } from './config.ts';

/** The services of a cloud. Addresses are origins, without a trailing slash. */
export interface Cloud {
  /** Address that issues tokens. */
  readonly login: string;
  /** Beginning of the issuer in Entra's tokens of version 1.0. */
  readonly sts: string;
  /** Address of the OpenID metadata, which contains the keys that sign Teams' requests. */
  readonly openId: string;
  /** Issuer of the Bot Connector's tokens, and audience of the bot's own tokens. */
  readonly issuer: string;
  readonly graph: string;
  /** Hosts of the Bot Connector. */
  readonly connectors: readonly string[];
  /** Hosts, and endings of host names, from which people's attached files are downloaded. */
  readonly files: { readonly hosts: readonly string[]; readonly domains: readonly string[] };
}

const files = (domain: string) => ({ hosts: [], domains: [domain] });

/** Services that GCC High and DoD share. */
const government = {
  login: 'https://login.microsoftonline.us',
  sts: 'https://sts.windows.net',
  openId: 'https://login.botframework.azure.us',
  issuer: 'https://api.botframework.us',
};

/** GCC is part of the commercial cloud, but has its own Bot Connector. */
const clouds: Readonly<Record<CloudName, Cloud>> = {
  Public: {
    login: 'https://login.microsoftonline.com',
    sts: 'https://sts.windows.net',
    openId: 'https://login.botframework.com',
    issuer: 'https://api.botframework.com',
    graph: 'https://graph.microsoft.com',
    connectors: [
      'smba.trafficmanager.net',
      'smba.onyx.prod.teams.trafficmanager.net',
      'smba.infra.gcc.teams.microsoft.com',
    ],
    files: files('.sharepoint.com'),
  },
  USGov: {
    ...government,
    graph: 'https://graph.microsoft.us',
    connectors: ['smba.infra.gov.teams.microsoft.us'],
    files: files('.sharepoint.us'),
  },
  USGovDoD: {
    ...government,
    graph: 'https://dod-graph.microsoft.us',
    connectors: ['smba.infra.dod.teams.microsoft.us'],
    files: files('.sharepoint-mil.us'),
  },
  China: {
    login: 'https://login.partner.microsoftonline.cn',
    sts: 'https://sts.chinacloudapi.cn',
    openId: 'https://login.botframework.azure.cn',
    issuer: 'https://api.botframework.azure.cn',
    graph: 'https://microsoftgraph.chinacloudapi.cn',
    connectors: ['frontend.botapi.msg.infra.teams.microsoftonline.cn'],
    files: files('.sharepoint.cn'),
  },
};

/** Returns the services of the configured cloud. In tests, services on this machine replace them. */
export function cloudOf({ cloud, services }: Pick<TeamsConfig, 'cloud' | 'services'>): Cloud {
  const own = clouds[cloud];
  if (services === undefined) return own;
  const { attachments, ...places } = services;
  return { ...own, ...places, files: { hosts: attachments, domains: [] } };
}

/** A service that requires tokens. */
export type Audience = 'connector' | 'graph';

/** Returns the scope to request for a token. It names the cloud's real service even if a test replaces that service. */
export function scopeOf(audience: Audience, { cloud }: Pick<TeamsConfig, 'cloud'>): string {
  const { issuer, graph } = clouds[cloud];
  return `${audience === 'connector' ? issuer : graph}/.default`;
}

/** The sign-in service of the organization. */
export interface Directory {
  /** Address of the OpenID metadata, which names the keys that sign people's tokens. */
  readonly metadata: string;
  /** Address at which a person signs in. */
  readonly authorize: string;
  /**
   * The issuers of people's tokens of version 2.0 and of version 1.0. The `requestedAccessTokenVersion` of the app's
   * registration decides which version the tokens have (Microsoft-Teams-Samples issue 805; teams.ts pull request 556;
   * MicrosoftDocs/azure-docs issue 123050 for China).
   */
  readonly issuers: readonly string[];
}

export function directoryOf({
  cloud,
  tenant,
  services,
}: Pick<TeamsConfig, 'cloud' | 'tenant' | 'services'>): Directory {
  const { login, sts } = clouds[cloud];
  const at = services?.login ?? login;
  return {
    metadata: `${at}/${tenant}/v2.0/.well-known/openid-configuration`,
    authorize: `${at}/${tenant}/oauth2/v2.0/authorize`,
    issuers: [`${login}/${tenant}/v2.0`, `${sts}/${tenant}/`],
  };
}
