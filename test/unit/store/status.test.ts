import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { readFileStatus } from '../../../src/store/sqlite/status.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { newTurn } from '../../contract/turn-makers.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-status-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('counts the turns of an open store, in its gauges and from outside', async () => {
  const file = join(folder, 'parley.sqlite');
  const clock = manualClock();
  const store = await openStore({ file, clock, log: recordingLog() });
  expect(await store.gauges()).toEqual({ waiting: 0, running: 0 });
  await store.inbox.add(newTurn('one'));
  await store.inbox.add(newTurn('two'));
  await store.inbox.add(newTurn('three', 'other lane'));
  await store.inbox.claim();
  clock.advance(2_500);
  const totals = { waiting: 2, running: 1, oldestWaitingMs: 2_500 };
  expect(await store.gauges()).toEqual(totals);
  expect(readFileStatus(file, clock.now())).toEqual({ ...totals, replicas: [], workspaces: [] });

  const entry = new URL('../../../bin/parley.js', import.meta.url).pathname;
  const run = (...args: readonly string[]) =>
    promisify(execFile)(process.execPath, [entry, 'status', ...args], {
      env: { ...process.env, PARLEY_DATA: folder },
    });
  expect(JSON.parse((await run('--json')).stdout)).toMatchObject({ waiting: 2, running: 1, replicas: [] });
  expect((await run()).stdout).toMatch(
    /^version: [\d.]+\nturns: 1 running, 2 waiting, the oldest for [\d.]+ s\n$/,
  );
  await store.close();
});

it('reports a store that cannot be read', () => {
  expect(() => readFileStatus(join(folder, 'missing.sqlite'), 0)).toThrow(
    expect.objectContaining({ code: 'store-unavailable' }),
  );
});
