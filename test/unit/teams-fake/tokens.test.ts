/** Tests the fake's login service, metadata and managed identities, and how the Bot Connector checks tokens. */

import {
  constants,
  createHash,
  createPublicKey,
  type JsonWebKey,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto';
import { expect, test } from 'vitest';
import { badTokens, makeCertificate } from '../../fakes/teams/index.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { askToken, call, fakeTeams, send, tokenOf } from './wire.ts';

test('a token is issued for the secret, and is valid for an hour', async () => {
  const clock = createVirtualClock();
  const fake = await fakeTeams({ clock });
  const answer = await askToken(fake);
  expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 3_600 } });
  const token = String(answer.body.access_token);
  const dm = fake.tenant().person().dm();
  const post = () =>
    call(fake, `conversations/${dm.id}/activities`, {
      verb: 'POST',
      token,
      body: { type: 'message', text: 'x' },
    });
  expect((await post()).status).toBe(201);
  await clock.pass(3_600_000);
  expect((await post()).status).toBe(401);
  expect(fake.log.of('token')).toHaveLength(1);
  expect(JSON.stringify(fake.log.calls)).not.toContain(token);
});

test.each([
  ['another secret', { client_secret: 'wrong' }, 401, 'invalid_client'],
  ['another app', { client_id: '00000000-0000-4000-8000-000000000000' }, 400, 'unauthorized_client'],
  ['another scope', { scope: 'https://example.com/.default' }, 400, 'invalid_scope'],
  ['another grant', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
])('no token is issued for %s', async (_, fields, status, error) => {
  const fake = await fakeTeams();
  expect(await askToken(fake, fields)).toMatchObject({ status, body: { error } });
});

test('a rotated secret is refused', async () => {
  const fake = await fakeTeams();
  const [old = ''] = fake.app.secrets;
  fake.app.secrets.clear();
  fake.app.secrets.add('a new one');
  expect((await askToken(fake, { client_secret: old })).status).toBe(401);
  expect((await askToken(fake)).status).toBe(200);
});

test.each([
  'RS256',
  'PS256',
] as const)('a token is issued for the app’s certificate, signed with %s', async (alg) => {
  const fake = await fakeTeams();
  const { certificate, key } = makeCertificate();
  const ask = (claims: object = {}) => {
    const aud = `${fake.services.login}/${fake.tenant().id}/oauth2/v2.0/token`;
    const now = Math.floor(Date.now() / 1_000);
    const usual = { aud, iss: fake.app.id, sub: fake.app.id, jti: '1', nbf: now, exp: now + 300 };
    const thumbprint = createHash('sha256').update(new X509Certificate(certificate).raw).digest('base64url');
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const unsigned = `${part({ alg, typ: 'JWT', 'x5t#S256': thumbprint })}.${part({ ...usual, ...claims })}`;
    const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
    const signature = sign('sha256', Buffer.from(unsigned), alg === 'PS256' ? pss : key).toString(
      'base64url',
    );
    return askToken(fake, {
      client_assertion: `${unsigned}.${signature}`,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
  };
  expect((await ask()).status).toBe(401);
  fake.login.certificates.add(certificate);
  expect((await ask()).status).toBe(200);
  expect((await ask({ exp: 1 })).status).toBe(401);
  expect((await ask({ sub: 'another' })).status).toBe(401);
  expect((await ask({ aud: 'https://example.com' })).status).toBe(401);
});

test('a machine with the app’s identity gets a token without a secret', async () => {
  const fake = await fakeTeams();
  const query = new URLSearchParams({
    'api-version': '2018-02-01',
    resource: 'https://api.botframework.com',
    client_id: fake.app.id,
  });
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`${fake.url}/metadata/identity/oauth2/token?${query}`, { headers })).status;
  expect([await ask({ Metadata: 'true' }), await ask({})]).toEqual([200, 400]);
  fake.login.managedIdentity = false;
  expect(await ask({ Metadata: 'true' })).toBe(400);
});

test.each([
  ['no token', null],
  ['a forged token', 'Zm9yZWlnbg.e30.x'],
])('the Bot Connector refuses a token: %s', async (_, token) => {
  const fake = await fakeTeams();
  const dm = fake.tenant().person().dm();
  expect((await call(fake, `conversations/${dm.id}/members`, { token })).status).toBe(401);
});

test('the Bot Connector refuses a token for Graph, a revoked one, and other tenants', async () => {
  const fake = await fakeTeams({ tenants: [{}, {}] });
  const dm = fake.tenant().person().dm();
  const graph = await askToken(fake, { scope: 'https://graph.microsoft.com/.default' });
  const asking = { token: String(graph.body.access_token) };
  expect((await call(fake, `conversations/${dm.id}/members`, asking)).status).toBe(401);
  expect((await send(fake, { ...dm, tenant: 'nowhere' }, {})).status).toBe(403);
  await tokenOf(fake);
  for (const issued of fake.login.issued) issued.revoked = true;
  expect((await send(fake, dm, {})).status).toBe(401);
});

test('the metadata links the keys with their endorsements', async () => {
  const fake = await fakeTeams();
  const get = async (address: string) => (await (await fetch(address)).json()) as Record<string, unknown>;
  const metadata = await get(`${fake.services.openId}/v1/.well-known/openidconfiguration`);
  const { keys } = (await get(String(metadata.jwks_uri))) as {
    keys: (JsonWebKey & Record<string, unknown>)[];
  };
  const activity = { type: 'message', serviceUrl: fake.serviceUrl(), channelId: 'msteams' };
  const [head = '', body = '', signature = ''] = fake.inbound
    .authorize(activity)
    .slice('Bearer '.length)
    .split('.');
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
  const jwk = keys.find((each) => each.kid === kid) ?? {};
  expect(jwk.endorsements).toEqual(['msteams']);
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  expect(verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature, 'base64url'))).toBe(
    true,
  );
  expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toMatchObject({
    iss: 'https://api.botframework.com',
    aud: fake.app.id,
    serviceurl: fake.serviceUrl(),
  });
});

test('there are nineteen different invalid requests', async () => {
  const fake = await fakeTeams();
  const activity = {
    type: 'message',
    serviceUrl: fake.serviceUrl(),
    conversation: { tenantId: fake.tenant().id },
  };
  const made = badTokens.map((name) => fake.inbound.bad(name, activity));
  expect(badTokens).toHaveLength(19);
  expect(new Set(made.map((each) => JSON.stringify(each))).size).toBe(19);
});
