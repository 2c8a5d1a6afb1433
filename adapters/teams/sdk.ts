/** The only file that imports Microsoft's SDK (botbuilder, an optional package), which signs in as a managed identity. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { BridgeError } from '../../src/kit.ts';
import type { TeamsConfig } from './config.ts';

const silenced = new AsyncLocalStorage<true>();
const { console: output } = globalThis;
let guarded: typeof output.error | undefined;

/** Drops all output of the SDK, because it prints tokens and keys that it cannot use (attack S20). */
function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  if (output.error !== guarded) {
    const { error } = output;
    guarded = (...said) => {
      if (silenced.getStore() !== true) error.apply(output, said);
    };
    output.error = guarded;
  }
  return silenced.run(true, work);
}

/** Returns a token of the machine's identity. `isRefused`: the last token was refused, so the SDK's cache is skipped. */
type MachineIdentity = (scope: string, isRefused: boolean) => Promise<string>;

/** Loads the SDK (0.3 s) with the first token, so that a bridge with another credential never does. */
export function createMachineIdentity({
  appId,
  tenant,
}: Pick<TeamsConfig, 'appId' | 'tenant'>): MachineIdentity {
  const open = async () => {
    const { ConfigurationServiceClientCredentialFactory: Factory } = await import('botbuilder').catch(
      notInstalled,
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
    if (!isApp(credentials)) throw new Error('the SDK returned other credentials');
    return quietly(() => credentials.getToken(isRefused)).catch(noIdentity);
  };
}

/** True if the credentials can get a token; the SDK's type covers kinds of credentials that cannot. */
function isApp(credentials: object): credentials is { getToken(forceRefresh: boolean): Promise<string> } {
  return 'getToken' in credentials;
}

function notInstalled(cause: unknown): never {
  throw new BridgeError(
    'channel-unavailable',
    'A managed identity needs the optional package botbuilder, which is not installed. Run npm ci without --omit=optional, or use a client secret and MICROSOFT_APP_TYPE SingleTenant.',
    { cause },
  );
}

/** Throws an error with a cure, in place of the SDK's error, which describes only the SDK's internals. */
function noIdentity(cause: unknown): never {
  const why = 'this machine has no managed identity for the bot.';
  const cure =
    'Run the bridge in Azure with the identity of MICROSOFT_APP_ID assigned to it, or use a client secret and MICROSOFT_APP_TYPE SingleTenant.';
  throw new BridgeError('channel-unavailable', `Microsoft issues no token: ${why} ${cure}`, { cause });
}
