import { mkdtemp, open, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/core/stores/inbox.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { openBacklog, openReservedLog, type ReservedLog } from '../../../src/store/sqlite/backlog.ts';
import { createCommits } from '../../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { openSqliteInbox } from '../../../src/store/sqlite/inbox.ts';
import { recordingLog } from '../../contract/store/manual-clock.ts';
import { newTurn } from '../../contract/turn-makers.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-backlog-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a reserved log', () => {
  let log: ReservedLog;
  const file = () => join(folder, 'log');
  const reopen = () => {
    log.close();
    log = openReservedLog(file());
    return log.found;
  };
  beforeEach(() => {
    log = openReservedLog(file());
  });
  afterEach(() => log.close());

  it('reserves its space and is readable only by its owner', async () => {
    const { size, mode } = await stat(file());
    expect([size, mode & 0o077]).toEqual([256 * 1024, 0]);
  });

  it('returns appended values in order, and none after a clear', async () => {
    log.append([{ words: 'one é 😀' }, 2]);
    log.append(['three']);
    expect(reopen()).toEqual([{ words: 'one é 😀' }, 2, 'three']);
    log.append(['four']);
    expect(reopen()).toEqual([{ words: 'one é 😀' }, 2, 'three', 'four']);
    log.clear();
    log.append(['x']);
    expect(reopen()).toEqual(['x']);
    expect((await readFile(file())).includes('words')).toBe(false);
  });

  it('grows beyond its space, and releases the rest', async () => {
    const long = Array.from({ length: 10 }, (_, nth) => `${nth}`.repeat(50_000));
    log.append(long);
    expect(reopen()).toEqual(long);
    log.clear();
    expect((await stat(file())).size).toBe(256 * 1024);
  });

  it('leaves out a line that a crash cut off, and everything behind it', async () => {
    log.append(['one', 'two']);
    const descriptor = await open(file(), 'r+');
    await descriptor.write(Buffer.from('"tw\0"\n"stale"\n'), 0, 14, 6);
    await descriptor.close();
    expect(reopen()).toEqual(['one']);
    log.append(['a']);
    expect(reopen()).toEqual(['one', 'a']);
  });

  it('appends no line to the remains of a crash, and keeps its size', async () => {
    log.append(['one']);
    const descriptor = await open(file(), 'r+');
    await descriptor.write(Buffer.from('bad\n"stale"\n'), 0, 12, 6);
    await descriptor.close();
    expect(reopen()).toEqual(['one']);
    log.append(['a']);
    expect(reopen()).toEqual(['one', 'a']);
    expect((await stat(file())).size).toBe(256 * 1024);
  });

  it('appends no line to the remains of a crash in a file without space', async () => {
    log.append(['one']);
    log.close();
    await writeFile(file(), `"one"\nbad\n"stale"\n${'x'.repeat(256 * 1024)}`);
    log = openReservedLog(file());
    log.append(['a']);
    expect(reopen()).toEqual(['one', 'a']);
  });

  it('releases space that an earlier process used', async () => {
    log.append(['x'.repeat(300_000)]);
    log.close();
    const descriptor = await open(file(), 'r+');
    await descriptor.write(Buffer.from('bad'), 0, 3, 0);
    await descriptor.close();
    log = openReservedLog(file());
    expect((await stat(file())).size).toBe(300_003);
    log.append(['a']);
    log.clear();
    expect((await stat(file())).size).toBe(256 * 1024);
  });

  it('holds its file open until it is closed', async () => {
    const opened = async () => {
      const links = (await readdir('/proc/self/fd')).map((each) =>
        readlink(`/proc/self/fd/${each}`).catch(() => ''),
      );
      return (await Promise.all(links)).filter((link) => link === file()).length;
    };
    expect(await opened()).toBe(1);
    log.close();
    expect(await opened()).toBe(0);
    log = openReservedLog(file());
  });

  it('is empty if the file was', async () => {
    log.close();
    await writeFile(file(), '');
    log = openReservedLog(file());
    expect(log.found).toEqual([]);
  });
});

describe('checkpoints that the store did not accept', () => {
  const file = () => join(folder, 'parley.sqlite');
  const clock = createVirtualClock();
  const start = () => openStore({ file: file(), clock, log: recordingLog() });
  const claimed = async ({ inbox }: Store): Promise<Claim> => {
    await inbox.add(newTurn('1'));
    const claim = await inbox.claim();
    if (claim === undefined) throw new Error('nothing to claim');
    return claim;
  };
  const pending = async () => (await readFile(`${file()}.pending`)).toString().replaceAll('\0', '');
  /** Advances the clock past the last retry of a write, then waits for the promise. */
  const afterRetries = async <T>(promise: Promise<T>): Promise<T> => {
    await clock.pass(600);
    return promise;
  };

  it('are on disk at once, and in the store before any newer write', async () => {
    const store = await start();
    const claim = await claimed(store);
    const other = new DatabaseSync(file());
    other.exec('BEGIN IMMEDIATE');
    const first = store.inbox.checkpoint(claim, { phase: 'answering', text: { at: 0, text: 'Two ' } });
    expect(await afterRetries(first)).toBe('held');
    expect(await store.inbox.checkpoint(claim, { text: { at: 4, text: 'years' } })).toBe('held');
    expect(await pending()).toContain('years');
    other.exec('ROLLBACK');
    other.close();
    await store.inbox.checkpoint(claim, { text: { at: 9, text: '.' } });
    expect(await pending()).toBe('');
    expect(await store.inbox.release(claim)).toBe('released');
    expect(await store.inbox.claim()).toMatchObject({ text: 'Two years.', turn: { phase: 'answering' } });
    await store.close();
  });

  it('are available to the next process after a crash, unless the turn continued without them', async () => {
    const store = await start();
    const claim = await claimed(store);
    await store.close();
    const fence = { owner: claim.owner, turn: { id: '1', attempt: claim.turn.attempt } };
    const log = openReservedLog(`${file()}.pending`);
    log.append([
      { claim: fence, known: { phase: 'answering', text: { at: 0, text: 'Two years' } } },
      { claim: { ...fence, turn: { id: '1', attempt: 7 } }, known: { phase: 'ending' } },
      { claim: { ...fence, owner: 'another' }, known: { phase: 'ending' } },
      { claim: { ...fence, turn: { id: 'gone', attempt: 1 } }, known: { phase: 'ending' } },
      'damaged',
      null,
      { known: {} },
      { claim: null, known: {} },
      { claim: {}, known: {} },
      { claim: fence, known: null },
      { claim: { owner: 'o', turn: {} }, known: {} },
      { claim: fence, known: { phase: { none: true } } },
      { claim: fence, known: { text: 'none' } },
      { claim: fence, known: { text: { at: {}, text: 'none' } } },
    ]);
    log.close();
    const next = await start();
    expect(await next.inbox.claim()).toMatchObject({ text: 'Two years', turn: { phase: 'answering' } });
    expect(await pending()).toBe('');
    await next.close();
  });

  it('wait if the store may not grow', async () => {
    const { database, close } = openDatabase(file());
    const backlog = openBacklog(file(), database);
    const commits = createCommits({ database, clock, backlog });
    const inbox = await openSqliteInbox({ database, commits, clock, log: recordingLog(), owner: 'a' });
    await inbox.add(newTurn('1'));
    const claim = await inbox.claim();
    if (claim === undefined) throw new Error('nothing to claim');
    database.exec(`PRAGMA max_page_count = ${database.prepare('PRAGMA page_count').get()?.page_count}`);
    const text = 'x'.repeat(100_000);
    expect(await inbox.checkpoint(claim, { text: { at: 0, text } })).toBe('held');
    await expect(inbox.settle(claim, 'answered')).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(await pending()).toContain(text);
    database.exec('PRAGMA max_page_count = 1000000');
    await inbox.release(claim);
    expect(await pending()).toBe('');
    expect((await inbox.claim())?.text).toBe(text);
    backlog.close();
    close();
  });
});
