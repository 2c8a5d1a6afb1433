/**
 * Slack's OpenID sign-in: a real OpenID provider (npm oidc-provider) at Slack's addresses, with Slack's claims and rules.
 * Each rule names its source.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import OidcProvider from 'oidc-provider';
import { type Route, readBody } from '../../listen.ts';
import { readForm, text } from '../args.ts';
import type { Server } from '../parts.ts';

/** Lifetime of an ID token, `exp` minus `iat` in https://docs.slack.dev/reference/methods/openid.connect.token */
const ID_TOKEN_SECONDS = 300;
/** Lifetime of a code, ten minutes: https://docs.slack.dev/authentication/installing-with-oauth */
const CODE_SECONDS = 600;

export interface OpenId {
  /** The person who signs in next, and the workspace. The browser stays signed in. */
  person: {
    readonly id: string;
    readonly team: string;
    readonly enterprise?: string;
    readonly name?: string;
  };
  /** True if the person presses Cancel. */
  denied: boolean;
  /** If set, every address of the sign-in responds with this status. */
  down: number | undefined;
  /** Queries with which browsers opened the consent page. */
  readonly asked: URLSearchParams[];
  /** Access tokens that were issued. */
  readonly issued: string[];
  /** Signs with another key from now on. Codes issued earlier no longer work. */
  rotate(): Promise<void>;
}

/** Adds the routes. `redirects`: the redirect URLs in the app's settings. */
export async function openOpenId(
  server: Server,
  routes: Map<string, Route>,
  redirects: readonly string[],
): Promise<OpenId> {
  let provider = await createProvider(server, redirects, () => own.person);
  const own: OpenId = {
    person: { id: '', team: '' },
    denied: false,
    down: undefined,
    asked: [],
    issued: [],
    async rotate() {
      provider = await createProvider(server, redirects, () => own.person);
    },
  };
  const up =
    (route: Route): Route =>
    (request, response, url) =>
      own.down === undefined ? route(request, response, url) : void response.writeHead(own.down).end();
  const pass: Route = (request, response) => provider.callback()(request, response);
  routes.set('/openid/connect/', up(pass));
  routes.set(
    '/openid/connect/authorize',
    up((request, response, url) => {
      // Record only requests for the consent page itself. A longer path is the page to which oidc-provider returns
      // after the sign-in.
      if (url.pathname === '/openid/connect/authorize') own.asked.push(url.searchParams);
      withoutIssuer(response);
      return pass(request, response, url);
    }),
  );
  routes.set('/openid/interaction/', (request, response) =>
    provider.interactionFinished(
      request,
      response,
      own.denied
        ? { error: 'access_denied' }
        : { login: { accountId: JSON.stringify([own.person.team, own.person.id]) } },
    ),
  );
  routes.set(
    '/api/openid.connect.token',
    up(async (request, response, url) => {
      const refusal = await refusalOf(server, request);
      if (refusal !== undefined) return void sendError(response, refusal);
      inSlacksForm(response, own);
      return pass(request, response, url);
    }),
  );
  return own;
}

async function createProvider(
  { url, world: { app } }: Server,
  redirects: readonly string[],
  person: () => OpenId['person'],
) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const kid = `key-${Math.random().toString(36).slice(2)}`;
  return new OidcProvider(url, {
    clients: [
      {
        client_id: app.clientId,
        client_secret: app.clientSecret,
        redirect_uris: [...redirects],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['for tests only'] },
    // https://docs.slack.dev/reference/methods/openid.connect.token documents the names of the claims, except
    // `enterprise_id`, which is in the type OpenIDConnectUserInfoResponse of slackapi/java-slack-sdk. The scope `profile`
    // adds the ids: it replaces `identity.team` (https://docs.slack.dev/authentication/sign-in-with-slack, "Migrate").
    claims: {
      openid: ['sub'],
      profile: [
        'name',
        ...['user_id', 'team_id', 'enterprise_id'].map((name) => `https://slack.com/${name}`),
      ],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: false,
    ttl: {
      IdToken: ID_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      AccessToken: 3_600,
      Interaction: 600,
      Session: 3_600,
      Grant: 3_600,
    },
    // Without PKCE: https://docs.slack.dev/changelog/2026/03/30/pkce makes it optional, and off by default.
    pkce: { required: () => false },
    features: { devInteractions: { enabled: false } },
    routes: {
      authorization: '/openid/connect/authorize',
      jwks: '/openid/connect/keys',
      token: '/api/openid.connect.token',
      userinfo: '/api/openid.connect.userInfo',
    },
    interactions: { url: (_context, { uid }) => `/openid/interaction/${uid}` },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: async () => {
        const [team, user] = JSON.parse(id) as [string, string];
        const { enterprise, name = 'Person' } = person();
        return {
          // `sub` is not the id of the person: both differ in the example of openid.connect.token.
          ...{ sub: `S${user}`, name, email: `${user}@example.org`, email_verified: true },
          ...{ 'https://slack.com/user_id': user, 'https://slack.com/team_id': team },
          ...(enterprise !== undefined && { 'https://slack.com/enterprise_id': enterprise }),
        };
      },
    }),
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      const grant = new context.oidc.provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
}

/**
 * Removes `iss` from the address to which the browser is sent, because Slack's metadata does not promise this parameter
 * (https://slack.com/.well-known/openid-configuration).
 */
function withoutIssuer(response: ServerResponse): void {
  const set = response.setHeader.bind(response);
  response.setHeader = (name, value) => {
    if (name.toLowerCase() !== 'location' || typeof value !== 'string') return set(name, value);
    return set(name, value.replace(/([?&])iss=[^&]*&?/, '$1').replace(/[?&]$/, ''));
  };
}

/** Returns Slack's error code for a request that Slack refuses, although the OpenID standard allows it. */
async function refusalOf({ world }: Server, request: IncomingMessage): Promise<string | undefined> {
  const isForm = (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
  const args = readForm((await readBody(request)).toString('utf8'));
  // The request's stream was already read, so pass the body on as a property, which oidc-provider accepts.
  Object.assign(request, { body: args });
  // Slack's response to a request with a verifier: https://github.com/paradigmxyz/centaur/pull/1101
  if (args.code_verifier !== undefined) return 'internal_error';
  // Slack's response to a request without the secret (same pull request).
  if (text(args, 'client_secret') !== world.app.clientSecret) return 'bad_client_secret';
  // Slack accepts only forms (https://api.slack.com/methods/openid.connect.token, "Content types"). The grant type is
  // optional there, but the example contains it, so the fake requires it. The code of the refusal is a guess.
  return isForm && args.grant_type === 'authorization_code' ? undefined : 'invalid_code';
}

/** All methods answer with status 200 and `ok`: https://docs.slack.dev/apis/web-api/#responses */
function inSlacksForm(response: ServerResponse, { issued }: OpenId): void {
  const end = response.end.bind(response);
  response.end = ((chunk: unknown) => {
    const { id_token } = JSON.parse(String(chunk)) as { readonly id_token?: string };
    response.end = end;
    response.removeHeader('content-length');
    if (id_token === undefined) return sendError(response, 'invalid_code');
    const access_token = `xoxp-fake-${issued.length}-canary`;
    issued.push(access_token);
    response.statusCode = 200;
    return end(JSON.stringify({ ok: true, access_token, token_type: 'Bearer', id_token }));
  }) as ServerResponse['end'];
}

function sendError(response: ServerResponse, error: string): ServerResponse {
  response.statusCode = 200;
  response.setHeader('content-type', 'application/json; charset=utf-8');
  return response.end(JSON.stringify({ ok: false, error }));
}
