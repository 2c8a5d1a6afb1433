/**
 * Tests that uploads to the console use limited memory and disk space, and that unused ones are deleted after an hour.
 */

import { appendFile, mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileFolder } from '../../../adapters/console/chat/file-folder.ts';
import { FileStore } from '../../../adapters/console/chat/files.ts';
import { SqliteChat } from '../../../adapters/console/chat/sqlite.ts';
import { createPermits } from '../../../adapters/console/http/body.ts';
import type { FileView } from '../../../adapters/console/wire.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { openRig } from './rig.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 60 * 60_000;

describe('files that no message uses', () => {
  let folder: string;
  let clock: VirtualClock;
  let store: SqliteChat;
  let files: FileStore;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-uploads-'));
    clock = createVirtualClock();
    store = new SqliteChat(join(folder, 'console.sqlite'));
    files = new FileStore(fileFolder(join(folder, 'files')), store, clock);
    await files.prepare();
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const send = (by: string, bytes = 10 * MIB) => files.add('a.bin', Buffer.alloc(bytes), by);
  const sendMany = async (by: string, count: number) => {
    const sent: FileView[] = [];
    for (let nth = 0; nth < count; nth += 1) sent.push(await send(by));
    return sent;
  };

  it('are limited to 100 MiB for each person, until a message uses them', async () => {
    const sent = await sendMany('engineer', 10);
    await expect(send('engineer', 1)).rejects.toMatchObject({ status: 413, code: 'too-many-files' });
    await expect(files.checkQuota('engineer', 1)).rejects.toThrow('sent in a message');
    await send('designer', 1);
    await store.rows.attachFiles(
      sent.slice(0, 1).map(({ id }) => id),
      'general',
    );
    await send('engineer');
  });

  it('leave no id of the uploader, if they are never sent or the person is forgotten', async () => {
    const owners = () => {
      const database = new DatabaseSync(join(folder, 'console.sqlite'));
      const rows = database.prepare('SELECT person FROM file_owners').all();
      database.close();
      return rows.map(({ person }) => person);
    };
    const leave = (file: string, person: string) => {
      const database = new DatabaseSync(join(folder, 'console.sqlite'));
      database.prepare('INSERT INTO file_owners VALUES (?, ?)').run(file, person);
      database.close();
    };
    await send('engineer', 1);
    await send('designer', 1);
    expect(owners()).toEqual(['engineer', 'designer']);
    // Earlier versions left the id after the file.
    leave('gone', 'engineer');
    await files.remove(await store.rows.filesOf('engineer'));
    expect(owners()).toEqual(['designer']);
    await clock.pass(HOUR_MS + 1);
    await files.prepare();
    expect(owners()).toEqual([]);
    leave('gone', 'engineer');
    await store.close();
    store = new SqliteChat(join(folder, 'console.sqlite'));
    expect(owners()).toEqual([]);
  });

  it('count as at least 64 KiB each', async () => {
    await sendMany('engineer', 9);
    for (let nth = 0; nth < 160; nth += 1) await send('engineer', 1);
    await expect(send('engineer', 1)).rejects.toMatchObject({ status: 413, code: 'too-many-files' });
  });

  it('are limited to 400 MiB in total, also while they are written', async () => {
    for (const by of ['a', 'b', 'c']) await sendMany(by, 10);
    const sent = await Promise.allSettled(
      ['d', 'e'].flatMap((by) => Array.from({ length: 10 }, () => send(by))),
    );
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(await readdir(join(folder, 'files'))).toHaveLength(40);
  });

  it('are deleted after an hour, which frees their quota; files of messages stay', async () => {
    const [taken, ...unattached] = await sendMany('engineer', 10);
    await store.rows.attachFiles([taken?.id ?? ''], 'general');
    const ended = new AbortController();
    const tidying = files.keepTidy(ended.signal, quiet);
    await clock.pass(HOUR_MS - 60_000);
    expect(await files.find(unattached[0]?.id ?? '')).toBeDefined();
    await clock.pass(6 * 60_000);
    await expect
      .poll(async () => {
        const found = await Promise.all(unattached.map(({ id }) => files.find(id)));
        return found.flatMap((file) => file ?? []);
      })
      .toEqual([]);
    expect(await readdir(join(folder, 'files'))).toEqual([taken?.id]);
    await sendMany('engineer', 10);
    ended.abort();
    await tidying;
  });
});

describe('stored files', () => {
  it('count as long as they exist, also after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-uploads-'));
    const file = { name: 'a', type: 'text/plain', image: false };
    const first = new SqliteChat(join(folder, 'console.sqlite'));
    await first.rows.addFile({ ...file, id: 'kept', bytes: 1_000 }, 0, 'a');
    await first.rows.attachFiles(['kept'], 'general');
    expect(await first.fileBytes()).toBe(1_000);
    await first.rows.addFile({ ...file, id: 'unused', bytes: 500 }, 0, 'a');
    await first.rows.addFile({ ...file, id: 'fresh', bytes: 20 }, 2, 'a');
    expect(await first.fileBytes()).toBe(1_520);
    await first.rows.dropFile('unused');
    expect(await first.fileBytes()).toBe(1_020);
    await first.close();
    const second = new SqliteChat(join(folder, 'console.sqlite'));
    await second.rows.addFile({ ...file, id: 'more', bytes: 3 }, 2, 'a');
    expect(await second.fileBytes()).toBe(1_023);
    await second.close();
    await rm(folder, { recursive: true });
  });

  it.each([
    ['missing', (path: string) => rm(path)],
    ['cut', (path: string) => truncate(path, 3)],
    ['grown', (path: string) => appendFile(path, 'more')],
  ])('are not sent if their bytes are %s', async (_which, change) => {
    const rig = await openRig();
    try {
      const sent = await rig.call('/console/files?name=a.txt&as=engineer', { method: 'POST', body: 'hello' });
      const { id } = (await sent.json()) as FileView;
      expect(await (await rig.call(`/console/files/${id}`)).text()).toBe('hello');
      const [name] = await readdir(join(rig.folder, 'console.sqlite.files'));
      await change(join(rig.folder, 'console.sqlite.files', name ?? ''));
      const answer = await rig.call(`/console/files/${id}`);
      expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('no longer kept')]);
    } finally {
      await rig.close();
    }
  });
});

describe('bodies of uploads', () => {
  it('are read four at a time, while the others wait unread', async () => {
    const rig = await openRig();
    try {
      const begin = (nth: number) => {
        const { port } = rig;
        const path = `/console/files?name=${nth}.txt&as=engineer`;
        const headers = { 'content-length': 2, expect: '100-continue' };
        const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
        const answered = new Promise<number>((resolve, reject) => {
          sent.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
        });
        // The server sends 100 Continue just before it handles the request, so this shows that the upload has begun.
        const begun = new Promise((resolve) => sent.once('continue', resolve));
        sent.write('a');
        return { sent, answered, begun };
      };
      const slow = [1, 2, 3, 4].map(begin);
      await Promise.all(slow.map(({ begun }) => begun));
      const fifth = begin(5);
      fifth.sent.end('b');
      const first = await Promise.race([
        fifth.answered,
        new Promise((resolve) => setTimeout(resolve, 300, 'waits')),
      ]);
      expect(first).toBe('waits');
      slow[0]?.sent.end('b');
      expect(await slow[0]?.answered).toBe(200);
      expect(await fifth.answered).toBe(200);
      for (const { sent } of slow.slice(1)) sent.end('b');
      expect(await Promise.all(slow.map(({ answered }) => answered))).toEqual([200, 200, 200, 200]);
    } finally {
      await rig.close();
    }
  });

  it('are refused with a time to try again if too many wait', async () => {
    const withPermit = createPermits(1, 1);
    const asking = { destroyed: false };
    const first = Promise.withResolvers<string>();
    const both = [withPermit(asking, () => first.promise), withPermit(asking, async () => 'second')];
    const third = withPermit(asking, async () => 'third');
    await expect(third).rejects.toMatchObject({ status: 503, retryAfter: 10 });
    first.resolve('first');
    expect(await Promise.all(both)).toEqual(['first', 'second']);
    expect(await withPermit(asking, async () => 'fourth')).toBe('fourth');
  });
});
