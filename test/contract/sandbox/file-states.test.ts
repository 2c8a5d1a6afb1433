import { describe, expect, it } from 'vitest';
import { type Json, openToken, shared, start, temporaryFolder } from './support.ts';
import { FILES, formOf, heldClock, openWire, WORKSPACES } from './wire.ts';

const STATE_MS = 1000;
const MOON = 'The moon base has seventeen airlocks.';

describe('the states of a file follow the clock (STA-2, FIL-12, FIX-4)', async () => {
  const clock = heldClock();
  const sandbox = await shared({ clock, options: { fileStateMs: STATE_MS } });
  const wire = await openWire(sandbox, clock.now());

  const stateOf = async (fileId: string): Promise<string> => {
    const data = await wire.done('POST', FILES, { workspace: 'folder', pageSize: 1000 });
    return data.find((item: Json) => item.id === fileId)?.chunkingState;
  };
  const upload = async (name: string, text: string, fields = {}): Promise<string> =>
    (await wire.upload('folder', { name, text }, fields)).data.fileId;

  it('are waiting, underway and success, and the file is found only in success', async () => {
    const id = await upload('moon.md', MOON);
    expect(await stateOf(id)).toBe('waiting');
    clock.advance(STATE_MS - 1);
    expect(await stateOf(id)).toBe('waiting');
    clock.advance(1);
    expect(await stateOf(id)).toBe('underway');
    expect(await wire.chunks(id)).toEqual([]);
    clock.advance(STATE_MS);
    expect(await wire.settled('folder', id)).toMatchObject({ chunkingState: 'success' });
    expect(await wire.chunks(id)).toEqual([MOON]);
  });

  it('files wait in parallel', async () => {
    const form = formOf(
      { workspace: 'folder' },
      Array.from({ length: 12 }, (_, nth) => ['files', { name: `crowd-${nth}.md`, text: MOON }] as const),
    );
    const admin = await openToken(sandbox, 'admin', clock.now());
    const sent = await wire.send(`${FILES}/upload/batchSubmit`, form, admin);
    clock.advance(STATE_MS);
    const look = async (): Promise<Json[]> =>
      await wire.done('GET', `${FILES}/upload/batchSubmit/${sent.json.data.stateId}`);
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
    await wire.remove(id);
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
    expect(await wire.chunks(id)).toEqual(['The second version.']);
    expect((await wire.search('zanzibar')).map((item: Json) => item.fileId)).toEqual([id]);
  });
});

it('a file that was unread when the sandbox stopped is read after the restart (FIX-5)', async () => {
  const data = temporaryFolder();
  const clock = heldClock();
  const settings = { memory: false, data, clock, options: { fileStateMs: STATE_MS } };
  const first = await start(settings);
  const before = await openWire(first, clock.now());
  const { data: kept } = await before.upload('folder', { name: 'moon.md', text: MOON });
  clock.advance(STATE_MS);
  const [item] = await before.done('POST', FILES, { workspace: 'folder' });
  expect(item).toMatchObject({ id: kept.fileId, chunkingState: 'underway' });
  await first.close();
  await using second = await start({ ...settings, options: { fileStateMs: 0 } });
  const after = await openWire(second, clock.now());
  expect(await after.settled('folder', kept.fileId)).toMatchObject({ chunkingState: 'success' });
});

it('requests are answered while a file takes long to read (LOC-2, attack S22)', async () => {
  await using sandbox = await start({ options: { fileStateMs: 0 } });
  const wire = await openWire(sandbox);
  const { data } = await wire.upload('folder', { name: 'brackets.md', text: '['.repeat(300_000) });
  const stateNow = async (): Promise<string> =>
    (await wire.done('POST', FILES, { workspace: 'folder' }))[0].chunkingState;
  await expect.poll(stateNow, { interval: 5 }).toBe('underway');
  for (let times = 0; times < 20; times += 1) await wire.done('GET', `${WORKSPACES}/all`);
  expect(await stateNow()).toBe('underway');
  await wire.remove(data.fileId);
});

it('the text of a version that was overwritten during the reading is not stored', async () => {
  await using sandbox = await start({ options: { fileStateMs: 0 } });
  const wire = await openWire(sandbox);
  const { data } = await wire.upload('folder', { name: 'twice.md', text: `First ${'['.repeat(40_000)}` });
  const second = { name: 'twice.md', text: 'The second version.' };
  const over = await wire.upload('folder', second, { eponymousCover: 'true' });
  expect(over.data.fileId).toBe(data.fileId);
  await wire.settled('folder', data.fileId);
  expect(await wire.chunks(data.fileId)).toEqual([second.text]);
});

it('a long file is written in portions, completely and in order, and stays deleted if it is deleted in between', async () => {
  await using sandbox = await start({ options: { fileStateMs: 0 } });
  const wire = await openWire(sandbox);
  const text = Array.from({ length: 2_000 }, (_, nth) => `## Part ${nth}\n\nIt tells of quokka ${nth}.`).join(
    '\n\n',
  );
  const fileId = await wire.add('folder', 'long.md', text);
  const chunks = [1, 2, 3].map((pageIndex) => wire.chunks(fileId, { pageIndex }));
  expect((await Promise.all(chunks)).flat()).toEqual(
    Array.from({ length: 2_000 }, (_, nth) => `It tells of quokka ${nth}.`),
  );
  const again = await wire.upload('folder', { name: 'again.md', text: text.replaceAll('quokka', 'wombat') });
  await expect.poll(() => wire.search('wombat'), { interval: 1 }).not.toEqual([]);
  await wire.remove(again.data.fileId);
  await wire.add('folder', 'after.md', MOON);
  expect(await wire.search('wombat')).toEqual([]);
  expect(await wire.search('quokka')).not.toEqual([]);
});
