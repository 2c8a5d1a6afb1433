/**
 * Proves who a person is in Slack, with Slack's OpenID sign-in
 * (https://docs.slack.dev/authentication/sign-in-with-slack).
 *
 * The sign-in uses no PKCE: switching PKCE on makes the app a public client for good
 * (https://docs.slack.dev/changelog/2026/03/30/pkce), and `openid.connect.token` responds with `internal_error` to a
 * request that contains a verifier (https://github.com/paradigmxyz/centaur/pull/1101). The client secret, `state` and
 * `nonce` protect the sign-in instead.
 */

import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import { cappedFetch, type IdentityProof, text } from '../../src/kit/ladder.ts';
import { BridgeError, type Clock } from '../../src/kit.ts';
import { codeOf } from './api/errors.ts';
import { CALL_MS, type Caller, reasonOf } from './api/sender.ts';
import type { Workspaces } from './api/workspace.ts';
import type { OpenIdConfig } from './config.ts';
import type { People } from './inbound/people.ts';

/** `openid` is required. `profile` adds the ids of the person and the workspace; the e-mail address is not needed. */
const SCOPES = 'openid profile';
/** Difference of clocks that is tolerated in tokens, in seconds. */
const SKEW_SECONDS = 30;
/** Time for which a request for an unknown key is not repeated, in milliseconds. */
const KEYS_AGAIN_MS = 5_000;
/** Maximum characters of a code that is sent to Slack. Slack's codes have about 100. */
const CODE_CHARS = 1_000;
/** Names of Slack's own claims begin with this prefix (https://docs.slack.dev/reference/methods/openid.connect.token). */
const CLAIM = 'https://slack.com/';

interface OpenIdDeps {
  readonly apiUrl: string;
  readonly call: Caller;
  readonly workspaces: Pick<Workspaces, 'find' | 'ofTenant' | 'only'>;
  readonly people: Pick<People, 'find'>;
  readonly clock: Clock;
}

export function createIdentityProof(config: OpenIdConfig, deps: OpenIdDeps): IdentityProof {
  const { apiUrl, call, workspaces, people } = deps;
  const verify = createVerifier(config, apiUrl, deps.clock);
  /** Exchanges the code, which works once, for the ID token. Drops the person's access token. */
  const exchange = async (code: string): Promise<string> => {
    const request = {
      client_id: config.clientId,
      client_secret: config.clientSecret.reveal(),
      redirect_uri: config.redirectUri,
      // Slack's page on this method makes the grant type optional, but OAuth requires it (RFC 6749, section 4.1.3).
      grant_type: 'authorization_code',
      code,
    };
    const answer = await call('openid.connect.token', request, new AbortController().signal);
    if (answer.kind === 'unknown' || (answer.kind === 'refused' && answer.why === 'rate'))
      throw unavailable(`it answered ${'reason' in answer ? answer.reason : answer.error}`);
    if (answer.kind === 'refused') throw refused(`Slack answered ${answer.error}`);
    const token = text(answer.body.id_token);
    if (token === undefined) throw refused('Slack sent no ID token');
    return token;
  };
  return {
    begin({ state, nonce }) {
      const address = new URL('/openid/connect/authorize', apiUrl);
      const team = workspaces.only?.();
      const { clientId: client_id, redirectUri: redirect_uri } = config;
      const query = { response_type: 'code', scope: SCOPES, client_id, redirect_uri, state, nonce };
      // Without `team`, Slack offers the workspace that the browser used last.
      address.search = new URLSearchParams({ ...query, ...(team !== undefined && { team }) }).toString();
      return address.href;
    },
    async finish(query, nonce) {
      const code = codeIn(query);
      const { user, team, enterprise } = await verify(await exchange(code), nonce);
      const workspace = await findInstalled(workspaces, team, enterprise);
      const person = await people.find(workspace, user).catch((thrown: unknown) => {
        throw thrown instanceof BridgeError && thrown.code === 'access-denied'
          ? refused('the app of the workspace cannot look this person up')
          : unavailable(reasonOf(thrown));
      });
      if (person.id !== user) throw refused('the app of the workspace knows this person under another id');
      return { person, tenant: workspace.tenant };
    },
  };
}

function codeIn(query: URLSearchParams): string {
  const error = query.get('error');
  if (error !== null) throw refused(codeOf(error), 'You did not sign in to Slack, so nothing was connected.');
  const [code = '', ...more] = query.getAll('code');
  if (code === '' || code.length > CODE_CHARS || more.length > 0)
    throw refused('the request of the browser contains no code');
  return code;
}

/** Returns a function that verifies an ID token with Slack's current keys. */
function createVerifier(config: OpenIdConfig, apiUrl: string, clock: Clock) {
  const keys = createRemoteJWKSet(new URL('/openid/connect/keys', apiUrl), {
    cooldownDuration: KEYS_AGAIN_MS,
    timeoutDuration: CALL_MS,
    [customFetch]: cappedFetch(),
  });
  return async (token: string, nonce: string) => {
    try {
      const { payload } = await jwtVerify(token, keys, {
        issuer: new URL(apiUrl).origin,
        audience: config.clientId,
        // The only algorithm in Slack's metadata (https://slack.com/.well-known/openid-configuration).
        algorithms: ['RS256'],
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(clock.now()),
        requiredClaims: ['exp', 'iat', 'nonce'],
      });
      return identityIn(payload, nonce);
    } catch (thrown) {
      throw failureOf(thrown);
    }
  };
}

function identityIn(payload: JWTPayload, nonce: string) {
  const [user, team] = [text(payload[`${CLAIM}user_id`]), text(payload[`${CLAIM}team_id`])];
  // Slack sets `nonce` to an empty text if the request had none (https://github.com/immich-app/immich/issues/29055).
  if (nonce === '' || payload.nonce !== nonce) throw refused('the token belongs to another sign-in');
  if ([payload.aud].flat().length !== 1) throw refused('the token is also meant for another app');
  if (user === undefined || team === undefined)
    throw refused('the token does not contain both a person and a workspace');
  return { user, team, enterprise: text(payload[`${CLAIM}enterprise_id`]) };
}

/** Returns the workspace if the app is installed there and Slack accepts its token. */
async function findInstalled(workspaces: OpenIdDeps['workspaces'], team: string, enterprise?: string) {
  const found = await workspaces.find({ team, enterprise, orgWide: false });
  const usable = found && (await workspaces.ofTenant(found.tenant));
  if (usable !== undefined) return usable;
  throw new BridgeError(
    'sign-in-refused',
    `A person signed in to Slack in ${team}, where the app is not installed.`,
    {
      tellUser:
        'You signed in to a Slack workspace where this app is not installed, so nothing was connected. Please try again, and choose another workspace.',
    },
  );
}

function failureOf(thrown: unknown): BridgeError {
  if (thrown instanceof BridgeError) return thrown;
  const isToken = thrown instanceof errors.JOSEError && !KEYS_MISSING.includes(thrown.code);
  return isToken ? refused(thrown.message) : unavailable(reasonOf(thrown));
}

/**
 * Error codes of the library jose for keys that could not be fetched. The library's other codes are about the token.
 */
const KEYS_MISSING: readonly string[] = [
  errors.JOSEError.code,
  errors.JWKSInvalid.code,
  errors.JWKSTimeout.code,
];

const UNCONFIRMED = 'Slack could not confirm who you are, so nothing was connected. Please try again.';

const refused = (reason: string, tellUser = UNCONFIRMED): BridgeError =>
  new BridgeError('sign-in-refused', `A sign-in to Slack was refused: ${reason}.`, { tellUser });

const unavailable = (reason: string): BridgeError =>
  new BridgeError('sign-in-unavailable', `Slack's sign-in could not be used: ${reason}.`, {
    tellUser:
      'Slack cannot confirm who you are right now, so nothing was connected. Please try again in a minute.',
  });
