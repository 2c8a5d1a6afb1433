import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningSandbox } from '../../../sandbox/index.ts';
import { call, type Json, liteToken, openToken, PIXEL, start } from './support.ts';
import { FILES, formOf, type Headers, openWire, sendForm, type Wire, WORKSPACES } from './workspaces-wire.ts';

describe('a workspace that is closed to a member (AUT-17)', () => {
  let sandbox: RunningSandbox;
  let wire: Wire;
  let member: Headers;
  let lite: Headers;
  let workspace: string;
  let file: string;
  let picture: string;
  let batch: string;
  const SECRET = `# Plans\n\nThe password is swordfish.\n\n![map](data:image/png;base64,${PIXEL.toString('base64')})\n`;
  const plans = formOf({ workspace: 'closed' }, [['files', { name: 'plans.md', text: SECRET }]]);

  beforeAll(async () => {
    sandbox = await start({ options: { fileStateMs: 0 } });
    wire = await openWire(sandbox);
    member = await openToken(sandbox, 'member-one');
    lite = await liteToken(sandbox, 'member-one');
    workspace = await wire.createWorkspace('closed');
    const admin = await openToken(sandbox, 'admin');
    batch = (await sendForm(sandbox, `${FILES}/upload/batchSubmit`, plans, admin)).json.data.stateId;
    const { data } = await wire.done('GET', `${FILES}/upload/batchSubmit/${batch}`);
    file = data[0].fileId;
    await wire.settled('closed', file);
    const chunks = await wire.done('POST', `${FILES}/chunk`, { fileId: file });
    picture = /\((\d+)\)/.exec(chunks.data[0].content)?.[1] ?? '';
  });
  afterAll(() => sandbox.close());

  it('is closed by name and by id in every operation, and stays unchanged', async () => {
    const tries: readonly (readonly [string, string, unknown?])[] = [
      ['POST', FILES, { workspace: 'closed' }],
      ['POST', FILES, { workspace }],
      ['POST', `${FILES}/chunk`, { fileId: file }],
      ['POST', `${FILES}/downloadDocument2MD`, { id: file }],
      ['DELETE', `${FILES}/deleteFilePhysically?id=${file}`],
      ['PUT', `${FILES}/metadataExpansionEdit`, { id: file, metadataTemplate: '[{"name":"x"}]' }],
      ['GET', `${FILES}/upload/batchSubmit/${batch}`],
      ['POST', `${WORKSPACES}/qna/create`, { workspace, questions: ['Where?'], answer: 'There.' }],
      ['DELETE', `${WORKSPACES}/delete`, [workspace]],
      ['POST', `${WORKSPACES}/update`, { id: workspace }],
    ];
    const before = JSON.stringify(sandbox.documents());
    for (const [method, path, body] of tries) {
      expect(await wire.refused(method, path, body, member)).toMatch(/permission/);
      expect((await wire.ask(method, path, body, {})).status).toBe(401);
      expect((await wire.ask(method, path, body, lite)).status).toBe(401);
    }
    for (const name of ['closed', workspace]) {
      const one = await wire.upload(name, { name: 'x.md', text: 'x' }, {}, member);
      expect(one).toMatchObject({ success: false, msg: expect.stringMatching(/permission/) });
      const form = formOf({ workspace: name, WorkspaceId: name }, [
        ['files', { name: 'x.md', text: 'x' }],
        ['Files', { name: 'x.md', text: 'x' }],
      ]);
      const many = await sendForm(sandbox, `${FILES}/upload/batchSubmit`, form, member);
      expect(many.json).toMatchObject({ success: false, msg: expect.stringMatching(/permission/) });
      const old = await sendForm(sandbox, '/Api/Workspace/File/UploadFiles', form, lite);
      expect(old.json).toMatchObject({ success: false, msg: expect.stringMatching(/permission/) });
    }
    expect(JSON.stringify(sandbox.documents())).toBe(before);
    expect((await wire.ask('GET', '/__inspect/pairs', undefined, {})).json).toEqual([]);
  });

  it('is neither listed nor found', async () => {
    const listed = await wire.ask('GET', `${WORKSPACES}/all`, undefined, member);
    expect(listed.text).not.toContain('closed');
    const question = {
      query: 'password swordfish',
      ragObject: 0,
      topk: 5,
      ragMode: 3,
      workspaces: ['closed'],
    };
    expect((await wire.done('POST', '/v1/openapi/rag', question)).data.results).toHaveLength(1);
    expect((await wire.ask('POST', '/v1/openapi/rag', question, member)).json.data.results).toEqual([]);
  });

  it('shows neither details nor previews nor pictures of its files over the lite interface', async () => {
    const admin = await liteToken(sandbox, 'admin');
    const asks = (headers: Headers) =>
      Promise.all([
        call(`${sandbox.url}/webapi/knowledge/v1/rag/get_detail?document_id=${file}`, {
          headers: { ...headers },
        }),
        call(`${sandbox.url}/webapi/knowledge/v1/file/ekb-preview`, {
          body: { id: `9${file}`, objectType: 'file', filetype: 1 },
          headers: { ...headers },
        }),
        call(`${sandbox.url}/webapi/knowledge/v1/file/ekb-temporary`, {
          body: { file_id: [picture] },
          headers: { ...headers },
        }),
        call(`${sandbox.url}/openapi/chat/media/image/${picture}`, { headers: { ...headers } }),
      ]);
    expect((await asks(admin)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await asks(lite);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 404]);
    expect(refused[0]?.json).toMatchObject({ code: 422, message: expect.stringMatching(/permission/) });
    expect(refused.map(({ text }: Json) => text).join()).not.toContain('plans.md');
  });
});
