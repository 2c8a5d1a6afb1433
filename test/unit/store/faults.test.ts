/** Tests the errors of a failed store, and the small parts that monitor the store. */

import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../../src/errors.ts';
import {
  corrupt,
  isHeldElsewhere,
  openingFault,
  orUnavailable,
  storeUnavailable,
} from '../../../src/sqlite.ts';
import { createSignals } from '../../../src/store/signals.ts';
import { createSteadiness } from '../../../src/store/sqlite/inbox.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';

/** Returns an error as node:sqlite throws it: the lowest byte of the extended code is the primary code. */
const sqlite = (errcode: unknown, message = 'it says') => Object.assign(new Error(message), { errcode });

describe('a store that cannot be opened', () => {
  it.each([
    [5, 'data-in-use'],
    [6, 'data-in-use'],
    [261, 'data-in-use'],
    [11, 'data-corrupt'],
    [26, 'data-corrupt'],
    [779, 'data-corrupt'],
    [8, 'data-not-writable'],
    [14, 'data-not-writable'],
    ['5', 'data-not-writable'],
  ])('with the code %s is reported as %s', (code, told) => {
    const thrown = sqlite(code);
    const fault = openingFault(thrown, '/data/parley.db');
    expect(fault).toMatchObject({ code: told, cause: thrown });
    expect(fault.message).toContain('/data/parley.db');
  });

  it('is reported with a remedy', () => {
    expect(openingFault(sqlite(5), 'F').message).toBe(
      'Another process is using F. Stop it, or give this bridge a data folder of its own.',
    );
    expect(openingFault(sqlite(14, 'no such folder'), 'F').message).toBe(
      'The store F cannot be opened for writing (no such folder). Make its folder writable for this user, or use another data folder.',
    );
    expect(openingFault('plain words', 'F').message).toContain('(plain words)');
    expect(corrupt('F', 'row 7 missing').message).toBe(
      'The store F is damaged (row 7 missing). Restore a backup, or move the file away together with its -wal and -shm files and start again.',
    );
    expect(corrupt('F', 'x')).toMatchObject({ code: 'data-corrupt', cause: 'x' });
  });

  it('keeps an error that is known already', () => {
    const known = new BridgeError('data-corrupt', 'newer');
    expect(openingFault(known, 'F')).toBe(known);
    expect(storeUnavailable(known)).toBe(known);
  });
});

it('counts as held elsewhere only because of a lock', () => {
  const held = [
    sqlite(5),
    sqlite(6),
    sqlite(517),
    sqlite(11),
    sqlite('5'),
    new Error('x'),
    { errcode: 5 },
    undefined,
  ];
  expect(held.map(isHeldElsewhere)).toEqual([true, true, true, false, false, false, false, false]);
});

describe('a store that fails after it was opened', () => {
  it('is unavailable, with a hint where to look', async () => {
    const thrown = sqlite(13, 'database or disk is full');
    const fault = await orUnavailable(() => Promise.reject(thrown)).catch((error: unknown) => error);
    expect(fault).toMatchObject({
      code: 'store-unavailable',
      cause: thrown,
      message:
        'The store could not be read or written (database or disk is full). Check the free space, the health and the permissions of the disk with the data folder.',
    });
    const sync = () => {
      throw thrown;
    };
    await expect(orUnavailable(sync)).rejects.toMatchObject({ code: 'store-unavailable' });
    expect(await orUnavailable(() => 7)).toBe(7);
  });
});

describe('signals', () => {
  it('reach every listener, even after one that throws, which is logged', () => {
    const log = recordingLog();
    const signals = createSignals(log);
    const heard: string[] = [];
    signals.listen(() => {
      throw new Error('deaf');
    });
    const stop = signals.listen(({ kind }) => heard.push(kind));
    signals.send({ kind: 'claimable' });
    expect(heard).toEqual(['claimable']);
    expect(log.lines).toEqual([
      {
        level: 'error',
        facts: { error: new Error('deaf'), signal: 'claimable' },
        text: 'A listener of the inbox threw.',
      },
    ]);
    stop();
    signals.send({ kind: 'claimable' });
    expect(heard).toHaveLength(1);
  });
});

describe('the clock can be trusted to expire leases', () => {
  const open = () => {
    const clock = manualClock();
    const steadiness = createSteadiness(clock, 9_000);
    /**
     * Calls `isSteady` this many times, and advances the clock by `everyMs` before each call. Returns the last
     * result.
     */
    const looks = (times: number, everyMs: number) => {
      let seen = false;
      for (let nth = 0; nth < times; nth += 1) {
        clock.advance(everyMs);
        seen = steadiness.isSteady();
      }
      return seen;
    };
    return { clock, steadiness, looks };
  };

  it('one lease after the start', () => {
    const { looks } = open();
    expect(looks(2, 3_000)).toBe(false);
    expect(looks(1, 2_999)).toBe(false);
    expect(looks(1, 1)).toBe(true);
  });

  it('one lease after the clock jumped forward or back', () => {
    for (const leap of [9_001, -1]) {
      const { looks } = open();
      expect(looks(3, 3_000)).toBe(true);
      expect(looks(1, leap)).toBe(false);
      expect(looks(2, 3_000)).toBe(false);
      expect(looks(1, 3_000)).toBe(true);
    }
  });

  it('after a pause as long as a lease, and while the clock stands still', () => {
    const { looks } = open();
    expect(looks(1, 9_000)).toBe(true);
    expect(looks(1, 9_000)).toBe(true);
    expect(looks(1, 0)).toBe(true);
  });

  it('one lease after a failed renewal', () => {
    const { steadiness, looks } = open();
    expect(looks(3, 3_000)).toBe(true);
    steadiness.noteFailure();
    expect(looks(2, 3_000)).toBe(false);
    expect(looks(1, 3_000)).toBe(true);
  });
});
