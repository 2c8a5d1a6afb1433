import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import { messageKey } from '../../../src/core/message.ts';
import { openStore } from '../../../src/store/index.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { message, newTurn, screen } from '../../contract/turn-makers.ts';

/**
 * The SQL of the first release's schema. In a file with this schema, the turns are questions that still wait for an
 * answer.
 */
const FIRST = `
  CREATE TABLE turns (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, origin_key TEXT NOT NULL UNIQUE, lane TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting', ready INTEGER NOT NULL DEFAULT 0, announced INTEGER NOT NULL DEFAULT 0,
    phase TEXT NOT NULL DEFAULT 'new', attempt INTEGER NOT NULL DEFAULT 0, owner TEXT, life TEXT,
    lease_until INTEGER, interruption TEXT, kept_at INTEGER NOT NULL, ended_at INTEGER, agent TEXT, account TEXT,
    session TEXT, chat_record TEXT, screen TEXT, origin TEXT NOT NULL, message TEXT NOT NULL
  );
  CREATE INDEX turns_ready ON turns (ready DESC, seq) WHERE ready > 0;
  CREATE INDEX turns_waiting ON turns (lane, seq) WHERE state = 'waiting';
  CREATE INDEX turns_running ON turns (lane, seq) WHERE state = 'running';
  CREATE UNIQUE INDEX turns_alone ON turns (lane) WHERE state = 'running' AND interruption IS NULL;
  CREATE INDEX turns_unannounced ON turns (kept_at, seq) WHERE announced = 0 AND state = 'waiting';
  CREATE INDEX turns_ended ON turns (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE answers (
    turn INTEGER NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (turn, at)
  ) WITHOUT ROWID;
  CREATE TABLE keyed (
    namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, expires INTEGER NOT NULL,
    PRIMARY KEY (namespace, key)
  ) WITHOUT ROWID;
  CREATE INDEX keyed_expires ON keyed (expires);
  PRAGMA user_version = 1;
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-migration-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('a file of the first release works: its turns are claimed, edited, retried and withdrawn', async () => {
  const file = join(folder, 'store.sqlite');
  const old = new DatabaseSync(file);
  old.exec(FIRST);
  const insert = old.prepare(`INSERT INTO turns
    (id, origin_key, lane, state, ready, kept_at, ended_at, screen, origin, message) VALUES (?,?,?,?,?,?,?,?,?,?)`);
  const origin = (id: string) => JSON.stringify({ kind: 'message', key: id, revision: 0 });
  const shown = JSON.stringify(screen('m1'));
  insert.run('1', 'k1', 'x', 'answered', 0, 1, 2, shown, origin('1'), JSON.stringify(message('1', '')));
  insert.run('2', 'k2', 'y', 'waiting', 1, 3, null, null, origin('2'), JSON.stringify(message('2')));
  insert.run('3', 'k3', 'z', 'waiting', 1, 4, null, null, origin('3'), 'damaged');
  old.close();

  const clock = manualClock();
  const store = await openStore({ file, clock, log: recordingLog() });
  const { inbox } = store;
  const keyOf = (id: string) => messageKey(message(id).thread, id);
  expect((await inbox.ofMessage(keyOf('1')))?.id).toBe('1');
  const edited = { ...message('2', 'anew'), revision: 1 };
  const added = await inbox.supersede(newTurn('4', 'y', { message: edited, messageKey: keyOf('2') }));
  expect(added.kind).toBe('added');
  expect((await inbox.claim())?.turn).toMatchObject({ id: '4', reply: '2', message: { text: 'anew' } });
  expect(await inbox.claim()).toBeUndefined();
  expect((await inbox.find(turnId('2')))?.state).toBe('superseded');
  await inbox.add(newTurn('5', 'x', { follows: turnId('1') }));
  expect((await inbox.claim())?.turn).toMatchObject({ id: '5', reply: '1', screen: screen('m1') });
  expect(await inbox.withdraw(keyOf('1'), (newest) => newTurn('6', 'beside', { follows: newest.id }))).toBe(
    1,
  );
  await store.close();
});
