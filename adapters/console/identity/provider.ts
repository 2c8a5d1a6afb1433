/** Signs people in with an OpenID Connect provider: authorization code with PKCE, state and nonce. */

import { createRemoteJWKSet, customFetch, type JWTPayload, jwtVerify } from 'jose';
import * as client from 'openid-client';
import { cappedFetch, text } from '../../../src/kit/ladder.ts';
import { BridgeError, type Clock, defined } from '../../../src/kit.ts';
import type { ConsolePerson, SignInConfig } from '../config.ts';
import { type Claims, isComplete, personId, readPerson } from './claims.ts';

/** Maximum duration of one request to the provider, in seconds. */
const REQUEST_SECONDS = 10;
/** Maximum duration of the request with which a person is checked again, in seconds. The person's own request waits for it. */
const REFRESH_SECONDS = 5;
/**
 * Errors with which a provider refuses a refresh token for good. Microsoft Entra answers `interaction_required` if the
 * person has to sign in again. Other errors, such as `invalid_client`, say nothing about the person.
 */
const REFUSALS: readonly string[] = ['invalid_grant', 'interaction_required'];
/** Makes requests to the provider. A response may have at most 1 MiB; with many groups, it has about 100 KB. */
const request = cappedFetch(1024 * 1024);
/** Difference of clocks that is tolerated in tokens, in seconds. */
const SKEW_SECONDS = 30;
/** Time after which the provider's metadata is read again, in milliseconds. */
const METADATA_MS = 10 * 60_000;
/**
 * Pause after a failed request for metadata, and after a request for an unknown key, in milliseconds. A flood of
 * requests to the console therefore does not reach the provider.
 */
const FAILED_MS = 5_000;
/** Maximum age of a logout token, in seconds. */
const LOGOUT_SECONDS = 120;
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Algorithms of logout tokens. All use public keys, so that the client secret cannot sign a token. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** A sign-in that has begun. The browser keeps this data, sealed, until the browser comes back from the provider. */
export interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface SignedIn {
  readonly person: ConsolePerson;
  /** The provider's id of the person's session. A logout token may contain this id. */
  readonly sid?: string;
  /** Absent if the provider issues none. */
  readonly refreshToken?: string;
}

/** The provider's answer to a refresh token. `token` replaces the used one; absent if the used one stays valid. */
export type Refreshed =
  | { readonly kind: 'accepted'; readonly token?: string }
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string };

/** What a logout token ends: all sessions of a person, or one session of the provider. */
export interface Logout {
  readonly person?: string;
  readonly sid?: string;
  /** Unique id of the token. */
  readonly jti: string;
}

export class Provider {
  readonly #config: SignInConfig;
  readonly #clock: Clock;
  #metadata: { readonly at: number; readonly found: Promise<client.ServerMetadata> } | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #keys: { readonly uri: string; readonly set: ReturnType<typeof createRemoteJWKSet> } | undefined;

  constructor(config: SignInConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
  }

  /**
   * Begins a sign-in. Returns the provider's address to which the browser goes, and the data to remember until the
   * browser comes back.
   */
  async begin(): Promise<{ readonly address: URL; readonly pending: Pending }> {
    const configuration = await this.#configuration();
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const nonce = client.randomNonce();
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#config.redirectUri,
      scope: this.#config.scopes.join(' '),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
    return { address, pending: { state, nonce, verifier } };
  }

  /**
   * Ends a sign-in: exchanges the code and verifies the ID token with the provider's current keys.
   * @param query the query of the address to which the provider sent the browser
   * @throws BridgeError `sign-in-refused` or `sign-in-unavailable`
   */
  async finish(query: string, pending: Pending): Promise<SignedIn> {
    const configuration = await this.#configuration();
    client.enableNonRepudiationChecks(configuration);
    const address = new URL(this.#config.redirectUri);
    address.search = query;
    try {
      const tokens = await client.authorizationCodeGrant(configuration, address, {
        pkceCodeVerifier: pending.verifier,
        expectedState: pending.state,
        expectedNonce: pending.nonce,
        idTokenExpected: true,
      });
      const own = tokens.claims();
      if (own === undefined) throw refused('the provider sent no ID token');
      const all = await this.#withUserInfo(configuration, tokens.access_token, own);
      const person = readPerson(personId(own.iss, own.sub), all, this.#config);
      const { sid, refreshToken } = { sid: text(own.sid), refreshToken: tokens.refresh_token };
      return { person, ...defined({ sid, refreshToken }) };
    } catch (thrown) {
      throw failureOf(thrown);
    }
  }

  /**
   * Uses a refresh token, to learn whether the provider still accepts the person. Reads nothing from the new ID token
   * but whom it names, so its signature is not verified (OpenID Connect Core 1.0, section 3.1.3.7: TLS is enough).
   */
  async refresh(token: string, person: string): Promise<Refreshed> {
    try {
      const configuration = await this.#configuration();
      configuration.timeout = REFRESH_SECONDS;
      const tokens = await client.refreshTokenGrant(configuration, token);
      const own = tokens.claims();
      if (own !== undefined && personId(own.iss, own.sub) !== person)
        return { kind: 'refused', reason: 'it named another person' };
      return { kind: 'accepted', ...defined({ token: tokens.refresh_token }) };
    } catch (thrown) {
      const isRefusal = thrown instanceof client.ResponseBodyError && REFUSALS.includes(thrown.error);
      return { kind: isRefusal ? 'refused' : 'unavailable', reason: reasonOf(thrown) };
    }
  }

  /** Verifies a token of back-channel logout. @throws BridgeError `sign-in-refused` or `sign-in-unavailable` */
  async readLogout(token: string): Promise<Logout> {
    const { issuer, jwks_uri } = await this.#discover();
    if (jwks_uri === undefined) throw refused('the provider publishes no keys');
    if (this.#keys?.uri !== jwks_uri)
      this.#keys = {
        uri: jwks_uri,
        set: createRemoteJWKSet(new URL(jwks_uri), {
          cooldownDuration: FAILED_MS,
          timeoutDuration: REQUEST_SECONDS * 1_000,
          [customFetch]: request,
        }),
      };
    try {
      const { payload } = await jwtVerify(token, this.#keys.set, {
        issuer,
        audience: this.#config.clientId,
        algorithms: ALGORITHMS,
        maxTokenAge: LOGOUT_SECONDS,
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(this.#clock.now()),
        requiredClaims: ['jti', 'events'],
      });
      return logoutOf(issuer, payload);
    } catch (thrown) {
      throw failureOf(thrown);
    }
  }

  /** Requests userinfo if the ID token lacks a configured claim. Claims of the ID token take precedence. */
  async #withUserInfo(
    configuration: client.Configuration,
    accessToken: string,
    own: client.IDToken,
  ): Promise<Claims> {
    const offered = configuration.serverMetadata().userinfo_endpoint !== undefined;
    if (!offered || isComplete(own, this.#config)) return own;
    return { ...(await client.fetchUserInfo(configuration, accessToken, own.sub)), ...own };
  }

  /** Returns a configuration without cached keys, so that rotated keys are known at once. */
  async #configuration(): Promise<client.Configuration> {
    const metadata = await this.#discover();
    const { clientId, clientSecret, issuer } = this.#config;
    const secret = clientSecret?.reveal().trim();
    const authentication = secret === undefined ? client.None() : basicOrPost(metadata, secret);
    const own = { [client.clockTolerance]: SKEW_SECONDS };
    const configuration = new client.Configuration({ ...metadata }, clientId, own, authentication);
    configuration.timeout = REQUEST_SECONDS;
    configuration[client.customFetch] = request;
    if (issuer.startsWith('http:')) client.allowInsecureRequests(configuration);
    return configuration;
  }

  async #discover(): Promise<client.ServerMetadata> {
    const now = this.#clock.now();
    if (now - this.#failedAt < FAILED_MS)
      throw unavailable('it failed less than 5 s ago, so the console does not ask it again yet');
    if (this.#metadata === undefined || now - this.#metadata.at > METADATA_MS) {
      this.#metadata = { at: now, found: requestMetadata(this.#config) };
    }
    try {
      return await this.#metadata.found;
    } catch (thrown) {
      this.#metadata = undefined;
      this.#failedAt = this.#clock.now();
      throw failureOf(thrown);
    }
  }
}

/** Reads the provider's metadata. Rejects if the metadata names another issuer than the configured one. */
export async function requestMetadata({ issuer, clientId }: SignInConfig): Promise<client.ServerMetadata> {
  const insecure = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
  const options = { execute: insecure, timeout: REQUEST_SECONDS, [client.customFetch]: request };
  const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, options);
  return found.serverMetadata();
}

function basicOrPost(metadata: client.ServerMetadata, secret: string): client.ClientAuth {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic')
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret);
}

function logoutOf(issuer: string, { sub, sid, jti = '', events, nonce }: JWTPayload): Logout {
  const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
  if (!isLogout || nonce !== undefined) throw refused('the token is not a logout token');
  const person = sub === undefined ? undefined : personId(issuer, sub);
  if (person === undefined && text(sid) === undefined)
    throw refused('the logout token names neither a person nor a session');
  return { jti, ...defined({ person, sid: text(sid) }) };
}

/**
 * Converts an error of the client library: to `sign-in-unavailable` if the provider did not respond or had a server
 * error, otherwise to `sign-in-refused`.
 */
function failureOf(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  if (thrown instanceof client.AuthorizationResponseError) {
    const denied =
      thrown.error === 'access_denied' ? 'it denied access' : `it answered ${errorCode(thrown.error)}`;
    return refused(denied);
  }
  const reason = reasonOf(thrown);
  return isOutage(thrown) ? unavailable(reason, thrown) : refused(reason, thrown);
}

/**
 * Returns an error code for the log. A browser may write any text in place of a code, and outsiders must not choose what
 * the log says.
 */
const errorCode = (code: string): string => (/^[\w.:-]{1,80}$/.test(code) ? code : 'an unreadable error');

function isOutage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (['TimeoutError', 'AbortError'].includes(thrown.name) || thrown.message === 'fetch failed') return true;
  if (thrown.cause instanceof Response && thrown.cause.status >= 500) return true;
  return thrown.cause instanceof Error && isOutage(thrown.cause);
}

/** Returns the messages of the error and its causes, without values of tokens. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown reason';
  if (thrown instanceof client.ResponseBodyError) return `it answered ${thrown.error} (${thrown.status})`;
  return thrown.cause instanceof Error ? `${thrown.message}: ${reasonOf(thrown.cause)}` : thrown.message;
}

const refused = (reason: string, cause?: unknown): BridgeError =>
  new BridgeError('sign-in-refused', `A sign-in was refused: ${reason}.`, { cause });

const unavailable = (reason: string, cause?: unknown): BridgeError =>
  new BridgeError('sign-in-unavailable', `The identity provider could not be used: ${reason}.`, { cause });
