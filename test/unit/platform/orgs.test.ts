import { expect, it } from 'vitest';
import { api, completeOrg } from '../../../src/platform/api.ts';
import { sendJson } from '../../fakes/hostile-platform.ts';
import { eachWithRig, open } from './typed-client.ts';

const rig = eachWithRig();
const ORGANIZATION = '/v1/openapi/organization';
const LAB = {
  nodeId: '4493041505002323001',
  nodeName: 'Lab',
  parentNodeId: '7',
  code: 'lab',
  sort: 3,
  external: false,
};

function answer(): void {
  rig.server.on(`${ORGANIZATION}/tree`, ({ path }, response) => {
    const company = { nodeId: '7', nodeName: 'Company', parentNodeId: '-1', code: 'company' };
    const inside = [{ ...company, childNodeList: [LAB] }];
    const outside = [{ nodeId: '9', nodeName: 'Guests', parentNodeId: '-1', code: 'guests', external: true }];
    sendJson(response, open(path.includes('external=true') ? outside : inside));
  });
  rig.server.on(ORGANIZATION, (_request, response) => sendJson(response, open({ id: LAB.nodeId })));
}

const sent = (): unknown =>
  rig.server.received.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body))[0];

it('an update sends only what is given (ORG-2)', async () => {
  answer();
  await rig.client.call(api.updateOrg, { code: 'lab', name: 'Laboratory', parentCode: 'company' });
  expect(sent()).toEqual({ code: 'lab', name: 'Laboratory', parentCode: 'company' });
});

it.each([
  [
    'a new name',
    { code: 'lab', name: 'Laboratory' },
    { code: 'lab', name: 'Laboratory', parentId: '7', sort: 3, external: false },
  ],
  [
    'a new parent',
    { id: LAB.nodeId, parentCode: 'guests' },
    { id: LAB.nodeId, name: 'Lab', parentCode: 'guests', sort: 3, external: false },
  ],
  [
    'one switch of an external organization',
    { code: 'guests', isEnable: true },
    { code: 'guests', name: 'Guests', parentId: '-1', external: true, isEnable: true },
  ],
])('an update with %s is completed from the tree and keeps all other members', async (_name, given, body) => {
  answer();
  await rig.client.call(api.updateOrg, (await completeOrg(rig.client, given)) as never);
  expect(sent()).toEqual(body);
});

it('an update of an unknown organization names the missing members and sends nothing', async () => {
  answer();
  const request = await completeOrg(rig.client, { code: 'nowhere', name: 'x' });
  await expect(rig.client.call(api.updateOrg, request as never)).rejects.toMatchObject({
    code: 'platform-parameter',
  });
  expect(sent()).toBeUndefined();
});
