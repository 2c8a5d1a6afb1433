/**
 * A real OpenID provider (npm oidc-provider) on this machine. Tests sign in with the simulated browser of browser.ts.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import OidcProvider from 'oidc-provider';

export interface RealProvider {
  readonly issuer: string;
  readonly port: number;
  /** Id of the account that signs in next. */
  account: string;
  /** Accounts that an administrator has disabled. */
  readonly disabled: Set<string>;
  /** True while the provider answers every request with 503. */
  down: boolean;
  /** Number of requests with a refresh token. */
  refreshes: number;
  /** Claims of the accounts, besides `sub`. */
  readonly claims: Record<string, Record<string, unknown>>;
  close(): Promise<void>;
}

export const CLIENT_ID = 'parley-console';
export const CLIENT_SECRET = 'a secret of the client, long enough';

/**
 * @param address the provider's https address, if TLS ends in front of it
 * @param refreshTokens whether the provider issues refresh tokens; each works once, as the provider's default is for
 * public clients, and a second use ends the grant
 */
export async function openProvider(
  consoleUrl: string,
  address?: string,
  refreshTokens = true,
): Promise<RealProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = address ?? `http://127.0.0.1:${port}`;
  const own: RealProvider = {
    issuer,
    port,
    account: 'ada',
    disabled: new Set(),
    down: false,
    refreshes: 0,
    claims: {
      ada: { name: 'Ada Lindqvist', email: 'ada@example.org', email_verified: true, groups: ['staff'] },
      ben: {
        name: 'Ben Okafor',
        email: 'ben@example.org',
        email_verified: true,
        groups: ['staff', 'support'],
      },
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const provider = new OidcProvider(issuer, {
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${consoleUrl}/console/sign-in/callback`],
        response_types: ['code'],
        grant_types: ['authorization_code', ...(refreshTokens ? ['refresh_token'] : [])],
        backchannel_logout_uri: `${consoleUrl}/console/sign-in/logout`,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['for tests only'] },
    claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email', 'email_verified'] },
    pkce: { required: () => true },
    issueRefreshToken: () => refreshTokens,
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, id) =>
      own.disabled.has(id)
        ? undefined
        : { accountId: id, claims: async () => ({ sub: id, ...own.claims[id] }) },
    // Replaces the provider's own fetch, which refuses addresses of this machine.
    fetch: (address: string, { dispatcher: _, ...init }: RequestInit & { readonly dispatcher?: unknown }) =>
      fetch(address, init),
    // Every account consents to everything, so that signing in needs no form.
    loadExistingGrant: async (context) => {
      const { client, session } = context.oidc;
      // As by default, a session has one grant for each client. With a new one, codes of the old one are refused.
      const id = session?.grantIdFor(client?.clientId ?? '');
      const known = id === undefined ? undefined : await context.oidc.provider.Grant.find(id);
      if (known !== undefined) return known;
      const grant = new context.oidc.provider.Grant({
        clientId: client?.clientId ?? '',
        accountId: session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  provider.on('grant.success', ({ oidc }) => {
    if (oidc.params.grant_type === 'refresh_token') own.refreshes += 1;
  });
  const handle = provider.callback();
  provider.proxy = address !== undefined;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (own.down) return response.writeHead(503).end();
    if (address !== undefined) request.headers['x-forwarded-proto'] = 'https';
    if (!request.url?.startsWith('/interaction/')) return handle(request, response);
    return provider.interactionFinished(request, response, { login: { accountId: own.account } });
  });
  return own;
}
