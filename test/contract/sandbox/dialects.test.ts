import { afterEach, describe, expect, it } from 'vitest';
import { DIALECTS, plainDialect } from '../../../sandbox/dialect/names.ts';
import { askByKey, askExpert, CORPUS, call, events, liteToken, openToken, shared, user } from './support.ts';

const QUESTION = 'one two three four five six seven\neight nine ten';

describe('sandbox: dialects', async () => {
  const sandbox = await shared({ knowledge: [CORPUS] });
  const open = await openToken(sandbox);
  const lite = await liteToken(sandbox);
  afterEach(() => void Object.assign(sandbox.options.dialect, plainDialect));
  const set = (dialect: Record<string, string>) =>
    call(`${sandbox.url}/__sandbox/options`, { body: { dialect } });
  const chat = (stream = true, agent = 'echo', question = QUESTION) =>
    askByKey(sandbox, agent, { ...user(question), stream, show_tool_result: true });
  const expert = () => askExpert(sandbox, { expertCode: 'echo', content: QUESTION, stream: true }, open);

  it.each(DIALECTS.stream)('stream %s contains the words in both interfaces', async (stream) => {
    expect((await set({ stream })).status).toBe(200);
    for (const answer of [await chat(), await expert()]) {
      expect(answer.status).toBe(200);
      expect(answer.text.replaceAll('\\n', '\n').replace(/^data: /gm, '')).toContain('eight');
      expect(answer.broken).toBe(false);
    }
  });

  it.each([
    ['json', 'application/json'],
    ['ndjson', 'application/x-ndjson'],
    ['ndjson-text', 'text/plain'],
    ['raw-text', 'text/plain'],
    ['untyped', undefined],
    ['plain', 'text/event-stream'],
  ])('stream %s has the content type %s', async (stream, type) => {
    await set({ stream });
    const header = (await chat()).headers['content-type'];
    if (type === undefined) expect(header).toBeUndefined();
    else expect(header).toContain(type);
  });

  it('has the marks of each dialect of streams', async () => {
    const wire = async (stream: string) => {
      await set({ stream });
      return (await chat()).text;
    };
    expect(await wire('raw-text')).toBe(QUESTION);
    expect(await wire('bom')).toMatch(/^\uFEFF/);
    expect(await wire('cr')).not.toContain('\n');
    expect(await wire('no-space')).toMatch(/^event:stream\ndata:\{/);
    expect(await wire('no-last-blank')).toMatch(/\}$/);
    expect(await wire('bare-end')).toMatch(/event: end\n\n$/);
    expect(await wire('joined')).toMatch(/^(data: .*\n)+\n$/);
    expect(await wire('balanced')).toMatch(/^data: \{.*\}\{.*\}\n\n/);
    expect(await wire('raw-lines')).toMatch(/^data: [^{]*\n[^d]/m);
    expect(await wire('done-marker')).toMatch(/data: \[DONE\]\n\n$/);
    expect(await wire('kind-category')).toContain('"category":"end"');
    expect(await wire('aliases')).toContain('event: answer');
    expect(await wire('only-unknown')).not.toContain('event: stream');
  });

  it.each(DIALECTS.text)('text %s contains the words with and without a stream', async (text) => {
    await set({ text });
    for (const answer of [await chat(), await chat(false), await expert()]) {
      expect(answer.text).toContain('ten');
      expect(answer.status).toBe(200);
    }
  });

  it('repeats earlier text in snapshots and rewrites citations into it', async () => {
    await set({ text: 'snapshot' });
    const chunks = events((await chat()).text).filter((one) => one.event === 'stream');
    expect(chunks.at(-1)?.data.content).toBe(QUESTION);
    await set({ text: 'rewritten' });
    const said = events((await chat(true, 'knowledge', 'and visitor pass')).text).filter(
      (one) => one.event === 'stream',
    );
    const texts = said.map((one) => one.data.content as string);
    expect(texts.some((text, index) => index > 0 && !text.startsWith(texts[index - 1] ?? ''))).toBe(true);
  });

  it.each(DIALECTS.end)('end %s keeps the words', async (end) => {
    await set({ end });
    const streamed = await chat();
    expect(streamed.text).toContain('ten');
    expect(streamed.text.includes('event: end')).toBe(end !== 'none');
  });

  it.each(DIALECTS.error)('error %s describes the problem', async (error) => {
    await set({ error });
    const refused = await askByKey(sandbox, 'echo', {});
    expect(refused.status).toBe(400);
    if (error !== 'html') expect(refused.text).toContain('messages');
    const broken = await chat(true, 'fail-demo', 'in the middle');
    expect(broken.text).toContain('The agent failed in the middle');
  });

  it.each(DIALECTS.refusal)('refusal %s has HTTP status 200 and its own form', async (refusal) => {
    await set({ refusal });
    const body = { workspace: 'nowhere' };
    const { status, headers, json } = await call(`${sandbox.url}/v1/openapi/workspace/file`, {
      body,
      headers: open,
    });
    const msg = 'The workspace nowhere is unknown.';
    const forms: Record<string, unknown> = {
      plain: { success: false, msg, data: null },
      pascal: { Success: false, Msg: msg, Data: null },
      zero: { success: 0, msg },
      null: { success: null, msg },
      text: { success: 'False', msg },
      'is-success': { isSuccess: false, msg },
      'bare-false': false,
      array: [{ success: false, msg }],
      nested: { data: { success: false, msg } },
      problem: { type: 'about:blank', title: 'Forbidden', status: 403, detail: msg },
    };
    expect([status, json]).toEqual([200, forms[refusal]]);
    expect(String(headers['content-type']).startsWith('application/problem')).toBe(refusal === 'problem');
  });

  it.each([
    ['plain', 200, /"success":true/],
    ['no-content', 204, /^$/],
    ['empty', 200, /^$/],
  ])('deletion %s answers %i', async (deletion, status, text) => {
    await set({ deletion });
    const headers = await openToken(sandbox, 'admin');
    const erase = (code: string) =>
      call(`${sandbox.url}/v1/openapi/organization`, { method: 'DELETE', body: [code], headers });
    await call(`${sandbox.url}/v1/openapi/organization`, {
      body: { code: 'gone', name: 'Gone', parentCode: 'company' },
      headers,
    });
    const done = await erase('gone');
    expect([done.status, done.text]).toEqual([status, expect.stringMatching(text)]);
    expect((await erase('gone')).json).toMatchObject({ success: false });
  });

  it.each(DIALECTS.media)('media %s answers links, details, previews and tools', async (media) => {
    const shown = (await chat(false, 'image-demo')).json.data.full_output;
    const fileId = /\((\d{4,})\)/.exec(shown)?.[1] ?? '';
    const [document] = sandbox.documents();
    await set({ media });
    const links = await call(`${sandbox.url}/webapi/knowledge/v1/file/ekb-temporary`, {
      body: { file_id: [fileId] },
      headers: lite,
    });
    expect(links.text.includes('ekb-temporary-file/')).toBe(media !== 'link-unknown');
    const detail = await call(
      `${sandbox.url}/webapi/knowledge/v1/rag/get_detail?document_id=${document?.id}`,
      { headers: lite },
    );
    expect(detail.text).toContain(document?.name);
    const body = { id: `9${document?.id}`, objectType: 'file', filetype: 1 };
    const preview = await call(`${sandbox.url}/webapi/knowledge/v1/file/ekb-preview`, {
      body,
      headers: lite,
    });
    expect(preview.status).toBe(media === 'preview-redirect' ? 302 : 200);
    const tools = await chat(true, 'knowledge', 'visitor pass');
    expect(tools.text).toContain('event: tool_result');
    expect(tools.text).toContain('Badges and visitors');
  });
});
