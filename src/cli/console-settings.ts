import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConsoleConfig } from '../../adapters/registry.ts';
import type { Config } from '../config/schema.ts';

/** Where the console's page is built. */
export const pageFolder = fileURLToPath(new URL('../../adapters/console/page/dist/', import.meta.url));

/** The console's own slice of the configuration; the adapter knows whom to speak as where nobody is named. */
export function consoleSettings(config: Config, people: ConsoleConfig['people']): ConsoleConfig {
  const { token, botName } = config.console;
  return {
    file: join(config.data, 'console.sqlite'),
    people:
      config.console.people?.map(({ email, ...person }) =>
        email === undefined ? person : { ...person, email },
      ) ?? people,
    botName,
    defaultAgent: config.defaultAgent,
    ...(token !== undefined && { token }),
    allowedHosts: allowedHosts(config),
    secureCookies: config.server.publicUrl?.startsWith('https:') ?? false,
    trustedProxies: config.server.trustedProxies,
    pageFolder,
  };
}

/** Names under which people may reach the console; a foreign name in Host is somebody's trick on a browser. */
function allowedHosts({ server: { host, publicUrl } }: Config): readonly string[] {
  const anyAddress = host === '0.0.0.0' || host === '::';
  const machine = anyAddress ? [hostname(), ...machineAddresses()] : [host];
  const outside = publicUrl === undefined ? [] : [new URL(publicUrl).host];
  return [...new Set(['localhost', '127.0.0.1', '[::1]', ...machine.map(bracketed), ...outside])];
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}

/** As it stands in an address. */
export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
