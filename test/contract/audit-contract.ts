import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentName, turnId } from '../../src/core/ids.ts';
import type { AuditRange, StoredRecord } from '../../src/core/stores/audit.ts';
import type { Claim } from '../../src/core/stores/inbox.ts';
import { PAGE_BYTES } from '../../src/store/audit.ts';
import type { Store } from '../../src/store/index.ts';
import { message, newTurn } from './turn-makers.ts';

export interface OpenAudit {
  readonly store: Store;
  now(): number;
  advance(ms: number): void;
  /** Runs a statement on the store's tables from outside. */
  sql(statement: string): Promise<void>;
  /** Resolves with every row of every table, as text. */
  dump(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

const EVERYTHING: AuditRange = { from: 0, to: Number.MAX_SAFE_INTEGER };
const TEXTS = /question 1|secret plan|quoted words/;

/** Defines the tests that the audit of every engine must pass. */
export function auditContract(name: string, open: () => Promise<OpenAudit>): void {
  describe(`${name} keeps the audit contract`, () => {
    let opened: OpenAudit;
    let store: Store;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.dispose());

    const claimed = async (): Promise<Claim> => {
      const claim = await store.inbox.claim();
      if (claim === undefined) throw new Error('nothing to claim');
      return claim;
    };
    const all = (range: Partial<AuditRange> = {}) => store.audit.page({ ...EVERYTHING, ...range }, 5_000);
    const told = async () => (await all()).map(({ turn, outcome }) => `${turn} ${outcome}`);

    it('adds one record when a turn ends: who, where, how long and how much, but no text', async () => {
      await store.inbox.add(newTurn('1'));
      const claim = await claimed();
      await store.inbox.checkpoint(claim, {
        agent: agentName('books'),
        account: 'service',
        session: 's1',
        text: { at: 0, text: 'the answer' },
      });
      expect(await all()).toEqual([]);
      opened.advance(500);
      const sources = [{ id: 'd1' }, { id: 'd2', title: 'Handbook' }];
      await store.inbox.settle(claim, 'answered', { answerChars: 10, sources });
      const [record, ...others] = await all();
      expect(others).toEqual([]);
      expect(record).toMatchObject({
        ...{ action: 'ask', outcome: 'answered', turn: '1', person: 'u1' },
        ...{ channel: 'console', tenant: 'local', room: 'general', thread: 't', kind: 'room' },
        ...{ agent: 'books', account: 'service', session: 's1' },
        ...{ questionChars: 10, answerChars: 10, files: 1, sources },
      });
      expect(record?.ms).toBeGreaterThanOrEqual(0);
      expect(JSON.stringify(record)).not.toMatch(TEXTS);
    });

    it('contains the texts only if they are given', async () => {
      await store.inbox.add(newTurn('1'));
      await store.inbox.settle(await claimed(), 'answered', {
        answerChars: 2,
        question: 'Why? \u0000 \ud800',
        answer: 'So',
      });
      expect(await all()).toMatchObject([{ question: 'Why? \u0000 \ud800', answer: 'So' }]);
    });

    it('adds nothing for a claim that was lost, and nothing twice', async () => {
      await store.inbox.add(newTurn('1'));
      const lost = await claimed();
      await store.inbox.release(lost);
      const again = await claimed();
      expect(await store.inbox.settle(lost, 'failed')).toBe('lost');
      expect(await told()).toEqual([]);
      const ended = [1, 2, 3].map(() => store.inbox.settle(again, 'answered'));
      expect((await Promise.all(ended)).toSorted()).toEqual(['lost', 'lost', 'settled']);
      expect(await told()).toEqual(['1 answered']);
    });

    it('ends a turn and adds its record in one transaction', async () => {
      await store.inbox.add(newTurn('1'));
      const claim = await claimed();
      await opened.sql('ALTER TABLE audit RENAME TO elsewhere');
      await expect(store.inbox.settle(claim, 'answered')).rejects.toMatchObject({
        code: 'store-unavailable',
      });
      await opened.sql('ALTER TABLE elsewhere RENAME TO audit');
      expect(await store.inbox.renew(claim)).toBe('held');
      expect(await told()).toEqual([]);
      expect(await store.inbox.settle(claim, 'answered')).toBe('settled');
      expect(await told()).toEqual(['1 answered']);
    });

    it('adds one record for each turn of an edited and of a deleted question', async () => {
      const messageKey = 'key of 1';
      const edited = (revision: number) => ({ ...message('1'), revision });
      await store.inbox.add(newTurn('1', 'lane', { messageKey }));
      await store.inbox.supersede(
        newTurn('2', 'lane', {
          ...{ messageKey, message: edited(1) },
          origin: { kind: 'message', key: '1', revision: 1 },
        }),
      );
      expect(await told()).toEqual(['1 superseded']);
      const running = await claimed();
      await store.inbox.supersede(
        newTurn('3', 'lane', {
          ...{ messageKey, message: edited(2) },
          origin: { kind: 'message', key: '1', revision: 2 },
        }),
      );
      expect(await store.inbox.settle(running, 'answered')).toBe('superseded');
      expect(await told()).toEqual(['1 superseded', '2 superseded']);
      const last = await claimed();
      await store.inbox.withdraw(messageKey, () => newTurn('unused'));
      expect(await store.inbox.settle(last, 'answered')).toBe('withdrawn');
      expect(await told()).toHaveLength(2);
      await store.inbox.settle(await claimed(), 'withdrawn');
      expect(await told()).toEqual(['1 superseded', '2 superseded', '3 withdrawn']);
    });

    it('names the person who pressed Regenerate, not the one who asked', async () => {
      const origin = { kind: 'regenerate', of: turnId('0'), by: 'u9' } as const;
      await store.inbox.add(newTurn('1', 'lane', { origin }));
      await store.inbox.settle(await claimed(), 'answered');
      expect(await all()).toMatchObject([{ action: 'regenerate', person: 'u9' }]);
    });

    it('adds acts', async () => {
      await store.audit.add({ action: 'reload-rules', outcome: 'done', detail: 'rules.yaml' });
      await store.audit.add({ action: 'ask', outcome: 'refused', person: 'u2', rule: 'rules.yaml:3' });
      const [first, second] = await all();
      expect(first).toEqual({
        ...{ seq: first?.seq, at: first?.at, action: 'reload-rules', outcome: 'done', detail: 'rules.yaml' },
      });
      expect(second).toMatchObject({ action: 'ask', outcome: 'refused', person: 'u2', rule: 'rules.yaml:3' });
    });

    it('ends a page early if its records are long', async () => {
      // Each letter has three bytes.
      const detail = '東'.repeat(PAGE_BYTES * 0.13);
      for (const rule of ['a', 'b', 'c']) await store.audit.add({ action: 'ask', outcome: rule, detail });
      await store.audit.add({ action: 'ask', outcome: 'd', detail: 'x'.repeat(PAGE_BYTES) });
      const pages: string[] = [];
      let after: StoredRecord | undefined;
      do {
        const page = await store.audit.page({ ...EVERYTHING, after }, 10);
        pages.push(page.map(({ outcome }) => outcome).join(''));
        after = page.at(-1);
      } while (after !== undefined);
      expect(pages).toEqual(['ab', 'c', 'd', '']);
    });

    it('reads pages by time and person', async () => {
      for (const nth of [1, 2, 3, 4, 5]) {
        const [channel, tenant] = nth < 4 ? ['slack', 'T1'] : ['slack', 'T2'];
        const person = nth % 2 === 0 ? 'even' : 'odd';
        await store.audit.add({
          action: 'share',
          outcome: 'done',
          detail: `${nth}`,
          channel,
          tenant,
          person,
        });
        opened.advance(1_000);
      }
      const nths = (records: readonly StoredRecord[]) => records.map(({ detail }) => Number(detail));
      expect(nths(await all())).toEqual([1, 2, 3, 4, 5]);
      const first = await store.audit.page(EVERYTHING, 2);
      const second = await store.audit.page({ ...EVERYTHING, after: first.at(-1) }, 2);
      const third = await store.audit.page({ ...EVERYTHING, after: second.at(-1) }, 2);
      expect([first, second, third].map(nths)).toEqual([[1, 2], [3, 4], [5]]);
      const [, from, , to] = (await all()).map(({ at }) => at);
      expect(nths(await all({ from: from ?? 0, to: to ?? 0 }))).toEqual([2, 3]);
      expect(nths(await all({ person: { id: 'odd' } }))).toEqual([1, 3, 5]);
      expect(nths(await all({ person: { id: 'odd', channel: 'slack', tenant: 'T1' } }))).toEqual([1, 3]);
      expect(await all({ person: { id: 'odd', channel: 'teams' } })).toEqual([]);
    });

    it('deletes old records, at most 1,000 at once', async () => {
      await Promise.all(
        Array.from({ length: 1_200 }, () => store.audit.add({ action: 'share', outcome: 'done' })),
      );
      opened.advance(60_000);
      const before = opened.now() - 30_000;
      await store.audit.add({ action: 'share', outcome: 'done', detail: 'new' });
      expect(await store.audit.prune(before)).toBe(1_000);
      expect(await store.audit.prune(before)).toBe(200);
      expect(await store.audit.prune(before)).toBe(0);
      expect(await all()).toMatchObject([{ detail: 'new' }]);
    });
  });
}
