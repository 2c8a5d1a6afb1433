/** Describes the built-in console for the channel registry. */

import { isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineChannel, defined, isLoopback, type Shared } from '../../src/kit.ts';
import { type ConsoleConfig, defaultPeople, type SignInConfig, tokenPerson } from './config.ts';
import { type ConsoleSettings, consoleFaults, consoleSettings } from './settings.ts';

/** Folder that contains the built page. */
const pageFolder = fileURLToPath(new URL('./page/dist/', import.meta.url));

export const webConsole = defineChannel({
  api: 1,
  name: 'console',
  title: 'Console',
  on: 'unless-disabled',
  page: 'docs/getting-started.md',
  withDatabase: 'when-configured',
  settings: consoleSettings,
  variables: { PARLEY_CONSOLE_TOKEN: { setting: 'token', kind: 'secret' } },
  faults: consoleFaults,
  announce: ({ token, signIn }) => {
    if (signIn !== undefined) return `on, with sign-in at ${signIn.issuer}`;
    return token === undefined ? 'on, without a token' : 'on, behind a token';
  },
  move: ({ data, database, to }) => ({
    name: 'the messages of the console',
    countInTarget: async () => (await import('./chat/move.ts')).countMessages(fileIn(data), database, to),
    move: async () => (await import('./chat/move.ts')).moveChat(fileIn(data), database, to),
  }),
  create: async (settings, shared) =>
    (await import('./index.ts')).createConsole(consoleConfig(settings, shared)),
  checks: async (settings, shared) =>
    (await import('./doctor.ts')).examineConsole(
      pageFolder,
      shared.publicUrl,
      signInConfig(settings, shared),
    ),
});

const fileIn = (data: string): string => join(data, 'console.sqlite');

function consoleConfig(settings: ConsoleSettings, shared: Shared): ConsoleConfig {
  const { token, botName, people } = settings;
  const guarded = token !== undefined || settings.signIn !== undefined;
  const signIn = signInConfig(settings, shared);
  const origin = shared.publicUrl === undefined ? undefined : new URL(shared.publicUrl).origin;
  return {
    file: fileIn(shared.data),
    isReplicated: shared.isReplicated,
    people: people ?? (guarded ? [tokenPerson] : defaultPeople),
    botName,
    ...defined({ fileDays: shared.fileDays, token, signIn, publicOrigin: guarded ? origin : undefined }),
    defaultAgent: shared.defaultAgent,
    allowedHosts: allowedHosts(shared, guarded),
    secureCookies: shared.publicUrl?.startsWith('https:') ?? false,
    trustedProxies: shared.trustedProxies,
    pageFolder,
  };
}

function signInConfig({ signIn }: ConsoleSettings, { publicUrl }: Shared): SignInConfig | undefined {
  // If `signIn` is set, so is `publicUrl`: `consoleFaults` refuses a configuration without it.
  if (signIn === undefined || publicUrl === undefined) return undefined;
  return {
    ...signIn,
    redirectUri: `${publicUrl}/console/sign-in/callback`,
    pageAddress: `${publicUrl}/`,
  };
}

/**
 * Returns the host names under which people may reach the console. Without access control, a public name is not among
 * them, because strangers may reach the console by this name through a proxy. Requests for other names are refused,
 * because DNS rebinding may have caused them.
 */
function allowedHosts({ host, publicUrl }: Shared, guarded: boolean): readonly string[] {
  const anyAddress = host === '0.0.0.0' || host === '::';
  const machine = anyAddress ? [hostname(), ...machineAddresses()] : [host];
  const named = machine.map((each) => (isIPv6(each) ? `[${each}]` : each));
  const address = publicUrl === undefined ? undefined : new URL(publicUrl);
  const outside = address && (guarded || isLoopback(address.hostname)) ? [address.host] : [];
  return [...new Set(['localhost', '127.0.0.1', '[::1]', ...named, ...outside])];
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}
