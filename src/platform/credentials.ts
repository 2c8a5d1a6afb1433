import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { askerOf } from '../core/asker.ts';
import type { Log } from '../core/log.ts';
import { words } from '../core/words.ts';
import { BridgeError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { Authority } from './authority.ts';
import { call, repeated } from './client.ts';
import type { Operation } from './operation.ts';
import { clientToken, loginWithClient, loginWithIdp } from './operations/auth.ts';
import { RETRY } from './retry.ts';
import type { Issued, TokenCache } from './tokens.ts';
import type { Wiring } from './wiring.ts';

/** The credential with which an agent is asked. */
export type AgentCredential =
  | { readonly kind: 'api-key'; readonly key: Secret }
  | {
      readonly kind: 'client-token';
      readonly clientId: string;
      readonly secret: Secret;
      readonly username: string;
    }
  | {
      readonly kind: 'client-account';
      readonly client: string;
      readonly secret: Secret;
      readonly account: string;
    }
  | {
      readonly kind: 'idp';
      /** Returns a current access token of the identity provider. */
      readonly token: () => Promise<Secret>;
    }
  | {
      readonly kind: 'asker';
      /**
       * Returns the identity provider's token of the person to whom the account belongs. Rejects with `sign-in-needed`
       * if there is none.
       */
      readonly token: (account: string) => Promise<Secret>;
      /**
       * The credential for accounts that do not belong to a person with a token of their own. If it is absent, calls
       * under such accounts are refused.
       */
      readonly elsewhere?: SharedCredential;
    };

/** A credential of the Open API that everyone shares. */
type SharedCredential = Extract<AgentCredential, { kind: 'client-account' | 'idp' }>;

/** The context that all credentials of one platform share. */
export interface SignInContext {
  readonly wiring: Wiring;
  readonly tokens: TokenCache;
  readonly log: Log;
}

export type TokenCredential = Exclude<AgentCredential, { kind: 'api-key' }>;

/**
 * Maximum age of a token for a given account, in milliseconds. For a disabled account, the platform issues no new
 * tokens, but may still accept existing ones. A disabled account must lose its access within 60 s, so this age leaves
 * 10 s.
 */
export const RECHECK_MS = 50_000;

/**
 * Returns the authentication of a call with this credential. `account` replaces the credential's account or username;
 * an API key ignores `account`.
 *
 * A credential of kind `asker` needs an `account` that belongs to an asker. Without one, its credential `elsewhere` is
 * used instead; throws `access-denied` if it has none. Throws `platform-permission` if `account` belongs to an asker
 * but the credential is of another kind. Also throws it if `account` is given for an identity-provider token, because
 * such a token belongs to one account only.
 */
export function authorityFor(
  context: SignInContext,
  credential: AgentCredential,
  account: string | undefined,
): Authority {
  if (credential.kind === 'api-key') return { kind: 'key', key: credential.key };
  if (credential.kind === 'asker' && (account === undefined || askerOf(account) === undefined)) {
    if (credential.elsewhere !== undefined) return authorityFor(context, credential.elsewhere, account);
    throw new BridgeError('access-denied', 'The agent answers only with the token of the person who asks.', {
      tellUser: words.signIn.notHere,
    });
  }
  const { parts, obtain } = signInOf(context, credential, account);
  const key = JSON.stringify(parts);
  const maxAgeMs = account === undefined ? undefined : RECHECK_MS;
  return {
    kind: 'token',
    grants: {
      grant: (signal) => context.tokens.get(key, obtain, signal, maxAgeMs),
      refuse: (grant) => context.tokens.forget(key, grant),
    },
  };
}

interface SignIn {
  /**
   * Parts of the key in the token cache (platform contract AUT-6). The secret is one of them, so that a caller with a
   * wrong secret never gets a token that the right secret obtained.
   */
  readonly parts: readonly string[];
  obtain(signal: AbortSignal): Promise<Issued>;
}

function signInOf(context: SignInContext, credential: TokenCredential, account: string | undefined): SignIn {
  if (credential.kind !== 'asker' && account !== undefined && askerOf(account) !== undefined) {
    // An asker's account gets its name from the claims of the asker's token. No other credential may sign in under this
    // name.
    throw new BridgeError('platform-permission', "Only the asker's own token can be used for this account.");
  }
  switch (credential.kind) {
    case 'asker': {
      const own = account ?? '';
      return {
        parts: ['asker', idpKeyOf(credential.token), own],
        obtain: (signal) => obtainIdpToken(context, () => credential.token(own), signal),
      };
    }
    case 'client-token': {
      const { clientId, secret } = credential;
      const username = account ?? credential.username;
      return {
        parts: ['lite', clientId, username, digest(secret)],
        obtain: (signal) => {
          const request = { clientId, clientSecret: secret.reveal(), username };
          return requestToken(context, clientToken, request, signal);
        },
      };
    }
    case 'client-account': {
      const { client, secret } = credential;
      const who = account ?? credential.account;
      return {
        parts: ['open', client, who, digest(secret)],
        obtain: (signal) => obtainAccountToken(context, credential, who, signal),
      };
    }
    case 'idp':
      if (account !== undefined) {
        throw new BridgeError(
          'platform-permission',
          'A token of the identity provider belongs to one account, so it cannot be used to ask as another account.',
        );
      }
      return {
        parts: ['idp', idpKeyOf(credential.token)],
        obtain: (signal) => obtainIdpToken(context, credential.token, signal),
      };
  }
}

/**
 * Cache keys of the functions that return identity-provider tokens. Each function has its own key, so that two
 * credentials never share a token.
 */
const idpKeys = new WeakMap<object, string>();
let idpCount = 0;

function idpKeyOf(callback: object): string {
  const key = idpKeys.get(callback) ?? `idp-${++idpCount}`;
  idpKeys.set(callback, key);
  return key;
}

const digest = (secret: Secret): string => createHash('sha256').update(secret.reveal()).digest('hex');

type Token = { readonly accessToken: string; readonly expiresIn: number };

/** Obtains a token. Its lifetime is in seconds in the lite interface, and otherwise in minutes (AUT-7, AUT-12). */
async function requestToken<Schema extends z.ZodObject>(
  { wiring }: SignInContext,
  operation: Operation<Schema, Token>,
  request: z.input<Schema>,
  signal: AbortSignal,
): Promise<Issued> {
  const token = await call(wiring, operation, request, { authority: { kind: 'none' }, signal });
  const unitMs = operation.id === clientToken.id ? 1_000 : 60_000;
  return { token: token.accessToken, lifeMs: token.expiresIn * unitMs };
}

/** Exchanges a token of the identity provider for an Open API token (platform contract AUT-8). */
async function obtainIdpToken(
  context: SignInContext,
  current: () => Promise<Secret>,
  signal: AbortSignal,
): Promise<Issued> {
  return requestToken(context, loginWithIdp, { token: (await current()).reveal() }, signal);
}

type ClientAccount = Extract<AgentCredential, { kind: 'client-account' }>;

/** Minimum clock difference that can explain a refused signature, in milliseconds (platform contract AUT-11). */
const MIN_SKEW_MS = 60_000;

/**
 * Obtains an Open API token (platform contract AUT-9 to AUT-12). Each attempt has a new signature, because a nonce is
 * valid only once. If the platform refuses the signature, one more attempt signs the time of the server's clock.
 */
async function obtainAccountToken(
  context: SignInContext,
  credential: ClientAccount,
  account: string,
  signal: AbortSignal,
): Promise<Issued> {
  const { wiring, log } = context;
  const signedAt = (skewMs: number): Promise<Issued> =>
    repeated(wiring, RETRY.read, signal, () => {
      const request = signedRequest(wiring, credential, account, skewMs);
      return requestToken(context, loginWithClient, request, signal);
    });
  try {
    return await signedAt(0);
  } catch (error) {
    const skewMs = skewIn(error, wiring.clock.now());
    if (skewMs === 0) throw error;
    log.warn({ skewMs }, 'the clocks of the bridge and of the platform differ by more than a minute');
    return signedAt(skewMs);
  }
}

function signedRequest(
  { clock, random }: Wiring,
  { client, secret }: ClientAccount,
  account: string,
  skewMs: number,
) {
  const parts = { client, account, timestamp: Math.round(clock.now() + skewMs), nonce: nonce(random) };
  return { ...parts, signature: signature({ ...parts, secret: secret.reveal() }) };
}

/**
 * Returns the milliseconds by which the server's clock is ahead according to the header `date` of a refusal, which may
 * name the time only by a code. Returns 0 unless the clocks differ by more than a minute.
 */
function skewIn(error: unknown, now: number): number {
  if (!(error instanceof BridgeError) || error.code === 'platform-server' || error.code === 'platform-busy')
    return 0;
  const { serverTime } = error.facts;
  const skew = typeof serverTime === 'number' ? serverTime - now : 0;
  return Math.abs(skew) > MIN_SKEW_MS ? skew : 0;
}

interface SignedParts {
  readonly client: string;
  readonly secret: string;
  readonly account: string;
  /** Time of the signature, in milliseconds since the epoch. */
  readonly timestamp: number;
  readonly nonce: string;
}

/**
 * Returns the signature of a client sign-in (platform contract AUT-10). The platform requires MD5, which is weak, so
 * only TLS protects the request.
 */
export function signature({ client, secret, account, timestamp, nonce }: SignedParts): string {
  const plain = `client:${client}secret:${secret}account:${account}timestamp:${timestamp}nonce:${nonce}`;
  return createHash('md5').update(plain, 'utf8').digest('hex');
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns six random letters or digits (platform contract AUT-9). */
export function nonce(random: () => number): string {
  return Array.from({ length: 6 }, () => ALPHABET.charAt(Math.floor(random() * ALPHABET.length))).join('');
}
