import { describe, expect, it } from 'vitest';
import {
  CORPUS,
  call,
  type Json,
  liteToken,
  openToken,
  PIXEL,
  shared,
  start,
  temporaryFolder,
} from './support.ts';
import { FILES, formOf, heldClock, openWire } from './wire.ts';

const sandbox = await shared({ options: { fileStateMs: 0 } });
const wire = await openWire(sandbox);

const UPLOAD_FILES = '/Api/Workspace/File/UploadFiles';
const MOON = '# The moon base\n\nThe moon base has seventeen airlocks, each painted in another colour.\n';

describe('an uploaded file', () => {
  it('is read, listed, found, cut into chunks, sent as Markdown and deleted (FIL-1 to FIL-9)', async () => {
    const { data } = await wire.upload('folder', { name: 'moon.md', text: MOON });
    expect(data).toEqual({
      fileId: expect.stringMatching(/^\d{19}$/),
      fileName: 'moon.md',
      uploader: 'admin',
    });
    const item = await wire.settled('folder', data.fileId);
    expect(item).toMatchObject({
      id: data.fileId,
      name: 'moon.md',
      size: MOON.length,
      fullPath: '/moon.md',
      chunkingState: 'success',
      fileCanPreview: true,
      createdByAccount: 'admin',
      createdByRealName: 'Sandbox Administrator',
    });
    expect(Number.isNaN(Date.parse(item.modified))).toBe(false);
    expect((await wire.search('airlocks colour')).map((hit) => hit.fileId)).toEqual([data.fileId]);
    const chunks = await wire.whole('POST', `${FILES}/chunk`, { fileId: data.fileId });
    expect(chunks).toMatchObject({ pageIndex: 1, pageSize: 10, totalCount: 1 });
    expect(chunks.data[0].content).toContain('seventeen airlocks');
    const markdown = await wire.ask('POST', `${FILES}/downloadDocument2MD`, { id: data.fileId });
    expect(markdown.headers['content-type']).toBe('application/octet-stream');
    expect(markdown.headers['content-disposition']).toContain("filename*=UTF-8''moon.md");
    expect(markdown.text).toBe(MOON);
    await wire.remove(data.fileId);
    expect(await wire.search('airlocks colour')).toEqual([]);
    expect(await wire.refused('DELETE', `${FILES}/deleteFilePhysically?id=${data.fileId}`)).toMatch(
      /unknown/,
    );
  });

  it('CHK-3: keeps its 19-digit id as integer and as string', async () => {
    const fileId = await wire.add('folder', 'ids.md', MOON);
    const asInteger = await wire.ask('POST', `${FILES}/downloadDocument2MD`, `{"id": ${fileId}}`);
    const asText = await wire.ask('POST', `${FILES}/downloadDocument2MD`, { id: fileId });
    expect(asInteger.text).toBe(MOON);
    expect(asText.text).toBe(MOON);
    await wire.remove(fileId);
  });

  it('of a known name is kept as well, or overwrites the first one and keeps its id (FIL-1)', async () => {
    const first = (await wire.upload('folder', { name: 'same.md', text: 'First of them.' })).data;
    const second = (await wire.upload('folder', { name: 'same.md', text: 'Second of them.' })).data;
    expect(second.fileName).toBe('same (1).md');
    const third = (
      await wire.upload('folder', { name: 'same.md', text: 'Third of them.' }, { eponymousCover: 'true' })
    ).data;
    expect(third).toMatchObject({ fileId: first.fileId, fileName: 'same.md' });
    await wire.settled('folder', first.fileId);
    expect(await wire.chunks(first.fileId)).toEqual(['Third of them.']);
    for (const { fileId } of [first, second]) await wire.remove(fileId);
  });

  it('uploaded twice at once under one name becomes two files', async () => {
    const both = await Promise.all(
      ['One.', 'Two.'].map((text) => wire.upload('folder', { name: 'twin.md', text })),
    );
    expect(both.map(({ data }) => data.fileName).toSorted()).toEqual(['twin (1).md', 'twin.md']);
    for (const { data } of both) await wire.remove(data.fileId);
  });

  it.each([
    ['moon.broken.md', MOON, /broken/],
    ['picture.xyz', MOON, /type xyz/],
    ['zeros.md', 'a\0b', /not text/],
    ['paper.pdf', 'this is no PDF', /./],
    ['letter.docx', 'this is no DOCX', /./],
  ])('%s ends in fail with a reason and does not stop other files (STA-2, LOC-2)', async (name, text, reason) => {
    const { data } = await wire.upload('folder', { name, text });
    const item = await wire.settled('folder', data.fileId);
    expect(item).toMatchObject({ chunkingState: 'fail', fileCanPreview: false });
    expect(item.description).toMatch(reason);
    expect(await wire.refused('POST', `${FILES}/downloadDocument2MD`, { id: data.fileId })).toMatch(/fail/);
    await wire.remove(data.fileId);
  });

  it('is offered as Markdown under any name (FIL-8)', async () => {
    for (const [name, ascii, extended] of [
      ["it's (1) *new*.txt", "it's (1) *new*.md", 'it%27s%20%281%29%20%2Anew%2A.md'],
      ['手册 😀.md', '__ __.md', '%E6%89%8B%E5%86%8C%20%F0%9F%98%80.md'],
      ['50%25;x.html', '50%25;x.md', '50%2525%3Bx.md'],
    ] as const) {
      const fileId = await wire.add('folder', name, MOON);
      const { headers } = await wire.ask('POST', `${FILES}/downloadDocument2MD`, { id: fileId });
      expect(headers['content-disposition']).toBe(
        `attachment; filename="${ascii}"; filename*=UTF-8''${extended}`,
      );
      await wire.remove(fileId);
    }
  });

  it('has the same file ids of pictures in its Markdown as in its chunks, and addresses of others', async () => {
    const text = `# P\n\n![inside](data:image/png;base64,${PIXEL.toString('base64')})\n\n![outside](https://example.com/a.png)\n\nText.\n`;
    const fileId = await wire.add('folder', 'pictures.md', text);
    const { text: markdown } = await wire.ask('POST', `${FILES}/downloadDocument2MD`, { id: fileId });
    const [, id] = /!\[inside\]\((\d+)\)/.exec(markdown) ?? [];
    expect(markdown).toBe(`# P\n\n![inside](${id})\n\n![outside](https://example.com/a.png)\n\nText.\n`);
    expect(await wire.chunks(fileId)).toEqual([expect.stringContaining(`![inside](${id})`)]);
    for (const [imageFormat, image] of [
      ['markdown', `![inside](${id})`],
      ['html', `<img alt="inside" src="${id}">`],
    ]) {
      expect(await wire.chunks(fileId, { imageFormat })).toEqual([expect.stringContaining(image ?? '')]);
    }
    await wire.remove(fileId);
  });

  it.each([
    ['../../etc/passwd.md', 'passwd.md'],
    ['C:\\\\temp\\\\notes.md', 'notes.md'],
    ['a\u202Egnp.md', 'agnp.md'],
    [`${'n'.repeat(300)}.md`, `${'n'.repeat(200)}.md`],
    [`${'😀'.repeat(150)}.md`, `${'😀'.repeat(100)}.md`],
    [`a.${'x'.repeat(300)}`, `a.${'x'.repeat(19)}`],
    ['..', 'file'],
    ['\u200F\u061C.', 'file'],
    ['a\tb\u0085c.md', 'abc.md'],
    ["it's; x=y.md", "it's; x=y.md"],
    ['a\0b.md', 'ab.md'],
    ['a.md"; filename*=UTF-8\'\'..%2F%E2%80%AEc.md; x="', 'c.md'],
    ['%2e%2e%2fb.md', '%2e%2e%2fb.md'],
    ['%22quoted%22.md', '"quoted".md'],
    ['手册 😀.md', '手册 😀.md'],
  ])('with the name %j is stored as %j (attack S11)', async (name, kept) => {
    const { data } = await wire.upload('folder', { name, text: MOON });
    expect(data.fileName).toBe(kept);
    await wire.remove(data.fileId);
  });
});

describe('metadata', () => {
  it('changes the results immediately, and can be cleared (FIL-10)', async () => {
    const fileId = await wire.add('folder', 'tagged.md', 'Nothing about it here.');
    expect(await wire.search('zanzibar')).toEqual([]);
    const metadataTemplate = JSON.stringify([{ name: 'City', type: 0, value: 'Zanzibar' }]);
    await wire.done('PUT', `${FILES}/metadataExpansionEdit`, { id: fileId, metadataTemplate });
    expect((await wire.search('zanzibar')).map((hit) => hit.fileId)).toEqual([fileId]);
    for (const clear of [
      {},
      { metadataTemplate: '' },
      { metadataTemplate: null },
      { metadataTemplate: ' [ ] ' },
    ]) {
      await wire.done('PUT', `${FILES}/metadataExpansionEdit`, { id: fileId, metadataTemplate });
      await wire.done('PUT', `${FILES}/metadataExpansionEdit`, { id: fileId, ...clear });
      expect(await wire.search('zanzibar')).toEqual([]);
    }
    const odd = '[{"name":"City","type":1,"limit":"[\\"Oslo\\"]","value":"Zanzibar"}]';
    await wire.done('PUT', `${FILES}/metadataExpansionEdit`, { id: fileId, metadataTemplate: odd });
    expect((await wire.search('zanzibar')).map((hit) => hit.fileId)).toEqual([fileId]);
    for (const wrong of [
      '{',
      '{}',
      '[1]',
      '[{"value":"x"}]',
      '[{"name":"City","type":2}]',
      '[{"name":"City","type":"0"}]',
      '[{"name":"City","value":{}}]',
      '[{"name":"City","type":1}]',
      '[{"name":"City","type":1,"limit":"Oslo"}]',
      '[{"name":"City","type":1,"limit":["Oslo"]}]',
    ]) {
      const body = { id: fileId, metadataTemplate: wrong };
      expect(await wire.refused('PUT', `${FILES}/metadataExpansionEdit`, body)).toMatch(/metadataTemplate/);
    }
    await wire.remove(fileId);
  });
});

describe('a batch (FIL-2, FIL-3, STA-1)', () => {
  it('reports the state of each file by the clock', async () => {
    const clock = heldClock();
    await using slow = await start({ clock, options: { fileStateMs: 1000 } });
    const own = await openWire(slow, clock.now());
    const form = formOf({ workspace: 'folder' }, [
      ['files', { name: 'good.md', text: MOON }],
      ['files', { name: 'bad.broken.md', text: MOON }],
      ['files', { name: 'empty.md', text: '' }],
    ]);
    const sent = await own.send(`${FILES}/upload/batchSubmit`, form);
    const look = (): Promise<Json[]> =>
      own.done('GET', `${FILES}/upload/batchSubmit/${sent.json.data.stateId}`);
    const states = async () => (await look()).map((each) => each.state);
    expect(await states()).toEqual(['underway', 'underway', 'fail']);
    clock.advance(1000);
    expect(await states()).toEqual(['underway', 'underway', 'fail']);
    clock.advance(1000);
    await expect.poll(states, { interval: 5 }).toEqual(['success', 'fail', 'fail']);
    const done = await look();
    expect(done[0]).toMatchObject({ fileName: 'good.md', uploader: 'admin', errorMsg: '' });
    expect(done[0].finishTime).toMatch(/^2026-01-05T09:.*Z$/);
    expect(done[1].errorMsg).toMatch(/broken/);
    expect(done[2].errorMsg).toMatch(/empty/);
    expect(await own.refused('GET', `${FILES}/upload/batchSubmit/7`)).toMatch(/unknown/);
  });
});

describe('the listing (FIL-4, FIL-5, CHK-17)', () => {
  it('accepts a name or an id, is sorted by change with the newest first, and has pages and every kind of total', async () => {
    const workspace = await wire.createWorkspace('paged');
    const ids: string[] = [];
    for (const name of ['a.md', 'b.md', 'c.md'])
      ids.push((await wire.upload('paged', { name, text: MOON })).data.fileId);
    for (const id of ids) await wire.settled('paged', id);
    const first = await wire.whole('POST', FILES, { workspace: 'paged', pageIndex: 1, pageSize: 2 });
    expect(first).toMatchObject({ msg: null, pageIndex: 1, pageSize: 2, totalCount: 3 });
    expect(first.data.map((each: Json) => each.name)).toEqual(['c.md', 'b.md']);
    const second = await wire.whole('POST', FILES, { workspace, pageIndex: 2, pageSize: 2 });
    expect(second.data.map((each: Json) => each.name)).toEqual(['a.md']);
    for (const [mode, total] of Object.entries({ zero: 0, minusOne: -1 })) {
      Object.assign(sandbox.options, { totalCountMode: mode });
      expect((await wire.whole('POST', FILES, { workspace })).totalCount).toBe(total);
    }
    Object.assign(sandbox.options, {
      totalCountMode: 'exact',
      omitSuccessOnFileList: true,
      fileItemVariant: 'seen',
    });
    const bare = await wire.ask('POST', FILES, { workspace });
    expect(Object.keys(bare.json)).toEqual(['data', 'pageIndex', 'pageSize', 'totalCount']);
    expect(bare.text).toMatch(/"id":\d{19},"fileName"/);
    Object.assign(sandbox.options, { omitSuccessOnFileList: false, fileItemVariant: 'documented' });
  });
});

describe('an invalid request', () => {
  it('is refused with the reason and the limit, and nothing is stored', async () => {
    await wire.createWorkspace('strict', { fileTypes: ['md'], fileSize: 1 });
    const big = await wire.upload('strict', { name: 'big.md', text: 'x'.repeat(1_048_577) });
    expect(big.msg).toMatch(/larger than 1 MiB/);
    expect((await wire.upload('strict', { name: 'page.html', text: MOON })).msg).toMatch(/type md only/);
    expect((await wire.upload('strict', { name: 'none.md', text: '' })).msg).toMatch(/empty/);
    expect((await wire.upload('nowhere', { name: 'a.md', text: MOON })).msg).toMatch(/nowhere is unknown/);
    const flag = await wire.upload('strict', { name: 'a.md', text: MOON }, { eponymousCover: 'perhaps' });
    expect(flag.msg).toMatch(/eponymousCover/);
    expect((await wire.whole('POST', FILES, { workspace: 'strict' })).totalCount).toBe(0);
    const tricky = await wire.upload('strict', { name: 'page.md\u202E.html', text: MOON });
    expect(tricky.msg).toBe('The workspace takes files of type md only, not page.md.html.');
    for (const body of [{}, { workspace: 7 }, { workspace: 'strict', pageIndex: 0 }, []]) {
      expect(await wire.refused('POST', FILES, body)).toMatch(/parameter|body/);
    }
    expect(await wire.refused('POST', `${FILES}/chunk`, { fileId: '12', imageFormat: 'png' })).toMatch(
      /imageFormat/,
    );
    expect(await wire.refused('DELETE', `${FILES}/deleteFilePhysically?id=x`)).toMatch(/id/);
  });
});

describe('the quota of a workspace', () => {
  const half = 'x'.repeat(524_288);
  it('limits the size of all its files, over every kind of upload', async () => {
    const id = await wire.createWorkspace('tight', { quota: 1 });
    const [first] = [await wire.upload('tight', { name: 'one.md', text: half })];
    expect((await wire.upload('tight', { name: 'two.md', text: `${half}x` })).msg).toBe(
      'The file two.md does not fit into the quota of 1 MiB: 0.5 MiB are in use.',
    );
    const over = await wire.upload('tight', { name: 'one.md', text: `${half}x` }, { eponymousCover: 'true' });
    expect(over).toMatchObject({ success: true, data: { fileId: first.data.fileId } });
    const admin = await openToken(sandbox, 'admin');
    const batch = formOf({ workspace: 'tight' }, [
      ['files', { name: 'three.md', text: half.slice(1) }],
      ['files', { name: 'fo\u202Eur.md', text: 'x' }],
    ]);
    const sent = await wire.send(`${FILES}/upload/batchSubmit`, batch, admin);
    const data = await wire.done('GET', `${FILES}/upload/batchSubmit/${sent.json.data.stateId}`);
    expect(data[0]).toMatchObject({ fileName: 'three.md', errorMsg: '' });
    expect(data[1]).toMatchObject({ fileId: '', fileName: 'four.md', state: 'fail' });
    expect(data[1].errorMsg).toMatch(/quota/);
    await wire.remove(first.data.fileId);
    const lite = formOf({ WorkspaceId: id }, [
      ['Files', { name: 'five.md', text: half.slice(9) }],
      ['Files', { name: 'six.md', text: 'more than is left' }],
    ]);
    const refused = await wire.send(UPLOAD_FILES, lite, await liteToken(sandbox, 'admin'));
    expect(refused.json).toMatchObject({ success: false, msg: expect.stringMatching(/six.md .* quota/) });
    const names = (await wire.done('POST', FILES, { workspace: 'tight' })).map((item: Json) => item.name);
    expect(names).toEqual(['three.md']);
  });
});

describe('the upload of the lite interface (ADM-13)', () => {
  it('accepts the documented names, and puts files into folders', async () => {
    const lite = await liteToken(sandbox, 'admin');
    const workspace = await wire.createWorkspace('lite');
    const form = formOf({ WorkspaceId: workspace, FullPath: '/guides/../x/moon.md', IsCover: 'false' }, [
      ['Files', { name: 'draft.md', text: MOON }],
    ]);
    const headers = { ...lite, 'content-type': form.type };
    const answer = await call(`${sandbox.url}${UPLOAD_FILES}`, { body: form.body, headers });
    expect(answer.json).toMatchObject({ success: true, msg: '', data: [{ fullName: '/guides/x/moon.md' }] });
    const [, id = ''] = /"id":(\d{19})/.exec(answer.text) ?? [];
    expect(answer.text).toContain(`"workspaceId":${workspace}`);
    expect(await wire.settled('lite', id)).toMatchObject({ name: 'moon.md', chunkingState: 'success' });
    const without = formOf({}, [['Files', { name: 'moon.md', text: MOON }]]);
    const refused = await call(`${sandbox.url}${UPLOAD_FILES}`, {
      body: without.body,
      headers,
    });
    expect(refused.json).toMatchObject({ success: false, msg: 'The parameter "WorkspaceId" is missing.' });
  });

  it('is served with and without /webapi (ADM-14), and stores all of its files or none', async () => {
    const lite = await liteToken(sandbox, 'admin');
    const workspace = await wire.createWorkspace('lite-more', { fileTypes: ['.MD'] });
    const send = (fields: Record<string, string>, names: readonly string[], prefix = '') =>
      wire.send(
        prefix + UPLOAD_FILES,
        formOf(
          { WorkspaceId: workspace, ...fields },
          names.map((name) => ['Files', { name, text: MOON }] as const),
        ),
        lite,
      );
    for (const [fields, names, message] of [
      [{}, [], /"Files" is missing/],
      [{}, ['a.md', 'b.txt'], /type .MD only, not b.txt/],
      [{ UserId: 'seven' }, ['a.md'], /UserId/],
      [{ IsCover: 'maybe' }, ['a.md'], /IsCover/],
      [{ WorkspaceId: '12' }, ['a.md'], /12 is unknown/],
      [{ FullPath: `${'a/'.repeat(40)}a.md` }, ['a.md'], /FullPath/],
    ] as const) {
      expect((await send(fields, names)).json).toMatchObject({
        success: false,
        msg: expect.stringMatching(message),
      });
    }
    expect((await wire.whole('POST', FILES, { workspace })).totalCount).toBe(0);
    const both = await send(
      { FullPath: '\\gu\u202Eides\\..\\x.md', UserId: '4493041505002321001' },
      ['a.md', 'a.md'],
      '/webapi',
    );
    expect(both.json.data.map((item: Json) => item.fullName)).toEqual(['/guides/a.md', '/guides/a (1).md']);
    const [, id] = /"id":(\d{19})/.exec(both.text) ?? [];
    const over = await send({ FullPath: '/guides/a.md', IsCover: 'true' }, ['b.md']);
    expect(over.text).toContain(`"id":${id}`);
    expect((await wire.whole('POST', FILES, { workspace })).totalCount).toBe(2);
    const open = await openToken(sandbox, 'admin');
    expect((await wire.send(UPLOAD_FILES, formOf({}, []), open)).status).toBe(401);
  });
});

it('a restart keeps uploads, and reads those that were still unread (FIX-5)', async () => {
  const data = temporaryFolder();
  const options = { fileStateMs: 0 };
  const first = await start({ memory: false, data, knowledge: [CORPUS], options });
  await first.indexed;
  const before = await openWire(first);
  const { data: kept } = await before.upload('folder', { name: 'moon.md', text: MOON });
  await before.settled('folder', kept.fileId);
  Object.assign(first.options, { fileStateMs: 60_000 });
  const { data: unread } = await before.upload('folder', { name: 'later.md', text: 'Zeppelins are late.' });
  await first.close();
  await using second = await start({ memory: false, data, knowledge: [CORPUS], options });
  await second.indexed;
  const after = await openWire(second);
  expect(await after.settled('folder', kept.fileId)).toMatchObject({ chunkingState: 'success' });
  expect(await after.settled('folder', unread.fileId)).toMatchObject({ chunkingState: 'success' });
  expect((await after.search('airlocks')).map((hit) => hit.fileId)).toEqual([kept.fileId]);
  expect((await after.search('zeppelins')).map((hit) => hit.fileId)).toEqual([unread.fileId]);
});
