import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readDataKey, readLinkKey } from '../../../src/web/link-key.ts';

const MODULE = new URL('../../../src/web/link-key.ts', import.meta.url).href;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-key-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a key of the data folder', () => {
  test('is created once, from 32 random bytes, readable by its owner only', async () => {
    const key = await readDataKey(folder, 'state.key', 'all of it is lost');
    expect(key.byteLength).toBe(32);
    expect(await readDataKey(folder, 'state.key', 'all of it is lost')).toEqual(key);
    expect(await readDataKey(folder, 'other.key', 'all of it is lost')).not.toEqual(key);
    expect((await stat(join(folder, 'state.key'))).mode & 0o777).toBe(0o600);
  });

  test.each([0, 31, 33])('of %i bytes is damaged, and stays as it is', async (bytes) => {
    const file = join(folder, 'link.key');
    await writeFile(file, 'x'.repeat(bytes));
    await expect(readLinkKey(folder)).rejects.toMatchObject({
      code: 'data-corrupt',
      message: `${file} does not contain a valid key. Delete the file, and the bridge makes a new key. Links that were already given out then stop working.`,
    });
    expect((await stat(file)).size).toBe(bytes);
  });

  test('that cannot be written is reported with its cause', async () => {
    const nowhere = join(folder, 'nowhere');
    await expect(readLinkKey(nowhere)).rejects.toMatchObject({
      code: 'data-not-writable',
      message: `Cannot write ${join(nowhere, 'link.key')}. Allow this user to write there, or set PARLEY_DATA to another folder.`,
      cause: { code: 'ENOENT' },
    });
  });

  test('that cannot be read is reported and not replaced', async () => {
    const file = join(folder, 'link.key');
    await mkdir(file);
    await expect(readLinkKey(folder)).rejects.toMatchObject({
      code: 'data-not-writable',
      message: `Cannot read ${file}. Allow this user to read there, or set PARLEY_DATA to another folder.`,
      cause: { code: 'EISDIR' },
    });
    expect(await readdir(folder)).toEqual(['link.key']);
  });

  test('that a full disk refuses leaves no file, so that the next start creates it', async () => {
    const key = join(folder, 'state.key');
    const code = `import { readDataKey } from ${JSON.stringify(MODULE)};
      await readDataKey(${JSON.stringify(folder)}, 'state.key', 'all of it is lost').catch(() => process.exit(73));`;
    // Limits files to zero bytes, as on a full disk: the file can be created, but not written.
    const args = ['-c', 'ulimit -f 0; exec "$0" --input-type=module -e "$1"', process.execPath, code];
    await expect(promisify(execFile)('sh', args)).rejects.toMatchObject({ code: 73 });
    expect(await readdir(folder)).toEqual([]);
    expect((await readDataKey(folder, 'state.key', 'all of it is lost')).byteLength).toBe(32);
    expect((await stat(key)).size).toBe(32);
  });

  test.skipIf(!existsSync('/dev/full'))(
    'that does not fit on the disk is reported as a full disk',
    async () => {
      await symlink('/dev/full', join(folder, 'state.key.new'));
      await expect(readDataKey(folder, 'state.key', 'all of it is lost')).rejects.toMatchObject({
        code: 'data-not-writable',
        message: `Cannot write ${join(folder, 'state.key')}. The disk is full. Free some space, then start again.`,
      });
      expect(await readdir(folder)).toEqual([]);
    },
  );

  test('replaces a partial key that a crash left', async () => {
    await writeFile(join(folder, 'state.key.new'), 'x'.repeat(7));
    expect((await readDataKey(folder, 'state.key', 'all of it is lost')).byteLength).toBe(32);
    expect(await readdir(folder)).toEqual(['state.key']);
  });
});
