/** The tests of the operator's queries, for both engines. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOperations } from '../../src/bridge/operations.ts';
import { agentName, turnId } from '../../src/core/ids.ts';
import type { Operations, TurnFilter } from '../../src/core/stores/operations.ts';
import { SEARCHED } from '../../src/store/operations.ts';
import type { OpenAudit } from './audit-contract.ts';
import { message, newTurn } from './turn-makers.ts';

const TEXTS = /question \d|secret|quoted words|the answer|Handbook|a note/;
const ALL: TurnFilter = { from: 0, to: Number.MAX_SAFE_INTEGER };

export function operationsContract(name: string, open: () => Promise<OpenAudit>): void {
  describe(`${name} answers the operator's queries`, () => {
    let opened: OpenAudit;
    let operations: Operations;

    beforeEach(async () => {
      opened = await open();
      const adapters = [{ name: 'console', limits: { edit: { gapMs: 0, perMinute: 50 } } }];
      const { store, now } = opened;
      const parts = { store, stateKey: () => new Uint8Array(32), clock: { now } };
      operations = createOperations(parts, adapters, quiet);
    });
    afterEach(() => opened.dispose());

    /** Ends the next turn, with texts in its record as `audit.text` adds them. */
    const end = async (state: 'answered' | 'failed', code?: 'platform-server') => {
      const claim = await opened.store.inbox.claim();
      if (claim === undefined) throw new Error('nothing to claim');
      await opened.store.inbox.checkpoint(claim, { agent: agentName('books'), account: 'service' });
      opened.advance(500);
      await opened.store.inbox.settle(claim, state, {
        answerChars: 10,
        sources: [{ id: 'd1', title: 'Handbook' }],
        question: 'secret question',
        answer: 'the answer',
        ...(code !== undefined && { code }),
      });
    };

    it('lists and counts ended turns by every filter, and shows no text of people or agents', async () => {
      for (const id of ['1', '2', '3']) {
        await opened.store.inbox.add(newTurn(id, `lane ${id}`));
        await end(id === '2' ? 'failed' : 'answered', id === '2' ? 'platform-server' : undefined);
      }
      const turns = async (filter: Partial<TurnFilter>) =>
        (await operations.ended({ ...ALL, ...filter }, 50)).lines.map(({ turn }) => turn);
      expect(await turns({})).toEqual(['3', '2', '1']);
      expect(await turns({ code: 'platform-server' })).toEqual(['2']);
      expect(await turns({ states: ['failed', 'expired'] })).toEqual(['2']);
      expect(await turns({ turn: '1' })).toEqual(['1']);
      for (const filter of [
        { agent: 'books' },
        { person: 'u1' },
        { room: 'general' },
        { channel: 'console' },
      ])
        expect(await turns(filter), JSON.stringify(filter)).toHaveLength(3);
      for (const filter of [{ agent: 'other' }, { person: 'u2' }, { room: 'x' }, { to: 1 }])
        expect(await turns(filter), JSON.stringify(filter)).toEqual([]);
      const page = await operations.ended(ALL, 1);
      expect(page.lines[0]).toMatchObject({
        state: 'answered',
        agent: 'books',
        sources: 1,
        questionChars: 10,
      });
      const { lines } = await operations.ended(ALL, 50, page.next);
      expect(lines.map(({ turn }) => turn)).toEqual(['2', '1']);
      const { counts } = await operations.counted(ALL);
      expect(counts).toEqual([
        { state: 'answered', count: 2, agent: 'books' },
        { state: 'failed', count: 1, agent: 'books', code: 'platform-server' },
      ]);
      expect(JSON.stringify([page, lines, counts])).not.toMatch(TEXTS);
    });

    it('finds records of earlier versions, which have no column for the agent', async () => {
      await opened.store.inbox.add(newTurn('1'));
      await end('answered');
      await opened.sql('UPDATE audit SET agent = NULL, code = NULL');
      expect((await operations.ended({ ...ALL, agent: 'books' }, 9)).lines).toHaveLength(1);
      expect((await operations.ended({ ...ALL, agent: 'book' }, 9)).lines).toEqual([]);
    });

    it('says why each turn waits, and shows no text of it', async () => {
      await opened.store.inbox.add(newTurn('1', '["console","local","general","a"]'));
      await opened.store.inbox.add(newTurn('2', '["console","local","general","a"]'));
      await opened.store.inbox.add(newTurn('3', '["console","local","general","b"]'));
      await opened.store.inbox.add(newTurn('4', '["other","local","general","c"]'));
      const claim = await opened.store.inbox.claim();
      const { lines, searched } = await operations.open(ALL);
      const told = lines.map(({ turn, state, why }) => `${turn} ${state} ${why}`);
      expect(claim?.turn.id).toBe('1');
      expect(told).toEqual([
        '1 running undefined',
        '2 waiting thread',
        '3 waiting next',
        '4 waiting channel',
      ]);
      expect(lines[1]).toMatchObject({ channel: 'console', room: 'general', person: 'u1', kind: 'room' });
      expect(searched).toBeUndefined();
      expect((await operations.open({ ...ALL, turn: '3' })).lines).toHaveLength(1);
      expect((await operations.open({ ...ALL, person: 'u2' })).lines).toEqual([]);
      expect(JSON.stringify(lines)).not.toMatch(TEXTS);
      const { waiting, running } = await operations.status();
      expect([waiting, running]).toEqual([3, 1]);
    });

    it('reads a bounded number of records and turns, and says so', async () => {
      const rows = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= ${SEARCHED + 10})`;
      await opened.sql(`INSERT INTO audit (at, action, outcome, room, facts)
        ${rows} SELECT i, 'ask', 'answered', CASE WHEN i = 5 THEN 'old' ELSE 'new' END, '{}' FROM n`);
      expect(await operations.ended({ ...ALL, room: 'old' }, 50)).toEqual({ lines: [], searched: SEARCHED });
      expect((await operations.ended({ ...ALL, to: 1_000, room: 'old' }, 50)).lines).toHaveLength(1);
      expect(await operations.counted(ALL)).toEqual({
        counts: [{ state: 'answered', count: SEARCHED }],
        searched: SEARCHED,
      });
      const { inbox } = opened.store;
      const long = { ...message('long', 'x'.repeat(70_000)), id: 'long' };
      await Promise.all(Array.from({ length: 501 }, (_, n) => inbox.add(newTurn(`w${n}`, `lane ${n}`))));
      await inbox.add(newTurn('long', 'lane', { message: long }));
      const { lines, searched } = await operations.open(ALL);
      expect([lines.length, searched]).toEqual([500, 500]);
    });

    it('lists ratings without their notes, and corrections', async () => {
      const rating = {
        turn: turnId('1'),
        reply: turnId('1'),
        channel: 'console',
        tenant: 'local',
        room: 'r',
      };
      await opened.store.feedback.give({ ...rating, person: 'u1', verdict: 'down', note: 'a note', at: 5 });
      await opened.store.audit.add({ action: 'correct', outcome: 'done', person: 'u1', detail: 'handbook' });
      const ratings = await operations.ratings(ALL, 50);
      expect(ratings).toMatchObject([{ person: 'u1', verdict: 'down', noted: true, room: 'r' }]);
      expect(JSON.stringify(ratings)).not.toMatch(TEXTS);
      expect(await operations.corrections(ALL, 50)).toMatchObject([{ person: 'u1', state: 'done' }]);
    });

    it('joins the calls of a workspace with its limits and refusals', async () => {
      const key = JSON.stringify(['console', 'local']);
      const owner = { channel: 'console', tenant: 'local' };
      const now = opened.now();
      await opened.store
        .keyed('calls')
        .set(key, { p1: { edit: [now, now] }, p2: { edit: [now] } }, 60_000, owner);
      await opened.store.keyed('limits').set(key, { edit: 35 }, 60_000, owner);
      await opened.store.keyed('refused calls').set(key, { edit: [now - 9, now] }, 60_000, owner);
      expect(await operations.budgets()).toEqual([
        { ...owner, family: 'edit', calls: 3, perMinute: 50, learned: 35, refused: 2, refusedAt: now },
      ]);
    });
  });
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
