/**
 * Tests the store's data other than turns: ratings, small values with a lifetime, and the write that probes the disk.
 */

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentName, turnId } from '../../../src/core/ids.ts';
import type { Feedback } from '../../../src/core/stores/feedback.ts';
import { inTransaction } from '../../../src/sqlite.ts';
import { createFeedback } from '../../../src/store/feedback.ts';
import { createCommits, createProbe } from '../../../src/store/sqlite/commits.ts';
import { type OpenDatabase, openDatabase } from '../../../src/store/sqlite/database.ts';
import { createEngine, withFile } from '../../../src/store/sqlite/engine.ts';
import { createKeyed } from '../../../src/store/sqlite/keyed.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';

let folder: string;
let opened: OpenDatabase;
const clock = manualClock();
const log = recordingLog();
const file = () => join(folder, 'a.db');
const parts = () => {
  const { database } = opened;
  return { database, commits: createCommits({ database, clock }), clock, log };
};
const feedbackTable = () => createFeedback(createEngine(opened.database, parts().commits, clock));
const readFeedback = (path: string) => withFile(path, clock, (engine) => createFeedback(engine).all());
const rows = (statement: string) => opened.database.prepare(statement).all();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-tables-'));
  opened = openDatabase(file());
  log.lines.length = 0;
});
afterEach(async () => {
  opened.close();
  await rm(folder, { recursive: true });
});

const verdict = (over: Partial<Feedback> = {}): Feedback => ({
  turn: turnId('t1'),
  reply: turnId('t0'),
  person: 'ada',
  verdict: 'up',
  at: 100,
  channel: 'slack',
  tenant: 'T1',
  room: 'C1',
  ...over,
});

describe('feedback', () => {
  it('is kept per person and version, oldest first, also for a reader of the file', async () => {
    const feedback = feedbackTable();
    const given = [
      verdict({ at: 300, turn: turnId('t2'), agent: agentName('books'), note: 'Good.' }),
      verdict({ person: 'bob', verdict: 'down' }),
      verdict({}),
    ];
    for (const each of given) await feedback.give(each);
    expect(await feedback.all()).toEqual(given.toReversed());
    expect(await readFeedback(file())).toEqual(given.toReversed());
  });

  it('keeps its note with the same verdict, and drops it with another', async () => {
    const feedback = feedbackTable();
    await feedback.give(verdict({ note: 'Good.' }));
    await feedback.give(verdict({ at: 200 }));
    expect(await feedback.all()).toEqual([verdict({ at: 200, note: 'Good.' })]);
    await feedback.give(verdict({ at: 300, note: 'Very good.' }));
    expect(await feedback.all()).toEqual([verdict({ at: 300, note: 'Very good.' })]);
    await feedback.give(verdict({ at: 400, verdict: 'down' }));
    expect(await feedback.all()).toEqual([verdict({ at: 400, verdict: 'down' })]);
  });

  it('is withdrawn only by the person who gave it', async () => {
    const feedback = feedbackTable();
    for (const each of [verdict(), verdict({ person: 'bob' }), verdict({ turn: turnId('t2') })])
      await feedback.give(each);
    await feedback.give(verdict({ verdict: 'none' }));
    expect((await feedback.all()).map(({ turn, person }) => `${turn} ${person}`)).toEqual([
      't1 bob',
      't2 ada',
    ]);
  });

  it('older than a given time is deleted', async () => {
    const feedback = feedbackTable();
    for (const at of [99, 100, 101]) await feedback.give(verdict({ at, person: `p${at}` }));
    await feedback.prune(100);
    expect((await feedback.all()).map(({ at }) => at)).toEqual([100, 101]);
  });

  it('of a missing file is unavailable, and the file is not created', async () => {
    const none = join(folder, 'none.db');
    await expect(readFeedback(none)).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(existsSync(none)).toBe(false);
  });
});

describe('small values', () => {
  const MINUTE_MS = 60_000;

  it('are swept when they have expired, a thousand at a time, at most once a minute', async () => {
    const keyed = createKeyed(parts())('k');
    const count = () => rows('SELECT count(*) AS n FROM keyed')[0]?.n;
    await keyed.set('first', 1, 10 * MINUTE_MS, 'nobody');
    await Promise.all(
      Array.from({ length: 1_500 }, (_, nth) => keyed.set(`old ${nth}`, nth, 1_000, 'nobody')),
    );
    clock.advance(MINUTE_MS - 1);
    await keyed.set('second', 2, 10 * MINUTE_MS, 'nobody');
    expect(count()).toBe(1_502);
    clock.advance(1);
    await keyed.set('second', 2, 10 * MINUTE_MS, 'nobody');
    expect(count()).toBe(502);
    await keyed.set('second', 2, 10 * MINUTE_MS, 'nobody');
    expect(count()).toBe(502);
    clock.advance(MINUTE_MS);
    await keyed.set('second', 2, 10 * MINUTE_MS, 'nobody');
    expect(count()).toBe(2);
    expect([await keyed.get('first'), await keyed.get('second')]).toEqual([1, 2]);
  });

  it('that have expired are not returned, and are deleted by the next write', async () => {
    const keyed = createKeyed(parts())('k');
    await keyed.set('a', 1, MINUTE_MS, 'nobody');
    // Leaves a margin of 5 s, because keyv subtracts the real time of its own call from the lifetime.
    clock.advance(MINUTE_MS - 5_000);
    expect(await keyed.get('a')).toBe(1);
    clock.advance(5_000);
    expect(await keyed.get('a')).toBeUndefined();
    await keyed.set('b', 1, MINUTE_MS, 'nobody');
    expect(rows('SELECT key FROM keyed')).toHaveLength(1);
  });

  it('that cannot be read are reported by their namespace, and deleted one by one', async () => {
    const keyed = createKeyed(parts());
    await keyed('k').set('a', 1, MINUTE_MS, 'nobody');
    await keyed('other').set('a', 2, MINUTE_MS, 'nobody');
    opened.database.exec(`UPDATE keyed SET value = '{' WHERE namespace = 'k'`);
    await expect(keyed('k').get('a')).rejects.toMatchObject({
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
    expect([await keyed('k').get('a'), await keyed('other').get('a')]).toEqual([undefined, 2]);
  });
});

describe('the probe', () => {
  it('leaves nothing behind', async () => {
    const { database, commits } = parts();
    await createProbe(database, commits)();
    expect(rows('SELECT key FROM keyed')).toEqual([]);
  });

  it('fails if the store accepts no question', async () => {
    const { database, commits } = parts();
    const pages = Number(rows('PRAGMA page_count')[0]?.page_count);
    database.exec(`PRAGMA max_page_count = ${pages}`);
    await expect(createProbe(database, commits)()).rejects.toMatchObject({ code: 'store-unavailable' });
    database.exec('PRAGMA max_page_count = 1000000');
    await createProbe(database, commits)();
  });

  it('writes as much as a long question', async () => {
    const { database, commits } = parts();
    const sizes: unknown[] = [];
    database.function('noted', (size) => {
      sizes.push(size);
      return null;
    });
    database.exec('CREATE TEMP TRIGGER t AFTER INSERT ON keyed BEGIN SELECT noted(length(new.value)); END');
    await createProbe(database, commits)();
    expect(sizes).toEqual([16 * 1024]);
  });
});

describe('a transaction', () => {
  const insert = `INSERT INTO withdrawn (message_key, at) VALUES ('m', 1)`;

  it('is complete when it returns, and has no effect when it throws', () => {
    const { database } = opened;
    const failed = new Error('x');
    const failing = () =>
      inTransaction(database, () => {
        database.exec(insert);
        throw failed;
      });
    expect(failing).toThrow(failed);
    expect([rows('SELECT * FROM withdrawn'), database.isTransaction]).toEqual([[], false]);
    expect(inTransaction(database, () => database.prepare(insert).run().changes)).toBe(1);
    expect([rows('SELECT * FROM withdrawn').length, database.isTransaction]).toEqual([1, false]);
  });

  it('that SQLite has rolled back already reports why it failed', () => {
    const { database } = opened;
    const failed = new Error('disk full');
    const failing = () =>
      inTransaction(database, () => {
        database.exec('ROLLBACK');
        throw failed;
      });
    expect(failing).toThrow(failed);
  });

  it('holds the file from its first statement on', () => {
    const { database } = opened;
    const statements: string[] = [];
    const exec = database.exec.bind(database);
    database.exec = (sql) => {
      statements.push(sql);
      exec(sql);
    };
    inTransaction(database, () => undefined);
    expect(statements).toEqual(['BEGIN IMMEDIATE', 'COMMIT']);
  });
});
