/** Tests `parley store move` between real files of SQLite and a real PostgreSQL. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { SqliteChat } from '../../../adapters/console/chat/sqlite.ts';
import { fingerprintOf, openKeys } from '../../../src/bridge/keys.ts';
import { run } from '../../../src/cli/program.ts';
import { systemClock } from '../../../src/clock.ts';
import { turnId } from '../../../src/core/ids.ts';
import { defineChannel } from '../../../src/kit.ts';
import { Secret } from '../../../src/secret.ts';
import { openSharedStore, openStore, type Store, sealKeyed } from '../../../src/store/index.ts';
import { MOVING } from '../../../src/store/postgres/moving.ts';
import { house, oneAgent } from '../../fakes/house.ts';
import { missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { quiet } from '../../fakes/quiet.ts';
import { newTurn, screen } from '../turn-makers.ts';

const KEY = 'a key of thirty-two characters or more';
const ENTRY = new URL('../../../bin/parley.js', import.meta.url).pathname;
const DAY_MS = 24 * 3_600_000;

describe.skipIf(missing !== undefined)('a move', { timeout: 120_000 }, () => {
  let server: PostgresServer;
  let address: string;
  let data: string;
  let lines: string[];
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);
  afterAll(() => server?.stop());
  beforeEach(async () => {
    address = await server.database();
    data = mkdtempSync(join(tmpdir(), 'parley-move-'));
    writeFileSync(join(data, 'parley.yaml'), JSON.stringify(oneAgent));
    vi.stubEnv('PARLEY_CONFIG', join(data, 'parley.yaml'));
    vi.stubEnv('PARLEY_DATA', data);
    vi.stubEnv('PARLEY_KEY', KEY);
    vi.stubEnv('DATABASE_URL', address);
    vi.stubEnv('PLATFORM_BASE_URL', 'http://127.0.0.1:9');
    for (const stream of ['log', 'error'] as const)
      vi.spyOn(console, stream).mockImplementation((line) => void lines.push(String(line)));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    rmSync(data, { recursive: true });
  });

  const file = (folder = data) => join(folder, 'parley.sqlite');
  const openFile = () => openStore({ file: file(), clock: systemClock, log: quiet });
  const installation = { name: 'parley', fingerprint: fingerprintOf(new Secret(KEY)) };
  const openShared = () => openSharedStore({ address, installation, clock: systemClock, log: quiet });
  const moveTo = async (to: string, ...options: string[]) => {
    lines = [];
    const code = await run(['store', 'move', '--to', to, ...options], house);
    return { code, text: lines.join('\n') };
  };
  const sealedIn = async (store: Store, key: string | undefined, database?: string) => {
    const settings = { key: key === undefined ? undefined : new Secret(key), data };
    const keys = await openKeys({
      ...settings,
      database: database === undefined ? undefined : { url: new Secret(database), installation: 'parley' },
    } as Parameters<typeof openKeys>[0]);
    const sealing = { namespace: 'secrets slack', key: keys.state, log: quiet };
    return sealKeyed(store.keyed('secrets slack'), sealing);
  };
  /** Stores rows of every table: among them a turn that a process left running, with text. @param key that of the bridge */
  const fill = async (key: string | undefined) => {
    const store = await openFile();
    for (const id of ['a', 'b', 'c', 'd'])
      await store.inbox.add(newTurn(id, `["console","local","x","${id}"]`));
    await store.inbox.add(newTurn('e', '["console","local","x","a"]', { messageKey: 'of e' }));
    const ended = await store.inbox.claim();
    if (ended === undefined) throw new Error('nothing to claim');
    await store.inbox.checkpoint(ended, {
      phase: 'answering',
      screen: screen('s'),
      text: { at: 0, text: 'x' },
    });
    await store.inbox.settle(ended, 'answered');
    const running = await store.inbox.claim();
    if (running === undefined) throw new Error('nothing to claim');
    await store.inbox.checkpoint(running, {
      phase: 'answering',
      text: { at: 0, text: 'half an \u{1F600} ans' },
    });
    await store.inbox.withdraw('gone', () => newTurn('withdrawn'));
    const owner = { tenant: 'T1', person: 'U1' };
    await store
      .keyed('adapter slack')
      .set('é "key"', { text: ':colon \u0000 \ud800', n: 1.5 }, DAY_MS, owner);
    await store.keyed('plain').set('none', ['x'], DAY_MS, 'nobody');
    await (await sealedIn(store, key)).set('team T1', { token: 'xoxb-1' }, DAY_MS, owner);
    const feedback = {
      turn: turnId('a'),
      reply: turnId('a'),
      person: 'ada',
      verdict: 'up',
      note: 'good\0',
    } as const;
    await store.feedback.give({ ...feedback, at: 5, channel: 'console', tenant: 'local', room: 'x' });
    await store.forgetting.request({ kind: 'person', channel: 'slack', person: 'U9' }, false);
    await store.close();
  };
  /** Returns the rows of the file without what differs after a move there and back. */
  const rowsIn = (folder = data) => {
    const database = new DatabaseSync(file(folder), { readOnly: true });
    const rows = Object.fromEntries(
      ['turns', 'answers', 'withdrawn', 'keyed', 'feedback', 'audit', 'forgetting'].map((name) => [
        name,
        database
          .prepare(`SELECT * FROM ${name} ORDER BY 1, 2`)
          .all()
          .map(
            ({ owner, life: _l, lease_until: _u, ...row }): Readonly<Record<string, unknown>> => ({
              ...row,
              ...(name === 'keyed' && {
                owner: owner === null ? null : (JSON.parse(String(owner)) as unknown),
              }),
              ...(row.namespace === 'secrets slack' && { value: 'sealed' }),
            }),
          ),
      ]),
    );
    database.close();
    return rows;
  };

  test('there and back gives the same rows, and the new store serves them', async () => {
    await fill(undefined);
    // A bridge of SQLite without PARLEY_KEY encrypts with the key of the data folder.
    await (await openFile()).close();
    const before = rowsIn();
    for (const [name, rows] of Object.entries(before)) expect(rows, name).not.toEqual([]);
    expect(await moveTo('postgresql', '--dry-run')).toMatchObject({
      code: 0,
      text: expect.stringContaining('turns: 5'),
    });
    const { code, text } = await moveTo('postgresql');
    expect([code, text]).toEqual([0, expect.stringMatching(/turns: 5 rows, SHA-256 [0-9a-f]{16}\n/)]);
    await expect(openFile()).rejects.toMatchObject({
      code: 'data-moved',
      message: expect.stringContaining('Set DATABASE_URL'),
    });

    const shared = await openShared();
    expect(await (await sealedIn(shared, KEY, address)).get('team T1')).toEqual({ token: 'xoxb-1' });
    expect(await shared.keyed('adapter slack').get('é "key"')).toEqual({
      text: ':colon \u0000 \ud800',
      n: 1.5,
    });
    await shared.inbox.expire();
    const claims = await Promise.all([1, 2, 3, 4, 5].map(() => shared.inbox.claim()));
    const open = claims.flatMap((claim) => claim ?? []);
    expect(open.map(({ turn }) => turn.id).toSorted()).toEqual(['b', 'c', 'd', 'e']);
    expect(open.find(({ turn }) => turn.id === 'b')?.text).toBe('half an \u{1F600} ans');
    for (const claim of open) await shared.inbox.release(claim);
    await shared.close();

    expect((await moveTo('sqlite')).code).toBe(0);
    await expect(openShared()).rejects.toMatchObject({ code: 'data-moved' });
    const unclaimed = (rows: ReturnType<typeof rowsIn>) => ({
      ...rows,
      // PostgreSQL stores no NUL.
      feedback: rows.feedback?.map((row) => ({ ...row, note: String(row.note).replace('\0', '\ufffd') })),
      turns: rows.turns?.map(({ attempt: _, unasked: _u, screen: _s, ...row }) => row),
    });
    expect(unclaimed(rowsIn())).toEqual(unclaimed(before));
    const store = await openFile();
    expect(await (await sealedIn(store, KEY)).get('team T1')).toEqual({ token: 'xoxb-1' });
    await store.inbox.add(newTurn('later'));
    await store.close();
    expect((await moveTo('postgresql')).code).toBe(0);
    const again = await openShared();
    expect((await again.inbox.find(turnId('later')))?.id).toBe('later');
    const [rating] = await again.feedback.all();
    if (rating !== undefined) await again.feedback.give({ ...rating, note: 'bad\0' });
    expect((await again.feedback.all()).map(({ note }) => note)).toEqual(['bad\ufffd']);
    await again.close();
  });

  test('killed in the middle, it keeps every bridge from the target, and continues with what has changed since', async () => {
    await fill(KEY);
    const store = await openFile();
    const many = Array.from({ length: 2_000 }, (_, nth) =>
      newTurn(`many ${nth}`, `["console","local","y","${nth}"]`),
    );
    await Promise.all(many.map((turn) => store.inbox.add(turn)));
    await store.close();
    const child = spawn(process.execPath, [ENTRY, 'store', 'move', '--to', 'postgresql'], {
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    const copied = async () => {
      const [row] = await server.query('SELECT count(*) AS n FROM parley.turns').catch(() => []);
      return Number(row?.n ?? 0);
    };
    while ((await copied()) === 0);
    child.kill('SIGKILL');
    expect(await ended).toBe('SIGKILL');
    const before = await copied();
    expect(before).toBeLessThan(2_005);
    await expect(openShared()).rejects.toMatchObject({
      code: 'data-moved',
      message: expect.stringContaining('it continues'),
    });

    // The bridge goes on with the file: a question that was copied ends, and another one arrives.
    const bridge = await openFile();
    for (let nth = 0; nth < 3; nth += 1) {
      const claim = await bridge.inbox.claim();
      if (claim !== undefined) await bridge.inbox.settle(claim, 'answered');
    }
    await bridge.inbox.add(newTurn('0 new'));
    await bridge.keyed('plain').delete('none');
    await bridge.close();
    const rows = rowsIn();
    expect((await moveTo('postgresql')).code).toBe(0);
    expect(await copied()).toBe(2_006);
    expect((await moveTo('sqlite')).code).toBe(0);
    expect(rowsIn()).toEqual(rows);
  });
  test('asks each channel for what it keeps by itself, and refuses a target that has such data', async () => {
    await fill(KEY);
    const chat = new SqliteChat(join(data, 'console.sqlite'));
    await chat.rows.addRoom({ id: 'plans', name: 'plans', topic: '', kind: 'room' });
    await chat.close();
    const asked: unknown[] = [];
    let counted = 1;
    const notes = defineChannel({
      ...{ api: 1, name: 'notes', title: 'Notes', on: 'when-configured', page: 'README.md', variables: {} },
      settings: () => z.strictObject({}),
      announce: () => 'on',
      create: () => Promise.reject(new Error('A move creates no channel.')),
      move({ data: folder, to }) {
        asked.push([folder, to]);
        return {
          name: 'its notes',
          countInTarget: async () => counted,
          move: async () => [{ name: 'notes', rows: 3, digest: 'abc' }],
        };
      },
    });
    const channels = async () => [...(await house.channels()), notes];
    const moveAll = async () => {
      lines = [];
      const code = await run(['store', 'move', '--to', 'postgresql'], { ...house, channels });
      return [code, lines.join('\n')];
    };
    expect(await moveAll()).toEqual([78, expect.stringContaining('1 in its notes')]);
    counted = 0;
    expect(await moveAll()).toEqual([
      0,
      expect.stringMatching(/console rooms: 1 rows[\s\S]*notes: 3 rows, SHA-256 abc\n/),
    ]);
    expect(asked.at(-1)).toEqual([data, 'postgresql']);
    const [room] = await server.query('SELECT id FROM parley.chat_rooms');
    expect(room).toEqual({ id: 'plans' });
  });

  test('refuses while a bridge runs on either side', async () => {
    await fill(KEY);
    const bridge = await openFile();
    expect(await moveTo('postgresql')).toMatchObject({
      code: 73,
      text: expect.stringContaining('Another process'),
    });
    await bridge.close();
    const shared = await openShared();
    expect(await moveTo('postgresql')).toMatchObject({
      code: 73,
      text: expect.stringContaining('Stop all replicas'),
    });
    await shared.close();
    const moving = await server.connect(address);
    await moving.query('SELECT pg_advisory_lock($1)', [MOVING]);
    await expect(openShared()).rejects.toMatchObject({ code: 'data-in-use' });
    await moving.end();
    expect((await moveTo('postgresql')).code).toBe(0);
    expect(await moveTo('postgresql')).toMatchObject({
      code: 78,
      text: expect.stringContaining('was moved to PostgreSQL'),
    });
  });

  test('refuses a target with other data, another installation, and the wrong key, and changes nothing', async () => {
    await fill(KEY);
    const rows = rowsIn();
    const shared = await openShared();
    await shared.inbox.add(newTurn('other'));
    await shared.close();
    expect(await moveTo('postgresql')).toMatchObject({
      code: 78,
      text: expect.stringContaining('(rows: 1 in turns)'),
    });
    expect(await moveTo('sqlite')).toMatchObject({ code: 73, text: expect.stringContaining('PARLEY_DATA') });
    vi.stubEnv('PARLEY_KEY', 'another key of thirty-two characters');
    expect(await moveTo('postgresql')).toMatchObject({
      code: 78,
      text: expect.stringContaining('another PARLEY_KEY'),
    });
    address = await server.database();
    expect(await moveTo('postgresql')).toMatchObject({
      code: 78,
      text: expect.stringContaining('None of the 1 encrypted values'),
    });
    const [moves] = await server.query('SELECT count(*)::int AS n FROM parley.moves');
    expect(moves?.n).toBe(0);
    expect(rowsIn()).toEqual({ ...rows, turns: expect.any(Array) });
    vi.stubEnv('DATABASE_URL', undefined);
    expect(await moveTo('postgresql')).toMatchObject({
      code: 64,
      text: expect.stringContaining('needs both'),
    });
    expect((await moveTo('oracle')).code).toBe(64);
  });
});
