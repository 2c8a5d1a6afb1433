import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReadiness } from '../../../src/bridge/web.ts';
import { openStore } from '../../../src/store/index.ts';
import { createCommits, createProbe } from '../../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { recordingLog } from '../../contract/store/manual-clock.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';

const clock = createVirtualClock();
let folder: string;
const file = () => join(folder, 'parley.sqlite');
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-ready-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('readiness', () => {
  it('runs every probe, and again only after a second', async () => {
    let asked = 0;
    const failing = { now: true };
    const readiness = createReadiness(
      [
        async () => {
          asked += 1;
        },
        async () => {
          if (failing.now) throw new Error('the disk is full');
        },
      ],
      clock,
    );
    const flood = await Promise.all(Array.from({ length: 1_000 }, () => readiness()));
    expect([asked, flood[0], flood[999]]).toEqual([1, ['the disk is full'], ['the disk is full']]);
    failing.now = false;
    await clock.pass(999);
    expect(await readiness()).toEqual(['the disk is full']);
    await clock.pass(1);
    expect(await readiness()).toEqual([]);
    clock.jump(-3_600_000);
    failing.now = true;
    expect(await readiness()).toEqual(['the disk is full']);
    clock.jump(3_600_000);
  });
});

describe('the probe of the store', () => {
  it('fails while another process has locked the store', async () => {
    const store = await openStore({ file: file(), clock, log: recordingLog() });
    const other = new DatabaseSync(file());
    await store.probe();
    other.exec('BEGIN IMMEDIATE');
    const probing = expect(store.probe()).rejects.toMatchObject({ code: 'store-unavailable' });
    await clock.pass(1_000);
    await probing;
    other.exec('ROLLBACK');
    await store.probe();
    other.close();
    await store.close();
  });

  it('fails while the file cannot grow, and leaves no data', async () => {
    const { database, close } = openDatabase(file());
    const probe = createProbe(database, createCommits({ database, clock }));
    const pages = () => Number(database.prepare('PRAGMA page_count').get()?.page_count);
    database.exec(`PRAGMA max_page_count = ${pages()}`);
    await expect(probe()).rejects.toMatchObject({ code: 'store-unavailable' });
    database.exec('PRAGMA max_page_count = 1000000');
    for (let nth = 0; nth < 20; nth++) await probe();
    const grown = pages();
    await probe();
    expect(pages()).toBe(grown);
    expect(database.prepare('SELECT count(*) AS n FROM keyed').get()).toEqual({ n: 0 });
    close();
  });
});
