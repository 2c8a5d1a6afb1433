/** Tells the clients of an HTTP server apart by their addresses. */

import { isIPv6 } from 'node:net';

/**
 * Matches an address with a port. Some proxies, such as Azure Application Gateway, write addresses with ports to
 * X-Forwarded-For.
 */
const WITH_PORT = /^(?:\[([\da-f:.]+)\]|(\d+(?:\.\d+){3}))(?::\d+)?$/i;
/** Matches the prefix of an IPv4 address that is written as IPv6. */
const MAPPED = /^::ffff:(?=\d+(?:\.\d+){3}$)/i;
const IPV6_GROUPS = 8;
/**
 * Number of groups of an IPv6 address that identify its /64 network, the smallest network that providers assign to a
 * household.
 */
const NETWORK_GROUPS = 4;

/**
 * Returns the value of X-Forwarded-For without ports, because Express does not recognize a trusted proxy if its address
 * has a port.
 */
export function withoutPorts(forwarded: string): string {
  const bare = forwarded.split(',').map((address) => {
    const [, six, four] = WITH_PORT.exec(address.trim()) ?? [];
    return six ?? four ?? address.trim();
  });
  return bare.join(', ');
}

/**
 * Returns the key under which the requests of an address are counted: the IPv4 address, or the /64 network of an IPv6
 * address, because one client may use all addresses of its network.
 */
export function clientOf(address: string): string {
  const bare = withoutPorts(address).replace(MAPPED, '');
  if (!isIPv6(bare)) return bare;
  const [before = [], after = []] = bare.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, IPV6_GROUPS - before.length - after.length)).fill('0');
  const network = [...before, ...zeros, ...after].slice(0, NETWORK_GROUPS);
  return network.map((group) => Number.parseInt(group, 16)).join(':');
}
