import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/core/agents/agent.ts';
import { agentName } from '../../src/core/ids.ts';
import type { SessionKey, SessionStore } from '../../src/core/stores/sessions.ts';

export interface OpenSessions {
  readonly sessions: SessionStore;
  advance(ms: number): void;
  dispose(): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Defines the tests that every session store must pass. */
export function sessionContract(name: string, open: () => Promise<OpenSessions>): void {
  describe(`${name} keeps the session contract`, () => {
    let opened: OpenSessions;
    let sessions: SessionStore;

    beforeEach(async () => {
      opened = await open();
      sessions = opened.sessions;
    });
    afterEach(() => opened.dispose());

    it('saves, replaces and forgets sessions', async () => {
      const key = sessionKey(['c', 't', 'r', 'k', 'agent', undefined]);
      expect(await sessions.find(key)).toBeUndefined();
      await sessions.save(key, { session: '1234567890123456789', history: [] });
      expect(await sessions.find(key)).toEqual({ session: '1234567890123456789', history: [] });
      await sessions.save(key, { history: [exchange(1)] });
      expect(await sessions.find(key)).toEqual({ history: [exchange(1)] });
      await sessions.forget(key);
      expect(await sessions.find(key)).toBeUndefined();
    });

    it('never returns another key’s session', async () => {
      const part = fc.constantFrom('', 'a', 'a,b', 'b', '","', '"', '\\', '[', 'null', 'undefined');
      const parts = fc.tuple(part, part, part, part, part, fc.option(part, { nil: undefined }));
      await fc.assert(
        fc.asyncProperty(parts, parts, async (one, other) => {
          await sessions.forget(sessionKey(other));
          await sessions.save(sessionKey(one), { session: 's', history: [] });
          const found = await sessions.find(sessionKey(other));
          expect(found !== undefined).toBe(JSON.stringify(one) === JSON.stringify(other));
        }),
        { numRuns: 200 },
      );
    });

    it.each([
      'channel',
      'tenant',
      'room',
      'thread',
      'agent',
      'account',
    ])('separates sessions that differ only in their %s', async (member) => {
      const parts = { channel: 'c', tenant: 't', room: 'r', thread: 'k', agent: 'a', account: 'x' };
      const keyOf = (of: typeof parts) =>
        sessionKey([of.channel, of.tenant, of.room, of.thread, of.agent, of.account]);
      const [one, other] = [keyOf(parts), keyOf({ ...parts, [member]: 'another' })];
      await sessions.save(one, { session: 'one', history: [] });
      expect(await sessions.find(other)).toBeUndefined();
      await sessions.save(other, { session: 'other', history: [] });
      expect((await sessions.find(one))?.session).toBe('one');
      await sessions.forget(other);
      expect((await sessions.find(one))?.session).toBe('one');
    });

    it('forgets sessions after 30 days without use', async () => {
      const key = sessionKey(['c', 't', 'r', 'k', 'agent', 'account']);
      await sessions.save(key, { session: 's', history: [] });
      opened.advance(29 * DAY_MS);
      await sessions.save(key, { session: 's', history: [] });
      opened.advance(29 * DAY_MS);
      expect(await sessions.find(key)).toBeDefined();
      opened.advance(2 * DAY_MS);
      expect(await sessions.find(key)).toBeUndefined();
    });

    it('drops the oldest of more than 20 exchanges', async () => {
      const history = Array.from({ length: 25 }, (_, n) => exchange(n));
      expect(await saved(history)).toEqual(history.slice(5));
    });

    it('drops the oldest exchanges beyond 24,000 characters', async () => {
      const long = (n: number): Exchange => ({ question: `${n}`, answer: 'x'.repeat(7_999) });
      expect(await saved([long(1), long(2), long(3)])).toHaveLength(3);
      expect(await saved([long(1), long(2), long(3), long(4)])).toEqual([long(2), long(3), long(4)]);
    });

    it('keeps the newest exchange, shortened if it alone is too long', async () => {
      const kept = await saved([
        exchange(1),
        { question: 'why?', answer: `\ud83d\ude00${'x'.repeat(100_000)}` },
      ]);
      expect(kept).toHaveLength(1);
      expect(kept[0]?.question).toBe('why?');
      expect(kept[0]?.answer).toHaveLength(24_000 - 4);
      const pairs = await saved([{ question: 'q', answer: '\ud83d\ude00'.repeat(50_000) }]);
      expect(pairs[0]?.answer.isWellFormed()).toBe(true);
    });

    const saved = async (history: readonly Exchange[]): Promise<readonly Exchange[]> => {
      const key = sessionKey(['c', 't', 'r', 'k', 'agent', undefined]);
      await sessions.save(key, { history });
      return (await sessions.find(key))?.history ?? [];
    };
  });
}

type Parts = readonly [string, string, string, string, string, string | undefined];

const sessionKey = ([channel, tenant, room, key, agent, account]: Parts): SessionKey => ({
  thread: { channel, tenant, room, key, kind: 'room' },
  agent: agentName(agent),
  ...(account !== undefined && { account }),
});

const exchange = (n: number): Exchange => ({ question: `question ${n}`, answer: `answer ${n}` });
