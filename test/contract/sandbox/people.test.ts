import { beforeEach, describe, expect, it } from 'vitest';
import { call, type Json, openToken, shared } from './support.ts';
import { IDS, openWire, USERS, wholeUser } from './wire.ts';

let count = 0;
/** Returns a name that no other test uses. */
const fresh = (stem = 'person') => {
  count += 1;
  return `${stem}-${count}`;
};
const sandbox = await shared();
const wire = await openWire(sandbox);

describe('sandbox: creating users (USR-1)', () => {
  it('applies the documented defaults and answers with both ids', async () => {
    const userName = fresh();
    const [created] = await wire.done('POST', USERS, [{ userName }]);
    expect(created).toEqual({
      accountId: expect.stringMatching(/^\d{19}$/),
      userId: expect.stringMatching(/^\d{19}$/),
      userName,
      realName: userName,
    });
    expect(BigInt(created.userId)).toBeGreaterThan(BigInt(created.accountId));
    sandbox.options.userFieldCase = 'camel';
    const user = await wire.done('GET', `${USERS}/${userName}`);
    sandbox.options.userFieldCase = 'capital';
    expect(user).toMatchObject({
      id: created.accountId,
      accountId: created.accountId,
      userId: created.userId,
      realName: userName,
      active: true,
      enable: false,
      external: false,
      gender: 0,
      sort: 0,
      isIdp: false,
      email: '',
      created: expect.stringMatching(/Z$/),
    });
    expect(Object.keys(user)).toHaveLength(25);
  });

  it('keeps every member of userInfo, in any case of its name, and never a password', async () => {
    const userName = fresh('张伟@例.com');
    const { active, ...info } = wholeUser();
    const capitals = Object.fromEntries(
      Object.entries(info).map(([name, value]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, value]),
    );
    await wire.done('POST', USERS, [{ UserName: userName, Password: 'hunter-2-hunter', userInfo: capitals }]);
    const answer = await wire.ask('GET', `${USERS}/${encodeURIComponent(userName)}`);
    const shown = Object.fromEntries(Object.entries(capitals).map(([name, value]) => [name, value ?? '']));
    expect(answer.json.data).toMatchObject({ UserName: userName, ...shown, Active: true });
    expect(answer.text.toLowerCase()).not.toMatch(/password|hunter|scrypt/);
  });

  it('fails as a whole if a name is in use or given twice', async () => {
    const one = fresh();
    const taken = [{ userName: one }, { userName: 'member-one' }];
    expect(await wire.refused('POST', USERS, taken)).toContain('member-one');
    expect(await wire.refused('POST', USERS, [{ userName: one }, { userName: one }])).toContain(one);
    expect(await wire.names({ userName: one })).toEqual([]);
  });

  it.each([
    ['an object', { userName: 'x' }],
    ['an empty array', []],
    ['no body', undefined],
    ['an element that is no object', ['x']],
    ['no userName', [{ userInfo: {} }]],
    ['a userName of spaces', [{ userName: '  ' }]],
    ['a userName that is no string', [{ userName: 7 }]],
    ['the reserved userName', [{ userName: 'me' }]],
    ['userInfo that is no object', [{ userName: 'x', userInfo: [] }]],
    ['another gender', [{ userName: 'x', userInfo: { gender: 2 } }]],
    ['a sort that is no integer', [{ userName: 'x', userInfo: { sort: '5' } }]],
    ['a flag that is no flag', [{ userName: 'x', active: 'true' }]],
    ['a text that is not a text', [{ userName: 'x', userInfo: { email: {} } }]],
    ['a password that is not a text', [{ userName: 'x', password: 1 }]],
  ])('refuses %s and creates no user', async (_what, body) => {
    const before = await wire.names({});
    expect(await wire.refused('POST', USERS, body)).not.toBe('');
    expect(await wire.names({})).toEqual(before);
  });

  it('answers malformed JSON with HTTP 400 and the envelope of the Open API', async () => {
    const answer = await wire.ask('POST', USERS, '[{"userName":');
    expect([answer.status, answer.json]).toEqual([
      400,
      { success: false, msg: expect.any(String), data: null },
    ]);
  });
});

describe('sandbox: changing users', () => {
  let userName: string;
  let ids: Json;
  beforeEach(async () => {
    userName = fresh();
    [ids] = await wire.done('POST', USERS, [{ userName, userInfo: { enable: true } }]);
  });

  it('replaces the whole user by id or name, but never the name (USR-2)', async () => {
    const byName = await wire.done('PUT', USERS, { userName, ...wholeUser() });
    expect(byName).toMatchObject({ Id: ids.accountId, UserName: userName, RealName: 'Whole', Avatar: '' });
    const byId = await wire.done('PUT', USERS, { id: ids.accountId, ...wholeUser({ realName: null }) });
    expect(byId).toMatchObject({ UserName: userName, RealName: userName, External: true });
    expect(
      await wire.refused('PUT', USERS, { id: ids.accountId, userName: 'other', ...wholeUser() }),
    ).toContain('userName');
    expect(await wire.refused('PUT', USERS, wholeUser())).toContain('userName');
    expect(await wire.refused('PUT', USERS, { userName: 'nobody', ...wholeUser() })).toContain('nobody');
  });

  it.each(Object.keys(wholeUser()))('refuses an update without %s', async (name) => {
    const { [name]: _left, ...rest } = wholeUser() as Record<string, unknown>;
    expect(await wire.refused('PUT', USERS, { userName, ...rest })).toContain(name);
  });

  it('enables and disables one or several users, by id or name (USR-4, USR-5, STA-4)', async () => {
    const other = fresh();
    await wire.done('POST', USERS, [{ userName: other }]);
    const enabled = () => wire.names({ userName: [`${userName},${other}`, 6], enable: 'true' });
    await wire.done('PUT', `${USERS}/${ids.userId}/disable`);
    expect(await enabled()).toEqual([]);
    await wire.done('PUT', `${USERS}/${userName}/enable`);
    expect(await enabled()).toEqual([userName]);
    await wire.done('PUT', `${USERS}/enable`, { codes: [userName, other], operation: true });
    expect(await enabled()).toEqual([userName, other].toSorted());
    await wire.done('PUT', `${USERS}/enable`, { codes: [ids.userId], operation: false });
    expect(await enabled()).toEqual([other]);
    for (const body of [{ codes: [], operation: true }, { codes: [other] }, { operation: true }]) {
      expect(await wire.refused('PUT', `${USERS}/enable`, body)).toContain('The parameter');
    }
    expect(await wire.refused('PUT', `${USERS}/nobody/enable`)).toContain('nobody');
  });

  it('deletes by ids or by names (USR-3), together with roles and memberships', async () => {
    await wire.done('PUT', `${USERS}/${userName}/roles`, ['Staff']);
    await wire.done('DELETE', USERS, [ids.userId, ids.userId]);
    expect(await wire.refused('GET', `${USERS}/${userName}`)).toContain(userName);
    await wire.done('POST', USERS, [{ userName }]);
    expect(await wire.done('GET', `${USERS}/${userName}/roles`)).toEqual([]);
    await wire.done('DELETE', USERS, [userName]);
    expect(await wire.refused('DELETE', USERS, [userName])).toContain(userName);
  });

  it('refuses ids and names in one call, and changes nothing (CHK-21)', async () => {
    const mixed = [ids.userId, 'member-two'];
    expect(await wire.refused('DELETE', USERS, mixed)).toContain('mixed');
    expect(await wire.refused('PUT', `${USERS}/enable`, { codes: mixed, operation: false })).toContain(
      'mixed',
    );
    const roles = [IDS.staff, 'Project team'];
    expect(await wire.refused('PUT', `${USERS}/${userName}/roles`, roles)).toContain('mixed');
    expect(await wire.refused('DELETE', USERS, [userName, 'nobody'])).toContain('nobody');
    expect(await wire.names({ userName: [`${userName},member-two`, 6], enable: 'true' })).toHaveLength(2);
  });

  it('accepts ids of 19 digits as integers and as strings, and returns them exactly (CHK-3)', async () => {
    const update = JSON.stringify(wholeUser()).replace('{', `{"id":${ids.accountId},`);
    const answer = await wire.ask('PUT', USERS, update);
    expect(answer.json.data).toMatchObject({ Id: ids.accountId, UserId: ids.userId, UserName: userName });
    expect(answer.text).toContain(`"Id":"${ids.accountId}"`);
    await wire.done('PUT', `${USERS}/enable`, `{"codes":[${ids.userId}],"operation":false}`);
    expect(await wire.names({ userId: ids.userId, enable: 'false' })).toEqual([userName]);
    const wanted = `{"orderField":"id","orderType":"asc","pageIndex":1,"pageSize":9,"conditions":[{"fieldName":"id","fieldValue":${ids.accountId}}]}`;
    expect((await wire.ask('POST', `${USERS}/pageList`, wanted)).json).toMatchObject({ totalCount: 1 });
    await wire.done('DELETE', USERS, `[${ids.userId}]`);
    expect(await wire.names({ userId: ids.userId })).toEqual([]);
  });

  it('replaces roles by ids or names with immediate effect on rights (ROL-1 to ROL-3)', async () => {
    const token = await openToken(sandbox, userName);
    const list = () => wire.ask('GET', `${USERS}/me/roles`, undefined, token);
    expect((await list()).json.data).toEqual([]);
    const set = await wire.done('PUT', `${USERS}/${userName}/roles`, ['Administrators', 'Staff', 'Staff']);
    expect(set.map((role: Json) => role.roleName)).toEqual(['Administrators', 'Staff']);
    expect(await wire.done('GET', `${USERS}/${ids.userId}/roles`)).toEqual(set);
    expect((await list()).json.data).toEqual([
      {
        roleId: IDS.staff,
        roleName: 'Staff',
        dataPermissionList: sandbox.catalogue.workspaces.map(({ id }) => ({
          BusinessTreeType: 1,
          DataPermissionObjectId: id,
        })),
      },
    ]);
    const asked = await wire.ask('POST', USERS, [{ userName: fresh() }], token);
    expect(asked.json.success).toBe(true);
    expect(await wire.done('PUT', `${USERS}/${userName}/roles`, `[${IDS.staff}]`)).toHaveLength(1);
    expect(await wire.refused('POST', USERS, [{ userName: fresh() }], token)).toContain('permission');
    expect(await wire.done('PUT', `${USERS}/${userName}/roles`, [])).toEqual([]);
    for (const body of [['Nothing'], 'Staff', { roles: [] }, [null], undefined]) {
      expect(await wire.refused('PUT', `${USERS}/${userName}/roles`, JSON.stringify(body))).not.toBe('');
    }
  });

  it('keeps one enabled administrator against every change', async () => {
    const all = wholeUser({ enable: false });
    const tries: readonly (readonly [string, string, unknown])[] = [
      ['DELETE', USERS, ['admin']],
      ['PUT', `${USERS}/admin/disable`, undefined],
      ['PUT', `${USERS}/enable`, { codes: ['admin', userName], operation: false }],
      ['PUT', `${USERS}/admin/roles`, ['Staff']],
      ['PUT', USERS, { userName: 'admin', ...all }],
      ['PUT', USERS, { userName: 'admin', ...all, enable: true, active: false }],
    ];
    for (const [method, path, body] of tries) {
      expect(await wire.refused(method, path, body)).toContain('administrator');
    }
    expect(await wire.names({ userName, enable: 'true' })).toEqual([userName]);
    await wire.done('PUT', `${USERS}/${userName}/roles`, ['Administrators']);
    await wire.done('PUT', `${USERS}/admin/roles`, ['Administrators', 'Staff']);
  });
});

describe('sandbox: one user', () => {
  it('is found by user id, account id or name, and `me` is the user of the token (USR-7)', async () => {
    for (const code of [IDS.memberOne.user, IDS.memberOne.account, 'member-one']) {
      expect(await wire.done('GET', `${USERS}/${code}`)).toMatchObject({ UserName: 'member-one' });
    }
    expect(await wire.done('GET', `${USERS}/me`)).toMatchObject({ UserName: 'admin', Id: IDS.admin.account });
    expect(await wire.refused('GET', `${USERS}/constructor`)).toContain('constructor');
  });

  it('is sent in capitals, in lower camel case, and in an array (CHK-18)', async () => {
    const options = (changes: Record<string, unknown>) =>
      call(`${sandbox.url}/__sandbox/options`, { body: changes });
    const detail = (name: string) => wire.done('GET', `${USERS}/${name}`);
    expect(await detail('me')).toMatchObject({ UserName: 'admin', RealName: 'Sandbox Administrator' });
    await options({ userFieldCase: 'camel', wrapSingle: true });
    for (const name of ['me', 'admin']) {
      expect(await detail(name)).toEqual([expect.objectContaining({ userName: 'admin' })]);
    }
    const words = { idpWord: 'corp', chatAccountField: { open: 'talkAccount' } };
    await options({ userFieldCase: 'capital', wrapSingle: false, ...words });
    expect(await detail('admin')).toMatchObject({ IsCorp: false, TalkAccount: '' });
    expect(await detail('admin')).not.toHaveProperty('ChatAccount');
    const { chatAccount, isIdp, ...rest } = wholeUser({ chatAccount: 'at-corp' });
    const userName = fresh();
    await wire.done('POST', USERS, [{ userName }]);
    expect(await wire.refused('PUT', USERS, { userName, ...wholeUser() })).toContain('talkAccount, isCorp');
    await wire.done('PUT', USERS, { userName, ...rest, talkAccount: chatAccount, isCorp: isIdp });
    expect(await wire.names({ talkAccount: 'at-corp', isCorp: 'true' })).toEqual([userName]);
    for (const wrong of [
      { userFieldCase: 'upper' },
      { wrapSingle: 1 },
      { chatAccountField: 'x' },
      { chatAccountField: { open: 'a b' } },
      { chatAccountField: { other: 'x' } },
      { chatAccountField: null },
    ]) {
      expect((await options(wrong)).status).toBe(400);
    }
    const back = { idpWord: 'idp', chatAccountField: { open: 'chatAccount' } };
    expect((await options(back)).json.options.chatAccountField).toEqual({
      lite: 'chat_account',
      open: 'chatAccount',
    });
  });
});
