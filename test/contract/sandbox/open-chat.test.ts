import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { askExpert, CORPUS, call, events, openToken, shared, start } from './support.ts';

describe('sandbox: expert chat and references', async () => {
  const sandbox = await shared({ knowledge: [CORPUS] });
  const token = await openToken(sandbox);
  const ask = (body: Record<string, unknown> | string) => askExpert(sandbox, body, token);
  const references = (record: string) =>
    call(`${sandbox.url}/openapi/chat/record/${record}/reference`, { headers: token });

  it('streams thoughts, text, media and a last chunk with stop, without event names', async () => {
    const answer = await ask({
      expertCode: 'knowledge',
      content: 'How do I get a visitor pass?',
      stream: true,
      includeThought: true,
    });
    const chunks = events(answer.text);
    expect(chunks.every((chunk) => chunk.event === '' && chunk.data.success === true)).toBe(true);
    const order = chunks.map(({ data: { data } }) =>
      data.finish_reason ? 'end' : data.thoughts.length > 0 ? 'thought' : 'text',
    );
    expect([...new Set(order)]).toEqual(['thought', 'text', 'end']);
    // The search is the answer's only thought.
    expect(order.filter((kind) => kind === 'thought')).toHaveLength(1);
    expect(order.filter((kind) => kind === 'text').length).toBeGreaterThan(5);
    expect(chunks[0]?.data.data.thoughts[0]).toEqual({
      thought: expect.stringMatching(/^Found passages: \d+, in documents: \d+$/),
      pluginName: 'Document search',
      state: 'success',
      elapsedTime: { model: 0, action: expect.any(Number), total: expect.any(Number) },
    });
    expect(chunks.at(-1)?.data.data).toMatchObject({
      content: '',
      finish_reason: 'stop',
      suggestionQuestions: expect.any(Array),
    });
    const quiet = events(
      (await ask({ expertCode: 'knowledge', content: 'visitor pass', stream: true })).text,
    );
    expect(quiet.every(({ data }) => data.data.thoughts.length === 0)).toBe(true);
    const whole = await ask({ expertCode: 'knowledge', content: 'visitor pass' });
    expect(whole.json.data.thoughts).toEqual([]);
  });

  it.each([
    [{}, 'I found nothing', 'Document search'],
    [{ chatLanguage: 'ja' }, '見つかりませんでした', '文書検索'],
    [{ chatLanguage: 'zh-CN', systemLanguage: 'ja' }, '没有找到', '文档检索'],
    [{ systemLanguage: 'ja' }, 'I found nothing', '文書検索'],
    [{ chatLanguage: 'tlh', systemLanguage: 'ja' }, 'I found nothing', 'Document search'],
    [{ chatLanguage: '', systemLanguage: 'zh-CN' }, 'I found nothing', '文档检索'],
  ])('answers in the language of %j: chatLanguage overrides systemLanguage (EXP-7)', async (language, text, plugin) => {
    const content = 'zzqxwv';
    const { json } = await ask({ expertCode: 'knowledge', content, language, includeThought: true });
    expect(json.data.thoughts[0].pluginName).toBe(plugin);
    expect(json.data.content).toContain(text);
  });

  it('writes its configured address into links, independent of the Host header', async () => {
    const body = JSON.stringify({ expertCode: 'media-demo', content: 'x' });
    const { port } = new URL(sandbox.url);
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = { ...token, host: 'evil.example', 'content-type': 'application/json' };
      const sent = request({ port, path: '/openapi/chat/expert', method: 'POST', headers }, (response) => {
        response.setEncoding('utf8');
        let text = '';
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      });
      sent.on('error', reject).end(body);
    });
    expect(answer).not.toContain('evil.example');
    expect(JSON.parse(answer).data.medias.map(({ url }: { url: string }) => new URL(url).origin)).toEqual([
      sandbox.url,
      sandbox.url,
    ]);
    await using elsewhere = await start({ publicUrl: 'https://platform.example/app/' });
    const headers = await openToken(elsewhere);
    const { json } = await askExpert(elsewhere, body, headers);
    expect(json.data.medias[0].url).toMatch(/^https:\/\/platform\.example\/app\/openapi\//);
  });

  it('sends media before the last chunk, or with it', async () => {
    const body = { expertCode: 'media-demo', content: 'x', stream: true };
    const before = events((await ask(body)).text);
    expect(before.at(-2)?.data.data.medias.map((media: { type: string }) => media.type)).toEqual([
      'image',
      'file',
    ]);
    sandbox.options.mediaOnLastChunk = true;
    const on = events((await ask(body)).text);
    sandbox.options.mediaOnLastChunk = false;
    expect(on.at(-1)?.data.data.medias).toHaveLength(2);
    const image = await call(on.at(-1)?.data.data.medias[0].url, { headers: token });
    expect([image.status, image.headers['content-type']]).toEqual([200, 'image/png']);
    expect((await call(on.at(-1)?.data.data.medias[0].url)).status).toBe(401);
  });

  it('issues increasing ids of 19 digits and accepts them as text and as integers', async () => {
    const first = (await ask({ expertCode: 'echo', content: 'a', sessionId: null })).json.data;
    const second = (await ask({ expertCode: 'echo', content: 'b' })).json.data;
    for (const id of [first.sessionId, first.chatRecordId, second.sessionId]) expect(id).toMatch(/^\d{19}$/);
    expect(BigInt(second.sessionId) > BigInt(first.chatRecordId)).toBe(true);
    const asText = await ask({ expertCode: 'echo', content: 'c', sessionId: first.sessionId });
    const asInteger = await ask(`{"expertCode":"echo","content":"d","sessionId":${first.sessionId}}`);
    expect([asText.json.data.sessionId, asInteger.json.data.sessionId]).toEqual([
      first.sessionId,
      first.sessionId,
    ]);
  });

  it.each([
    ['no expertCode', { content: 'x' }],
    ['no content', { expertCode: 'echo' }],
    ['blank content', { expertCode: 'echo', content: ' \n' }],
    ['an unknown expert', { expertCode: 'nobody', content: 'x' }],
    ['an unknown session', { expertCode: 'echo', content: 'x', sessionId: '4493041505002323001' }],
    ['an object as session', { expertCode: 'echo', content: 'x', sessionId: {} }],
    ['a text as stream', { expertCode: 'echo', content: 'x', stream: 'yes' }],
  ])('declines %s with HTTP 200 and success false', async (_name, body) => {
    const answer = await ask(body);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({ success: false, msg: expect.any(String), data: null });
  });

  it('answers malformed JSON with 400 and its envelope', async () => {
    const answer = await ask('{');
    expect([answer.status, answer.json.success]).toEqual([400, false]);
  });

  it('returns the references of an answer, with scores and links, only to the account that asked', async () => {
    const { chatRecordId } = (await ask({ expertCode: 'kb-demo', content: 'How long are server logs kept?' }))
      .json.data;
    const { data } = (await references(chatRecordId)).json;
    expect(data.length).toBeGreaterThan(0);
    for (const one of data) {
      expect(one).toEqual({
        title: expect.any(String),
        content: expect.any(String),
        score: expect.any(Number),
        url: expect.any(String),
        type: 'document',
      });
      expect(one.score > 0 && one.score < 1).toBe(true);
    }
    const page = await call(data[0].url);
    expect([page.status, page.text.includes('Server logs')]).toEqual([200, true]);
    expect((await references('4493041505002323001')).json.success).toBe(false);
    const other = await call(`${sandbox.url}/openapi/chat/record/${chatRecordId}/reference`, {
      headers: await openToken(sandbox, 'admin'),
    });
    expect(other.json.success).toBe(false);
    sandbox.options.referencesDelayMs = 60_000;
    expect((await references(chatRecordId)).json.data).toEqual([]);
    sandbox.options.referencesDelayMs = 0;
  });

  it('fails in the middle of a stream with success false', async () => {
    const chunks = events(
      (await ask({ expertCode: 'fail-demo', content: 'in the middle', stream: true })).text,
    );
    expect(chunks.at(-1)?.data).toMatchObject({ success: false, msg: expect.any(String) });
  });
});
