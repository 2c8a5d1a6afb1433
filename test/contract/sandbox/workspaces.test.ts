import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningSandbox } from '../../../src/sandbox/index.ts';
import { COMPANY, DOCUMENTS, FILES, openShelf, type Shelf, TYPES, WORKSPACES } from './shelves-wire.ts';
import { type Json, openToken, start } from './support.ts';

let sandbox: RunningSandbox;
let shelf: Shelf;
beforeAll(async () => {
  sandbox = await start({ options: { fileStateMs: 0 } });
  await sandbox.indexed;
  shelf = await openShelf(sandbox);
});
afterAll(() => sandbox.close());

const all = async (headers?: Record<string, string>): Promise<Json[]> =>
  (await shelf.ask('GET', `${WORKSPACES}/all`, undefined, headers)).json.data.flatMap(
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
    const { text, json } = await shelf.ask('GET', `${WORKSPACES}/all`);
    expect(text).toContain(`"id":${COMPANY},`);
    expect(json.data.map(nameOf)).toEqual(['Company', 'Own folders']);
    expect((await all()).map(nameOf)).toEqual(expect.arrayContaining(['handbook', 'project', 'folder']));
    const memberTwo = await openToken(sandbox, 'member-two');
    expect((await all(memberTwo)).map(nameOf)).toEqual(['project', 'folder']);
  });

  it('are created, changed with null keeping the quota, and deleted (WSP-2 to WSP-4)', async () => {
    const id = await shelf.createWorkspace('made', { quota: 5, notice: 'Hello' });
    expect(id).toMatch(/^\d{19}$/);
    expect(await all()).toContainEqual(expect.objectContaining({ id, name: 'made', fileCount: 0 }));
    await shelf.done('POST', `${WORKSPACES}/update`, whole(id, { quota: null }));
    expect((await all()).map(nameOf)).toContain('changed');
    const large = { name: 'six.md', text: 'x'.repeat(5 * 1_048_576 + 1) };
    expect((await shelf.upload('changed', large)).msg).toMatch(/quota/);
    await shelf.upload('changed', { name: 'in.md', text: 'Velociraptors live here.' });
    await shelf.done('DELETE', `${WORKSPACES}/delete`, `[${id}]`);
    expect((await all()).map(nameOf)).not.toContain('changed');
    expect(await shelf.refused('POST', FILES, { workspace: 'changed' })).toMatch(/unknown/);
    const found = await shelf.done('POST', '/v1/openapi/rag', {
      query: 'velociraptors',
      ragObject: 0,
      topk: 5,
      ragMode: 3,
    });
    expect(found.data.items).toEqual([]);
  });

  it('CHK-21: are deleted by ids in the body, repeated in the query, or with commas; the body wins', async () => {
    const ids = await Promise.all(['d1', 'd2', 'd3', 'd4', 'd5'].map((name) => shelf.createWorkspace(name)));
    const [one, two, three, four, five] = ids;
    await shelf.done('DELETE', `${WORKSPACES}/delete?ids=${two}`, `[${one}]`);
    expect((await all()).map(nameOf)).toContain('d2');
    await shelf.done('DELETE', `${WORKSPACES}/delete?ids=${two}&ids=${three}`);
    await shelf.done('DELETE', `${WORKSPACES}/delete?ids=${four},${five}`);
    expect((await all()).map(nameOf).filter((name) => /^d\d$/.test(name))).toEqual([]);
    expect(await shelf.refused('DELETE', `${WORKSPACES}/delete`)).toMatch(/ids/);
    expect(await shelf.refused('DELETE', `${WORKSPACES}/delete`, ['handbook'])).toMatch(/no id/);
    expect(await shelf.refused('DELETE', `${WORKSPACES}/delete`, { ids: [one] })).toMatch(/array/);
  });

  it('keeps all when one of several ids is unknown', async () => {
    const id = await shelf.createWorkspace('stays');
    expect(await shelf.refused('DELETE', `${WORKSPACES}/delete`, [id, '12'])).toMatch(/12 is unknown/);
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
  ])('%j is refused and makes nothing', async (wrong, message) => {
    const body = {
      name: 'wrong',
      workspaceTypeId: DOCUMENTS,
      classificationId: COMPANY,
      description: 'x',
      ...wrong,
    };
    expect(await shelf.refused('POST', `${WORKSPACES}/create`, body)).toMatch(message);
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
      expect(await shelf.refused(method, path, {}, member)).toMatch(/permission/);
    }
  });
});

describe('settings decide how files are cut (WSP-6 to WSP-9, CHK-20)', () => {
  const LONG = `# Long\n\n${Array.from({ length: 60 }, (_, nth) => `Sentence number ${nth} tells something.`).join(' ')}\n`;
  const chunksOf = async (name: string, settings: object): Promise<string[]> => {
    await shelf.createWorkspace(name, { settings: JSON.stringify(settings) });
    const { data } = await shelf.upload(name, { name: 'long.md', text: LONG });
    await shelf.settled(name, data.fileId);
    const chunks = await shelf.done('POST', `${FILES}/chunk`, { fileId: data.fileId, pageSize: 1000 });
    return chunks.data.map((chunk: Json) => chunk.content);
  };

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

  it('not at all where the workspace is followed, and not for retrieval where preparing is off', async () => {
    const followed = { useWorkspaceSetting: true, setting: { maxLength: 50 } };
    expect((await chunksOf('followed', followed))[0]?.length).toBeGreaterThan(500);
    expect(await chunksOf('off', { setting: { enable: false } })).toEqual([]);
  });
});

describe('workspace types (WST-1 to WST-6)', () => {
  const record = (code: string, more: Record<string, unknown> = {}) => ({
    code,
    title: [{ languageCode: 'en-US', content: `Type ${code}` }],
    icon: '',
    sort: 2,
    description: '',
    ...more,
  });
  const idOf = async (label: string): Promise<string> => {
    const { data } = await shelf.done('GET', `${TYPES}/Dropdown`);
    return data.find((each: Json) => each.label === label)?.value;
  };

  it('are created, read, changed, switched and deleted', async () => {
    expect((await shelf.done('POST', TYPES, record('law'))).data).toBeNull();
    const id = await idOf('Type law');
    expect((await shelf.done('GET', `${TYPES}?id=${id}`)).data).toEqual({ id, ...record('law') });
    await shelf.done('PUT', TYPES, { id, ...record('law', { description: 'Changed' }) });
    expect((await shelf.done('GET', `${TYPES}?id=${id}`)).data.description).toBe('Changed');
    await shelf.done('PUT', `${TYPES}/Enable`, { ids: [id], enable: false });
    expect(await idOf('Type law')).toBeUndefined();
    await shelf.done('PUT', `${TYPES}/Enable`, `{"id": ${id}, "enable": true}`);
    expect(await idOf('Type law')).toBe(id);
    expect((await shelf.ask('PUT', `${TYPES}/enable`, { ids: [id], enable: true })).status).toBe(404);
    await shelf.done('DELETE', TYPES, [id]);
    expect(await idOf('Type law')).toBeUndefined();
  });

  it('in use are not deleted, with none of the others', async () => {
    await shelf.done('POST', TYPES, record('spare'));
    const spare = await idOf('Type spare');
    expect(await shelf.refused('DELETE', TYPES, [spare, DOCUMENTS])).toMatch(/in use/);
    expect(await idOf('Type spare')).toBe(spare);
  });

  it.each([
    [{ code: '' }, /code/],
    [{ code: 'documents' }, /already/],
    [{ title: 'Law' }, /title/],
    [{ title: [] }, /title/],
    [{ title: [{ languageCode: 'en-US' }] }, /title/],
    [{ icon: undefined }, /icon/],
    [{ sort: '2' }, /sort/],
    [{ description: undefined }, /description/],
  ])('%j is refused', async (wrong, message) => {
    expect(await shelf.refused('POST', TYPES, { ...record('wrong'), ...wrong })).toMatch(message);
  });
});

describe('question-answer pairs (QNA-1, QNA-2)', () => {
  const CREATE = `${WORKSPACES}/qna/create`;
  it('are stored, and listed by the inspection route only', async () => {
    const pair = {
      workspace: 'handbook',
      questions: ['Where is the key?', 'Key?'],
      answer: 'Under the mat.',
      metadatas: [{ typeCode: 'floor', content: '2' }],
    };
    expect((await shelf.done('POST', CREATE, pair)).data).toBeNull();
    const listed = await shelf.ask('GET', '/__inspect/pairs', undefined, {});
    expect(listed.json).toEqual([
      expect.objectContaining({ questions: pair.questions, answer: pair.answer, createdBy: 'admin' }),
    ]);
  });

  it.each([
    [{ workspace: 'nowhere' }, /nowhere/],
    [{ questions: [] }, /questions/],
    [{ questions: ['', ' '] }, /questions/],
    [{ questions: 'Where?' }, /questions/],
    [{ answer: '' }, /answer/],
    [{ metadatas: [{ typeCode: 'x' }] }, /metadatas/],
    [{ metadatas: {} }, /metadatas/],
  ])('%j is refused', async (wrong, message) => {
    const body = { workspace: 'handbook', questions: ['Where?'], answer: 'There.', ...wrong };
    expect(await shelf.refused('POST', CREATE, body)).toMatch(message);
  });
});
