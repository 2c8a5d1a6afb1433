import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readDataKey, readLinkKey } from '../../../src/web/link-key.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-key-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a key of the data folder', () => {
  test('is made once, of 32 random bytes, for the bridge alone to read', async () => {
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
      message: `${file} does not hold a key. Delete it: links that were given out end, nothing else.`,
    });
    expect((await stat(file)).size).toBe(bytes);
  });

  test('that cannot be written is told with its cause', async () => {
    const nowhere = join(folder, 'nowhere');
    await expect(readLinkKey(nowhere)).rejects.toMatchObject({
      code: 'data-not-writable',
      message: `Cannot write ${join(nowhere, 'link.key')}. Give the process the right to write there, or set PARLEY_DATA.`,
      cause: { code: 'ENOENT' },
    });
  });
});
