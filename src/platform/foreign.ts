import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Networks that addresses in an answer must not reach: this machine and private networks, in every notation (attack
 * S06). IPv4 and IPv6 need separate lists, because one common list would treat every IPv4 address as an IPv4 address
 * embedded in IPv6.
 */
const closed = { ipv4: new BlockList(), ipv6: new BlockList() };
const V4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];
const V6: readonly [string, number][] = [
  ['::', 96], // this machine, and IPv4-compatible addresses
  ['::ffff:0:0', 96], // IPv4-mapped addresses
  ['64:ff9b::', 96], // NAT64: IPv4 addresses behind a translator
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23], // Teredo and other special purposes
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4: tunnels to IPv4 addresses
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
];
for (const [network, bits] of V4) closed.ipv4.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of V6) closed.ipv6.addSubnet(network, bits, 'ipv6');

export function isClosedAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return closed.ipv4.check(address, 'ipv4');
  return family === 0 || closed.ipv6.check(address, 'ipv6');
}

/**
 * True if the host name or address may be connected to, judged by its text alone. The addresses of a host name are
 * checked again when the name is resolved.
 */
export function isOpenHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? !/(^|\.)(localhost|local|internal)\.?$/i.test(bare) : !isClosedAddress(bare);
}

/**
 * Refuses a host that this machine resolves to a private network. For calls through a proxy, which resolves names
 * itself: a name that only the proxy can resolve is left to the proxy.
 */
export function refuseClosed(hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    guardedLookup(hostname.replace(/^\[|\]$/g, ''), {}, (error) => {
      if (error?.code === CLOSED) reject(error);
      else resolve();
    });
  });
}

const CLOSED = 'ECLOSED';

/**
 * Resolves a name when the connection is opened, and refuses addresses in private networks. A name therefore cannot
 * change its address between check and connection.
 */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 4);
    const open = addresses.filter(({ address }) => !isClosedAddress(address));
    const [first] = open;
    if (first === undefined || open.length < addresses.length) {
      return callback(
        Object.assign(new Error('The name resolves to a private network.'), { code: CLOSED }),
        '',
        4,
      );
    }
    if (options.all === true) return callback(null, open);
    return callback(null, first.address, first.family);
  });
};
