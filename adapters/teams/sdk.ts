/**
 * Imports Microsoft's SDK (botbuilder, an optional package) to sign in as a managed identity. No other file imports it.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { BridgeError, withPackages } from '../../src/kit.ts';
import type { TeamsConfig } from './config.ts';

const silenced = new AsyncLocalStorage<true>();
const { console: output } = globalThis;
let guarded: typeof output.error | undefined;

/**
 * Runs `work` without the SDK's output. The SDK prints tokens and keys that it cannot use (attack S20: secrets in
 * logs).
 */
function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  if (output.error !== guarded) {
    const { error } = output;
    guarded = (...args) => {
      if (silenced.getStore() !== true) error.apply(output, args);
    };
    output.error = guarded;
  }
  return silenced.run(true, work);
}

/**
 * Returns a token of this machine's managed identity. If `isRefused` is true, the last token was refused, and the SDK's
 * cache is skipped.
 */
type MachineIdentity = (scope: string, isRefused: boolean) => Promise<string>;

/**
 * Loads the SDK when the first token is requested; loading takes 0.3 s. A bridge with another kind of credential never
 * loads it.
 */
export function createMachineIdentity({
  appId,
  tenant,
}: Pick<TeamsConfig, 'appId' | 'tenant'>): MachineIdentity {
  const open = async () => {
    const { ConfigurationServiceClientCredentialFactory: Factory } = await withPackages(
      'A managed identity',
      () => import('botbuilder'),
    );
    return new Factory({
      MicrosoftAppType: 'UserAssignedMsi',
      MicrosoftAppId: appId,
      MicrosoftAppTenantId: tenant,
    });
  };
  let opening: ReturnType<typeof open> | undefined;
  return async (scope, isRefused) => {
    opening ??= open();
    const credentials = await (await opening).createCredentials(appId, scope, '', true);
    if (!isApp(credentials)) throw new Error('the SDK returned credentials of an unexpected kind');
    return quietly(() => credentials.getToken(isRefused)).catch(noIdentity);
  };
}

/** True if the credentials can request a token. The SDK's type includes credentials that cannot. */
function isApp(credentials: object): credentials is { getToken(forceRefresh: boolean): Promise<string> } {
  return 'getToken' in credentials;
}

/** Throws an error that names the cure. The SDK's own error describes only its internals. */
function noIdentity(cause: unknown): never {
  const why = 'this machine has no managed identity for the bot.';
  const cure =
    'Run the bridge in Azure with the identity of MICROSOFT_APP_ID assigned to it, or use a client secret and MICROSOFT_APP_TYPE SingleTenant.';
  throw new BridgeError('channel-unavailable', `Microsoft issues no token: ${why} ${cure}`, { cause });
}
