import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { call, type Json, shared, temporaryFolder } from './support.ts';
import { COMPANY, DOCUMENTS, FILES, FOLDER, openWire, WORKSPACES } from './wire.ts';

const LONG = `# Long\n\n${Array.from({ length: 200 }, (_, nth) => `| ${nth} | The square is ${nth * nth} |`).join('\n')}\n\n${'word '.repeat(1000)}\n`;

describe('the files of a folder are files of their workspace', async () => {
  const folder = temporaryFolder(afterAll);
  writeFileSync(join(folder, 'long.md'), LONG);
  const sandbox = await shared({ knowledge: [folder], options: { fileStateMs: 0 } });
  const wire = await openWire(sandbox);

  const files = async (): Promise<Json[]> => await wire.done('POST', FILES, { workspace: FOLDER });
  const lengths = async (): Promise<number[]> => {
    const [{ id: fileId }] = await files();
    const data = await wire.done('POST', `${FILES}/chunk`, { fileId, pageSize: 1000 });
    return data.map(({ content }: Json) => content.length);
  };
  const reindex = () => call(`${sandbox.url}/__sandbox/reindex`, { method: 'POST' });
  const update = (settings: object) =>
    wire.whole('POST', `${WORKSPACES}/update`, {
      id: FOLDER,
      name: 'folder',
      description: 'Cut otherwise',
      workspaceTypeId: DOCUMENTS,
      workspaceTypeName: 'Documents',
      classificationId: COMPANY,
      settings: JSON.stringify(settings),
    });

  it('they are listed and cut like uploads (FIL-6, FIL-7, LIM-8)', async () => {
    expect(await files()).toEqual([
      expect.objectContaining({ name: 'long.md', fullPath: '/long.md', chunkingState: 'success' }),
    ]);
    expect(Math.max(...(await lengths()))).toBeLessThanOrEqual(1024);
  });

  it('uploads do not overwrite them, because that would not change the file on the disk', async () => {
    const over = await wire.upload('folder', { name: 'long.md', text: 'Short.' }, { eponymousCover: 'true' });
    expect(over.msg).toBe(
      'The file long.md is read from a folder of this computer and cannot be overwritten.',
    );
    const beside = await wire.upload('folder', { name: 'long.md', text: 'Short.' });
    expect(beside.data.fileName).toBe('long (1).md');
    await wire.settled('folder', beside.data.fileId);
    await reindex();
    expect((await files()).map(({ name }) => name)).toEqual(['long (1).md', 'long.md']);
    await wire.remove(beside.data.fileId);
  });

  it("they are cut again after a change of the workspace's settings (WSP-7, WSP-9)", async () => {
    await update({ setting: { maxLength: 200, overlap: 20 } });
    await reindex();
    expect(Math.max(...(await lengths()))).toBeLessThanOrEqual(200);
    await update({ setting: { enable: false } });
    await reindex();
    expect(await lengths()).toEqual([]);
    await update({ useWorkspaceSetting: true, setting: { maxLength: 200 } });
    await reindex();
    expect(Math.max(...(await lengths()))).toBeGreaterThan(500);
  });

  it('they do not return to a deleted workspace when the folder is read again', async () => {
    const before = sandbox.documents().length;
    await wire.done('DELETE', `${WORKSPACES}/delete`, [FOLDER]);
    expect(sandbox.documents().length).toBe(before - 1);
    await reindex();
    expect(sandbox.documents().length).toBe(before - 1);
  });
});
