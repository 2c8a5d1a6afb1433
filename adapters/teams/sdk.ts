/** The only file that imports Microsoft's SDK (botframework-connector), which signs in as a managed identity. */

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  AppCredentials,
  JwtTokenProviderFactory,
  ManagedIdentityServiceClientCredentialsFactory,
} from 'botframework-connector';
import { BridgeError } from '../../src/kit.ts';

const silence = new AsyncLocalStorage<true>();
const { console: output } = globalThis;
let guarded: typeof output.error | undefined;

/** The SDK prints tokens and keys when something is wrong with them (attack S20): whatever it prints is dropped. */
function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  if (output.error !== guarded) {
    const { error } = output;
    guarded = (...said) => {
      if (silence.getStore() !== true) error.apply(output, said);
    };
    output.error = guarded;
  }
  return silence.run(true, work);
}

/** Gives tokens to the machine that we run on. */
export interface MachineIdentity {
  token(scope: string, isRefused: boolean): Promise<string>;
}

/** What the SDK throws names parts of its own, and no cure. */
function noIdentity(cause: unknown): never {
  const why = 'this machine has no managed identity of the bot.';
  const cure =
    'Run the bridge in Azure with the identity of MICROSOFT_APP_ID assigned to it, or use a client secret and MICROSOFT_APP_TYPE SingleTenant.';
  throw new BridgeError('channel-unavailable', `Microsoft gives no token; ${why} ${cure}`, { cause });
}

export function createMachineIdentity(appId: string): MachineIdentity {
  const factory = new ManagedIdentityServiceClientCredentialsFactory(appId, new JwtTokenProviderFactory());
  return {
    async token(scope, isRefused) {
      const credentials = await factory.createCredentials(appId, scope);
      if (!(credentials instanceof AppCredentials)) throw new Error('the SDK gave other credentials');
      return quietly(() => credentials.getToken(isRefused)).catch(noIdentity);
    },
  };
}
