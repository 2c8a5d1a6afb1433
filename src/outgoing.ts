/**
 * Opens connections to other machines: through the proxies that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, also in
 * lower case.
 */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Duplex } from 'node:stream';
import { Agent, type Dispatcher, EnvHttpProxyAgent, setGlobalDispatcher } from 'undici';
import { BridgeError } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Hosts that are never called through a proxy: on another machine, these names would mean that other machine. */
const THIS_MACHINE = 'localhost,127.0.0.1,[::1]';

interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/**
 * Returns the proxies that the variables name, and the hosts that are called without one; undefined if they name no
 * proxy. Lower case takes precedence, as in curl and undici. Throws `config-invalid` without quoting the value, because
 * it may contain a password.
 */
export function proxiesIn(environment: Environment = process.env): Proxies | undefined {
  const [httpProxy, httpsProxy] = [proxyIn(environment, 'HTTP_PROXY'), proxyIn(environment, 'HTTPS_PROXY')];
  if (httpProxy === '' && httpsProxy === '') return undefined;
  return { httpProxy, httpsProxy, noProxy: `${variable(environment, 'NO_PROXY')},${THIS_MACHINE}` };
}

const variable = (environment: Environment, name: string): string =>
  (environment[name.toLowerCase()] ?? environment[name] ?? '').trim();

function proxyIn(environment: Environment, name: string): string {
  const text = variable(environment, name);
  if (text === '') return '';
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  if (url !== null && /^(https?|socks5?):$/.test(url.protocol) && isDecodable(url)) return url.href;
  const example = 'http://user:password@proxy.example.com:3128';
  throw new BridgeError('config-invalid', `${name} is not the address of a proxy, such as ${example}.`);
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}`);
    return true;
  } catch {
    return false;
  }
}

/** Returns an agent for outgoing requests. `connectTimeout` limits the connection to the proxy and to the target. */
export function outgoingAgent(options: Agent.Options): Dispatcher {
  const proxies = proxiesIn();
  return proxies === undefined ? new Agent(options) : new EnvHttpProxyAgent({ ...options, ...proxies });
}

/** Makes `fetch` and the libraries that use it take the proxies, if the variables name any. */
export function useProxies(): void {
  if (proxiesIn() !== undefined) setGlobalDispatcher(outgoingAgent({ allowH2: false }));
}

/**
 * Returns an agent for WebSockets; undefined if the variables name no proxy. `end` also ends upgraded connections, which
 * undici's agents release.
 */
export function webSocketAgent() {
  if (proxiesIn() === undefined) return undefined;
  const agent = outgoingAgent({ allowH2: false });
  const upgraded: Duplex[] = [];
  return {
    dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
      const upgrade = handler.onRequestUpgrade?.bind(handler);
      handler.onRequestUpgrade = (controller, status, headers, socket) => {
        upgraded.push(socket);
        upgrade?.(controller, status, headers, socket);
      };
      return agent.dispatch(options, handler);
    },
    end(): Promise<void> {
      for (const socket of upgraded) socket.destroy();
      return agent.destroy();
    },
  };
}

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
const shown = (proxy: string): string => URL.parse(proxy)?.origin ?? proxy;

/**
 * Records which hosts are called through which proxy, until `stop`, which returns the hosts by proxy. The hosts that
 * were called without a proxy stand under an empty text.
 */
export function traceRoutes(): { stop(): ReadonlyMap<string, readonly string[]> } {
  const called = new Map<string, string>();
  const tunnels = new Map<string, string>();
  const note = (message: unknown): void => {
    const { origin, path, method } = Object(Reflect.get(Object(message), 'request'));
    // A request without TLS goes to the proxy, with the whole address in place of the path.
    const forwarded = URL.parse(path)?.host;
    if (method === 'CONNECT') tunnels.set(String(path), shown(String(origin)));
    else if (forwarded !== undefined) called.set(forwarded, shown(String(origin)));
    else called.set(URL.parse(String(origin))?.host ?? '', '');
  };
  subscribe('undici:request:create', note);
  return {
    stop() {
      unsubscribe('undici:request:create', note);
      const proxyOf = (host: string): string =>
        tunnels.get(host) ?? tunnels.get(`${host}:443`) ?? called.get(host) ?? '';
      return Map.groupBy(called.keys(), proxyOf);
    },
  };
}
