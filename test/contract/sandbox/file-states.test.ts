import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningSandbox } from '../../../sandbox/index.ts';
import { type Json, openToken, start } from './support.ts';
import { FILES, formOf, heldClock, openWire, sendForm, type Wire, WORKSPACES } from './workspaces-wire.ts';

const STATE_MS = 1000;
const MOON = 'The moon base has seventeen airlocks.';

describe('the states of a file follow the clock (STA-2, FIL-12, FIX-4)', () => {
  const clock = heldClock();
  let sandbox: RunningSandbox;
  let wire: Wire;
  beforeAll(async () => {
    sandbox = await start({ clock, options: { fileStateMs: STATE_MS } });
    await sandbox.indexed;
    wire = await openWire(sandbox, clock.now());
  });
  afterAll(() => sandbox.close());

  const stateOf = async (fileId: string): Promise<string> => {
    const { data } = await wire.done('POST', FILES, { workspace: 'folder', pageSize: 1000 });
    return data.find((item: Json) => item.id === fileId)?.chunkingState;
  };
  const upload = async (name: string, text: string, fields = {}): Promise<string> =>
    (await wire.upload('folder', { name, text }, fields)).data.fileId;
  const chunksOf = async (fileId: string): Promise<string[]> =>
    (await wire.done('POST', `${FILES}/chunk`, { fileId })).data.map((chunk: Json) => chunk.content);

  it('are waiting, underway and success, and the file is found only in success', async () => {
    const id = await upload('moon.md', MOON);
    expect(await stateOf(id)).toBe('waiting');
    clock.advance(STATE_MS - 1);
    expect(await stateOf(id)).toBe('waiting');
    clock.advance(1);
    expect(await stateOf(id)).toBe('underway');
    expect(await chunksOf(id)).toEqual([]);
    clock.advance(STATE_MS);
    expect(await wire.settled('folder', id)).toMatchObject({ chunkingState: 'success' });
    expect(await chunksOf(id)).toEqual([MOON]);
  });

  it('files wait in parallel', async () => {
    const form = formOf(
      { workspace: 'folder' },
      Array.from({ length: 12 }, (_, nth) => ['files', { name: `crowd-${nth}.md`, text: MOON }] as const),
    );
    const admin = await openToken(sandbox, 'admin', clock.now());
    const sent = await sendForm(sandbox, `${FILES}/upload/batchSubmit`, form, admin);
    clock.advance(STATE_MS);
    const look = async (): Promise<Json[]> =>
      (await wire.done('GET', `${FILES}/upload/batchSubmit/${sent.json.data.stateId}`)).data;
    for (const { fileId, state } of await look()) {
      expect(state).toBe('underway');
      expect(await stateOf(fileId)).toBe('underway');
    }
    clock.advance(STATE_MS);
    for (const { fileId } of await look()) await wire.settled('folder', fileId);
    expect((await look()).map(({ state }) => state)).toEqual(Array(12).fill('success'));
  });

  it('a file that is deleted underway stays deleted', async () => {
    const id = await upload('gone.md', MOON);
    clock.advance(STATE_MS);
    await wire.done('DELETE', `${FILES}/deleteFilePhysically?id=${id}`);
    clock.advance(STATE_MS);
    const later = await upload('later.md', MOON);
    clock.advance(STATE_MS);
    expect(await stateOf(later)).toBe('underway');
    clock.advance(STATE_MS);
    await wire.settled('folder', later);
    expect(await stateOf(id)).toBeUndefined();
  });

  it('a file that is overwritten underway becomes its last version, and metadata edited underway stays', async () => {
    const id = await upload('twice.md', 'The first version.');
    clock.advance(STATE_MS);
    expect(await stateOf(id)).toBe('underway');
    expect(await upload('twice.md', 'The second version.', { eponymousCover: 'true' })).toBe(id);
    expect(await stateOf(id)).toBe('waiting');
    clock.advance(STATE_MS);
    const metadataTemplate = JSON.stringify([{ name: 'City', type: 0, value: 'Zanzibar' }]);
    await wire.done('PUT', `${FILES}/metadataExpansionEdit`, { id, metadataTemplate });
    clock.advance(STATE_MS);
    await wire.settled('folder', id);
    expect(await chunksOf(id)).toEqual(['The second version.']);
    const found = await wire.done('POST', '/v1/openapi/rag', {
      query: 'zanzibar',
      ragObject: 0,
      topk: 5,
      ragMode: 3,
    });
    expect(found.data.results.map((item: Json) => item.fileId)).toEqual([id]);
  });
});

it('a file that was unread when the sandbox stopped is read after the restart (FIX-5)', async () => {
  const data = mkdtempSync(join(tmpdir(), 'parley-states-'));
  const clock = heldClock();
  const settings = { memory: false, data, clock, options: { fileStateMs: STATE_MS } };
  const first = await start(settings);
  const before = await openWire(first, clock.now());
  const { data: kept } = await before.upload('folder', { name: 'moon.md', text: MOON });
  clock.advance(STATE_MS);
  const [item] = (await before.done('POST', FILES, { workspace: 'folder' })).data;
  expect(item).toMatchObject({ id: kept.fileId, chunkingState: 'underway' });
  await first.close();
  const second = await start({ ...settings, options: { fileStateMs: 0 } });
  const after = await openWire(second, clock.now());
  expect(await after.settled('folder', kept.fileId)).toMatchObject({ chunkingState: 'success' });
  await second.close();
  rmSync(data, { recursive: true });
});

it('requests are answered while a file takes long to read (LOC-2, attack S22)', async () => {
  const sandbox = await start({ options: { fileStateMs: 0 } });
  const wire = await openWire(sandbox);
  const { data } = await wire.upload('folder', { name: 'brackets.md', text: '['.repeat(300_000) });
  const stateNow = async (): Promise<string> =>
    (await wire.done('POST', FILES, { workspace: 'folder' })).data[0].chunkingState;
  await expect.poll(stateNow, { interval: 5 }).toBe('underway');
  for (let times = 0; times < 20; times += 1) await wire.done('GET', `${WORKSPACES}/all`);
  expect(await stateNow()).toBe('underway');
  await wire.done('DELETE', `${FILES}/deleteFilePhysically?id=${data.fileId}`);
  await sandbox.close();
});

it('the text of a version that was overwritten during the reading is not stored', async () => {
  const sandbox = await start({ options: { fileStateMs: 0 } });
  const wire = await openWire(sandbox);
  const { data } = await wire.upload('folder', { name: 'twice.md', text: `First ${'['.repeat(40_000)}` });
  const second = { name: 'twice.md', text: 'The second version.' };
  const over = await wire.upload('folder', second, { eponymousCover: 'true' });
  expect(over.data.fileId).toBe(data.fileId);
  await wire.settled('folder', data.fileId);
  const chunks = await wire.done('POST', `${FILES}/chunk`, { fileId: data.fileId });
  expect(chunks.data.map(({ content }: Json) => content)).toEqual([second.text]);
  await sandbox.close();
});

it('a long file is written in portions, completely and in order, and stays deleted if it is deleted in between', async () => {
  const sandbox = await start({ options: { fileStateMs: 0 } });
  const wire = await openWire(sandbox);
  const text = Array.from({ length: 2_000 }, (_, nth) => `## Part ${nth}\n\nIt tells of quokka ${nth}.`).join(
    '\n\n',
  );
  const { data } = await wire.upload('folder', { name: 'long.md', text });
  await wire.settled('folder', data.fileId);
  const chunks: string[] = [];
  for (const pageIndex of [1, 2, 3]) {
    const page = await wire.done('POST', `${FILES}/chunk`, {
      fileId: data.fileId,
      pageIndex,
      pageSize: 1000,
    });
    expect(page.totalCount).toBe(2_000);
    chunks.push(...page.data.map(({ content }: Json) => content));
  }
  expect(chunks).toEqual(Array.from({ length: 2_000 }, (_, nth) => `It tells of quokka ${nth}.`));
  const again = await wire.upload('folder', { name: 'again.md', text: text.replaceAll('quokka', 'wombat') });
  const find = async (query: string): Promise<Json[]> =>
    (await wire.done('POST', '/v1/openapi/rag', { query, ragObject: 0, topk: 5, ragMode: 3 })).data.results;
  await expect.poll(() => find('wombat'), { interval: 1 }).not.toEqual([]);
  await wire.done('DELETE', `${FILES}/deleteFilePhysically?id=${again.data.fileId}`);
  const after = await wire.upload('folder', { name: 'after.md', text: MOON });
  await wire.settled('folder', after.data.fileId);
  expect(await find('wombat')).toEqual([]);
  expect(await find('quokka')).not.toEqual([]);
  await sandbox.close();
});
