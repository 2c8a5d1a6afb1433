import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteChat } from '../../../adapters/console/chat/sqlite.ts';

const PAGE_BYTES = 4_096;

/**
 * Tests a damaged or locked file of the console. The tests for parley.sqlite are in test/unit/store/database.test.ts.
 */
describe('the console’s file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-console-'));
    file = join(folder, 'console.sqlite');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is reported as damaged if one of its pages is, and is not changed', async () => {
    const made = new SqliteChat(file);
    await made.purge();
    await made.close();
    const damaged = await open(file, 'r+');
    await damaged.write(Buffer.alloc(PAGE_BYTES, 0x5a), 0, PAGE_BYTES, PAGE_BYTES * 2);
    await damaged.close();
    const before = await readFile(file);
    expect(() => new SqliteChat(file)).toThrow(expect.objectContaining({ code: 'data-corrupt' }));
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  it('is reported as damaged if it is not a database', async () => {
    await writeFile(file, 'not a database at all, '.repeat(100));
    expect(() => new SqliteChat(file)).toThrow(
      expect.objectContaining({ code: 'data-corrupt', message: expect.stringContaining(file) }),
    );
  });

  it('is reported as not writable', async () => {
    const nowhere = join(folder, 'missing', 'console.sqlite');
    expect(() => new SqliteChat(nowhere)).toThrow(
      expect.objectContaining({ code: 'data-not-writable', message: expect.stringContaining(nowhere) }),
    );
  });

  it('is reported as in use while another process holds its lock', () => {
    const other = new DatabaseSync(file);
    other.exec('BEGIN EXCLUSIVE');
    expect(() => new SqliteChat(file)).toThrow(expect.objectContaining({ code: 'data-in-use' }));
    other.close();
  });

  it('refuses writes and the probe while another process has locked it', async () => {
    const store = new SqliteChat(file);
    const other = new DatabaseSync(file);
    await store.probe();
    other.exec('BEGIN IMMEDIATE');
    const refusal = expect.objectContaining({ code: 'store-unavailable' });
    await expect(store.rows.settleDue('1')).rejects.toThrow(refusal);
    await expect(store.probe()).rejects.toThrow(refusal);
    other.exec('ROLLBACK');
    await store.probe();
    other.close();
    await store.close();
  });
});
