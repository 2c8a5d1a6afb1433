/**
 * Serves Microsoft's login and the OpenID metadata of the Bot Connector:
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication,
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow (secret and certificate), and
 * https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token (managed identity).
 */

import type { ServerResponse } from 'node:http';
import { type Route, readBody } from '../../listen.ts';
import type { Server } from '../parts.ts';
import type { Json } from '../read.ts';
import { checkAssertion } from './assertion.ts';
import { jwkOf, keys, type SigningKey, signToken } from './keys.ts';

/** Accepted scopes, with the audience of the tokens issued for each. */
const SCOPES = new Map([
  ['https://api.botframework.com/.default', 'https://api.botframework.com'],
  ['https://graph.microsoft.com/.default', 'https://graph.microsoft.com'],
  // National clouds: https://learn.microsoft.com/azure/bot-service/how-to-deploy-gov-cloud-high, its page on China, and
  // https://learn.microsoft.com/graph/deployments
  ['https://api.botframework.us/.default', 'https://api.botframework.us'],
  ['https://graph.microsoft.us/.default', 'https://graph.microsoft.us'],
  ['https://dod-graph.microsoft.us/.default', 'https://dod-graph.microsoft.us'],
  ['https://api.botframework.azure.cn/.default', 'https://api.botframework.azure.cn'],
  ['https://microsoftgraph.chinacloudapi.cn/.default', 'https://microsoftgraph.chinacloudapi.cn'],
]);

export interface IssuedToken {
  readonly value: string;
  readonly audience: string;
  readonly tenant: string;
  readonly expiresAt: number;
  /** A test sets this to revoke the token. */
  revoked: boolean;
}

export interface Login {
  readonly issued: IssuedToken[];
  /** Validity of new tokens in seconds; default: 3,600. */
  lifetime: number;
  /** True if machines with this app's identity may request tokens without a secret. */
  managedIdentity: boolean;
  /** Public keys of the app's registered certificates, in PEM. */
  readonly certificates: Set<string>;
  /** Client secrets that have expired. */
  readonly expired: Set<string>;
  /** Additional published keys of the Bot Connector. */
  readonly published: SigningKey[];
  /** Published keys of the login service; a test changes them to rotate. */
  readonly directoryKeys: SigningKey[];
}

export const createLogin = (): Login => ({
  issued: [],
  lifetime: 3_600,
  managedIdentity: true,
  certificates: new Set(),
  expired: new Set(),
  published: [],
  directoryKeys: [keys().login],
});

class LoginError extends Error {
  readonly status: number;
  readonly error: string;
  constructor(status: number, error: string, description: string) {
    super(description);
    this.status = status;
    this.error = error;
  }
}

/** Serves `/{tenant}/oauth2/v2.0/token`; all other paths of the login are metadata. */
export const loginRoute =
  (server: Server): Route =>
  async (request, response, url) => {
    const [, tenant = '', ...rest] = url.pathname.split('/');
    const path = rest.join('/');
    if (path === 'v2.0/.well-known/openid-configuration')
      return answer(server, response, 'directory', { tenant }, () => loginMetadata(server, tenant));
    if (path === 'discovery/v2.0/keys') return json(response, 200, { keys: directoryJwks(server.login) });
    if (path === 'oauth2/v2.0/authorize' && request.method === 'GET')
      return authorize(server, response, tenant, url.searchParams);
    if (path !== 'oauth2/v2.0/token' || request.method !== 'POST') return json(response, 404, {});
    const form = new URLSearchParams((await readBody(request)).toString('utf8'));
    await answer(server, response, 'token', { tenant, client_id: form.get('client_id') ?? '' }, () =>
      grant(server, tenant, form, `${server.url}${url.pathname}`),
    );
  };

/**
 * Signs in a person who consents, and sends the browser back:
 * https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow ("Request an authorization code").
 */
function authorize(
  { world, log, home }: Server,
  response: ServerResponse,
  tenant: string,
  query: URLSearchParams,
): void {
  const { app, clock } = world;
  const redirect = query.get('redirect_uri') ?? '';
  const isRight =
    tenant === home() &&
    query.get('client_id') === app.id &&
    query.get('response_type') === 'code' &&
    (query.get('scope') ?? '').split(' ').includes(`${app.resource}/access_as_user`);
  const record = log.begin({
    at: clock.now(),
    method: 'authorize',
    asked: Object.fromEntries(query),
    size: 0,
  });
  record.status = isRight && app.redirects.has(redirect) ? 302 : 400;
  record.doneAt = clock.now();
  if (record.status === 400) {
    json(response, 400, { error: 'AADSTS50011 or AADSTS700016' });
    return;
  }
  const back = new URL(redirect);
  back.searchParams.set('code', 'fake-code-that-nobody-redeems');
  back.searchParams.set('state', query.get('state') ?? '');
  response.writeHead(302, { location: back.href }).end();
}

function grant(server: Server, tenant: string, form: URLSearchParams, endpoint: string): Json {
  const { world, login } = server;
  if (![server.home(), 'botframework.com'].includes(tenant))
    throw new LoginError(400, 'invalid_request', `AADSTS90002: Tenant '${tenant}' not found.`);
  if (form.get('grant_type') !== 'client_credentials')
    throw new LoginError(
      400,
      'unsupported_grant_type',
      'AADSTS70003: The app requested an unsupported grant type.',
    );
  if (form.get('client_id') !== world.app.id)
    throw new LoginError(
      400,
      'unauthorized_client',
      'AADSTS700016: Application was not found in the directory.',
    );
  if (login.expired.has(form.get('client_secret') ?? ''))
    throw new LoginError(
      401,
      'invalid_client',
      'AADSTS7000222: The provided client secret keys for the app are expired.',
    );
  const assertion = form.get('client_assertion');
  const known =
    assertion === null
      ? world.app.secrets.has(form.get('client_secret') ?? '')
      : checkAssertion(assertion, {
          form,
          endpoint,
          app: world.app.id,
          certificates: login.certificates,
          now: world.clock.now(),
        });
  if (!known) throw new LoginError(401, 'invalid_client', 'AADSTS7000215: Invalid client secret provided.');
  const audience = SCOPES.get(form.get('scope') ?? '');
  if (audience === undefined)
    throw new LoginError(
      400,
      'invalid_scope',
      'AADSTS70011: The provided value for the input parameter scope is not valid.',
    );
  return tokenAnswer(issue(server, audience), login.lifetime);
}

const tokenAnswer = ({ value }: IssuedToken, lifetime: number): Json => ({
  token_type: 'Bearer',
  expires_in: lifetime,
  ext_expires_in: lifetime,
  access_token: value,
});

export function issue({ world, login, home }: Server, audience: string): IssuedToken {
  const seconds = Math.floor(world.clock.now() / 1_000);
  const claims = {
    aud: audience,
    iss: `https://sts.windows.net/${home()}/`,
    nbf: seconds,
    exp: seconds + login.lifetime,
    appid: world.app.id,
    tid: home(),
    uti: `token ${login.issued.length + 1}`,
  };
  const issued: IssuedToken = {
    value: signToken(keys().login, claims),
    audience,
    tenant: home(),
    expiresAt: (seconds + login.lifetime) * 1_000,
    revoked: false,
  };
  login.issued.push(issued);
  return issued;
}

/**
 * The published keys. Each names the issuer for which it signs; `{tenantid}` stands for any organization
 * (https://learn.microsoft.com/entra/identity-platform/access-tokens#validate-the-signing-key-issuer). The last one has
 * the issuer of personal Microsoft accounts, as in that page's example.
 */
const directoryJwks = ({ directoryKeys }: Login): readonly Json[] => [
  ...directoryKeys.map((key) => ({ ...jwkOf(key), issuer: `${ISSUERS}/{tenantid}/v2.0` })),
  { ...jwkOf(keys().consumers), issuer: `${ISSUERS}/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0` },
];

const ISSUERS = 'https://login.microsoftonline.com';

const loginMetadata = ({ url, home }: Server, tenant: string): Json => ({
  issuer: `https://login.microsoftonline.com/${home()}/v2.0`,
  authorization_endpoint: `${url}/${tenant}/oauth2/v2.0/authorize`,
  token_endpoint: `${url}/${tenant}/oauth2/v2.0/token`,
  token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
  jwks_uri: `${url}/common/discovery/v2.0/keys`,
  id_token_signing_alg_values_supported: ['RS256'],
});

/** Serves `/v1/.well-known/openidconfiguration` and `/v1/.well-known/keys`. */
export const openIdRoute =
  (server: Server): Route =>
  async (_, response, url) => {
    const name = url.pathname.slice('/v1/.well-known/'.length);
    if (name === 'openidconfiguration')
      return answer(server, response, 'openid', {}, () => ({
        issuer: 'https://api.botframework.com',
        authorization_endpoint: 'https://invalid.botframework.com',
        jwks_uri: `${server.url}/v1/.well-known/keys`,
        id_token_signing_alg_values_supported: ['RS256'],
        token_endpoint_auth_methods_supported: ['private_key_jwt'],
      }));
    if (name !== 'keys') return json(response, 404, {});
    return answer(server, response, 'keys', {}, () => ({
      keys: [keys().otherChannel, keys().unendorsed, keys().connector, ...server.login.published].map(jwkOf),
    }));
  };

/** Serves tokens for managed identities, as the instance metadata service and App Service do. */
export const identityRoute =
  (server: Server): Route =>
  async (request, response, url) => {
    const resource = url.searchParams.get('resource') ?? '';
    const proven =
      request.headers.metadata === 'true' || request.headers['x-identity-header'] === IDENTITY_HEADER;
    await answer(server, response, 'identity', Object.fromEntries(url.searchParams), () => {
      const scope = SCOPES.get(`${resource}/.default`);
      if (!proven || scope === undefined || !url.searchParams.has('api-version'))
        throw new LoginError(400, 'invalid_request', 'Required metadata header or parameter not specified');
      if (!server.login.managedIdentity || url.searchParams.get('client_id') !== server.world.app.id)
        throw new LoginError(400, 'invalid_request', 'Identity not found');
      const issued = issue(server, scope);
      const expires = Math.floor(issued.expiresAt / 1_000);
      return { ...tokenAnswer(issued, server.login.lifetime), expires_on: String(expires), resource };
    });
  };

/** Value of `IDENTITY_HEADER` on machines of App Service. */
export const IDENTITY_HEADER = 'fake-identity-header';

async function answer(
  server: Server,
  response: ServerResponse,
  method: string,
  asked: Json,
  make: () => Json,
): Promise<void> {
  const { log, faults, world } = server;
  const record = log.begin({ at: world.clock.now(), method, asked, size: 0 });
  const fault = faults.hit({ method });
  if (fault !== undefined) record.fault = fault.kind;
  if (fault?.kind === 'slow') await world.clock.wait(fault.ms ?? 0);
  if (fault?.kind === 'timeout' || fault?.kind === 'hang') return;
  if (fault?.kind === 'refuse' || fault?.kind === 'reset') {
    response.socket?.resetAndDestroy();
    return;
  }
  const made = fault?.kind === 'status' ? { status: fault.status ?? 500, body: {} } : attempt(make);
  record.status = made.status;
  record.answer = method === 'token' || method === 'identity' ? { issued: made.status === 200 } : made.body;
  record.doneAt = world.clock.now();
  json(response, made.status, made.body);
}

function attempt(make: () => Json): { status: number; body: Json } {
  try {
    return { status: 200, body: make() };
  } catch (thrown) {
    if (!(thrown instanceof LoginError)) throw thrown;
    return { status: thrown.status, body: { error: thrown.error, error_description: thrown.message } };
  }
}

const json = (response: ServerResponse, status: number, body: Json): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
    .end(JSON.stringify(body));
