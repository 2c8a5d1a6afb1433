/** Tests the typed client against servers that behave in undocumented ways. */

import { describe, expect, it } from 'vitest';
import {
  api,
  changeUser,
  deleteUsersById,
  deleteUsersByName,
  type PlatformClient,
  setFileMetadata,
  waitBatch,
} from '../../../src/platform/api.ts';
import { pagesOf } from '../../../src/platform/caller.ts';
import { LITE_TOKEN, sendJson, TOKEN } from '../../fakes/hostile-platform.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { eachWithRig, open } from './typed-client.ts';

const rig = eachWithRig();
const USERS = '/v1/openapi/user';

describe('other forms of an operation', () => {
  const NEW_USER = '/lite_api/v1/iam/user';
  const USER = `${NEW_USER}/7`;
  const found = { code: 200, message: 'success', data: { id: '7', username: 'u' } };

  it('are tried if the server does not support the documented form, and remembered (ADM-1)', async () => {
    rig.server.on(`/webapi${USER}`, (_request, response) => sendJson(response, found));
    for (let nth = 0; nth < 2; nth += 1) {
      expect(await rig.client.call(api.liteUser, { userId: '7' })).toMatchObject({ username: 'u' });
    }
    expect(rig.server.received.map(({ path }) => path).filter((path) => path.includes('user/7'))).toEqual([
      USER,
      `/webapi${USER}`,
      `/webapi${USER}`,
    ]);
  });

  it('are not tried if the envelope reports a missing item', async () => {
    rig.server.on(USER, (_request, response) =>
      sendJson(response, { code: 404, message: 'no such user' }, 404),
    );
    await expect(rig.client.call(api.liteUser, { userId: '7' })).rejects.toThrow(/no such user/);
    expect(rig.server.paths('/webapi/lite_api/v1/iam/user')).toEqual([]);
  });

  it('omit the trailing slash, and send the query of a GET as a POST (ADM-3, ADM-5)', async () => {
    rig.server.on('/lite_api/v1/iam/user', (request, response) =>
      request.path.endsWith('/') ? response.writeHead(404).end('nothing here') : sendJson(response, found),
    );
    const user = { username: 'u', email: 'e', realName: 'r' };
    expect(await rig.client.call(api.createLiteUser, user)).toMatchObject({ username: 'u' });
    rig.server.on('/lite_api/v1/robots/r1', (request, response) =>
      request.method === 'GET'
        ? response.writeHead(405).end()
        : sendJson(response, { code: 200, data: { info: { name: request.body } } }),
    );
    const read = await rig.client.call(api.getAssistant, { robotId: 'r1', internalUse: true });
    expect(read.info.name).toBe('{"internal_use":true}');
    expect(rig.server.paths('/lite_api/v1/robots/r1?internal_use=true')).toHaveLength(1);
  });

  it('are not tried if the operator has configured the prefix', async () => {
    const { client: known } = rig.other({ liteAdminPrefix: '/webapi' });
    rig.server.on(`/webapi${USER}`, (_request, response) => sendJson(response, found));
    await known.call(api.liteUser, { userId: '7' });
    expect(rig.server.paths(USER)).toEqual([]);
  });

  it.each([
    ['', [`${NEW_USER}/`, NEW_USER]],
    ['/webapi', [`/webapi${NEW_USER}/`, `/webapi${NEW_USER}`]],
    [undefined, [`${NEW_USER}/`, NEW_USER, `/webapi${NEW_USER}/`]],
  ] as const)('are only those with the configured prefix %j', async (liteAdminPrefix, tried) => {
    const { client: calls } = rig.other({ ...(liteAdminPrefix !== undefined && { liteAdminPrefix }) });
    const missing = { facts: { httpStatus: 404 } };
    const paths = () => rig.server.received.map(({ path }) => path).filter((path) => path.includes(NEW_USER));
    const user = { username: 'u', email: 'e', realName: 'r' };
    await expect(calls.call(api.createLiteUser, user)).rejects.toMatchObject(missing);
    expect(paths()).toEqual(tried);
    await expect(calls.call(api.liteUser, { userId: '7' })).rejects.toMatchObject(missing);
    const prefixes = liteAdminPrefix === undefined ? ['', '/webapi'] : [liteAdminPrefix];
    expect(paths().slice(tried.length)).toEqual(prefixes.map((prefix) => `${prefix}${USER}`));
  });
});

describe('pages (CHK-17, GEN-8)', () => {
  const page = (ids: readonly string[], totalCount: number, pageSize = 2) =>
    open(
      ids.map((id) => ({ id })),
      { pageIndex: 1, pageSize, totalCount },
    );
  const all = async (limit = 100): Promise<string[]> => {
    const seen: string[] = [];
    for await (const { items } of rig.client.pages(api.listFiles, { workspace: 'w', pageSize: 2 })) {
      seen.push(...items.map(({ id }) => id));
      if (seen.length > limit) break;
    }
    return seen;
  };
  const FILES = '/v1/openapi/workspace/file';
  const serves = (pages: readonly (readonly string[])[], total: number) =>
    rig.server.on(FILES, (request, response) => {
      const { pageIndex } = JSON.parse(request.body);
      sendJson(response, page(pages[pageIndex - 1] ?? [], total));
    });

  it.each([3, 0, -1])('are read to the end with a total of %i', async (total) => {
    serves([['1', '2'], ['3']], total);
    expect(await all()).toEqual(['1', '2', '3']);
    expect(rig.server.paths(FILES)).toHaveLength(total === 3 ? 2 : 3);
  });

  it('end when a page repeats the previous one', async () => {
    rig.server.on(FILES, (_request, response) => sendJson(response, page(['1', '2'], -1)));
    expect(await all()).toEqual(['1', '2']);
  });

  it('continue after pages that are smaller than requested', async () => {
    serves([['1'], ['2'], ['3']], 3);
    expect(await all()).toEqual(['1', '2', '3']);
  });

  it('end after 10,000 pages', async () => {
    const load = async (pageIndex: number) => {
      const items = [{ id: pageIndex }];
      return { items, pageIndex, pageSize: 1, totalCount: -1, totalKnown: false };
    };
    let seen = 0;
    for await (const { items } of pagesOf(load, {})) seen += items.length;
    expect(seen).toBe(10_000);
  });
});

describe('waiting (FIL-3)', () => {
  it('polls after 1, 2, 4, 8 and 10 s, treats unknown states as unfinished, and ends at its limit', async () => {
    const clock = createVirtualClock();
    const looks: number[] = [];
    const began = clock.now();
    const waiting = {
      ...rig.client,
      clock,
      call: async () => {
        looks.push((clock.now() - began) / 1000);
        return [{ fileId: '1', state: { known: false, value: 'paused' } }];
      },
    } as unknown as PlatformClient;
    const outcome = waitBatch(waiting, '9', { limitMs: 60_000 }).catch((error: unknown) => error);
    await clock.pass(120_000);
    expect(await outcome).toMatchObject({ code: 'platform-timeout' });
    expect(looks).toEqual([0, 1, 3, 7, 15, 25, 35, 45, 55]);
  });
});

describe('tasks of several calls', () => {
  const whole = {
    Id: '5',
    UserName: 'anna',
    RealName: 'Anna',
    Email: 'a@example.com',
    Active: true,
    Enable: true,
    External: false,
    IsIdp: false,
    Gender: 0,
    Sort: 7,
    NickName: null,
  };

  it('changing one member of a user keeps all others (USR-2)', async () => {
    rig.server.on(`${USERS}/anna`, (_request, response) => sendJson(response, open(whole)));
    rig.server.on(USERS, (request, response) =>
      sendJson(response, request.method === 'PUT' ? open(null) : open(whole)),
    );
    await changeUser(rig.client, { userCode: 'anna', patch: { region: 'North' } });
    const put = rig.server.received.find(({ method, path }) => method === 'PUT' && path === USERS);
    expect(JSON.parse(put?.body ?? '')).toEqual({
      id: '5',
      userName: 'anna',
      active: true,
      realName: 'Anna',
      spell: '',
      serialNumber: '',
      nickName: '',
      gender: 0,
      birthday: '',
      mobilePhone: '',
      email: 'a@example.com',
      chatAccount: '',
      avatar: '',
      region: 'North',
      joinTime: '',
      sort: 7,
      enable: true,
      description: '',
      external: false,
      officePhoneNumber: '',
      isIdp: false,
    });
  });

  it('changing a user fails if the platform does not return a switch', async () => {
    const { Enable: _untold, ...rest } = whole;
    rig.server.on(`${USERS}/anna`, (_request, response) => sendJson(response, open(rest)));
    await expect(changeUser(rig.client, { userCode: 'anna', patch: { region: 'N' } })).rejects.toThrow(
      /enable/,
    );
    expect(rig.server.received.filter(({ method }) => method === 'PUT')).toEqual([]);
  });

  it('deleting by ids refuses names, and deleting by names refuses ids (USR-3)', async () => {
    await expect(deleteUsersById(rig.client, ['anna'])).rejects.toThrow(/anna is not a user id/);
    await expect(deleteUsersByName(rig.client, ['12'])).rejects.toThrow(/12 would be taken for an id/);
    await expect(setFileMetadata(rig.client, { id: '1', entries: [] })).rejects.toThrow(/clearFileMetadata/);
    expect(rig.server.received.filter(({ path }) => path !== TOKEN)).toEqual([]);
  });
});

describe('a call', () => {
  it('names its missing credential and sends nothing', async () => {
    const bare = rig.owner.platform.client({});
    await expect(bare.call(api.listClients, {})).rejects.toMatchObject({ code: 'config-invalid' });
    await expect(bare.call(api.chatByKey, { messages: [{ role: 'user', content: 'x' }] })).rejects.toThrow(
      /API key/,
    );
    await expect(bare.call(api.me, {})).rejects.toThrow(/Open API client/);
    expect(rig.server.received).toEqual([]);
  });

  it('sends each credential only where it belongs (AUT-1 to AUT-4)', async () => {
    rig.server.on('/', (_request, response) => sendJson(response, { success: true, code: 200, data: [] }));
    await rig.client.call(api.listClients, {});
    await rig.client.call(api.listWorkspaces, {});
    await rig.client.call(api.temporaryLinks, { fileIds: ['1'] });
    const sent = rig.server.received
      .filter(({ path }) => path !== TOKEN && path !== LITE_TOKEN)
      .map(({ headers }) => [headers.authorization, headers['api-key']]);
    expect(sent).toEqual([
      ['Bearer admin-token-0123456789', undefined],
      ['openapi token-1', undefined],
      ['Bearer lite-token', undefined],
    ]);
  });

  it('CHK-22: does not repeat a secret that a server echoes', async () => {
    rig.server.on('/', (request, response) =>
      sendJson(response, {
        success: false,
        msg: `bad ${request.headers.authorization} ${request.headers['api-key']}`,
      }),
    );
    rig.server.on(TOKEN, (_request, response) =>
      sendJson(response, open({ access_token: 'open-token-0123456789', expires_in: 1440 })),
    );
    for (const call of [
      () => rig.client.call(api.listClients, {}),
      () => rig.client.call(api.me, {}),
      () => rig.client.call(api.uploadImages, { files: [{ name: 'a', size: 0, async *open() {} }] }),
    ]) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/bad/);
      expect(`${String(error)} ${JSON.stringify(error)}`).not.toMatch(/admin-token-0|open-token-0|api-key-0/);
    }
  });

  it('fails with a clear error if the answer is nested too deeply (S22)', async () => {
    const deep = `${'{"nodeId":"1","childNodeList":['.repeat(50_000)}${']}'.repeat(50_000)}`;
    rig.server.on('/v1/openapi/organization/tree', (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"success":true,"data":[${deep}]}`),
    );
    await expect(rig.client.call(api.orgTree, {})).rejects.toMatchObject({ code: 'platform-protocol' });
  });

  it('logs advice for an allowed request that is probably a mistake', async () => {
    rig.server.on('/v1/openapi/rag', (_request, response) => sendJson(response, open({ items: [] })));
    await rig.client.call(api.retrieve, { query: 'x', ragObject: 'qna' });
    expect(rig.owner.lines.find(({ level }) => level === 'warn')?.text).toMatch(/not searched yet/);
  });
});
