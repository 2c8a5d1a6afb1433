import { describe, expect, it } from 'vitest';
import {
  askExpert,
  CORPUS,
  call,
  type Json,
  KEY_CHAT,
  liteToken,
  manualClock,
  openToken,
  shared,
  start,
  TOKEN_CHAT,
  temporaryFolder,
  user,
} from './support.ts';
import { FOLDER } from './wire.ts';

const ROBOTS = '/lite_api/v1/robots/';

const sandbox = await shared({ knowledge: [CORPUS] });
const admin = await openToken(sandbox, 'admin');
const lite = await liteToken(sandbox, 'admin');

const names = (content: string) => [{ languageCode: 'en-US', content }];
const create = (body: unknown, headers = admin): Promise<Json> =>
  call(`${sandbox.url}/openapi`, { body, headers }).then(({ json }) => json);
const ask = async (expertCode: string, content: string, headers = admin): Promise<Json> =>
  (await askExpert(sandbox, { expertCode, content }, headers)).json;
/** Returns the agents with their uuid and key, which only the operator's view contains. */
const overview = async (from = sandbox): Promise<Json[]> => (await call(`${from.url}/`)).json.agents;
const listed = async (code: string, from = sandbox): Promise<Json> =>
  (await overview(from)).find((agent) => agent.expertCode === code);
const titled = async (title: string): Promise<Json> =>
  (await overview()).find((agent) => agent.title === title);

describe('a created bot (BOT-1)', () => {
  it('answers immediately over all three interfaces', async () => {
    const made = await create({
      code: 'greeter',
      names: names('Greeter'),
      welcomes: names('Welcome aboard.'),
    });
    expect(made).toEqual({ success: true, msg: '', data: expect.stringMatching(/^\d{19}$/) });
    const agent = await listed('greeter');
    expect(agent).toMatchObject({ title: 'Greeter', uuid: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    const byCode = await ask('greeter', 'Who are you?');
    const byKey = await call(sandbox.url + KEY_CHAT, {
      body: user('Who are you?'),
      headers: { 'api-key': agent.apiKey },
    });
    const byToken = await call(sandbox.url + TOKEN_CHAT + agent.uuid, {
      body: user('Who are you?'),
      headers: lite,
    });
    for (const text of [byCode.data.content, byKey.json.data.full_output, byToken.json.data.full_output]) {
      expect(text).toContain('Welcome aboard.');
      expect(text).toContain('Who are you?');
    }
    expect(byToken.json.data.conversation_id).toMatch(/./);
  });

  it('answers only from those of its knowledge workspaces that the caller may read', async () => {
    const knowing = (code: string, workspaces: unknown) =>
      create({ code, names: names(code), useKnowledgeBase: true, knowledgeInfo: { workspaces } });
    await knowing('librarian', [FOLDER]);
    await knowing('elsewhere', ['4493041505002320001']);
    const question = 'How long is a visitor pass valid?';
    const answer = await ask('librarian', question);
    expect(answer.data.content).toMatch(/\[1\]/);
    expect((await ask('elsewhere', question)).data.content).not.toMatch(/\[1\]/);
    const references = await call(
      `${sandbox.url}/openapi/chat/record/${answer.data.chatRecordId}/reference`,
      { headers: admin },
    );
    expect(references.json.data.length).toBeGreaterThan(0);
  });

  it('accepts ids as integers and as text, and both spellings of recording (BOT-4, BOT-5, CHK-3)', async () => {
    const raw = `{"code":"ids","names":[{"languageCode":"en-US","content":"x"}],"recoreChat":true,
      "chatModelId":4493041505002323001,"tools":[{"id":4493041505002323002}],
      "useKnowledgeBase":true,"knowledgeInfo":{"workspaces":[${FOLDER}]}}`;
    expect((await create(raw)).success).toBe(true);
    expect((await ask('ids', 'How long is a visitor pass valid?')).data.content).toMatch(/\[1\]/);
    expect((await create({ code: 'ids2', names: names('x'), recordChat: true })).success).toBe(true);
  });

  it.each([
    [{ code: '' }, /code/],
    [{ code: 'x'.repeat(51) }, /51 characters; at most 50/],
    [{ code: 'knowledge' }, /already/],
    [{ names: undefined }, /names/],
    [{ names: 'x' }, /names/],
    [{ temperature: 2.1 }, /temperature/],
    [{ topP: -0.1 }, /topP/],
    [{ welcomes: [{ languageCode: 'en-US', content: 'x'.repeat(2001) }] }, /2001 characters/],
    [{ chatModelId: 'gpt' }, /chatModelId/],
    [{ knowledgeInfo: { workspaces: ['handbook'] }, useKnowledgeBase: true }, /workspaces/],
    [{ historyRecordNumber: -1 }, /historyRecordNumber/],
    [{ feedback: 'yes' }, /feedback/],
    [{ names: names(' ') }, /names/],
    [{ names: [{ content: 'x' }] }, /names/],
    [{ descriptions: 'x' }, /descriptions/],
    [{ knowledgeInfo: 'x' }, /knowledgeInfo/],
    [{ cover: 7 }, /cover/],
    [{ sort: 'first' }, /sort/],
    [{ dataSources: [7] }, /dataSources/],
    [{ tools: [{ id: '' }] }, /tools/],
  ])('%j is refused and creates nothing', async (wrong, message) => {
    const before = (await overview()).length;
    const answer = await create({ code: 'wrong', names: names('x'), ...wrong });
    expect(answer).toMatchObject({ success: false, msg: expect.stringMatching(message) });
    expect((await overview()).length).toBe(before);
  });

  it('is made by administrators only (AUT-17)', async () => {
    const member = await openToken(sandbox, 'member-one');
    expect((await create({ code: 'mine', names: names('x') }, member)).msg).toMatch(/permission/);
  });
});

describe('an assistant (ADM-4 to ADM-12)', () => {
  const make = (body: unknown, headers = lite, prefix = '') =>
    call(`${sandbox.url}${prefix}${ROBOTS}`, { body, headers });
  const chat = async (uuid: string, text: string): Promise<Json> =>
    (await call(sandbox.url + TOKEN_CHAT + uuid, { body: user(text), headers: lite })).json;

  it('is created without an id, read with one by GET and POST, and keeps its record', async () => {
    const record = {
      info: { name: 'Guide', prologue: 'Hello.', spliter_json: '{}', knowledge_config: { k: 1 } },
      masks: [{ mask_set_id: '5a1d0000-0000-4000-8000-000000000009' }],
    };
    expect((await make(record)).json).toEqual({ code: 200, message: 'success', data: null });
    const { uuid } = await titled('Guide');
    for (const [method, prefix] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/webapi'],
      ['POST', '/webapi'],
    ] as const) {
      const read = await call(`${sandbox.url}${prefix}${ROBOTS}${uuid}`, { method, headers: lite });
      expect(read.json.data).toEqual({ ...record, info: { ...record.info, id: uuid, manageable: true } });
    }
    expect((await chat(uuid, 'Hi')).data.full_output).toContain('Hello.');
  });

  it('that is not published answers 422 (ADM-8)', async () => {
    await make({ info: { name: 'Draft', is_published: false } }, lite, '/webapi');
    const { uuid } = await titled('Draft');
    expect(await chat(uuid, 'Hi')).toMatchObject({ code: 422, message: expect.stringMatching(/published/) });
  });

  it('answers with its presets if key words occur (ADM-12)', async () => {
    const keywords_filter = {
      key_words: ['salary', 'visitor'],
      review_input: true,
      preset_reply_input: 'Please ask your manager.',
      review_output: true,
      preset_reply_output: 'Let us talk of something else.',
    };
    await make({
      info: { name: 'Careful' },
      knowledge_bases: [{ workspaces: [FOLDER] }],
      keywords_filter,
    });
    const { uuid } = await titled('Careful');
    expect((await chat(uuid, 'What is my SALARY?')).data.full_output).toBe('Please ask your manager.');
    expect((await chat(uuid, 'How long is a guest pass valid?')).data.full_output).toBe(
      'Let us talk of something else.',
    );
  });

  it.each([
    [{}, 40001, /info/],
    [{ info: 'x' }, 422, /info/],
    [{ info: { name: 7 } }, 422, /name/],
    [{ info: { is_published: 'no' } }, 422, /is_published/],
    [{ info: {}, knowledge_bases: {} }, 422, /knowledge_bases/],
    [{ info: {}, keywords_filter: { key_words: 'x' } }, 422, /key_words/],
    ['{"info":{"chat_rounds":1e999}}', 422, /chat_rounds/],
    [{ info: {}, masks: {} }, 422, /"masks" must be an array/],
    [{ info: {}, masks: [{ mask_set_id: 'x' }] }, 422, /must be a uuid/],
    [{ info: { weight: '1' } }, 422, /"info.weight" must be a number/],
    [{ info: { category_ids: ['x'] } }, 422, /must be a uuid/],
    [{ info: { category_ids: 'x' } }, 422, /"info.category_ids" must be an array/],
    [{ info: { bi_config: { query_rewrite: 1 } } }, 422, /"info.bi_config.query_rewrite" must be a boolean/],
    [{ info: { knowledge_config: { k: '1' } } }, 422, /"info.knowledge_config.k" must be a number/],
    [{ info: { knowledge_config: { k: -1 } } }, 422, /"k" must be a number of 0 or more/],
    [{ info: {}, keywords_filter: { review_input: 'yes' } }, 422, /review_input" must be a boolean/],
    [{ info: {}, knowledge_bases: ['x'] }, 422, /"knowledge_bases.0." must be an object/],
  ])('%j is refused', async (body, code, message) => {
    expect((await make(body)).json).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('needs a token, and an administrator for its creation', async () => {
    expect((await make({ info: {} }, {})).status).toBe(401);
    const member = await liteToken(sandbox, 'member-one');
    expect((await make({ info: {} }, member)).json.message).toMatch(/permission/);
    const unknown = await call(`${sandbox.url}${ROBOTS}nobody`, { headers: lite });
    expect(unknown.json).toMatchObject({ code: 422 });
  });
});

it('a key ends by the clock (AUT-18, AUT-19), and agents survive a restart (FIX-5)', async () => {
  const data = temporaryFolder();
  const clock = manualClock();
  const first = await start({ memory: false, data, clock });
  const headers = await openToken(first, 'admin', clock.now());
  await call(`${first.url}/openapi`, { body: { code: 'lasting', names: names('Lasting') }, headers });
  await first.close();
  await using second = await start({ memory: false, data, clock });
  const agent = await listed('lasting', second);
  const chat = () => call(second.url + KEY_CHAT, { body: user('Hi'), headers: { 'api-key': agent.apiKey } });
  expect((await chat()).json.data.full_output).toContain('Lasting');
  clock.advance(366 * 86_400_000);
  expect((await chat()).json).toMatchObject({ code: 401, message: 'The API key has expired.' });
});
