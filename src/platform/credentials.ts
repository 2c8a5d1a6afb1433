import { createHash } from 'node:crypto';
import type { Log } from '../core/log.ts';
import { BridgeError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import type { Authority } from './authority.ts';
import { call } from './client.ts';
import { clientToken, loginWithClient, loginWithIdp } from './operations/auth.ts';
import { delayBefore, RETRY } from './retry.ts';
import type { Issued, TokenCache } from './tokens.ts';
import type { Wiring } from './wiring.ts';

/** The credential for asking an agent. */
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
      /** A fresh access token of the identity provider. */
      readonly token: () => Promise<Secret>;
    };

/** Context shared by the credentials of one platform. */
export interface SignInContext {
  readonly wiring: Wiring;
  readonly tokens: TokenCache;
  readonly log: Log;
}

export type TokenCredential = Exclude<AgentCredential, { kind: 'api-key' }>;

/**
 * The authority of a call with this credential. `account` overrides the credential's own account or username; a key
 * ignores it. Throws `platform-permission` for the account of an identity-provider token, which stands for one only.
 */
export function authorityFor(
  context: SignInContext,
  credential: AgentCredential,
  account: string | undefined,
): Authority {
  if (credential.kind === 'api-key') return { kind: 'key', key: credential.key };
  const { parts, obtain } = signInOf(context, credential, account);
  const key = JSON.stringify(parts);
  return {
    kind: 'token',
    grants: {
      grant: (signal) => context.tokens.get(key, obtain, signal),
      refuse: (grant) => context.tokens.forget(key, grant),
    },
  };
}

interface SignIn {
  /**
   * Parts of the key in the token cache (platform contract AUT-6). The secret is among them, so that a wrong secret
   * never uses the token of the right one.
   */
  readonly parts: readonly string[];
  obtain(signal: AbortSignal): Promise<Issued>;
}

function signInOf(context: SignInContext, credential: TokenCredential, account: string | undefined): SignIn {
  switch (credential.kind) {
    case 'client-token': {
      const { clientId, secret, username } = credential;
      const who = account ?? username;
      return {
        parts: ['lite', clientId, who, digest(secret)],
        obtain: (signal) => obtainClientToken(context, credential, who, signal),
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
          'An identity-provider credential cannot ask as another account.',
        );
      }
      return {
        parts: ['idp', idpKeyOf(credential.token)],
        obtain: (signal) => obtainIdpToken(context, credential, signal),
      };
  }
}

/** One key for each callback: two identity-provider credentials must never share a token. */
const idpKeys = new WeakMap<object, string>();
let idpCount = 0;

function idpKeyOf(callback: object): string {
  const key = idpKeys.get(callback) ?? `idp-${++idpCount}`;
  idpKeys.set(callback, key);
  return key;
}

const digest = (secret: Secret): string => createHash('sha256').update(secret.reveal()).digest('hex');

type ClientToken = Extract<AgentCredential, { kind: 'client-token' }>;

/** A token of the lite interface; its life is told in seconds (platform contract AUT-6, AUT-7). */
async function obtainClientToken(
  { wiring }: SignInContext,
  credential: ClientToken,
  username: string,
  signal: AbortSignal,
): Promise<Issued> {
  const request = { clientId: credential.clientId, clientSecret: credential.secret.reveal(), username };
  const issued = await call(wiring, clientToken, request, { authority: { kind: 'none' }, signal });
  return { token: issued.accessToken, lifeMs: issued.expiresIn * 1000 };
}

type Idp = Extract<AgentCredential, { kind: 'idp' }>;

/** An Open API token; its life is told in minutes (platform contract AUT-8, AUT-12). */
async function obtainIdpToken(
  { wiring }: SignInContext,
  credential: Idp,
  signal: AbortSignal,
): Promise<Issued> {
  const token = (await credential.token()).reveal();
  const issued = await call(wiring, loginWithIdp, { token }, { authority: { kind: 'none' }, signal });
  return { token: issued.accessToken, lifeMs: issued.expiresIn * 60_000 };
}

type ClientAccount = Extract<AgentCredential, { kind: 'client-account' }>;

/** A clock difference that explains a refused signature (platform contract AUT-11). */
const TELLING_SKEW_MS = 60_000;
const ABOUT_TIME = /signature|sign|time|expired|nonce|签名|时间|过期/i;

/**
 * An Open API token; its life is told in minutes (platform contract AUT-9 to AUT-12). Each try is signed anew,
 * because a nonce serves once; a refused signature is tried once more with the server's clock.
 */
async function obtainAccountToken(
  context: SignInContext,
  credential: ClientAccount,
  account: string,
  signal: AbortSignal,
): Promise<Issued> {
  const { clock, random } = context.wiring;
  const began = clock.now();
  let skewMs = 0;
  for (let tries = 1; ; tries += 1) {
    try {
      return await signIn(context, credential, { account, skewMs }, signal);
    } catch (error) {
      const correction = skewMs === 0 ? skewTold(error, clock.now()) : 0;
      if (correction !== 0) {
        context.log.warn({ skewMs: correction }, 'the clock differs from the platform by more than a minute');
        skewMs = correction;
        continue;
      }
      const delay = delayBefore(error, { rule: RETRY.read, tries, elapsedMs: clock.now() - began, random });
      if (delay === undefined) throw error;
      await clock.wait(delay, signal);
    }
  }
}

async function signIn(
  { wiring }: SignInContext,
  { client, secret }: ClientAccount,
  { account, skewMs }: { account: string; skewMs: number },
  signal: AbortSignal,
): Promise<Issued> {
  const timestamp = Math.round(wiring.clock.now() + skewMs);
  const parts = { client, account, timestamp, nonce: nonce(wiring.random) };
  const request = { ...parts, signature: signature({ ...parts, secret: secret.reveal() }) };
  const issued = await call(wiring, loginWithClient, request, { authority: { kind: 'none' }, signal });
  return { token: issued.accessToken, lifeMs: issued.expiresIn * 60_000 };
}

/**
 * Returns the lead of the server's clock if a refusal names signature or time and the difference explains it; else 0.
 */
function skewTold(error: unknown, now: number): number {
  if (!(error instanceof BridgeError) || !ABOUT_TIME.test(error.message)) return 0;
  const { serverTime } = error.facts;
  const skew = typeof serverTime === 'number' ? serverTime - now : 0;
  return Math.abs(skew) > TELLING_SKEW_MS ? skew : 0;
}

interface SignedParts {
  readonly client: string;
  readonly secret: string;
  readonly account: string;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly nonce: string;
}

/**
 * The signature of a client sign-in (platform contract AUT-10). MD5 is the platform's choice; it protects nothing
 * that TLS does not.
 */
export function signature({ client, secret, account, timestamp, nonce }: SignedParts): string {
  const plain = `client:${client}secret:${secret}account:${account}timestamp:${timestamp}nonce:${nonce}`;
  return createHash('md5').update(plain, 'utf8').digest('hex');
}

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Six letters or digits (platform contract AUT-9). */
export function nonce(random: () => number): string {
  return Array.from({ length: 6 }, () => ALPHABET.charAt(Math.floor(random() * ALPHABET.length))).join('');
}
