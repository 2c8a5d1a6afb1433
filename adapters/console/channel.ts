/** Describes the built-in console for the channel registry. */

import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bracketed, defineChannel, type Shared } from '../../src/kit/channel.ts';
import { type ConsoleConfig, defaultPeople } from './config.ts';
import { type ConsoleSettings, consoleFaults, consoleSettings } from './settings.ts';

/** Folder that contains the built page. */
const pageFolder = fileURLToPath(new URL('./page/dist/', import.meta.url));

export const webConsole = defineChannel({
  api: 1,
  name: 'console',
  title: 'Console',
  on: 'unless-disabled',
  page: 'docs/getting-started.md',
  localState: true,
  settings: consoleSettings,
  variables: { PARLEY_CONSOLE_TOKEN: { setting: 'token', kind: 'secret' } },
  faults: consoleFaults,
  announce: ({ token }) => (token === undefined ? 'on, without a token' : 'on, behind a token'),
  create: async (settings, shared) =>
    (await import('./index.ts')).createConsole(consoleConfig(settings, shared)),
  checks: async (_, { publicUrl }) => (await import('./doctor.ts')).examineConsole(pageFolder, publicUrl),
});

function consoleConfig({ token, botName, people }: ConsoleSettings, shared: Shared): ConsoleConfig {
  return {
    file: join(shared.data, 'console.sqlite'),
    people: people ?? defaultPeople,
    botName,
    defaultAgent: shared.defaultAgent,
    ...(token !== undefined && { token }),
    allowedHosts: allowedHosts(shared),
    secureCookies: shared.publicUrl?.startsWith('https:') ?? false,
    trustedProxies: shared.trustedProxies,
    pageFolder,
  };
}

/**
 * Returns the host names under which people may reach the console. Requests for other names are refused, because DNS
 * rebinding may have caused them.
 */
function allowedHosts({ host, publicUrl }: Shared): readonly string[] {
  const anyAddress = host === '0.0.0.0' || host === '::';
  const machine = anyAddress ? [hostname(), ...machineAddresses()] : [host];
  const outside = publicUrl === undefined ? [] : [new URL(publicUrl).host];
  return [...new Set(['localhost', '127.0.0.1', '[::1]', ...machine.map(bracketed), ...outside])];
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}
