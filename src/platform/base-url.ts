import { BridgeError } from '../errors.ts';

/**
 * The platform's base address: its origin, and a path prefix that comes before every operation's path (platform
 * contract GEN-1).
 */
export interface Base {
  readonly origin: string;
  /** Origin and path prefix without a trailing slash. */
  readonly address: string;
}

/**
 * Parses the platform's base address. Throws `config-invalid` if it is not a plain http(s) address, or if it uses
 * http to another machine and `allowInsecureHttp` is false.
 */
export function parseBase(address: string, allowInsecureHttp: boolean): Base {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalid('must be an http or https address');
  }
  if (url.username !== '' || url.password !== '') throw invalid('must not hold credentials');
  if (/[?#]/.test(address)) throw invalid('must have neither query nor fragment');
  if (url.protocol === 'http:' && !allowInsecureHttp && !isLoopback(url.hostname)) {
    throw invalid('uses http to reach another machine, so credentials would be sent unencrypted; use https');
  }
  return { origin: url.origin, address: url.origin + url.pathname.replace(/\/+$/, '') };
}

function invalid(fault: string): BridgeError {
  return new BridgeError('config-invalid', `The platform's base address ${fault}.`, {
    facts: { setting: 'platform.baseUrl' },
  });
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Joins base and path as text, because resolving the path as a URL would drop the path prefix of the base. */
export function joinPath(base: Base, path: string): string {
  return `${base.address}/${path.replace(/^\/+/, '')}`;
}

/**
 * Resolves an address that the platform sent: absolute, or relative to the base address. The path prefix of the base
 * is kept even if the address starts with a slash. Returns undefined unless the result is an http(s) address.
 */
export function resolveAddress(base: Base, written: string | undefined): URL | undefined {
  if (written === undefined) return undefined;
  const relative = written.startsWith('/') && !written.startsWith('//');
  const prefix = new URL(`${base.address}/`).pathname;
  const path = relative && !written.startsWith(prefix) ? prefix + written.slice(1) : written;
  const url = URL.parse(path, `${base.address}/`);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}
