/** Connects to an XMPP server, finds its address, and switches the connection to TLS. */

import type { SrvRecord } from 'node:dns';
import { resolveSrv } from 'node:dns/promises';
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { BridgeError, isLoopback, timeLimit } from 'parley/kit';

export type Tls = 'starttls' | 'direct' | 'none';

export interface ServerAddress {
  /** Domain of the account, for which the server's certificate must be valid. */
  readonly domain: string;
  /** `host:port`; if absent, DNS names the server (RFC 6120, section 3.2). */
  readonly server?: string | undefined;
  readonly tls: Tls;
  /** Looks up the SRV records of a name; if absent, with DNS. */
  readonly resolve?: (name: string) => Promise<readonly SrvRecord[]>;
}

/** Ports of RFC 6120, and of XEP-0368 for direct TLS. */
const PORTS: Readonly<Record<Tls, number>> = { starttls: 5222, none: 5222, direct: 5223 };
/** Maximum milliseconds until the connection and its TLS are open. */
const CONNECT_MS = 10_000;

/** Target of an SRV record that denies the service (RFC 2782). */
const NO_SERVICE: ReadonlySet<string> = new Set(['', '.']);

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Returns where the server may listen, best first. Rejects if DNS says that the domain has no such server. */
export async function placesOf({
  domain,
  server,
  tls,
  resolve = resolveSrv,
}: ServerAddress): Promise<readonly Place[]> {
  if (server !== undefined) {
    const [, host = server, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(server) ?? [];
    return [{ host, port: port === undefined ? PORTS[tls] : Number(port) }];
  }
  const name = `_xmpp${tls === 'direct' ? 's' : ''}-client._tcp.${domain}`;
  const found = isIP(domain) > 0 ? [] : await resolve(name).catch(() => []);
  const ordered = found.toSorted((one, other) => one.priority - other.priority || other.weight - one.weight);
  const named = ordered
    .filter(({ name: host }) => !NO_SERVICE.has(host))
    .map(({ name: host, port }) => ({ host, port }));
  if (found.length > 0 && named.length === 0)
    throw new BridgeError('channel-unavailable', `DNS says that ${domain} offers no such service (${name}).`);
  return named.length > 0 ? named : [{ host: domain, port: PORTS[tls] }];
}

/** Opens a connection. Rejects if no address of the server accepts one. */
export async function connect(address: ServerAddress, signal: AbortSignal): Promise<Socket> {
  let failure: unknown;
  for (const place of await placesOf(address)) {
    const socket = connectTcp({ ...place, noDelay: true, keepAlive: true });
    try {
      const within = AbortSignal.any([signal, timeLimit(CONNECT_MS)]);
      await once(socket, 'connect', { signal: within });
      if (address.tls === 'none' && !isLoopback(socket.remoteAddress ?? ''))
        throw new Error('TLS is off, which is allowed only for a server on this machine.');
      return address.tls === 'direct' ? await secured(socket, address.domain, signal, true) : socket;
    } catch (thrown) {
      failure = thrown;
      socket.destroy();
      signal.throwIfAborted();
    }
  }
  throw failure;
}

/**
 * Starts TLS on a connection. Rejects if the certificate is not valid for the domain.
 * @param isDirect true without STARTTLS; the client then names its protocol (XEP-0368)
 */
export async function secured(
  socket: Socket,
  domain: string,
  signal: AbortSignal,
  isDirect = false,
): Promise<Socket> {
  const tls = connectTls({
    socket,
    minVersion: 'TLSv1.2',
    // The name for which the certificate must be valid, also if the server's address has another name.
    host: domain,
    ...(isDirect && { ALPNProtocols: ['xmpp-client'] }),
    ...(isIP(domain) === 0 && { servername: domain }),
  });
  try {
    await once(tls, 'secureConnect', { signal: AbortSignal.any([signal, timeLimit(CONNECT_MS)]) });
    return tls;
  } catch (thrown) {
    tls.destroy();
    throw thrown;
  }
}
