import { describe, expect, it } from 'vitest';
import {
  askExpert,
  call,
  KEY_CHAT,
  key,
  liteToken,
  manualClock,
  openToken,
  shared,
  signedLogin,
  start,
  TOKEN_CHAT,
  user,
  uuid,
} from './support.ts';

describe('sandbox: tokens and clients', async () => {
  const clock = manualClock();
  const sandbox = await shared({ clock });
  const login = (changes: Record<string, unknown> = {}) =>
    call(`${sandbox.url}/openapi/auth/client_with_account`, { body: signedLogin(clock.now(), changes) });
  const ask = (authorization: string | undefined) =>
    askExpert(
      sandbox,
      { expertCode: 'echo', content: 'hi' },
      authorization === undefined ? {} : { authorization },
    );

  it('issues a lite token in seconds and refuses missing members and wrong secrets', async () => {
    const url = `${sandbox.url}/webapi/lite_api/v1/iam/client_token`;
    const { clientId, clientSecret, username } = sandbox.catalogue.liteClient;
    const body = { client_id: clientId, client_secret: clientSecret, username };
    const good = await call(url, { body });
    expect(good.json).toMatchObject({ code: 200, data: { token_type: 'Bearer', expires_in: 7200 } });
    expect(good.json.data.access_token.split('.')).toHaveLength(3);
    for (const name of Object.keys(body)) {
      const answer = await call(url, { body: { ...body, [name]: undefined } });
      expect([answer.status, answer.json.code]).toEqual([400, 40001]);
    }
    for (const wrong of [{ client_secret: 'x' }, { username: 'nobody' }, { username: 'disabled' }]) {
      expect((await call(url, { body: { ...body, ...wrong } })).status).toBe(401);
    }
  });

  it('CHK-4: accepts a signature within 300 seconds, and refuses a later one because of its time', async () => {
    for (const offset of [0, 299_000, -299_000]) {
      expect((await login({ timestamp: clock.now() + offset })).json).toMatchObject({
        success: true,
        data: { expires_in: 1440 },
      });
    }
    for (const offset of [301_000, -301_000]) {
      const answer = await login({ timestamp: clock.now() + offset });
      expect(answer.status).toBe(200);
      expect(answer.json).toMatchObject({ success: false, msg: expect.stringContaining('timestamp') });
    }
  });

  it('CHK-4: refuses a wrong signature, a reused nonce, malformed members and a disabled account', async () => {
    expect((await login({ signature: 'f'.repeat(32) })).json.success).toBe(false);
    expect((await login({ nonce: 'abc123' })).json.success).toBe(true);
    expect((await login({ nonce: 'abc123' })).json).toMatchObject({
      success: false,
      msg: expect.stringContaining('nonce'),
    });
    for (const [ms, isAccepted] of [
      [600_000, false],
      [1, true],
    ] as const) {
      clock.advance(ms);
      expect((await login({ nonce: 'abc123' })).json.success).toBe(isAccepted);
    }
    expect((await login({ nonce: 'ab-123' })).json.success).toBe(false);
    expect((await login({ timestamp: 123 })).json.success).toBe(false);
    expect((await login({ account: 'disabled' })).json.success).toBe(false);
    expect((await login({ client: 7 })).json.success).toBe(false);
  });

  it('signs in with a registered identity-provider token only', async () => {
    const url = `${sandbox.url}/openapi/auth/user/idp`;
    expect((await call(url, { body: { token: 'sandbox-idp-admin' } })).json.success).toBe(true);
    expect((await call(url, { body: { token: 'other' } })).json.success).toBe(false);
    expect((await call(url, { body: {} })).json).toMatchObject({ success: false });
    expect((await call(`${sandbox.url}/openapi/auth/user/other`, { body: {} })).status).toBe(404);
  });

  it('accepts both schemes in any case and a bare token, and ends tokens by its clock', async () => {
    const { authorization = '' } = await openToken(sandbox, 'member-one', clock.now());
    const token = authorization.replace('openapi ', '');
    for (const form of [authorization, `Bearer ${token}`, `BEARER ${token}`, `OpenAPI ${token}`, token]) {
      expect((await ask(form)).json.success).toBe(true);
    }
    const lite = await liteToken(sandbox);
    for (const form of [undefined, 'openapi nonsense', `openapi ${token}x`, lite.authorization]) {
      const answer = await ask(form);
      expect([answer.status, answer.json.success]).toEqual([401, false]);
    }
    clock.advance(24 * 3600 * 1000 + 1);
    expect((await ask(authorization)).status).toBe(401);
  });

  it('exchanges tokens of people whom the option idpAccounts names (AUT-8)', async () => {
    await using other = await start({
      options: { idpAccounts: { 'ada@example.org': 'member-two', eve: 'disabled' } },
    });
    const exchange = async (claims: object) => {
      const part = Buffer.from(JSON.stringify(claims)).toString('base64url');
      const url = `${other.url}/openapi/auth/user/idp`;
      return (await call(url, { body: { token: `e30.${part}.c2ln` } })).json.success;
    };
    expect(await exchange({ preferred_username: 'ada@example.org' })).toBe(true);
    expect(await exchange({ upn: 'ada@example.org' })).toBe(true);
    for (const claims of [{ upn: 'eve' }, { upn: 'ben' }, {}, { upn: 7 }])
      expect(await exchange(claims)).toBe(false);
  });

  it('refuses chats without a known key or token', async () => {
    expect((await call(sandbox.url + KEY_CHAT, { body: user('x') })).status).toBe(401);
    expect(
      (await call(sandbox.url + KEY_CHAT, { body: user('x'), headers: { 'api-key': 'x' } })).status,
    ).toBe(401);
    const url = `${sandbox.url}${TOKEN_CHAT}${uuid(sandbox, 'echo')}`;
    const refused = await call(url, { body: '{broken', headers: key('echo') });
    expect([refused.status, refused.json]).toEqual([
      401,
      { code: 401, message: expect.any(String), data: null },
    ]);
  });

  it('creates clients for the admin token, shows the secret once, and lists them', async () => {
    const url = `${sandbox.url}/webapi/lite_api/v1/admin/clients`;
    const admin = { authorization: `Bearer ${sandbox.catalogue.adminToken}` };
    const created = await call(url, {
      headers: admin,
      body: { name: 'Other', 'trusted domains': ['example.com'] },
    });
    const { client_id, client_secret } = created.json.data;
    const token = await call(`${sandbox.url}/webapi/lite_api/v1/iam/client_token`, {
      body: { client_id, client_secret, username: 'member-two' },
    });
    expect(token.json.code).toBe(200);
    const listed = await call(`${url}?page=2&page_size=1`, { headers: admin });
    expect(listed.json.data).toMatchObject({
      total: 2,
      page: 2,
      page_size: 1,
      items: [{ client_id, 'trusted domains': ['example.com'] }],
    });
    expect(listed.text).not.toContain(client_secret);
    expect((await call(url, { headers: admin, body: {} })).json.code).toBe(40001);
    expect((await call(`${url}?page=0`, { headers: admin })).json.code).toBe(422);
    expect((await call(url, { headers: await liteToken(sandbox) })).status).toBe(401);
  });
});
