/**
 * Opens connections to other machines: through the proxies that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, also in
 * lower case.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import type { Agent, Dispatcher } from 'undici';
import { BridgeError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Hosts that are never called through a proxy: on another machine, these names would mean that other machine. */
const THIS_MACHINE = 'localhost,127.0.0.1,[::1]';

/**
 * Returns the proxies that the variables name, and the hosts that are called without one; undefined if they name no
 * proxy. Lower case takes precedence, as in curl and undici. Throws `config-invalid` without quoting the value, because
 * it may contain a password.
 */
export function proxiesIn(environment: Environment = process.env) {
  const [httpProxy, httpsProxy] = [proxyIn(environment, 'HTTP_PROXY'), proxyIn(environment, 'HTTPS_PROXY')];
  if (httpProxy === '' && httpsProxy === '') return undefined;
  return { httpProxy, httpsProxy, noProxy: `${variable(environment, 'NO_PROXY')},${THIS_MACHINE}` };
}

const variable = (environment: Environment, name: string): string =>
  (environment[name.toLowerCase()] ?? environment[name] ?? '').trim();

function proxyIn(environment: Environment, name: string): string {
  const text = variable(environment, name);
  if (text === '') return '';
  try {
    const { href, protocol, username, password } = new URL(text.includes('://') ? text : `http://${text}`);
    decodeURIComponent(username + password);
    if (/^(https?|socks5?):$/.test(protocol)) return href;
  } catch {
    // Reported below, because the error would quote the address.
  }
  const example = 'http://user:password@proxy.example.com:3128';
  throw new BridgeError('config-invalid', `${name} is not the address of a proxy, such as ${example}.`);
}

const require = createRequire(import.meta.url);

/** Loads undici on first use, because its 109 files take 35 ms of CPU time and no start needs them. */
export const undici = (): typeof import('undici') => require('undici');

/** Returns an agent for outgoing requests. `connectTimeout` limits the connection to the proxy and to the target. */
export function outgoingAgent(options: Agent.Options): Dispatcher {
  const { Agent, EnvHttpProxyAgent } = undici();
  const proxies = proxiesIn();
  return proxies === undefined ? new Agent(options) : new EnvHttpProxyAgent({ ...options, ...proxies });
}

/** Makes `fetch` and the libraries that use it take the proxies, if the variables name any. */
export function useProxies(): void {
  if (proxiesIn() !== undefined) undici().setGlobalDispatcher(outgoingAgent({ allowH2: false }));
}

/** Returns an agent for WebSockets, which need HTTP/1.1; undefined if the variables name no proxy. */
export const webSocketAgent = (): Dispatcher | undefined =>
  proxiesIn() === undefined ? undefined : outgoingAgent({ allowH2: false });

/** Returns why a proxy refused a connection, and the cure; undefined for any other error. */
export function proxyRefusal(thrown: unknown): string | undefined {
  const { message = '', cause } = Object(thrown);
  // undici reports the status only in these texts.
  const status = /^Proxy response \((\d{3})\)|^Proxy Authentication Required \((407)\)/.exec(message);
  if (status === null) return cause === undefined ? undefined : proxyRefusal(cause);
  const found = status[1] ?? status[2];
  const cure =
    found === '407'
      ? 'Write user and password into the address of HTTPS_PROXY.'
      : 'Allow the host there, or name it in NO_PROXY.';
  return `The proxy refused the connection (HTTP ${found}). ${cure}`;
}

/** Returns the proxy's address without user and password. */
const originOf = (proxy: string): string => URL.parse(proxy)?.origin ?? proxy;

/**
 * Records which hosts are called, until `stop`, which returns the proxy of each host. It is empty for a host that was
 * called without one.
 */
export function traceRoutes(): { stop(): ReadonlyMap<string, string> } {
  const routes = new Map<string, string>();
  const note = (message: unknown): void => {
    const { origin, path, method } = Object(Reflect.get(Object(message), 'request'));
    // A request without TLS goes to the proxy, with the whole address in place of the path.
    const address = URL.parse(method === 'CONNECT' ? `https://${path}` : path, origin);
    const host = address?.host ?? '';
    const isProxied = method === 'CONNECT' || address?.origin !== String(origin);
    if (isProxied || !routes.has(host)) routes.set(host, isProxied ? originOf(String(origin)) : '');
  };
  subscribe('undici:request:create', note);
  return {
    stop() {
      unsubscribe('undici:request:create', note);
      return routes;
    },
  };
}
