import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import { openStore } from '../../../src/store/index.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { newTurn } from '../../contract/turn-makers.ts';

async function copyOf(file: string): Promise<string> {
  await copyFile(file, `${file}.copy`);
  return `${file}.copy`;
}

const WRITER = new URL('./writer-process.ts', import.meta.url).pathname;

describe('the store file', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-store-'));
    file = join(folder, 'data', 'parley.db');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const openStoreHere = () => openStore({ file, clock: manualClock(), log: recordingLog() });

  it('is created with its folder, for its owner alone, and reopens unchanged', async () => {
    const store = await openStoreHere();
    await store.inbox.add(newTurn('1'));
    await store.keyed('k').set('a', 1, 60_000, 'nobody');
    await store.close();
    await store.close();
    expect((await stat(file)).mode & 0o077).toBe(0);
    const again = await openStoreHere();
    expect(await again.inbox.find(turnId('1'))).toBeDefined();
    expect(await again.keyed('k').get('a')).toBe(1);
    await again.close();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['deleted', () => rm(file)],
    ['replaced', async () => rename(await copyOf(file), file)],
  ])('accepts no write and is not ready once its file was %s', async (_, damage) => {
    const store = await openStoreHere();
    await store.inbox.add(newTurn('1'));
    await damage();
    const refusal = { code: 'store-unavailable', message: expect.stringContaining('restart the bridge') };
    await expect(store.inbox.add(newTurn('2'))).rejects.toMatchObject(refusal);
    await expect(store.probe()).rejects.toMatchObject(refusal);
    await store.close();
  });

  it('contains every queued write after it was closed, however many', async () => {
    const store = await openStoreHere();
    const ids = Array.from({ length: 1_200 }, (_, n) => `${n}`);
    const added = ids.map((id) => store.inbox.add(newTurn(id, `lane ${id}`)));
    await store.close();
    expect(new Set((await Promise.all(added)).map(({ kind }) => kind))).toEqual(new Set(['added']));
    const again = await openStoreHere();
    expect(await again.inbox.counts()).toEqual({ waiting: 1_200, running: 0 });
    await expect(store.inbox.add(newTurn('late'))).rejects.toMatchObject({ code: 'store-unavailable' });
    await again.close();
  });

  it('flushes every commit to the disk through a write-ahead log', () => {
    const { database, close } = openDatabase(file);
    expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
    close();
  });

  it('checks references between rows, limits its log, and waits for no lock', () => {
    const { database, close } = openDatabase(file);
    const settingOf = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
    expect(['foreign_keys', 'journal_size_limit', 'busy_timeout'].map(settingOf)).toEqual([
      1,
      16 * 1024 * 1024,
      0,
    ]);
    close();
  });

  it('becomes private if others could read it', async () => {
    openDatabase(file).close();
    await chmod(file, 0o644);
    openDatabase(file).close();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('is not held open if it could not be opened', async () => {
    openDatabase(file).close();
    await writeFile(file, 'not a database at all, '.repeat(100));
    expect(() => openDatabase(file)).toThrow();
    const links = (await readdir('/proc/self/fd')).map((each) =>
      readlink(`/proc/self/fd/${each}`).catch(() => ''),
    );
    expect((await Promise.all(links)).filter((link) => link.startsWith(file))).toEqual([]);
  });

  it('in memory creates no file, and is lost when it is closed', () => {
    const { database, close } = openDatabase(':memory:');
    expect(existsSync(':memory:.lock')).toBe(false);
    expect(database.isOpen).toBe(true);
    close();
    expect(database.isOpen).toBe(false);
  });

  it('is refused to a second opener, in this process and in another, and free again afterwards', async () => {
    const store = await openStoreHere();
    await expect(openStoreHere()).rejects.toMatchObject({ code: 'data-in-use' });
    const other = await runWriter(file, '0');
    expect(other).toContain('data-in-use');
    await store.close();
    await (await openStoreHere()).close();
  });

  it('is refused to a second opener even if the side file of the lock was deleted', async () => {
    const store = await openStoreHere();
    await rm(`${file}.lock`);
    await expect(openStoreHere()).rejects.toMatchObject({ code: 'data-in-use' });
    expect(await runWriter(file, '0')).toContain('data-in-use');
    await rm(`${file}.lock`);
    expect(await runWriter(file, '0')).toContain('data-in-use');
    expect(await store.inbox.add(newTurn('1'))).toMatchObject({ kind: 'added' });
    await store.close();
  });

  it('opens after the side file of the lock was deleted while no process ran', async () => {
    expect(await runWriter(file, '1')).toContain('kept 0');
    await rm(`${file}.lock`);
    await (await openStoreHere()).close();
  });

  it('opens beside a reader, such as a backup', async () => {
    await (await openStoreHere()).close();
    const reader = new DatabaseSync(file, { readOnly: true });
    reader.prepare('SELECT count(*) FROM turns').get();
    await (await openStoreHere()).close();
    reader.close();
  });

  it('has only files that others cannot read', async () => {
    const store = await openStoreHere();
    await store.inbox.add(newTurn('1'));
    const names = await readdir(join(folder, 'data'));
    expect(names).toContain('parley.db.lock');
    for (const name of names) expect((await stat(join(folder, 'data', name))).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('is reported as corrupt if it is no database, or if its pages are damaged', async () => {
    const { close } = openDatabase(file);
    close();
    const damaged = await open(file, 'r+');
    await damaged.write(Buffer.alloc(4_096, 0x5a), 0, 4_096, 4_096 * 2);
    await damaged.close();
    await expect(openStoreHere()).rejects.toMatchObject({ code: 'data-corrupt' });
    await writeFile(file, 'not a database at all, '.repeat(100));
    await expect(openStoreHere()).rejects.toMatchObject({
      code: 'data-corrupt',
      message: expect.stringContaining(file),
    });
    expect(await readFile(file, 'utf8')).toContain('not a database at all');
  });

  it('is reported if it cannot be written', async () => {
    await writeFile(join(folder, 'data'), 'a file where the folder was due');
    await expect(openStoreHere()).rejects.toMatchObject({
      code: 'data-not-writable',
      message: expect.stringContaining(file),
    });
  });

  it('of a newer bridge is refused and not changed', async () => {
    openDatabase(file).close();
    const newer = new DatabaseSync(file);
    newer.exec('PRAGMA user_version = 999');
    newer.close();
    await expect(openStoreHere()).rejects.toMatchObject({
      code: 'data-corrupt',
      message: expect.stringContaining('newer'),
    });
  });

  it('contains every acknowledged turn after a kill -9, and takes running ones back at once', async () => {
    const child = spawn(process.execPath, [WRITER, file, '1000000'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let told = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      told += chunk;
      if (told.split('\n').length > 400) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const acknowledged = told.split('\n').slice(0, -1);
    expect(acknowledged.length).toBeGreaterThanOrEqual(400);
    const store = await openStore({ file, clock: manualClock(), log: recordingLog() });
    for (const line of acknowledged) {
      const [what = '', id = ''] = line.split(' ');
      const turn = await store.inbox.find(turnId(id));
      expect([what, turn?.id]).toEqual([what, id]);
    }
    expect((await store.inbox.counts()).running).toBe(0);
    expect((await store.inbox.claim())?.turn.attempt).toBe(2);
    await store.close();
  });
});

function runWriter(file: string, turns: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [WRITER, file, turns], (_, out, err) => resolve(out + err));
  });
}
