import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { laneOf, messageKey } from '../../../src/core/message.ts';
import type { Inbox } from '../../../src/core/stores/inbox.ts';
import { createSessions } from '../../../src/store/sessions.ts';
import { type Commits, createCommits } from '../../../src/store/sqlite/commits.ts';
import { type OpenDatabase, openDatabase } from '../../../src/store/sqlite/database.ts';
import { openSqliteInbox } from '../../../src/store/sqlite/inbox.ts';
import { createKeyed } from '../../../src/store/sqlite/keyed.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { message, newTurn, screen, thread } from '../../contract/turn-makers.ts';

const LEASE_MS = 9_000;

describe('the store with faults', () => {
  let folder: string;
  let opened: OpenDatabase;
  let commits: Commits;
  let inbox: Inbox;
  const clock = manualClock();
  const log = recordingLog();

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-faults-'));
    opened = openDatabase(join(folder, 'parley.db'));
    commits = createCommits({ database: opened.database, clock });
    log.lines.length = 0;
    inbox = await start();
  });
  afterEach(async () => {
    opened.close();
    await rm(folder, { recursive: true });
  });

  const start = () =>
    openSqliteInbox({ database: opened.database, commits, clock, log, owner: 'a', leaseMs: LEASE_MS });
  const sql = (statement: string) => opened.database.prepare(statement);

  const lane = laneOf(thread('t'));
  const ofQuestion = (id: string) => newTurn(id, lane, { messageKey: messageKey(thread('t'), id) });
  const damage = (column: string) => sql(`UPDATE turns SET ${column} = '{"text":' WHERE id = '1'`).run();

  it.each([
    'message',
    'origin',
    'phase',
    'screen',
  ])('claims a turn whose %s is damaged, so that its reply is ended, and continues behind it', async (column) => {
    await inbox.add(ofQuestion('1'));
    await inbox.add(ofQuestion('2'));
    damage(column);
    const claim = await inbox.claim();
    expect(claim).toMatchObject({ damaged: true, turn: { id: '1', lane, message: { id: '1' } } });
    expect(claim?.turn.message.thread).toEqual(thread('t'));
    expect(log.lines).toEqual([{ level: 'error', facts: { turn: '1' }, text: expect.any(String) }]);
    if (claim) expect(await inbox.settle(claim, 'failed')).toBe('settled');
    expect(await inbox.find(turnId('1'))).toMatchObject({ state: 'failed', message: { id: '1' } });
    expect(await inbox.claim()).toMatchObject({ turn: { id: '2' } });
    expect(log.lines).toHaveLength(1);
  });

  it('ends the reply of a turn whose state is damaged after the next start', async () => {
    await inbox.add(ofQuestion('1'));
    await inbox.add(ofQuestion('2'));
    await inbox.claim();
    damage('state');
    expect(await (await start()).claim()).toMatchObject({ damaged: true, turn: { id: '1' } });
  });

  it('keeps the text of a damaged turn, and never asks it again', async () => {
    await inbox.add(ofQuestion('1'));
    const first = await inbox.claim();
    if (first === undefined) throw new Error('nothing to claim');
    await inbox.checkpoint(first, { phase: 'answering', text: { at: 0, text: 'Half' } });
    await inbox.release(first);
    damage('phase');
    expect(await inbox.claim()).toMatchObject({
      damaged: true,
      text: 'Half',
      turn: { phase: 'answering' },
    });
  });

  it('leaves a gap for a damaged piece of a recorded text', async () => {
    await inbox.add(ofQuestion('1'));
    const first = await inbox.claim();
    if (first === undefined) throw new Error('nothing to claim');
    for (const [nth, text] of ['Two ', 'or ', 'three ', 'years'].entries())
      await inbox.checkpoint(first, { text: { at: nth * 10, text } });
    await inbox.release(first);
    sql(`UPDATE answers SET text = '"or' WHERE at = 10`).run();
    sql(`UPDATE answers SET text = '7' WHERE at = 20`).run();
    expect((await inbox.claim())?.text).toBe('Two years');
  });

  it('takes over the last readable screen of a reply whose newest one is damaged', async () => {
    await inbox.add(ofQuestion('1'));
    const first = await inbox.claim();
    if (first === undefined) throw new Error('nothing to claim');
    await inbox.checkpoint(first, { screen: screen('m1') });
    await inbox.settle(first, 'failed');
    await inbox.add({ ...ofQuestion('2'), follows: turnId('1') });
    sql(`UPDATE turns SET screen = '{' WHERE id = '2'`).run();
    expect(await inbox.claim()).toMatchObject({ turn: { id: '2', screen: screen('m1') } });
  });

  it('settles a turn whose thread cannot be read, and continues behind it', async () => {
    await inbox.add(ofQuestion('1'));
    await inbox.add(newTurn('2', 'other'));
    damage('message');
    damage('lane');
    expect(await inbox.claim()).toMatchObject({ turn: { id: '2' } });
    expect(sql(`SELECT state FROM turns WHERE id = '1'`).get()).toEqual({ state: 'failed' });
    expect(log.lines).toHaveLength(1);
  });

  it('refuses every write of a batch when the disk is full, and accepts the next when it is not', async () => {
    await inbox.add(newTurn('first'));
    const pages = Number(sql('PRAGMA page_count').get()?.page_count);
    opened.database.exec(`PRAGMA max_page_count = ${pages}`);
    const big = { ...message('big'), text: 'x'.repeat(100_000) };
    const results = await Promise.allSettled([
      inbox.add(newTurn('small')),
      inbox.add(newTurn('big', 'lane', { message: big })),
      inbox.claim(),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'store-unavailable' } });
    }
    expect(await inbox.find(turnId('small'))).toBeUndefined();
    expect(await inbox.counts()).toEqual({ waiting: 1, running: 0 });
    opened.database.exec('PRAGMA max_page_count = 1000000');
    expect(await inbox.add(newTurn('big', 'lane', { message: big }))).toEqual({ kind: 'added', ahead: 1 });
    expect((await inbox.claim())?.turn.id).toBe('first');
  });

  it('rejects reads and writes with store-unavailable once the file is gone', async () => {
    opened.database.exec('ALTER TABLE turns RENAME TO elsewhere');
    await expect(inbox.find(turnId('1'))).rejects.toMatchObject({ code: 'store-unavailable' });
    await expect(inbox.add(newTurn('1'))).rejects.toMatchObject({ code: 'store-unavailable' });
  });

  it('runs concurrent writes together in order, and resolves them afterwards', async () => {
    const order: string[] = [];
    const write = (name: string) =>
      commits
        .write(() => order.push(`${name} in ${opened.database.isTransaction}`))
        .then(() => order.push(name));
    await Promise.all([write('a'), write('b')]);
    expect(order).toEqual(['a in true', 'b in true', 'a', 'b']);
  });

  it('limits the number of waiting writes', async () => {
    const writes = Array.from({ length: 20_100 }, () => commits.write(() => undefined));
    const results = await Promise.allSettled(writes);
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(100);
    expect(refused[0]?.reason).toMatchObject({ code: 'store-unavailable' });
    expect(await commits.write(() => 'again')).toBe('again');
  });

  it('does not expire running turns when the clock jumps by an hour', async () => {
    await inbox.add(newTurn('1'));
    const claim = await inbox.claim();
    if (claim === undefined) throw new Error('nothing to claim');
    for (const leap of [3_600_000, -3_600_000]) {
      clock.advance(leap);
      for (let second = 0; second < 30; second++) {
        expect(await inbox.expire()).toBe(0);
        clock.advance(1_000);
        if (second % 3 === 2) expect(await inbox.renew(claim)).toBe('held');
      }
    }
    for (let second = 0; second < 9; second++) {
      clock.advance(1_000);
      const back = await inbox.expire();
      expect(back).toBe(second === 8 ? 1 : 0);
    }
  });

  it('leaves no trace of settled texts in its files', async () => {
    const words = 'the-words-nobody-may-keep';
    await inbox.add(newTurn('1', 'lane', { message: message('1', `${words} ${'x'.repeat(20_000)}`) }));
    const claim = await inbox.claim();
    if (claim === undefined) throw new Error('nothing to claim');
    await inbox.checkpoint(claim, { text: { at: 0, text: `${words} ${'y'.repeat(20_000)}` } });
    await inbox.settle(claim, 'answered');
    opened.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    for (const name of await readdir(folder)) {
      expect((await readFile(join(folder, name))).includes(words)).toBe(false);
    }
  });

  describe('keyed', () => {
    const makeKeyed = () => createKeyed({ database: opened.database, commits, clock, log })('k');

    it('reports a damaged value once, deletes it, and continues', async () => {
      const keyed = makeKeyed();
      const sessions = createSessions(keyed);
      const key = { thread: thread('t'), agent: agentName('knowledge') };
      await sessions.save(key, { session: 's', history: [] });
      sql(`UPDATE keyed SET value = '{"value":'`).run();
      await expect(sessions.find(key)).rejects.toMatchObject({
        code: 'data-corrupt',
        message: 'A value of "k" could not be read and was deleted. If this happens again, check the disk.',
        cause: expect.any(SyntaxError),
      });
      expect(log.lines).toEqual([
        {
          level: 'error',
          facts: { namespace: 'k' },
          text: 'A stored value could not be read and was deleted.',
        },
      ]);
      expect(await sessions.find(key)).toBeUndefined();
    });

    it('never takes a failed store for an empty one', async () => {
      const keyed = makeKeyed();
      opened.database.exec('ALTER TABLE keyed RENAME TO elsewhere');
      await expect(keyed.get('a')).rejects.toMatchObject({ code: 'store-unavailable' });
      await expect(keyed.set('a', 1, 1_000, 'nobody')).rejects.toMatchObject({ code: 'store-unavailable' });
      await expect(keyed.delete('a')).rejects.toMatchObject({ code: 'store-unavailable' });
    });

    it('deletes nothing if the store, and not the value, is at fault', async () => {
      const keyed = makeKeyed();
      await keyed.set('a', 1, 1_000, 'nobody');
      opened.database.exec('ALTER TABLE keyed DROP COLUMN value');
      await expect(keyed.get('a')).rejects.toMatchObject({ code: 'store-unavailable' });
      expect(log.lines).toEqual([]);
      expect(sql('SELECT key FROM keyed').all()).toHaveLength(1);
    });

    it('sweeps expired values with the next write, a minute after the last sweep', async () => {
      const keyed = makeKeyed();
      const kept = () => sql('SELECT count(*) AS n FROM keyed').get()?.n;
      for (let n = 0; n < 10; n++) await keyed.set(`old ${n}`, n, 1_000, 'nobody');
      clock.advance(59_999);
      await keyed.set('new', 1, 1_000, 'nobody');
      expect(kept()).toBe(11);
      clock.advance(1);
      await keyed.set('new', 1, 1_000, 'nobody');
      expect(kept()).toBe(1);
    });
  });
});
