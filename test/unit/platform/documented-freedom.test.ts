/** Tests that the client can send every value allowed by the platform's documentation. */

import { expect, it } from 'vitest';
import { type AnyOperation, api } from '../../../src/platform/api.ts';
import { LITE_TOKEN, sendEvents, sendJson } from '../../fakes/hostile-platform.ts';
import { eachWithRig, open } from './typed-client.ts';

const rig = eachWithRig();

async function sent(operation: AnyOperation, request: Record<string, unknown>): Promise<unknown> {
  rig.server.on(operation.path, (_request, response) => sendJson(response, open({ id: '1', results: [] })));
  await rig.client.call(operation, request);
  return JSON.parse(rig.server.received.at(-1)?.body ?? '');
}

const BOT = { code: 'b', names: [{ languageCode: 'en-US', content: 'B' }] };
const WORKSPACE = { name: 'w', workspaceTypeId: '1', classificationId: '2', description: 'd' };
const QUERY = { query: 'hotels', topk: 5, ragMode: 'hybrid', ragObject: 'both' };

it.each<[string, AnyOperation, Record<string, unknown>, object]>([
  [
    'a quota of 2.5 and files of any size (WSP-2)',
    api.createWorkspace,
    { ...WORKSPACE, quota: 2.5, fileSize: 5e9 },
    { quota: 2.5, fileSize: 5e9 },
  ],
  ['no quota (WSP-2)', api.createWorkspace, { ...WORKSPACE, quota: 0 }, { quota: 0 }],
  [
    'other members of knowledgeInfo (BOT-5)',
    api.createBot,
    { ...BOT, knowledgeInfo: { workspaces: ['7'], topK: 3, rerank: { model: 'x' } } },
    { knowledgeInfo: { workspaces: [7], topK: 3, rerank: { model: 'x' } } },
  ],
  [
    'plugin ids with letters and their own settings (BOT-5)',
    api.createBot,
    { ...BOT, tools: [{ id: 'web-search', limit: 3 }, { id: '12' }] },
    { tools: [{ id: 'web-search', limit: 3 }, { id: 12 }] },
  ],
  [
    'null weights, also outside hybrid mode (RAG-9)',
    api.retrieve,
    { ...QUERY, ragMode: 'embedding', weights: null },
    { weights: null },
  ],
  [
    'no reranker and no keywords (RAG-2, RAG-10)',
    api.retrieve,
    { ...QUERY, reranker: null, keywords: null },
    { reranker: null, keywords: null },
  ],
])('%s', async (_name, operation, request, members) => {
  expect(await sent(operation, request)).toMatchObject(members);
});

it('a retrieval needs a query or keywords that are not both null (RAG-2)', async () => {
  await expect(rig.client.call(api.retrieve, { ...QUERY, query: null } as never)).rejects.toThrow(
    'needs a query or keywords',
  );
});

it('an empty chatLanguage lets the agent decide (EXP-7)', async () => {
  rig.server.on(api.askExpert.path, (_request, response) =>
    sendEvents(response, [{ content: 'Hi', finish_reason: 'stop' }]),
  );
  await rig.client.call(api.askExpert, { expertCode: 'e', content: 'Hi', language: { chatLanguage: '' } });
  expect(JSON.parse(rig.server.received.at(-1)?.body ?? '')).toMatchObject({
    language: { chatLanguage: '' },
  });
});

it('the locale of temporary links is a header, not a member of the body (MED-1)', async () => {
  rig.server.on(api.temporaryLinks.path, (_request, response) => sendJson(response, { code: 200, data: [] }));
  await rig.client.call(api.temporaryLinks, { fileIds: ['12345'], locale: 'zh-CN' });
  const request = rig.server.received.at(-1);
  expect([request?.headers.locale, JSON.parse(request?.body ?? '')]).toEqual([
    'zh-CN',
    { file_id: ['12345'] },
  ]);
});

it('a whole answer contains each thought in its latest state (EXP-12)', async () => {
  const elapsedTime = { model: 2, action: 3, total: 5 };
  const thought = { thought: 'Looking', pluginName: 'Search', elapsedTime };
  rig.server.on(api.askExpert.path, (_request, response) =>
    sendEvents(response, [
      open({ thoughts: [{ ...thought, state: 'running' }] }),
      open({ content: 'Two years.', sessionId: '1', chatRecordId: '2' }),
      open({ thoughts: [{ ...thought, state: 'success' }], finish_reason: 'stop' }),
    ]),
  );
  const answer = await rig.client.call(api.askExpert, {
    expertCode: 'e',
    content: 'Hi',
    includeThought: true,
  });
  expect(answer).toMatchObject({
    text: 'Two years.',
    session: '1',
    chatRecord: '2',
    thoughts: [
      {
        name: 'Search',
        detail: 'Looking',
        state: 'done',
        elapsedMs: 5,
        reported: { state: 'success', model: 2, action: 3 },
      },
    ],
    finishReason: 'stop',
  });
});

it.each([
  [{ content: 'Hi', finish_reason: 'length' }, 'length'],
  [{ choices: [{ delta: { content: 'Hi' }, finish_reason: 'content_filter' }] }, 'content_filter'],
  [{ success: true, data: [{ content: 'Hi', finish_reason: 'stop' }] }, 'stop'],
  [[{ success: true, data: { content: 'Hi', finish_reason: 'stop' } }], 'stop'],
  [[{ content: 'H' }, { content: 'i', finish_reason: 'stop' }], 'stop'],
  [{ content: 'Hi' }, undefined],
])('the finish reason is kept, and an answer may be in a list (EXP-13, GEN-14): %j', async (body, reason) => {
  rig.server.on(api.askExpert.path, (_request, response) => sendJson(response, body));
  const answer = await rig.client.call(api.askExpert, { expertCode: 'e', content: 'Hi' });
  expect([answer.text, answer.finishReason]).toEqual(['Hi', reason]);
});

it.each([
  { data: { ids: ['a'] } },
  { data: [{ ids: ['a'] }] },
  { data: [{ id: 'a' }] },
  { data: { id: 'a' } },
  { data: 'a' },
])('the ids of images may be in a list or not (IMG-4, GEN-14): %j', async (body) => {
  rig.server.on(api.uploadImages.path, (_request, response) => sendJson(response, { code: 201, ...body }));
  const files = [
    {
      name: 'a.png',
      size: 1,
      open: async function* () {
        yield new Uint8Array(1);
      },
    },
  ];
  expect(await rig.client.call(api.uploadImages, { files })).toEqual(['a']);
});

it('a lite token that has expired by our clock is not fetched by every call (AUT-7)', async () => {
  const claims = Buffer.from(JSON.stringify({ exp: 7200 })).toString('base64url');
  rig.server.on(LITE_TOKEN, (_request, response) =>
    sendJson(response, {
      code: 200,
      data: { access_token: `h.${claims}.s`, token_type: 'Bearer', expires_in: 7200 },
    }),
  );
  rig.server.on('/lite_api/v1/iam/user/', (_request, response) =>
    sendJson(response, { code: 200, data: { id: '1', username: 'u' } }),
  );
  for (let nth = 0; nth < 3; nth += 1) await rig.client.call(api.liteUser, { userId: '1' });
  expect(rig.server.paths(LITE_TOKEN)).toHaveLength(1);
});
