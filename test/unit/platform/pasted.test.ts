/** Tests that a request can be pasted as the platform's documentation writes it, or with our names. */

import { expect, it } from 'vitest';
import { samples } from '../../../src/cli/platform/samples.ts';
import { type AnyOperation, api, operations, pasted } from '../../../src/platform/api.ts';
import { parseJson } from '../../../src/platform/json.ts';
import { documentedDeployment } from '../../../src/platform/wire/deployment.ts';
import { wireParts } from '../../../src/platform/wire/parts.ts';

const sent = (operation: AnyOperation, request: unknown): unknown => {
  const { json } = wireParts(operation, pasted(operation.request, request), documentedDeployment);
  return json === undefined ? undefined : parseJson(JSON.stringify(json));
};
const withJson = operations.filter(({ body }) => body === 'json').map((each) => [each.id, each] as const);

it.each(withJson)('the body of %s can be pasted as it is sent', (id, operation) => {
  const sample = samples[id];
  const body = sent(operation, sample);
  const list = Object.keys(operation.request.shape).find((name) => Array.isArray(sample?.[name]));
  const path = Object.fromEntries(
    Object.entries(sample ?? {}).filter(
      ([name]) => operation.path.includes(`{${name}}`) || name === 'agentId',
    ),
  );
  const again = Array.isArray(body) ? { ...path, [list ?? '']: body } : { ...path, ...Object(body) };
  const omit = id === 'updateWorkspace' ? { omit: sample?.omit } : {};
  expect(sent(operation, { ...again, ...omit })).toEqual(body);
});

const USERS = { orderField: 'id', orderType: 'asc', pageIndex: 1, pageSize: 5 };
const MESSAGE = { role: 'user', content: 'Hi' };
it.each<[string, AnyOperation, object, object]>([
  [
    'a condition by its number',
    api.pageUsers,
    { ...USERS, conditions: [{ fieldName: 'realName', fieldValue: 'a', conditionalType: 1 }] },
    { conditions: [{ fieldName: 'realName', fieldValue: 'a', conditionalType: 1 }] },
  ],
  [
    'a mode by its number',
    api.retrieve,
    { query: 'q', ragMode: 3, ragObject: 2, topk: 1 },
    { ragMode: 3, ragObject: 2 },
  ],
  [
    'the documented default 0',
    api.retrieve,
    { query: 'q', ragMode: 0, ragObject: 0 },
    { ragMode: 1, ragObject: 0 },
  ],
  ['keywords in one text', api.retrieve, { query: null, keywords: 'a|b' }, { query: null, keywords: 'a|b' }],
  [
    'snake case, a single file, and null for a new conversation',
    api.chatByToken,
    {
      agentId: 'x',
      messages: [MESSAGE],
      show_tool_result: true,
      layout_mode: 1,
      file_id: '7',
      conversation_id: null,
    },
    { show_tool_result: true, layout_mode: 1, file_id: '7' },
  ],
  ['no trusted domains', api.createClient, { name: 'a', 'trusted domains': [] }, { 'trusted domains': [] }],
  [
    'trusted_domains',
    api.createClient,
    { name: 'a', trusted_domains: ['b.c'] },
    { 'trusted domains': ['b.c'] },
  ],
  ['no roles', api.setUserRoles, { userCode: 'ada', roles: [] }, []],
  [
    'settings as JSON inside a string',
    api.createWorkspace,
    {
      name: 'w',
      workspaceTypeId: 1,
      classificationId: 2,
      description: '',
      settings: '{"useWorkspaceSetting":true}',
    },
    { workspaceTypeId: '1', settings: '{"useWorkspaceSetting":true}' },
  ],
  [
    'metadata as JSON inside JSON',
    api.editFileMetadata,
    { id: 7, metadataTemplate: '[{"name":"n","type":1,"limit":"[\\"a\\"]"}]' },
    { id: 7, metadataTemplate: '[{"name":"n","type":1,"limit":"[\\"a\\"]"}]' },
  ],
  [
    'fields of an assistant that the documentation does not name (ADM-11)',
    api.createAssistant,
    {
      info: { name: 'a', mood: 'b', flow_id: null },
      masks: [{ mask_set_id: 'c', d: 1 }],
      knowledge_bases: [{ e: 2 }],
    },
    { info: { name: 'a', mood: 'b' }, masks: [{ mask_set_id: 'c', d: 1 }], knowledge_bases: [{ e: 2 }] },
  ],
])('%s', (_name, operation, request, expected) => {
  expect(sent(operation, request)).toMatchObject(expected);
});

it('an unknown field is still refused by its name', () => {
  expect(() => sent(api.retrieve, { query: 'q', rag_mode: 1 })).toThrow('there is no field rag_mode');
  expect(() => sent(api.retrieve, { query: 'q', ragMode: 9 })).toThrow('must be one of hybrid');
});

it('an assistant that was read can be created again, without the fields that only the platform sets (ADM-10)', () => {
  const record = {
    info: { name: 'a', id: 'u', manageable: true, mood: 'b', knowledge_config: { k: 3, x: 1 } },
    skills: [{ skill_group_id: 'g', y: 2 }],
    keywords_filter: { id: 'f', key_words: ['z'], w: 3 },
  };
  const read = api.getAssistant.response.parse(
    api.getAssistant.read({ code: 200, data: record }, documentedDeployment),
  );
  // `--json` leaves out every `raw`.
  const printed = JSON.parse(JSON.stringify(read, (name, value) => (name === 'raw' ? undefined : value)));
  const { id: _id, manageable: _manageable, ...info } = record.info;
  expect(sent(api.createAssistant, printed)).toEqual({ ...record, info });
});
