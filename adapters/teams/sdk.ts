/**
 * The only file that meets Microsoft's SDK (botframework-connector, the authentication of botbuilder): it proves
 * requests of Teams, and signs in as a managed identity.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  AppCredentials,
  AuthenticationConfiguration,
  AuthenticationConstants,
  AuthenticationError,
  type BotFrameworkAuthentication,
  BotFrameworkAuthenticationFactory,
  JwtTokenProviderFactory,
  ManagedIdentityServiceClientCredentialsFactory,
  type ServiceClientCredentialsFactory,
} from 'botframework-connector';
import { BridgeError, type Clock } from '../../src/kit.ts';
import { type Cloud, cloudOf } from './clouds.ts';
import type { TeamsConfig } from './config.ts';
import { createSparing, type Proof, type Proving } from './receive/proof.ts';

/** Keys are asked for with the first request, and once a day; a request waits no longer for them. */
const KEYS_MS = 8_000;

type Asked = Parameters<BotFrameworkAuthentication['authenticateRequest']>[0];

export function createProving(
  config: Pick<TeamsConfig, 'appId' | 'cloud' | 'services'>,
  clock: Clock,
): Proving {
  const authentication = authenticationOf(config.appId, cloudOf(config));
  const ask = async (header: string, serviceUrl: string): Promise<Proof> => {
    try {
      // The SDK looks at nothing else of an activity.
      await authentication.authenticateRequest({ channelId: 'msteams', serviceUrl } as Asked, header);
      return { kind: 'proven' };
    } catch (cause) {
      return isAboutKeys(cause) ? { kind: 'unknown', cause } : { kind: 'refused' };
    }
  };
  const late = (): Proof => ({ kind: 'unknown', cause: new Error(`no keys within ${KEYS_MS} ms`) });
  const sparingly = createSparing(clock);
  return {
    prove: ({ header, serviceUrl, kid }) =>
      sparingly(kid, () => {
        const within = new Promise<Proof>((resolve) => {
          AbortSignal.timeout(KEYS_MS).addEventListener('abort', () => resolve(late()), { once: true });
        });
        return Promise.race([quietly(() => ask(header, serviceUrl)), within]);
      }),
  };
}

/** Every one of these must be set: one that is missing would clear the others' defaults. */
function authenticationOf(appId: string, { openId, issuer }: Cloud): BotFrameworkAuthentication {
  const C = AuthenticationConstants;
  const metadata = `${openId}/v1/.well-known/openidconfiguration`;
  return BotFrameworkAuthenticationFactory.create(
    '',
    true,
    C.ToChannelFromBotLoginUrl,
    C.ToChannelFromBotOAuthScope,
    issuer,
    C.OAuthUrl,
    metadata,
    // Tokens of the emulator do not get this far; were one let in, it would find no key here.
    metadata,
    'urn:botframework:azure',
    audienceOf(appId),
    new AuthenticationConfiguration(),
  );
}

/** The SDK's own factories switch authentication off where the app id is empty; this one never does. */
function audienceOf(appId: string): ServiceClientCredentialsFactory {
  if (appId.trim() === '') throw new BridgeError('config-invalid', 'MICROSOFT_APP_ID is blank.');
  return {
    isValidAppId: async (asked) => asked.toLowerCase() === appId.toLowerCase(),
    isAuthenticationDisabled: async () => false,
    createCredentials: () => Promise.reject(new Error('nothing is sent through the SDK')),
  };
}

/** A service that does not answer, or not with keys; everything else speaks against the token. */
function isAboutKeys(cause: unknown): boolean {
  if (cause instanceof AuthenticationError) return /^Failed to load/.test(cause.message);
  return cause instanceof Error && cause.name === 'FetchError';
}

const silence = new AsyncLocalStorage<true>();
const { console: output } = globalThis;
let guarded: typeof output.error | undefined;

/** The SDK prints keys, and tokens' contents, when a token is wrong (attack S20): whatever it prints is dropped. */
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
