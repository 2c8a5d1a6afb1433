/** Which addresses get a token of ours. The lists are exact: nothing else does (attacks S05 and S15). */

import type { TeamsServices } from '../config.ts';

/**
 * The Bot Connector of the clouds that Teams runs in: commercial and GCC, GCC High, DoD, China (Teams SDK, "Service URL
 * validation").
 */
const CONNECTORS = [
  'smba.trafficmanager.net',
  'smba.onyx.prod.teams.trafficmanager.net',
  'smba.infra.gcc.teams.microsoft.com',
  'smba.infra.gov.teams.microsoft.us',
  'smba.infra.dod.teams.microsoft.us',
  'frontend.botapi.msg.infra.teams.microsoftonline.cn',
];
/** Where files that people attach lie; their links carry their own right, so they get no token. */
const FILE_DOMAINS = ['.sharepoint.com', '.sharepoint.us', '.sharepoint-mil.us', '.sharepoint.cn'];
/** Microsoft Graph, where a reply of unknown outcome is looked up. */
const GRAPH = 'https://graph.microsoft.com';
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** What an address is, and so which token it gets: `files` gets none. */
export type Service = 'connector' | 'graph' | 'files';

export interface Hosts {
  /** Absent: the address is foreign, or no https, and nothing is asked of it. */
  serviceOf(address: string): Service | undefined;
  /** Origin of Microsoft Graph, without a slash at the end. */
  readonly graph: string;
}

export function createHosts(services: TeamsServices | undefined): Hosts {
  const connectors = services?.connectors ?? CONNECTORS;
  const graph = services === undefined ? GRAPH : services.graph;
  return {
    graph,
    serviceOf(address) {
      if (!URL.canParse(address)) return undefined;
      const url = new URL(address);
      if (!isSecure(url) || url.username !== '' || url.password !== '') return undefined;
      if (url.origin === new URL(graph).origin) return 'graph';
      if (connectors.includes(url.host)) return 'connector';
      if (services === undefined) return isFile(url) ? 'files' : undefined;
      return services.attachments.includes(url.host) ? 'files' : undefined;
    },
  };
}

/** Plain http only to this machine, for services that stand for Microsoft's. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}

function isFile({ hostname, port }: URL): boolean {
  return port === '' && FILE_DOMAINS.some((domain) => hostname.endsWith(domain));
}
