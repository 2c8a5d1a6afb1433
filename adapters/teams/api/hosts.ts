/**
 * Decides, by exact lists of hosts, which addresses may receive a token (attack S05: foreign hosts that ask for
 * credentials; S15: foreign service addresses).
 */

import type { Cloud } from '../clouds.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The service behind an address. The service decides which token a call gets; a call to `files` gets none, because a
 * link to a file contains a token.
 */
type Service = 'connector' | 'graph' | 'files';

export type Hosts = ReturnType<typeof createHosts>;

export function createHosts({ graph, connectors, files }: Pick<Cloud, 'graph' | 'connectors' | 'files'>) {
  return {
    /** Origin of Microsoft Graph, without a trailing slash. */
    graph,
    /** Returns undefined if the address is not one of Microsoft's or not https. The bridge must not call such an address. */
    serviceOf(address: string): Service | undefined {
      if (!URL.canParse(address)) return undefined;
      const url = new URL(address);
      if (!isSecure(url) || url.username !== '' || url.password !== '') return undefined;
      if (url.origin === new URL(graph).origin) return 'graph';
      if (connectors.includes(url.host)) return 'connector';
      return isFile(url, files) ? 'files' : undefined;
    },
  };
}

/**
 * True for https. Also true for http to this machine, because tests run their stand-ins for Microsoft's services there.
 */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.includes(hostname));
}

function isFile({ host, port }: URL, { hosts, domains }: Cloud['files']): boolean {
  return hosts.includes(host) || (port === '' && domains.some((domain) => host.endsWith(domain)));
}
