import { describe, expect, it } from 'vitest';
import { type Json, shared } from './support.ts';
import { IDS, ORGANIZATIONS, openWire, page, USERS } from './wire.ts';

const RELATIONS = `${ORGANIZATIONS}/relationship`;
const sandbox = await shared();
const wire = await openWire(sandbox);
const create = (code: string, changes: Record<string, unknown> = {}): Promise<Json> =>
  wire.done('POST', ORGANIZATIONS, { code, name: `The ${code}`, parentCode: 'company', ...changes });

describe('sandbox: organizations (ORG-1 to ORG-4, ORG-9)', () => {
  it('are created with the documented defaults, members and capitals', async () => {
    expect(await create('plain')).toEqual({
      id: expect.stringMatching(/^\d{19}$/),
      code: 'plain',
      parentId: IDS.company,
      parentName: 'Company',
      name: 'The plain',
      location: '',
      remarks: '',
      contact: '',
      Info: '',
      Extension: '',
      IsSubsidiary: false,
      sort: 0,
      isEnable: false,
      external: false,
    });
    const whole = {
      location: 'Here',
      remarks: 'r',
      contact: 'c',
      Info: 'i',
      Extension: 12,
      IsSubsidiary: true,
      sort: -1,
      isEnable: true,
    };
    const made = await create('whole', { parentCode: undefined, parentId: '-1', ...whole });
    expect(made).toMatchObject({ ...whole, Extension: '12', parentId: '-1', parentName: '' });
    sandbox.options.wrapSingle = true;
    const wrapped = await create('wrapped', { parentId: IDS.company, isenable: true });
    sandbox.options.wrapSingle = false;
    expect(wrapped).toEqual([expect.objectContaining({ code: 'wrapped', isEnable: true })]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a code in use', { code: 'company' }, 'company'],
    ['no code', { code: '' }, 'code'],
    ['no name', { name: null }, 'name'],
    ['no parent', { parentCode: undefined }, 'parentId'],
    ['an unknown parent id', { parentCode: undefined, parentId: '1' }, 'unknown'],
    ['an unknown parent code', { parentCode: 'nowhere' }, 'nowhere'],
    ['two different parents', { parentId: IDS.projectOffice }, 'different'],
    ['a flag that is none', { isEnable: 1 }, 'isEnable'],
    ['a text that is none', { remarks: 7 }, 'remarks'],
  ])('refuse %s', async (_what, changes, named) => {
    const before = await wire.done('GET', `${ORGANIZATIONS}/tree`);
    const body = { code: 'refused', name: 'Refused', parentCode: 'company', ...changes };
    expect(await wire.refused('POST', ORGANIZATIONS, body)).toContain(named);
    expect(await wire.done('GET', `${ORGANIZATIONS}/tree`)).toEqual(before);
  });

  it('are changed by id or code and moved, but never below themselves (ORG-2)', async () => {
    const top = await create('move-top');
    const middle = await create('move-middle', { parentId: top.id, parentCode: undefined, isEnable: true });
    await create('move-leaf', { parentCode: 'move-middle' });
    const update = (body: unknown) => wire.done('PUT', ORGANIZATIONS, body);
    const renamed = await update({
      id: middle.id,
      code: 'move-other',
      name: 'Other',
      parentCode: 'move-top',
    });
    expect(renamed).toMatchObject({ id: middle.id, code: 'move-other', name: 'Other', isEnable: true });
    const moved = await update(`{"id":${middle.id},"name":"Other","parentId":-1}`);
    expect(moved).toMatchObject({ id: middle.id, code: 'move-other', parentId: '-1' });
    await update({ code: 'move-top', name: 'Top', parentCode: 'move-leaf' });
    for (const parentCode of ['move-other', 'move-leaf', 'move-top']) {
      const body = { code: 'move-other', name: 'Other', parentCode };
      expect(await wire.refused('PUT', ORGANIZATIONS, body)).toContain('below itself');
    }
    for (const [body, named] of [
      [{ name: 'x', parentCode: 'company' }, 'id and code'],
      [{ id: middle.id, parentCode: 'company' }, 'name'],
      [{ id: middle.id, name: 'x' }, 'parentId'],
      [{ id: middle.id, code: 'company', name: 'x', parentId: '-1' }, 'in use'],
      [{ code: 'nowhere', name: 'x', parentId: '-1' }, 'nowhere'],
    ] as const) {
      expect(await wire.refused('PUT', ORGANIZATIONS, body)).toContain(named);
    }
  });

  it('are deleted by ids or codes unless they have members or organizations below them (ORG-3, CHK-21)', async () => {
    const one = await create('gone-one');
    const two = await create('gone-two', { parentCode: 'gone-one' });
    expect(await wire.refused('DELETE', ORGANIZATIONS, ['gone-one'])).toContain('below it');
    await wire.done('POST', RELATIONS, [{ organizationId: two.id, userId: IDS.memberTwo.user }]);
    expect(await wire.refused('DELETE', ORGANIZATIONS, ['gone-one', 'gone-two'])).toContain('members');
    await wire.done('DELETE', RELATIONS, { organizationIds: [two.id], userIds: [IDS.memberTwo.user] });
    expect(await wire.refused('DELETE', ORGANIZATIONS, [one.id, 'gone-two'])).toContain('mixed');
    expect(await wire.refused('DELETE', ORGANIZATIONS, ['gone-two', 'nowhere'])).toContain('nowhere');
    await wire.done('DELETE', ORGANIZATIONS, `[${two.id}]`);
    await create('gone-two', { parentCode: 'gone-one' });
    await wire.done('DELETE', ORGANIZATIONS, ['gone-one', 'gone-two']);
    expect(await wire.refused('DELETE', ORGANIZATIONS, [one.id])).toContain('unknown');
    for (const body of [[], { ids: [one.id] }, [{}]]) await wire.refused('DELETE', ORGANIZATIONS, body);
  });

  it('form a tree with paths, sorted by sort and age, internal or external (ORG-4)', async () => {
    const root = await create('tree', { parentCode: undefined, parentId: -1 });
    const late = await create('tree-late', { parentCode: 'tree', sort: 2 });
    const early = await create('tree-early', { parentCode: 'tree', sort: 1 });
    const guests = await create('tree-guests', { parentCode: 'tree-late', external: true });
    const tree = async (query = ''): Promise<Json[]> => wire.done('GET', `${ORGANIZATIONS}/tree${query}`);
    const found = (await tree()).find((node) => node.nodeId === root.id);
    const leaf = (node: Json, sort: number) => ({
      nodeId: node.id,
      nodeName: node.name,
      parentNodeId: root.id,
      code: node.code,
      path: `${root.id}/${node.id}`,
      external: false,
      sort,
      childNodeList: [],
    });
    expect(found).toMatchObject({ parentNodeId: '-1', path: root.id, external: false });
    expect(found.childNodeList).toEqual([leaf(early, 1), leaf(late, 2)]);
    expect(await tree('?external=true')).toMatchObject([
      { nodeId: guests.id, parentNodeId: late.id, path: `${root.id}/${late.id}/${guests.id}` },
    ]);
    expect(await tree('?external=False')).toEqual(await tree());
    expect(await wire.refused('GET', `${ORGANIZATIONS}/tree?external=maybe`)).toContain('external');
  });

  it('nest at most 64 levels deep after a creation or a move', async () => {
    await create('deep-1', { parentCode: undefined, parentId: '-1' });
    for (let level = 2; level <= 64; level += 1) {
      await create(`deep-${level}`, { parentCode: `deep-${level - 1}` });
    }
    const body = { code: 'deep-65', name: 'x', parentCode: 'deep-64' };
    expect(await wire.refused('POST', ORGANIZATIONS, body)).toContain('64');
    const moved = { code: 'deep-1', name: 'x', parentCode: 'company' };
    expect(await wire.refused('PUT', ORGANIZATIONS, moved)).toContain('64');
    expect(await wire.done('GET', `${ORGANIZATIONS}/tree`)).toContainEqual(
      expect.objectContaining({ code: 'deep-1', parentNodeId: '-1' }),
    );
  });
});

describe('sandbox: members of organizations (ORG-5 to ORG-8)', () => {
  const everyone = (conditions: object): Promise<Json> =>
    wire.whole(
      'POST',
      `${ORGANIZATIONS}/getAllOrgUserPageList`,
      page({ ...conditions }, { orderField: 'id' }),
    );

  it('are linked by pairs, all or none, and a second link is no error (ORG-6)', async () => {
    const { id } = await create('club');
    const two = { organizationId: id, userId: IDS.memberTwo.user, sort: 3 };
    const one = `{"organizationId":${id},"userId":${IDS.memberOne.user}}`;
    await wire.done('POST', RELATIONS, `[${one},${JSON.stringify(two)}]`);
    await wire.done('POST', RELATIONS, [{ ...two, sort: 4 }]);
    const { data, ...rest } = await everyone({ organizationName: 'The club' });
    expect(rest).toEqual({ success: true, msg: null, pageIndex: 1, pageSize: 20, totalCount: 2 });
    expect(data[0].account).toBe('member-one');
    expect(data[1]).toEqual({
      userId: IDS.memberTwo.user,
      account: 'member-two',
      accountId: IDS.memberTwo.account,
      realName: 'Second Member',
      organizationName: 'The club',
      organizationId: id,
      organizationParentId: IDS.company,
      Email: 'member-two@example.com',
      Sort: 4,
      External: false,
    });
    for (const wrong of [
      { ...two, userId: 'member-one' },
      { ...two, organizationId: 'club' },
      { userId: two.userId },
      { organizationId: id },
      { ...two, sort: 'x' },
      'x',
    ]) {
      await wire.refused('POST', RELATIONS, [{ ...two, userId: IDS.admin.user }, wrong]);
    }
    await wire.refused('POST', RELATIONS, two);
    expect((await everyone({ organizationId: id })).totalCount).toBe(2);
  });

  it('are unlinked in every combination (ORG-7)', async () => {
    const places = [await create('left'), await create('right')].map((each) => each.id);
    const people = [IDS.memberOne.user, IDS.memberTwo.user];
    const pairs = places.flatMap((organizationId) => people.map((userId) => ({ organizationId, userId })));
    await wire.done('POST', RELATIONS, [...pairs, { organizationId: places[0], userId: IDS.admin.user }]);
    for (const body of [
      { organizationIds: places },
      { userIds: people, organizationIds: [] },
      { userIds: [...people, 'nobody'], organizationIds: places },
      places,
    ]) {
      await wire.refused('DELETE', RELATIONS, body);
    }
    const [left, right] = places;
    await wire.done('DELETE', RELATIONS, `{"organizationIds":[${left},"${right}"],"userIds":[${people}]}`);
    const { data } = await everyone({ organizationId: [places.join(','), 6] });
    expect(data.map((row: Json) => row.account)).toEqual(['admin']);
  });

  it('are listed in pages only with a condition on organizations (ORG-8)', async () => {
    const users = (conditions: object) =>
      wire.done('POST', `${ORGANIZATIONS}/getUserPages`, page({ ...conditions }, { orderField: 'account' }));
    const { id } = await create('readers');
    const link = (userId: string, sort = 0) =>
      wire.done('POST', RELATIONS, [{ organizationId: id, userId, sort }]);
    await link(IDS.memberOne.user, 2);
    await link(IDS.memberTwo.account, 1);
    expect(await users({ OrganizationId: id })).toEqual([
      {
        id: IDS.memberOne.account,
        account: 'member-one',
        name: 'First Member',
        ownerMainDepartment: 'Company',
        sort: 2,
        status: true,
        created: expect.stringMatching(/Z$/),
      },
      expect.objectContaining({ account: 'member-two', ownerMainDepartment: 'Project office', sort: 1 }),
    ]);
    expect(await users({ organizationcode: 'readers', name: ['first', 8] })).toHaveLength(1);
    expect(await users({ OrganizationCode: ['readers,company', 6], account: 'member-one' })).toHaveLength(1);
    for (const conditions of [{}, { name: 'x' }]) {
      const body = page(conditions, { orderField: 'account' });
      expect(await wire.refused('POST', `${ORGANIZATIONS}/getUserPages`, body)).toContain('OrganizationId');
    }
    const unknown = page({ OrganizationId: id }, { orderField: 'nothing' });
    expect(await wire.refused('POST', `${ORGANIZATIONS}/getUserPages`, unknown)).toContain('nothing');
  });

  it('are removed with their user', async () => {
    const { id } = await create('short');
    const [made] = await wire.done('POST', USERS, [{ userName: 'short-lived' }]);
    await wire.done('POST', RELATIONS, [{ organizationId: id, userId: made.userId }]);
    await wire.done('DELETE', USERS, ['short-lived']);
    await wire.done('DELETE', ORGANIZATIONS, ['short']);
  });
});
