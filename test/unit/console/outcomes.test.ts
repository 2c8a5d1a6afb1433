/**
 * Tests what stays after something ended early: an upload, a wait, a press, a reply that was removed or not written.
 */

import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Chat } from '../../../adapters/console/chat/chat.ts';
import { fileFolder } from '../../../adapters/console/chat/file-folder.ts';
import { FileStore } from '../../../adapters/console/chat/files.ts';
import { LiveReplies } from '../../../adapters/console/chat/live.ts';
import type { MessageRecord } from '../../../adapters/console/chat/records.ts';
import { SqliteChat } from '../../../adapters/console/chat/sqlite.ts';
import { createPermits } from '../../../adapters/console/http/body.ts';
import type { DocumentEdit } from '../../../src/kit/ladder.ts';
import { type ReplyDocument, type Turn, turnId } from '../../../src/kit.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { documentOf, json, openRig, type Rig, show, turnOf } from './rig.ts';

const MIB = 1024 * 1024;
const HOUR_MS = 60 * 60_000;

describe('uploads', () => {
  let folder: string;
  let store: SqliteChat;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-outcomes-'));
    store = new SqliteChat(join(folder, 'console.sqlite'));
  });
  afterEach(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });

  it('that could not be written use up no quota', async () => {
    const place = join(folder, 'files');
    const files = new FileStore(fileFolder(place), store, createVirtualClock());
    await writeFile(place, 'a file where the folder should be');
    const send = () => files.add('a.bin', Buffer.alloc(10 * MIB), 'ada');
    for (let nth = 0; nth < 12; nth += 1)
      await expect(send()).rejects.toMatchObject({ code: 'store-unavailable' });
    await rm(place);
    await files.prepare();
    expect(await send()).toMatchObject({ name: 'a.bin' });
  });

  it.each([1, 2, 30])('of messages are kept for %i days, counted in days', async (days) => {
    const clock = createVirtualClock();
    const files = new FileStore(fileFolder(join(folder, 'files')), store, clock, days);
    await files.prepare();
    const { id } = await files.add('a.txt', Buffer.from('a'), 'ada');
    await store.rows.attachFiles([id], 'general');
    const check = async () => {
      const ended = new AbortController();
      const tidying = files.keepTidy(ended.signal, quiet);
      ended.abort();
      await tidying;
      return (await files.find(id)) !== undefined;
    };
    await clock.pass(days * 24 * HOUR_MS);
    expect(await check()).toBe(true);
    await clock.pass(1);
    expect(await check()).toBe(false);
    expect(await readdir(join(folder, 'files'))).toEqual([]);
  });

  it('whose client left while it waited leave their permit to the next one', async () => {
    const withPermit = createPermits(1, 50);
    const sender = { destroyed: false };
    const first = Promise.withResolvers<string>();
    const begun = withPermit(sender, () => first.promise);
    const gone = { destroyed: false };
    const work = async () => 'done';
    const waits = Array.from({ length: 10 }, () => withPermit(gone, work).catch(() => 'left'));
    const last = withPermit(sender, work);
    gone.destroyed = true;
    first.resolve('done');
    expect(await begun).toBe('done');
    expect(await Promise.all(waits)).toEqual(waits.map(() => 'left'));
    expect(await last).toBe('done');
    expect(await withPermit(sender, work)).toBe('done');
  });
});

describe('growing replies in memory', () => {
  const record = (id: string, text: string) => ({ id, text }) as MessageRecord;
  function open() {
    const clock = createVirtualClock();
    const disk = new Map<string, string>();
    const rows = { growMessage: async ({ id, text }: MessageRecord) => void disk.set(id, text) };
    return { clock, disk, live: new LiveReplies(rows, clock) };
  }

  it('are on disk within a second, and all of them after a flush', async () => {
    const step = fc.record({ id: fc.constantFrom('a', 'b', 'c'), ms: fc.integer({ min: 0, max: 1_500 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { clock, disk, live } = open();
        const naive = new Map<string, { newest: string; written: string; at: number }>();
        for (const [nth, { id, ms }] of steps.entries()) {
          await clock.pass(ms);
          const newest = `text ${nth}`;
          await live.grow(record(id, newest));
          const before = naive.get(id);
          const isDue = before === undefined || clock.now() - before.at >= 1_000;
          naive.set(id, isDue ? { newest, written: newest, at: clock.now() } : { ...before, newest });
          expect(live.find(id)?.text).toBe(newest);
          for (const [each, { written }] of naive) expect(disk.get(each)).toBe(written);
        }
        await live.flush();
        for (const [each, { newest }] of naive) expect(disk.get(each)).toBe(newest);
      }),
    );
  });

  it('are written to disk before they leave the memory for others', async () => {
    const { disk, live } = open();
    await live.grow(record('first', 'Half'));
    await live.grow(record('first', 'Half of it'));
    expect(disk.get('first')).toBe('Half');
    for (let nth = 0; nth < 1_000; nth += 1) await live.grow(record(`r${nth}`, 'x'));
    expect(live.find('first')).toBeUndefined();
    expect(disk.get('first')).toBe('Half of it');
  });
});

describe('a growing reply', () => {
  it('is the newest one for every reader, although the disk has an older one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-outcomes-'));
    const store = new SqliteChat(join(folder, 'console.sqlite'));
    const extras = { link: () => undefined, otherRights: () => false, offersCorrection: () => false };
    const chat = new Chat({
      ...{ store, clock: createVirtualClock() },
      botName: 'b',
      extras,
    });
    const [room, thread] = ['general', 'q'];
    const ada = { kind: 'person', id: 'ada', name: 'Ada' } as const;
    await store.rows.addMessage(
      { id: 'q', room, thread, at: 1, author: ada, text: '', files: [], seq: 1 },
      { due: 0 },
    );
    const place = { ...{ turn: 't1', attempt: 1, root: 't1', question: 'q' }, room, thread };
    const document = (text: string) => documentOf({ id: turnId('t1') } as Turn, { state: 'writing', text });
    const id = (await chat.postReply(place, document('H'))) ?? '';
    const edit = { id, at: 1, text: 'alf of it', document: document('Half of it') };
    expect(await chat.editReply(place, edit as DocumentEdit)).toBe('done');
    const readers = {
      disk: (await store.rows.message(id))?.reply?.text,
      message: (await chat.reader.message(id))?.reply?.text,
      ofTurn: (await chat.reader.ofTurn('t1'))?.reply?.text,
      recent: (await chat.reader.recent(room, thread)).at(-1)?.reply?.text,
      thread: (await chat.reader.thread(room, thread)).at(-1)?.reply?.text,
    };
    const newest = 'Half of it';
    expect(readers).toEqual({ disk: 'H', message: newest, ofTurn: newest, recent: newest, thread: newest });
    await chat.flush();
    expect((await store.rows.message(id))?.reply?.text).toBe(newest);
    await store.close();
    await rm(folder, { recursive: true });
  });
});

describe('a turn of an earlier run', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());
  const ask = async () => {
    const question = await rig.say('general', { text: '@knowledge hi' });
    return { question, turn: turnOf(rig.host.taken[0], 't1') };
  };
  const endOf = async (turn: Awaited<ReturnType<typeof ask>>['turn']) => rig.adapter.abilities?.ended?.(turn);

  it.each<[ReplyDocument['state'], boolean]>([
    ['thinking', false],
    ['writing', false],
    ['done', true],
    ['partial', true],
    ['stopped', true],
    ['failed', true],
  ])('whose reply is %s has ended: %s', async (state, hasEnded) => {
    const { turn } = await ask();
    await show(rig, turn, [documentOf(turn, { state, text: 'Text.' })]);
    expect(await endOf(turn)).toBe(hasEnded ? state : undefined);
  });

  it('without a reply goes on if its question stands, and is withdrawn if it was deleted', async () => {
    const { question, turn } = await ask();
    expect(await endOf(turn)).toBeUndefined();
    await rig.post(`/console/messages/${question.id}/delete`, { as: 'engineer' });
    expect(await endOf(turn)).toBe('withdrawn');
  });

  it('is told that its message is gone, whatever it does next', async () => {
    const { turn } = await ask();
    const { screen = {} } = await show(rig, turn, [documentOf(turn, { text: 'Half' })]);
    await rig.adapter.forget?.({ kind: 'tenant', channel: 'console', tenant: 'console' });
    const writer = rig.adapter.writer(turn);
    for (const state of ['writing', 'done'] as const) {
      const document = documentOf(turn, { version: 2, state, text: 'Half of it' });
      const moves = writer.next(writer.resume(screen as never), document, 0);
      const [move] = moves;
      if (move === undefined) throw new Error('the writer does nothing');
      const outcome = await writer.perform(move, new AbortController().signal);
      expect(outcome).toEqual({ kind: 'refused', why: 'gone' });
    }
  });
});

describe('a button that two people press with the same id', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await openRig();
  });
  afterEach(() => rig.close());

  it.each([
    ['ask', { agent: 'vision' }],
    ['suggest', { text: 'More?' }],
  ])('(%s) counts once for each of them', async (path, more) => {
    await rig.say('general', { text: '@knowledge hi' });
    const turn = turnOf(rig.host.taken[0], 't1');
    await show(rig, turn, [documentOf(turn, { state: 'done', text: 'Hi.', suggestions: ['More?'] })]);
    const before = rig.host.taken.length;
    for (const as of ['engineer', 'designer', 'engineer'])
      await rig.call(`/console/replies/t1/${path}`, json({ as, nonce: 'n', ...more }));
    const origins = rig.host.taken.slice(before).map((event) => event.kind === 'ask' && event.origin);
    expect(new Set(origins.map((origin) => JSON.stringify(origin))).size).toBe(2);
  });
});
