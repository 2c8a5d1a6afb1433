import { describe, expect, it } from 'vitest';
import { type Json, openToken, shared, start, temporaryFolder } from './support.ts';
import { COMPANY, DOCUMENTS, FILES, openWire, TYPES, type Wire, WORKSPACES } from './wire.ts';

const sandbox = await shared({ options: { fileStateMs: 0 } });
const wire = await openWire(sandbox);

const all = async (headers?: Record<string, string>): Promise<Json[]> =>
  (await wire.ask('GET', `${WORKSPACES}/all`, undefined, headers)).json.data.flatMap(
    (category: Json) => category.workspaces,
  );
const nameOf = ({ name }: Json): string => name;
const whole = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  name: 'changed',
  description: 'Changed',
  workspaceTypeId: DOCUMENTS,
  workspaceTypeName: 'Documents',
  classificationId: COMPANY,
  ...more,
});

describe('knowledge workspaces', () => {
  it('are listed by category, whose ids are integers above 2^53 (WSP-1, CHK-3)', async () => {
    const { text, json } = await wire.ask('GET', `${WORKSPACES}/all`);
    expect(text).toContain(`"id":${COMPANY},`);
    expect(json.data.map(nameOf)).toEqual(['Company', 'Own folders']);
    expect((await all()).map(nameOf)).toEqual(expect.arrayContaining(['handbook', 'project', 'folder']));
    const memberTwo = await openToken(sandbox, 'member-two');
    expect((await all(memberTwo)).map(nameOf)).toEqual(['project', 'folder']);
  });

  it('are created, changed with null keeping the quota, and deleted (WSP-2 to WSP-4)', async () => {
    const id = await wire.createWorkspace('made', { quota: 5, notice: 'Hello' });
    expect(id).toMatch(/^\d{19}$/);
    expect(await all()).toContainEqual(expect.objectContaining({ id, name: 'made', fileCount: 0 }));
    await wire.done('POST', `${WORKSPACES}/update`, whole(id, { quota: null }));
    expect((await all()).map(nameOf)).toContain('changed');
    const large = { name: 'six.md', text: 'x'.repeat(5 * 1_048_576 + 1) };
    expect((await wire.upload('changed', large)).msg).toMatch(/quota/);
    await wire.upload('changed', { name: 'in.md', text: 'Velociraptors live here.' });
    await wire.done('DELETE', `${WORKSPACES}/delete`, `[${id}]`);
    expect((await all()).map(nameOf)).not.toContain('changed');
    expect(await wire.refused('POST', FILES, { workspace: 'changed' })).toMatch(/unknown/);
    expect(await wire.search('velociraptors')).toEqual([]);
  });

  it('CHK-21: are deleted by ids in the body, repeated in the query, or with commas; the body wins', async () => {
    const ids = await Promise.all(['d1', 'd2', 'd3', 'd4', 'd5'].map((name) => wire.createWorkspace(name)));
    const [one, two, three, four, five] = ids;
    await wire.done('DELETE', `${WORKSPACES}/delete?ids=${two}`, `[${one}]`);
    expect((await all()).map(nameOf)).toContain('d2');
    await wire.done('DELETE', `${WORKSPACES}/delete?ids=${two}&ids=${three}`);
    await wire.done('DELETE', `${WORKSPACES}/delete?ids=${four},${five}`);
    expect((await all()).map(nameOf).filter((name) => /^d\d$/.test(name))).toEqual([]);
    expect(await wire.refused('DELETE', `${WORKSPACES}/delete`)).toMatch(/ids/);
    expect(await wire.refused('DELETE', `${WORKSPACES}/delete`, ['handbook'])).toMatch(/no id/);
    expect(await wire.refused('DELETE', `${WORKSPACES}/delete`, { ids: [one] })).toMatch(/array/);
  });

  it('are all kept if one of several ids is unknown', async () => {
    const id = await wire.createWorkspace('stays');
    expect(await wire.refused('DELETE', `${WORKSPACES}/delete`, [id, '12'])).toMatch(/12 is unknown/);
    expect((await all()).map(nameOf)).toContain('stays');
  });

  it.each([
    [{ name: '' }, /name/],
    [{ name: 'handbook' }, /already/],
    [{ workspaceTypeId: '7' }, /type 7/],
    [{ classificationId: '7' }, /category 7/],
    [{ name: '4493041505002320001' }, /already/],
    [{ name: 7 }, /name/],
    [{ description: undefined }, /description/],
    [{ description: null }, /description/],
    [{ description: [] }, /description/],
    [{ quota: -1 }, /quota/],
    [{ fileTypes: 'md' }, /fileTypes/],
    [{ enable: 'yes' }, /enable/],
    [{ settings: '{' }, /settings/],
    [{ settings: { setting: {} } }, /settings/],
    [{ settings: '{"setting":{"mode":"other"}}' }, /mode/],
    [{ settings: '{"setting":{"maxLength":0}}' }, /maxLength/],
    [{ settings: '{"setting":{"maxLength":"200"}}' }, /maxLength/],
    [{ settings: '{"setting":{"maxLength":10,"overlap":6}}' }, /overlap/],
    [{ settings: '{"setting":{"overlap":-1}}' }, /overlap/],
    [{ settings: '{"setting":{"ocrMode":"all"}}' }, /ocrMode/],
    [{ settings: '{"setting":{"enable":"false"}}' }, /enable/],
    [{ settings: '{"useWorkspaceSetting":"yes"}' }, /useWorkspaceSetting/],
    [{ settings: '[]' }, /settings/],
    [{ settings: 'null' }, /settings/],
    [{ settings: '{"setting":[]}' }, /settings/],
  ])('%j is refused and creates nothing', async (wrong, message) => {
    const body = {
      name: 'wrong',
      workspaceTypeId: DOCUMENTS,
      classificationId: COMPANY,
      description: 'x',
      ...wrong,
    };
    expect(await wire.refused('POST', `${WORKSPACES}/create`, body)).toMatch(message);
    expect((await all()).map(nameOf)).not.toContain('wrong');
  });

  it('are written by administrators only', async () => {
    const member = await openToken(sandbox, 'member-one');
    for (const [method, path] of [
      ['POST', `${WORKSPACES}/create`],
      ['POST', `${WORKSPACES}/update`],
      ['DELETE', `${WORKSPACES}/delete`],
      ['POST', TYPES],
      ['PUT', TYPES],
      ['DELETE', TYPES],
      ['PUT', `${TYPES}/Enable`],
    ] as const) {
      expect(await wire.refused(method, path, {}, member)).toMatch(/permission/);
    }
  });
});

describe('settings decide how files are cut (WSP-6 to WSP-9, CHK-20)', () => {
  const LONG = `# Long\n\n${Array.from({ length: 60 }, (_, nth) => `Sentence number ${nth} tells something.`).join(' ')}\n`;
  const chunksOf = async (name: string, settings: object): Promise<string[]> => {
    await wire.createWorkspace(name, { settings: JSON.stringify(settings) });
    const fileId = await wire.add(name, 'long.md', LONG);
    return await wire.chunks(fileId);
  };

  it('into more chunks in the mode refine', async () => {
    const coarse = await chunksOf('coarse', { setting: { mode: 'default', maxLength: 400 } });
    const fine = await chunksOf('fine', { setting: { mode: 'refine', maxLength: 400 } });
    expect(fine.length).toBeGreaterThan(coarse.length);
  });

  it('without previews if previewEnable is false', async () => {
    await wire.createWorkspace('unseen', { settings: JSON.stringify({ setting: { previewEnable: false } }) });
    const { data } = await wire.upload('unseen', { name: 'moon.md', text: 'The moon is far.' });
    const item = await wire.settled('unseen', data.fileId);
    expect(item).toMatchObject({ chunkingState: 'success', fileCanPreview: false, previewState: 'waiting' });
    expect(item).not.toHaveProperty('previewUrl');
  });

  it('into chunks of at most maxLength, which repeat overlap characters', async () => {
    const chunks = await chunksOf('cut', { setting: { mode: 'refine', maxLength: 200, overlap: 40 } });
    expect(chunks.length).toBeGreaterThan(10);
    for (const [index, chunk] of chunks.entries()) {
      expect(chunk.length).toBeLessThanOrEqual(200);
      const before = chunks[index - 1];
      if (before !== undefined && chunk.length > 60) expect(before).toContain(chunk.slice(0, 20));
    }
    for (let nth = 0; nth < 60; nth += 1) expect(chunks.join(' ')).toContain(`number ${nth} `);
  });

  it('not at all if useWorkspaceSetting is on, and not for retrieval if preparation is off', async () => {
    const followed = { useWorkspaceSetting: true, setting: { maxLength: 50 } };
    expect((await chunksOf('followed', followed))[0]?.length).toBeGreaterThan(500);
    expect(await chunksOf('off', { setting: { enable: false } })).toEqual([]);
  });
});

describe('the record of a workspace', () => {
  const record = async (id: string): Promise<Json> =>
    (await wire.ask('GET', '/__inspect/workspaces', undefined, {})).json.find((each: Json) => each.id === id);
  const SETTINGS =
    '{"useWorkspaceSetting": false, "later": {"x": [1, "2"]}, "setting": {"summaryPrompt": "**Short**\\n", "mode": "refine", "maxLength": 300, "big": 4493041505002323001}, "identifier": "a"}';
  const TEMPLATE = JSON.stringify([
    {
      name: 'City',
      type: 1,
      limit: JSON.stringify(['Oslo', 'Bergen "north"']),
      value: 'Oslo',
      later: { x: 1 },
    },
    { name: 'Note', type: 0, limit: '', value: '' },
  ]);

  it('CHK-20: keeps the exact text of settings and metadata, with unknown members and nested JSON (WSP-6, WSP-10)', async () => {
    const id = await wire.createWorkspace('letters', { settings: SETTINGS });
    await wire.done(
      'POST',
      `${WORKSPACES}/update`,
      whole(id, { name: 'letters', metadataTemplate: TEMPLATE }),
    );
    expect(await record(id)).toMatchObject({ settings: SETTINGS, metadataTemplate: TEMPLATE });
    const fileId = await wire.add('letters', 'a.md', 'Oslo');
    const edit = { id: fileId, metadataTemplate: TEMPLATE };
    await wire.done('PUT', `${FILES}/metadataExpansionEdit`, edit);
    expect(sandbox.documents().find((document) => document.id === fileId)?.metadata).toBe(TEMPLATE);
  });

  it('has every documented member (WSP-5), and keeps members that an update leaves out (WSP-3)', async () => {
    const given = {
      notice: 'Hello',
      quota: 7,
      fileSize: 2,
      fileTypes: ['md'],
      operationKeys: ['read'],
      settings: SETTINGS,
    };
    const id = await wire.createWorkspace('member', given);
    await wire.upload('member', { name: 'a.md', text: 'x'.repeat(524_288) });
    const expected = {
      ...given,
      id,
      name: 'member',
      description: 'For a test',
      enable: true,
      workspaceTypeId: DOCUMENTS,
      workspaceTypeName: 'Documents',
      classificationId: COMPANY,
      metadataTemplate: '',
      quotaUsage: 0.5,
      fileCount: 1,
    };
    expect(await record(id)).toEqual(expected);
    for (const more of [{}, { quota: null, notice: null, settings: null }]) {
      await wire.done('POST', `${WORKSPACES}/update`, whole(id, { name: 'member', ...more }));
      expect(await record(id)).toEqual({ ...expected, description: 'Changed' });
    }
    await wire.done('POST', `${WORKSPACES}/update`, whole(id, { name: 'renamed', quota: 9, enable: false }));
    expect(await record(id)).toMatchObject({ name: 'renamed', quota: 9, enable: false });
    expect((await all()).map(nameOf)).not.toContain('renamed');
    expect(await wire.refused('POST', FILES, { workspace: 'member' })).toMatch(/unknown/);
    expect((await wire.whole('POST', FILES, { workspace: 'renamed' })).totalCount).toBe(1);
  });

  it.each([
    [{ id: '12' }, /12 is unknown/],
    [{ id: undefined }, /"id" is missing/],
    [{ id: ['x'] }, /id/],
    [{ name: 'handbook' }, /already/],
    [{ workspaceTypeName: '' }, /workspaceTypeName/],
    [{ workspaceTypeId: '12' }, /type 12/],
    [{ classificationId: undefined }, /classificationId/],
    [{ quota: '5' }, /quota/],
    [{ notice: 5 }, /notice/],
    [{ enable: 1 }, /enable/],
    [{ operationKeys: [1] }, /operationKeys/],
    [{ settings: '{"setting":{"mode":"other"}}' }, /mode/],
    [{ metadataTemplate: '{}' }, /metadataTemplate/],
    [{ metadataTemplate: [] }, /metadataTemplate/],
  ])('an update with %j is refused and changes nothing', async (wrong, message) => {
    const handbook = '4493041505002320002';
    const before = await record(handbook);
    const body = whole(handbook, { name: 'project', quota: 1, ...wrong });
    expect(await wire.refused('POST', `${WORKSPACES}/update`, body)).toMatch(message);
    expect(await record(handbook)).toEqual(before);
  });

  it('is changed by one of two concurrent updates, never partly by both', async () => {
    const id = await wire.createWorkspace('contested');
    const names = ['contested', 'taken'];
    await Promise.all(
      names.map((name) => wire.ask('POST', `${WORKSPACES}/update`, whole(id, { name, notice: name }))),
    );
    const { name, notice } = await record(id);
    expect(name).toBe(notice);
    const twins = await Promise.all(
      [1, 2].map(() => wire.ask('POST', `${WORKSPACES}/create`, { ...whole('x'), name: 'twin' })),
    );
    expect(twins.map(({ json }) => json.success).toSorted()).toEqual([false, true]);
  });
});

it('a restart keeps workspaces, types and pairs unchanged (FIX-5)', async () => {
  const data = temporaryFolder();
  const settings = { memory: false, data, options: { fileStateMs: 0 } };
  const first = await start(settings);
  const before = await openWire(first);
  const id = await before.createWorkspace('lasting', { quota: 3 });
  await before.done('DELETE', `${WORKSPACES}/delete`, ['4493041505002320002']);
  const pair = { workspace: 'lasting', questions: ['Where?'], answer: 'There.' };
  await before.done('POST', `${WORKSPACES}/qna/create`, pair);
  const type = {
    code: 'law',
    title: [{ languageCode: 'en-US', content: 'Law' }],
    icon: '',
    sort: 1,
    description: '',
  };
  await before.done('POST', TYPES, type);
  const look = async (wire: Wire) => [
    await wire.done('GET', `${WORKSPACES}/all`),
    await wire.done('GET', `${TYPES}/Dropdown`),
    (await wire.ask('GET', '/__inspect/pairs', undefined, {})).json,
    (await wire.ask('GET', '/__inspect/workspaces', undefined, {})).json,
  ];
  const left = await look(before);
  await first.close();
  await using second = await start(settings);
  const after = await openWire(second);
  expect(await look(after)).toEqual(left);
  expect((await after.createWorkspace('later')) > id).toBe(true);
});
