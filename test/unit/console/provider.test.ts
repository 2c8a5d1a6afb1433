/** Tests the client of an identity provider against a provider in memory, with the provider's rarer answers. */

import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Provider } from '../../../adapters/console/identity/provider.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { signInConfig } from './provider-rig.ts';

const ISSUER = 'https://id.example';
const SECRET = 'a secret of the client, long enough';
type Answer = () => Response | Promise<Response>;
type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

let routes: Record<string, Answer>;
let requests: { readonly path: string; readonly headers: Headers; readonly body: string }[];
let metadata: Record<string, unknown>;
/** Key pairs by algorithm. All tests share them, because making them takes long. */
const keys: Record<string, Keys> = {};

beforeEach(() => {
  requests = [];
  metadata = {
    issuer: ISSUER,
    ...Object.fromEntries(
      ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'jwks_uri'].map((name) => [
        name,
        `${ISSUER}/${name}`,
      ]),
    ),
  };
  routes = {
    '/.well-known/openid-configuration': () => Response.json(metadata),
    '/jwks_uri': async () => {
      const all = Object.entries(keys).map(async ([alg, { publicKey }]) => {
        return { ...(await exportJWK(publicKey)), kid: alg, alg, use: 'sig' };
      });
      return Response.json({ keys: await Promise.all(all) });
    },
  };
  vi.stubGlobal('fetch', async (input: string | URL, { headers, body }: RequestInit = {}) => {
    const path = new URL(String(input)).pathname;
    requests.push({ path, headers: new Headers(headers), body: String(body) });
    return (routes[path] ?? (() => new Response('', { status: 404 })))();
  });
});
afterEach(() => void vi.unstubAllGlobals());

const createKeys = async (alg: string): Promise<Keys> => {
  keys[alg] ??= await generateKeyPair(alg, { extractable: true });
  return keys[alg];
};
async function signed(alg: string, claims: Record<string, unknown>): Promise<string> {
  const { privateKey } = await createKeys(alg);
  const token = new SignJWT(claims).setProtectedHeader({ alg, kid: alg, typ: 'JWT' });
  return token
    .setIssuer(ISSUER)
    .setAudience('parley-console')
    .setIssuedAt()
    .setExpirationTime('2m')
    .sign(privateKey);
}

function open() {
  const clock = createVirtualClock({ start: Date.now() });
  return { clock, provider: new Provider(signInConfig(ISSUER, 1), clock) };
}

/** Signs in. The ID token and userinfo have the given claims, besides those that every token has. */
async function signIn(own: Record<string, unknown>, userInfo: Record<string, unknown> = {}) {
  const { provider } = open();
  const { pending } = await provider.begin();
  const { nonce, state } = pending;
  const id_token = await signed('RS256', { sub: 'ada', nonce, ...own });
  routes['/token_endpoint'] = () =>
    Response.json({ access_token: 'access', token_type: 'bearer', expires_in: 60, id_token });
  routes['/userinfo_endpoint'] = () => Response.json({ sub: 'ada', ...userInfo });
  return provider.finish(`?code=c&state=${encodeURIComponent(state)}`, pending);
}

describe('claims', () => {
  const ada = { name: 'Ada', email: 'ada@example.org', email_verified: true };

  it('of the ID token take precedence over those of userinfo, which fill the gaps', async () => {
    const other = { name: 'Eve', email: 'eve@example.org', email_verified: true, groups: ['staff'] };
    const { person } = await signIn(ada, other);
    expect(person).toMatchObject({ name: 'Ada', email: 'ada@example.org', groups: ['staff'] });
  });

  it('are not requested from userinfo if the ID token is complete', async () => {
    await signIn({ ...ada, groups: [] });
    expect(requests.map(({ path }) => path)).not.toContain('/userinfo_endpoint');
  });
});

describe('the client secret', () => {
  const complete = { name: 'Ada', groups: [] };
  it.each([
    ['names no method', undefined, 'header'],
    ['accepts both', ['client_secret_post', 'client_secret_basic'], 'header'],
    ['accepts the header only', ['client_secret_basic'], 'header'],
    ['accepts the body only', ['client_secret_post'], 'body'],
  ])('of a provider that %s is sent in one place', async (_, methods, place) => {
    if (methods !== undefined) metadata.token_endpoint_auth_methods_supported = methods;
    await signIn(complete);
    const request = requests.find(({ path }) => path === '/token_endpoint');
    const inHeader = request?.headers.get('authorization')?.startsWith('Basic ') ?? false;
    const inBody = new URLSearchParams(request?.body).get('client_secret') === SECRET;
    expect({ inHeader, inBody }).toEqual({ inHeader: place === 'header', inBody: place === 'body' });
  });
});

describe('a logout token', () => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };

  it.each([
    ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'],
  ])('may be signed with %s', async (alg) => {
    const { provider } = open();
    const token = await signed(alg, { sub: 'ada', jti: alg, events });
    expect(await provider.readLogout(token)).toMatchObject({ jti: alg, person: expect.any(String) });
  });
});

describe('a provider that fails', () => {
  const named = (name: string) => Object.assign(new Error('planted'), { name });
  const failures: readonly (readonly [string, Answer, code: string])[] = [
    ['times out', () => Promise.reject(named('TimeoutError')), 'sign-in-unavailable'],
    ['breaks off', () => Promise.reject(named('AbortError')), 'sign-in-unavailable'],
    ['is not reached', () => Promise.reject(new TypeError('fetch failed')), 'sign-in-unavailable'],
    ...[500, 502, 503, 504].map(
      (status) => [`answers ${status}`, () => new Response('', { status }), 'sign-in-unavailable'] as const,
    ),
    ...[400, 401, 403, 404].map(
      (status) => [`answers ${status}`, () => new Response('', { status }), 'sign-in-refused'] as const,
    ),
  ];

  it.each(failures)('because it %s is asked again after 5 s, and not before', async (_, answer, code) => {
    const { clock, provider } = open();
    const path = '/.well-known/openid-configuration';
    routes[path] = answer;
    await expect(provider.begin()).rejects.toMatchObject({ code });
    routes[path] = () => Response.json(metadata);
    const asked = requests.length;
    await clock.pass(4_999);
    await expect(provider.begin()).rejects.toMatchObject({ code: 'sign-in-unavailable' });
    expect(requests).toHaveLength(asked);
    await clock.pass(1);
    expect((await provider.begin()).address.href).toMatch(/^https:\/\/id\.example\/authorization_endpoint\?/);
  });
});
