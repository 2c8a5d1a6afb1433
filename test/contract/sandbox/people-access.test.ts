import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  askByKey,
  call,
  liteToken,
  manualClock,
  openToken,
  shared,
  signedLogin,
  start,
  temporaryFolder,
  user,
} from './support.ts';
import { IDS, LITE_USERS, ORGANIZATIONS, openWire, page, USERS, wholeUser } from './wire.ts';

describe('sandbox: access to people', async () => {
  const sandbox = await shared();
  const wire = await openWire(sandbox);
  const member = await openToken(sandbox, 'member-one');

  const two = IDS.memberTwo.user;
  const pair = { organizationId: IDS.company, userId: two };
  const writes: readonly (readonly [string, string, string, unknown])[] = [
    ['createUsers', 'POST', USERS, [{ userName: 'x' }]],
    ['updateUser', 'PUT', USERS, { userName: 'member-two' }],
    ['deleteUsers', 'DELETE', USERS, ['member-two']],
    ['enableUser', 'PUT', `${USERS}/disabled/enable`, undefined],
    ['disableUser', 'PUT', `${USERS}/member-two/disable`, undefined],
    ['switchUsers', 'PUT', `${USERS}/enable`, { codes: ['disabled'], operation: true }],
    ['setUserRoles', 'PUT', `${USERS}/member-one/roles`, ['Administrators']],
    ['createOrg', 'POST', ORGANIZATIONS, { code: 'x', name: 'x', parentId: '-1' }],
    ['updateOrg', 'PUT', ORGANIZATIONS, { code: 'company', name: 'x', parentId: '-1' }],
    ['deleteOrgs', 'DELETE', ORGANIZATIONS, ['project-office']],
    ['linkOrgUsers', 'POST', `${ORGANIZATIONS}/relationship`, [pair]],
    ['unlinkOrgUsers', 'DELETE', `${ORGANIZATIONS}/relationship`, { organizationIds: [], userIds: [] }],
  ];
  const byOrganization = page({ OrganizationId: IDS.company }, { orderField: 'id' });
  const reads: readonly (readonly [string, string, string, unknown])[] = [
    ['pageUsers', 'POST', `${USERS}/pageList`, page()],
    ['getUser', 'GET', `${USERS}/admin`, undefined],
    ['me', 'GET', `${USERS}/me`, undefined],
    ['myRoles', 'GET', `${USERS}/me/roles`, undefined],
    ['userRoles', 'GET', `${USERS}/admin/roles`, undefined],
    ['orgTree', 'GET', `${ORGANIZATIONS}/tree`, undefined],
    ['pageOrgUsers', 'POST', `${ORGANIZATIONS}/getAllOrgUserPageList`, page({}, { orderField: 'id' })],
    ['orgUserPages', 'POST', `${ORGANIZATIONS}/getUserPages`, byOrganization],
  ];

  it.each(
    writes,
  )('%s is refused to a member with the name of the permission (AUT-17)', async (_id, method, path, body) => {
    const everything = async () => [
      (await wire.ask('POST', `${USERS}/pageList`, page())).json.data,
      (await wire.ask('GET', `${ORGANIZATIONS}/tree`)).json.data,
    ];
    const before = await everything();
    expect(await wire.refused(method, path, body, member)).toMatch(
      /^The permission to write (users|roles|organizations)/,
    );
    expect(await everything()).toEqual(before);
  });

  it.each(reads)('%s is open to every enabled account', async (_id, method, path, body) => {
    const answer = await wire.ask(method, path, body, member);
    expect([answer.status, answer.json.success]).toEqual([200, true]);
  });

  it.each([...writes, ...reads])('%s requires a token of the Open API', async (_id, method, path, body) => {
    for (const headers of [{}, { authorization: 'openapi nonsense' }, await liteToken(sandbox)]) {
      const answer = await wire.ask(method, path, body, headers);
      expect([answer.status, answer.json.success]).toEqual([401, false]);
    }
  });

  it('serves every operation under its id', async () => {
    sandbox.options.inspect = true;
    for (const [, method, path, body] of [...writes, ...reads]) await wire.ask(method, path, body, member);
    const calls = await call(`${sandbox.url}/__inspect/calls`);
    sandbox.options.inspect = false;
    const ids = calls.json.calls.map((each: { operation: string }) => each.operation);
    expect(ids).toEqual([...[...writes, ...reads].map(([id]) => id), expect.anything()]);
  });

  it('masks passwords at any depth of recorded requests (FIX-6)', async () => {
    sandbox.options.inspect = true;
    await wire.ask('POST', USERS, [
      { userName: 'kept', password: 'open-sesame', userInfo: { Password: 'abracadabra' } },
    ]);
    const deep = `${'['.repeat(50_000)}{"password":"open-sesame"}${']'.repeat(50_000)}`;
    expect(await wire.refused('POST', USERS, deep)).toContain('object');
    const calls = await call(`${sandbox.url}/__inspect/calls`);
    sandbox.options.inspect = false;
    expect(calls.status).toBe(200);
    expect(calls.text).toContain('kept');
    expect(calls.text).not.toMatch(/open-sesame|abracadabra/);
    await wire.done('DELETE', USERS, ['kept']);
  });
});

describe('sandbox: a locked out user (STA-4)', async () => {
  const sandbox = await shared();
  const wire = await openWire(sandbox);
  const login = (account: string) =>
    call(`${sandbox.url}/openapi/auth/client_with_account`, { body: signedLogin(Date.now(), { account }) });
  const clientToken = (username: string) => {
    const { clientId, clientSecret } = sandbox.catalogue.liteClient;
    const body = { client_id: clientId, client_secret: clientSecret, username };
    return call(`${sandbox.url}/webapi/lite_api/v1/iam/client_token`, { body });
  };

  it.each([
    ['disabled', 'PUT', `${USERS}/walker/disable`, undefined],
    ['switched off', 'PUT', `${USERS}/enable`, { codes: ['walker'], operation: false }],
    ['made inactive', 'PUT', USERS, { userName: 'walker', ...wholeUser({ active: false }) }],
    ['deleted', 'DELETE', USERS, ['walker']],
  ])('who was %s loses every token immediately and gets no new one', async (_how, method, path, body) => {
    await wire.ask('POST', USERS, [{ userName: 'walker' }]);
    await wire.done('PUT', USERS, { userName: 'walker', ...wholeUser() });
    const [open, lite] = [await openToken(sandbox, 'walker'), await liteToken(sandbox, 'walker')];
    const me = () => wire.ask('GET', `${USERS}/me`, undefined, open);
    const record = () => call(`${sandbox.url}${LITE_USERS}${IDS.admin.user}`, { headers: lite });
    expect([(await me()).status, (await record()).status]).toEqual([200, 200]);
    await wire.done(method, path, body);
    expect([(await me()).status, (await record()).status]).toEqual([401, 401]);
    expect((await login('walker')).json).toMatchObject({ success: false });
    expect((await clientToken('walker')).status).toBe(401);
    expect((await askByKey(sandbox, 'echo', user('hi'))).status).toBe(200);
  });

  it('refuses the token of a deleted user after another user took the name', async () => {
    const create = () => wire.done('POST', USERS, [{ userName: 'heir', userInfo: { enable: true } }]);
    await create();
    const old = await openToken(sandbox, 'heir');
    await wire.done('DELETE', USERS, ['heir']);
    await create();
    expect((await wire.ask('GET', `${USERS}/me`, undefined, old)).status).toBe(401);
    expect((await wire.ask('GET', `${USERS}/me`, undefined, await openToken(sandbox, 'heir'))).status).toBe(
      200,
    );
  });
});

describe('sandbox: users of the lite interface (ADM-1 to ADM-3, ADM-14)', async () => {
  const sandbox = await shared();
  const headers = await liteToken(sandbox, 'admin');
  const prefixes = ['', '/webapi'];

  it.each(prefixes)('are read under "%s" with every member', async (prefix) => {
    const path = `${sandbox.url}${prefix}${LITE_USERS}`;
    const { json } = await call(path + IDS.memberOne.user, { headers: await liteToken(sandbox) });
    expect(json).toMatchObject({ code: 200, message: 'success' });
    expect(json.data).toMatchObject({
      id: IDS.memberOne.user,
      username: 'member-one',
      is_superuser: false,
      enable: true,
      roles: [{ name: 'Staff' }],
      organizations: [{ code: 'company' }],
      last_login: expect.stringMatching(/Z$/),
    });
    expect(Object.keys(json.data).toSorted()).toEqual(
      `avatar birthday chat_account created_at description email enable gender id is_idp is_superuser join_time
       last_login mobile_phone nickname office_phone organizations real_name region roles serial_number
       time_difference updated_at user_roles username`.split(/\s+/),
    );
    const unknown = await call(`${path}1`, { headers });
    expect([unknown.status, unknown.json.code]).toEqual([400, 422]);
    expect((await call(path + IDS.memberOne.user)).status).toBe(401);
  });

  it.each(prefixes)('are created under "%s", with or without the last slash', async (prefix) => {
    for (const slash of ['/', '']) {
      const url = `${sandbox.url}${prefix}/lite_api/v1/iam/user${slash}`;
      const body = {
        username: `lite${prefix.length}${slash.length}`,
        email: 'l@example.com',
        real_name: 'L',
      };
      const create = (wanted: unknown, as = headers) => call(url, { body: wanted, headers: as });
      expect((await create(body)).json).toEqual({ code: 200, message: 'success', data: body });
      const twice = await create(body);
      expect([twice.status, twice.json.code]).toEqual([400, 422]);
      for (const name of Object.keys(body)) {
        const { status, json } = await create({ ...body, [name]: '' });
        expect([status, json.code, json.message]).toEqual([400, 40001, expect.stringContaining(name)]);
      }
      const denied = await create({ ...body, username: 'other' }, await liteToken(sandbox));
      expect([denied.status, denied.json.message]).toEqual([400, expect.stringContaining('permission')]);
      expect((await create(body, {})).status).toBe(401);
    }
  });

  it('have the member names of the deployment, and are the users of the Open API', async () => {
    const wire = await openWire(sandbox);
    expect(await wire.names({ email: 'l@example.com', enable: 'false' })).toHaveLength(4);
    sandbox.options.idpWord = 'corp';
    sandbox.options.chatAccountField.lite = 'talk_account';
    const { json } = await call(`${sandbox.url}${LITE_USERS}${IDS.admin.account}`, { headers });
    expect(json.data).toMatchObject({
      username: 'admin',
      is_superuser: true,
      is_corp: false,
      talk_account: '',
    });
  });
});

describe('sandbox: people over a restart (FIX-5)', () => {
  const folder = temporaryFolder(afterAll);
  const open = (now: number) => start({ memory: false, data: folder, clock: manualClock(now) });
  const noon = Date.UTC(2026, 0, 5, 12);

  it('stay unchanged, including the fixtures, and ids rise even if the clock went back', async () => {
    let sandbox = await open(noon);
    let wire = await openWire(sandbox, noon);
    const created = { userName: 'lasting', password: 'correct horse battery', userInfo: { enable: true } };
    const [lasting] = await wire.done('POST', USERS, [created]);
    await wire.done('PUT', `${USERS}/lasting/roles`, ['Project team']);
    await wire.done('DELETE', USERS, ['member-two']);
    await wire.done('PUT', `${USERS}/member-one/disable`);
    await wire.done('PUT', ORGANIZATIONS, { code: 'company', name: 'Renamed', parentId: '-1' });
    await wire.done('DELETE', ORGANIZATIONS, ['project-office']);
    const token = await openToken(sandbox, 'lasting', noon);
    await sandbox.close();

    const eleven = noon - 3_600_000;
    sandbox = await open(eleven);
    wire = await openWire(sandbox, eleven);
    expect(await wire.names({})).toEqual(['admin', 'disabled', 'lasting', 'member-one']);
    expect(await wire.names({ enable: 'true' })).toEqual(['admin', 'lasting']);
    expect((await wire.ask('GET', `${USERS}/me`, undefined, token)).json.data.UserId).toBe(lasting.userId);
    expect(await wire.done('GET', `${USERS}/lasting/roles`)).toMatchObject([{ roleName: 'Project team' }]);
    expect(await wire.done('GET', `${ORGANIZATIONS}/tree`)).toMatchObject([
      { nodeName: 'Renamed', nodeId: IDS.company, childNodeList: [] },
    ]);
    const [later] = await wire.done('POST', USERS, [{ userName: 'later' }]);
    expect(BigInt(later.accountId)).toBeGreaterThan(BigInt(lasting.userId));
    await sandbox.close();
  });

  it('keep no password in the database, only a salted hash', () => {
    const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    expect(bytes.join('')).toContain('scrypt$');
    expect(bytes.join('')).not.toContain('correct horse');
  });
});
