/**
 * The clouds that Teams runs in, each with services of its own (Teams SDK, "Sovereign cloud configuration" and "Service
 * URL validation"; Azure Bot Service, bots for US Government and for China; Microsoft Graph, "National cloud
 * deployments"). What is signed in one cloud proves nothing in another.
 */

import type { CloudName, TeamsConfig } from './config.ts';

/** Addresses are origins, without a slash at the end. */
export interface Cloud {
  /** Gives tokens. */
  readonly login: string;
  /** Names the keys with which requests of Teams are signed. */
  readonly openId: string;
  /** Issuer of the Bot Connector's tokens; we are known to it under the same name. */
  readonly issuer: string;
  readonly graph: string;
  /** Hosts of the Bot Connector. */
  readonly connectors: readonly string[];
  /** Hosts, and ends of hosts, where files that people attach lie. */
  readonly files: { readonly hosts: readonly string[]; readonly domains: readonly string[] };
}

const files = (domain: string) => ({ hosts: [], domains: [domain] });

/** GCC lives in the commercial cloud, with a Bot Connector of its own. */
const clouds: Readonly<Record<CloudName, Cloud>> = {
  Public: {
    login: 'https://login.microsoftonline.com',
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
    login: 'https://login.microsoftonline.us',
    openId: 'https://login.botframework.azure.us',
    issuer: 'https://api.botframework.us',
    graph: 'https://graph.microsoft.us',
    connectors: ['smba.infra.gov.teams.microsoft.us'],
    files: files('.sharepoint.us'),
  },
  USGovDoD: {
    login: 'https://login.microsoftonline.us',
    openId: 'https://login.botframework.azure.us',
    issuer: 'https://api.botframework.us',
    graph: 'https://dod-graph.microsoft.us',
    connectors: ['smba.infra.dod.teams.microsoft.us'],
    files: files('.sharepoint-mil.us'),
  },
  China: {
    login: 'https://login.partner.microsoftonline.cn',
    openId: 'https://login.botframework.azure.cn',
    issuer: 'https://api.botframework.azure.cn',
    graph: 'https://microsoftgraph.chinacloudapi.cn',
    connectors: ['frontend.botapi.msg.infra.teams.microsoftonline.cn'],
    files: files('.sharepoint.cn'),
  },
};

/** Where a bridge's services are: those of its cloud, or on this machine the ones that stand for them. */
export function cloudOf({ cloud, services }: Pick<TeamsConfig, 'cloud' | 'services'>): Cloud {
  const own = clouds[cloud];
  if (services === undefined) return own;
  const { attachments, ...places } = services;
  return { ...own, ...places, files: { hosts: attachments, domains: [] } };
}

/** Services that tokens are for. */
export type Audience = 'connector' | 'graph';

/** What a token is asked for: always the cloud's own service, whatever stands for it. */
export function scopeOf(audience: Audience, { cloud }: Pick<TeamsConfig, 'cloud'>): string {
  const { issuer, graph } = clouds[cloud];
  return `${audience === 'connector' ? issuer : graph}/.default`;
}
