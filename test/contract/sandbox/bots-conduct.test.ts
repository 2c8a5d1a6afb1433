import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { RunningSandbox } from '../../../sandbox/index.ts';
import {
  askExpert,
  CORPUS,
  call,
  type Json,
  KEY_CHAT,
  key,
  liteToken,
  manualClock,
  openToken,
  shared,
  start,
  TOKEN_CHAT,
  temporaryFolder,
  user,
} from './support.ts';
import { FOLDER, openWire } from './wire.ts';

const VISITORS = 'How long is a visitor pass valid?';
const ROBOTS = '/lite_api/v1/robots/';

const sandbox = await shared({ knowledge: [CORPUS] });
const admin = await openToken(sandbox, 'admin');
const lite = await liteToken(sandbox, 'admin');

const english = (content: string) => ({ languageCode: 'en-US', content });
const bot = async (body: object): Promise<Json> =>
  (await call(`${sandbox.url}/openapi`, { body: { names: [english('Guide')], ...body }, headers: admin }))
    .json;
const ask = async (expertCode: string, content: string, more: object = {}): Promise<Json> => {
  const body = { expertCode, content, ...more };
  return (await askExpert(sandbox, body, admin)).json.data;
};
const agents = async (from = sandbox): Promise<Json[]> => (await call(`${from.url}/`)).json.agents;
const assistant = async (body: unknown): Promise<Json> =>
  (await call(sandbox.url + ROBOTS, { body, headers: lite })).json;
/** Makes an assistant and asks it a question. */
async function askNew(
  record: { info: { name: string; knowledge_config?: object } } & Record<string, unknown>,
  text: string,
) {
  expect(await assistant(record)).toMatchObject({ code: 200 });
  const { uuid } = (await agents()).find(({ title }) => title === record.info.name);
  const body = { ...user(text), show_tool_result: true };
  return (await call(sandbox.url + TOKEN_CHAT + uuid, { body, headers: lite })).json.data;
}

describe('a welcome (BOT-3, EXP-17)', () => {
  const welcomes = [
    { languageCode: 'fr-FR', content: 'Bienvenue.' },
    { languageCode: 'zh-CN', content: '欢迎。' },
    { languageCode: 'zh-TW', content: '歡迎。' },
    { languageCode: 'ja-JP', content: 'ようこそ。' },
    english('Welcome.'),
  ];

  it.each([
    ['Hello', {}, 'Welcome.'],
    ['Hello', { chatLanguage: 'FR-fr' }, 'Bienvenue.'],
    ['Hello', { chatLanguage: 'ZH-tw' }, '歡迎。'],
    ['Hello', { chatLanguage: 'zh-HK' }, '欢迎。'],
    ['Hello', { systemLanguage: 'zh-CN' }, '欢迎。'],
    ['Hello', { chatLanguage: 'de-DE', systemLanguage: 'it-IT' }, 'Welcome.'],
    ['你好', {}, '欢迎。'],
    ['こんにちは', { systemLanguage: 'zh-CN' }, 'ようこそ。'],
    ['こんにちは', { chatLanguage: 'fr-FR' }, 'Bienvenue.'],
  ])('answers %s, asked in %j, only with %s', async (greeting, language, welcome) => {
    await bot({ code: 'polyglot', welcomes });
    expect((await ask('polyglot', greeting, { language })).content).toBe(welcome);
  });

  it('is the first one with text if none is in English', async () => {
    const some = [{ languageCode: 'de-DE', content: ' ' }, ...welcomes.slice(0, 2)];
    await bot({ code: 'no-english', welcomes: some });
    expect((await ask('no-english', 'Hi')).content).toBe('Bienvenue.');
  });

  it("comes with questions about the agent's documents, unless it suggests none", async () => {
    const knowing = { welcomes, useKnowledgeBase: true };
    await bot({ ...knowing, code: 'open' });
    await bot({ ...knowing, code: 'quiet', useSuggestedQuestions: false });
    await bot({ ...knowing, code: 'elsewhere', knowledgeInfo: { workspaces: ['4493041505002320001'] } });
    expect((await ask('open', 'Hello')).suggestionQuestions.length).toBeGreaterThan(0);
    for (const code of ['quiet', 'elsewhere']) {
      expect((await ask(code, 'Hello')).suggestionQuestions ?? []).toEqual([]);
    }
  });

  it('opens the introduction of an agent without documents, in the language of the question', async () => {
    await bot({ code: 'empty', welcomes, descriptions: [english('I greet.')] });
    const chinese = (await ask('empty', '访客证\n多久有效？')).content;
    expect(chinese).toBe(
      '欢迎。 I greet.\n\n我没有可以依据的文档，只能重复您的问题：\n\n> 访客证\n> 多久有效？',
    );
    expect((await ask('empty', 'Where?')).content).toMatch(/^Welcome\. I greet\.\n\nI have no documents/);
  });
});

describe('the workspaces of an agent', () => {
  it('are all that the caller may read if none are named, also after a restart (FIX-5)', async () => {
    const data = temporaryFolder();
    const settings = { memory: false, data, knowledge: [CORPUS] };
    const answer = async (code: string, from: RunningSandbox) => {
      const headers = await openToken(from, 'admin');
      const body = { expertCode: code, content: VISITORS };
      return (await askExpert(from, body, headers)).json.data.content;
    };
    const first = await start(settings);
    await first.indexed;
    const made = { code: 'all', names: [english('All')], useKnowledgeBase: true };
    await call(`${first.url}/openapi`, { body: made, headers: await openToken(first, 'admin') });
    const before = await answer('all', first);
    await first.close();
    // Removes the greetings, because records of older versions have none.
    const database = new DatabaseSync(join(data, 'sandbox.db'));
    database.exec("UPDATE made_agents SET conduct = json_remove(conduct, '$.greetings')");
    database.close();
    await using second = await start(settings);
    await second.indexed;
    expect(before).toMatch(/\[1\]/);
    expect(await answer('all', second)).toBe(before);
  });

  it('are named by id for a bot, and by name or id for an assistant (INC-18)', async () => {
    for (const [index, workspace] of ['folder', FOLDER, { id: FOLDER }].entries()) {
      const info = { name: `Named ${index}` };
      const answer = await askNew({ info, knowledge_bases: [{ workspaces: [workspace] }] }, VISITORS);
      expect(answer.full_output).toMatch(/\[1\]/);
    }
    for (const useKnowledgeBase of [true, false]) {
      const unknown = await bot({ code: 'no', useKnowledgeBase, knowledgeInfo: { workspaces: [42] } });
      expect(unknown).toMatchObject({ success: false, msg: 'The knowledge workspace 42 is unknown.' });
    }
    const bases = (workspace: unknown) => ({ info: {}, knowledge_bases: [{ workspaces: [workspace] }] });
    expect(await assistant(bases('nowhere'))).toMatchObject({
      code: 422,
      message: 'The knowledge workspace nowhere is unknown.',
    });
    expect(await assistant(bases({}))).toMatchObject({
      code: 422,
      message: 'The parameter "knowledge_bases[0].workspaces" must contain ids.',
    });
  });

  it('that are not its own do not displace passages of its own', async () => {
    const wire = await openWire(sandbox);
    const small = await wire.createWorkspace('small');
    const loud = await wire.createWorkspace('loud');
    const noise = Array.from(
      { length: 80 },
      (_, at) => `# Zeppelin ${at}\n\nZeppelin hangar zeppelin hangar.`,
    );
    const filler = 'The mast is by the river and it is painted every spring by the town. '.repeat(8);
    const upload = async (workspace: string, text: string) => {
      const _fileId = await wire.add(workspace, 'a.md', text);
    };
    await upload('loud', noise.join('\n\n'));
    await upload('small', `# Mooring\n\n${filler}\n\nThe zeppelin is moored at noon.`);
    await bot({ code: 'pilot', useKnowledgeBase: true, knowledgeInfo: { workspaces: [small] } });
    expect((await ask('pilot', 'What about the zeppelin?')).content).toMatch(/\[1\]/);
    await wire.done('DELETE', '/v1/openapi/workspace/delete', [small, loud]);
  });
});

describe('the knowledge of an assistant (ADM-9)', () => {
  const knowledge_bases = [{ workspaces: [FOLDER] }];

  const asked = (name: string, knowledge_config: object, text = VISITORS) =>
    askNew({ info: { name, knowledge_config }, knowledge_bases }, text);

  it('answers from at most k passages', async () => {
    const question = 'How do I get a visitor pass?';
    const free = await asked('Free', {}, question);
    expect(free.tool_result.length).toBeGreaterThan(1);
    expect(free.full_output).toContain('[2]');
    const one = await asked('Single', { k: 1 }, question);
    expect(one.tool_result).toHaveLength(1);
    expect(one.full_output).not.toContain('[2]');
    expect((await asked('Nothing', { k: 0 }, question)).full_output).not.toMatch(/\[\d\]/);
  });

  it('answers only from passages with the score', async () => {
    expect((await asked('Lenient', { doc_score: 0.01 })).full_output).toMatch(/\[1\]/);
    expect((await asked('Strict', { doc_score: 1.01 })).full_output).not.toMatch(/\[1\]/);
  });

  it('is not cited if references are not shown', async () => {
    const answer = await asked('Discreet', { show_reference: false });
    expect(answer.full_output).toContain('one working day');
    expect(answer.full_output).not.toMatch(/\[\d+\]/);
    expect(answer.tool_result).toBeUndefined();
    expect((await asked('Candid', { show_reference: true })).full_output).toMatch(/\[1\]/);
  });
});

it('a replaced answer keeps its thoughts and loses its sources (ADM-12)', async () => {
  const keywords_filter = { key_words: ['visitor'], review_output: true, preset_reply_output: 'Not here.' };
  const info = { name: 'Reviewed' };
  const answer = await askNew(
    { info, knowledge_bases: [{ workspaces: [FOLDER] }], keywords_filter },
    'guest pass?',
  );
  expect(answer.full_output).toBe('Not here.');
  expect(answer.tool_result).toBeUndefined();
  const { expertCode } = (await agents()).find(({ title }) => title === 'Reviewed');
  const open = await ask(expertCode, 'How long is a guest pass valid?', { includeThought: true });
  expect(open.content).toBe('Not here.');
  expect(open.thoughts).toHaveLength(1);
  expect(open.suggestionQuestions ?? []).toEqual([]);
});

describe('a record', () => {
  it('of a bot shows only its name in the lite interface', async () => {
    await bot({ code: 'private', names: [english('Private')], chatPrompt: 'secret words' });
    const { uuid } = (await agents()).find(({ expertCode }) => expertCode === 'private');
    const { data } = (await call(sandbox.url + ROBOTS + uuid, { headers: lite })).json;
    const info = { name: 'Private', description: '', is_published: true, id: uuid, manageable: true };
    expect(data).toEqual({ info });
  });

  it('is read with internal_use in the query of a GET and in the body of a POST (ADM-5)', async () => {
    const { uuid } = (await agents())[0];
    const read = async (query: string, body?: unknown) =>
      (await call(sandbox.url + ROBOTS + uuid + query, { headers: lite, ...(body ? { body } : {}) })).json
        .code;
    expect(await read('?internal_use=true')).toBe(200);
    expect(await read('', { internal_use: false })).toBe(200);
    expect(await read('?internal_use=perhaps')).toBe(422);
    expect(await read('', { internal_use: 'perhaps' })).toBe(422);
  });
});

describe('the option keyDeadlines (AUT-18, AUT-19)', () => {
  it('ends or extends keys, and is shown to the operator', async () => {
    const clock = manualClock();
    const keyDeadlines = { echo: '2026-01-05T10:00:00+01:00' };
    await using other = await start({ clock, options: { keyDeadlines } });
    const option = (body: unknown) =>
      call(`${other.url}/__sandbox/options`, { body: { keyDeadlines: body } });
    const code = async (headers = key('echo')) =>
      (await call(other.url + KEY_CHAT, { body: user('Hi'), headers })).json.code;
    const row = async (expertCode: string) =>
      (await agents(other)).find((agent) => agent.expertCode === expertCode);
    // The clock shows 9:00 UTC, which is the key's deadline, so the key is already refused.
    expect([await code(), await code(key('knowledge'))]).toEqual([401, 200]);
    expect(await row('echo')).toMatchObject({
      deadline: '2026-01-05T09:00:00.000Z',
      key: { channel: 'Bridge', name: 'Fixed key', description: expect.stringMatching(/./) },
    });
    expect((await row('knowledge')).deadline).toBe('');
    await option({ echo: '2026-01-06' });
    expect((await call(`${other.url}/`)).text).toContain('2026-01-06T00:00:00.000Z');
    expect(await code()).toBe(200);
    clock.advance(86_400_000);
    expect(await code()).toBe(401);
    await option({});
    expect(await code()).toBe(200);

    const headers = await openToken(other, 'admin', clock.now());
    await call(`${other.url}/openapi`, { body: { code: 'made', names: [english('Made')] }, headers });
    const { apiKey, deadline } = await row('made');
    expect(deadline).toBe('2027-01-06T09:00:00.000Z');
    await option({ made: '2026-01-01' });
    expect(await code({ 'api-key': apiKey })).toBe(401);
    await option({ made: null });
    clock.advance(366 * 86_400_000);
    expect([await code({ 'api-key': apiKey }), (await row('made')).deadline]).toEqual([200, '']);
    await option({});
    expect(await code({ 'api-key': apiKey })).toBe(401);
  });

  it.each([
    null,
    [],
    'never',
    { echo: 7 },
    { echo: 'tomorrow' },
    { echo: '2026-01-01T10:00' },
    { echo: '2026-13-01' },
  ])('refuses %j and changes nothing', async (keyDeadlines) => {
    const body = { keyDeadlines, paceMs: 5 };
    const answer = await call(`${sandbox.url}/__sandbox/options`, { body });
    expect(answer.json).toMatchObject({ code: 422, message: expect.stringMatching(/ISO 8601/) });
    expect(sandbox.options).toMatchObject({ keyDeadlines: {}, paceMs: 0 });
  });
});
