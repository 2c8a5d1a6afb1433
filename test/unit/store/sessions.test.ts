/** Tests the sessions of threads: exact limits in characters, and damaged stored values. */

import { describe, expect, it, vi } from 'vitest';
import type { Exchange } from '../../../src/core/agents/agent.ts';
import { agentName, turnId } from '../../../src/core/ids.ts';
import { sealKeyed } from '../../../src/store/sealed.ts';
import { createSessions } from '../../../src/store/sessions.ts';
import { createCommits } from '../../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { createKeyed } from '../../../src/store/sqlite/keyed.ts';
import { manualClock, recordingLog } from '../../contract/store/manual-clock.ts';
import { thread } from '../../contract/turn-makers.ts';

const key = { thread: thread('t'), agent: agentName('books') };

function open() {
  const kept = new Map<string, unknown>();
  const sessions = createSessions({
    get: async (name) => kept.get(name),
    set: async (name, value) => void kept.set(name, value),
    delete: async (name) => void kept.delete(name),
  });
  const remember = async (...history: readonly Exchange[]) => {
    await sessions.save(key, { history });
    return (await sessions.find(key))?.history;
  };
  /** Stores `value` in place of a session and returns the session that is then read. */
  const found = async (value: unknown) => {
    await sessions.save(key, { history: [] });
    for (const name of kept.keys()) kept.set(name, value);
    return sessions.find(key);
  };
  return { remember, found };
}
const chars = (length: number, of = 'x') => of.repeat(length);

describe('the newest exchange', () => {
  it('stays unchanged up to 24,000 characters in total', async () => {
    const { remember } = open();
    const whole = { question: chars(20_000), answer: chars(4_000) };
    expect(await remember(whole)).toEqual([whole]);
  });

  it('is cut beyond that: the question to half, the answer to the rest', async () => {
    const { remember } = open();
    const [cut] =
      (await remember({ question: chars(30_000, 'q'), answer: chars(30_000, 'a'), reply: turnId('r') })) ??
      [];
    expect([cut?.question, cut?.answer]).toEqual([chars(12_000, 'q'), chars(12_000, 'a')]);
    expect(cut?.reply).toBe('r');
    const [short] = (await remember({ question: 'q', answer: chars(24_000, 'a') })) ?? [];
    expect([short?.question, short?.answer]).toEqual(['q', chars(23_999, 'a')]);
  });

  it('is never cut inside a surrogate pair, and loses nothing if it is not cut', async () => {
    const { remember } = open();
    const [cut] = (await remember({ question: 'q\ud83d', answer: `${chars(23_997)}😀😀` })) ?? [];
    // The answer may have 23,998 units, but the last of them would be the first half of an emoji's surrogate pair.
    expect(cut).toEqual({ question: 'q\ud83d', answer: chars(23_997) });
  });
});

describe('older exchanges', () => {
  it('are kept whole or not at all', async () => {
    const { remember } = open();
    const newest = { question: '', answer: '' };
    const fits = { question: chars(12_000), answer: chars(12_000) };
    const tooLong = { question: chars(12_000), answer: chars(12_001) };
    expect(await remember(fits, newest)).toEqual([fits, newest]);
    expect(await remember(tooLong, newest)).toEqual([newest]);
    // The exchange before the dropped one is dropped too, although it is short.
    expect(await remember(newest, tooLong, newest)).toEqual([newest]);
  });
});

describe('a stored value', () => {
  it('that is no session is ignored', async () => {
    const { found } = open();
    for (const value of [undefined, null, 'text', 7]) expect(await found(value)).toBeUndefined();
  });

  it('is read as far as possible', async () => {
    const { found } = open();
    const good = { question: 'q', answer: 'a' };
    expect(await found({ session: 's1', history: [good] })).toStrictEqual({ session: 's1', history: [good] });
    expect(await found({ session: 7, history: 'none' })).toStrictEqual({ history: [] });
    const damaged = [null, 'text', { question: 'q' }, { answer: 'a' }, { question: 1, answer: 'a' }, good];
    expect(await found({ history: [...damaged, { question: 'q', answer: 1 }] })).toStrictEqual({
      history: [good],
    });
  });
});

describe('small state', () => {
  const store = () => {
    const { database, close } = openDatabase(':memory:');
    const clock = manualClock();
    const log = recordingLog();
    const keyed = createKeyed({ database, commits: createCommits({ database, clock }), clock, log });
    return { keyed, clock, log, close };
  };

  it('expires by the bridge’s clock alone', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
    try {
      const { keyed, close } = store();
      await keyed('k').set('a', 1, 1_000, 'nobody');
      vi.setSystemTime(9_000_000);
      expect(await keyed('k').get('a')).toBe(1);
      close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('that is sealed reports values that cannot be opened, by namespace, and not missing ones', async () => {
    const { keyed, log, close } = store();
    const sealed = sealKeyed(keyed('k'), { namespace: 'k', key: () => new Uint8Array(32), log });
    expect(await sealed.get('missing')).toBeUndefined();
    expect(log.lines).toEqual([]);
    await keyed('k').set('broken', 'AAAA', 1_000_000, 'nobody');
    expect(await sealed.get('broken')).toBeUndefined();
    expect(log.lines.map(({ level, facts }) => [level, facts])).toEqual([['error', { namespace: 'k' }]]);
    close();
  });
});
