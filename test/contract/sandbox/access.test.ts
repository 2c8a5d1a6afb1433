import { describe, expect, it } from 'vitest';
import { call, type Json, liteToken, openToken, PIXEL, shared } from './support.ts';
import { FILES, formOf, type Headers, openWire, RAG, WORKSPACES } from './wire.ts';

describe('a workspace that is closed to a member (AUT-17)', async () => {
  const SECRET = `# Plans\n\nThe password is swordfish.\n\n![map](data:image/png;base64,${PIXEL.toString('base64')})\n`;
  const plans = formOf({ workspace: 'closed' }, [['files', { name: 'plans.md', text: SECRET }]]);

  const sandbox = await shared({ options: { fileStateMs: 0 } });
  const wire = await openWire(sandbox);
  const member = await openToken(sandbox, 'member-one');
  const lite = await liteToken(sandbox, 'member-one');
  const workspace = await wire.createWorkspace('closed');
  const batch = (await wire.send(`${FILES}/upload/batchSubmit`, plans)).json.data.stateId;
  const [{ fileId: file }] = await wire.done('GET', `${FILES}/upload/batchSubmit/${batch}`);
  await wire.settled('closed', file);
  const picture = /\((\d+)\)/.exec((await wire.chunks(file)).join())?.[1] ?? '';

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
      const many = await wire.send(`${FILES}/upload/batchSubmit`, form, member);
      expect(many.json).toMatchObject({ success: false, msg: expect.stringMatching(/permission/) });
      const old = await wire.send('/Api/Workspace/File/UploadFiles', form, lite);
      expect(old.json).toMatchObject({ success: false, msg: expect.stringMatching(/permission/) });
    }
    expect(JSON.stringify(sandbox.documents())).toBe(before);
    expect((await wire.ask('GET', '/__inspect/pairs', undefined, {})).json).toEqual([]);
  });

  it('is neither listed nor found', async () => {
    const listed = await wire.ask('GET', `${WORKSPACES}/all`, undefined, member);
    expect(listed.text).not.toContain('closed');
    const question = { query: 'swordfish', topk: 5, ragMode: 3, workspaces: ['closed'] };
    expect((await wire.done('POST', RAG, question)).results).toHaveLength(1);
    expect((await wire.ask('POST', RAG, question, member)).json.data.results).toEqual([]);
  });

  it('shows neither details nor previews nor pictures of its files over the lite interface', async () => {
    const admin = await liteToken(sandbox, 'admin');
    const asks = (headers: Headers) => {
      const lookUp = (path: string, body?: object) =>
        call(sandbox.url + path, { body, headers: { ...headers } });
      return Promise.all([
        lookUp(`/webapi/knowledge/v1/rag/get_detail?document_id=${file}`),
        lookUp('/webapi/knowledge/v1/file/ekb-preview', { id: `9${file}`, objectType: 'file', filetype: 1 }),
        lookUp('/webapi/knowledge/v1/file/ekb-temporary', { file_id: [picture] }),
        lookUp(`/openapi/chat/media/image/${picture}`),
      ]);
    };
    expect((await asks(admin)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await asks(lite);
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 404]);
    expect(refused[0]?.json).toMatchObject({ code: 422, message: expect.stringMatching(/permission/) });
    expect(refused.map(({ text }: Json) => text).join()).not.toContain('plans.md');
  });
});
