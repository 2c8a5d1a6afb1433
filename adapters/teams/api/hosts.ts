/** Which addresses get a token of ours. The lists are exact: nothing else does (attacks S05 and S15). */

import type { Cloud } from '../clouds.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** What an address is, and so which token it gets: `files` gets none, as their links carry their own right. */
type Service = 'connector' | 'graph' | 'files';

export interface Hosts {
  /** Absent: the address is foreign, or no https, and nothing is asked of it. */
  serviceOf(address: string): Service | undefined;
  /** Origin of Microsoft Graph, without a slash at the end. */
  readonly graph: string;
}

export function createHosts({
  graph,
  connectors,
  files,
}: Pick<Cloud, 'graph' | 'connectors' | 'files'>): Hosts {
  return {
    graph,
    serviceOf(address) {
      if (!URL.canParse(address)) return undefined;
      const url = new URL(address);
      if (!isSecure(url) || url.username !== '' || url.password !== '') return undefined;
      if (url.origin === new URL(graph).origin) return 'graph';
      if (connectors.includes(url.host)) return 'connector';
      return isFile(url, files) ? 'files' : undefined;
    },
  };
}

/** Plain http only to this machine, for services that stand for Microsoft's. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}

function isFile({ host, port }: URL, { hosts, domains }: Cloud['files']): boolean {
  return hosts.includes(host) || (port === '' && domains.some((domain) => host.endsWith(domain)));
}
