import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRequests } from '../../adapters/teams/single-sign-on/requests.ts';
import { ASKERS, createAskerTokens } from '../../src/bridge/asker-tokens.ts';
import { systemClock } from '../../src/clock.ts';
import { agentName, turnId } from '../../src/core/ids.ts';
import { laneOf, type Message, messageKey, type ThreadRef } from '../../src/core/message.ts';
import type { ForgetTarget } from '../../src/core/stores/forgetting.ts';
import type { Claim } from '../../src/core/stores/inbox.ts';
import type { Store } from '../../src/store/index.ts';
import type { OpenAudit } from './audit-contract.ts';
import { message, newTurn } from './turn-makers.ts';
import { UNOWNED } from './unowned.ts';

const DAY_MS = 86_400_000;
const ROOM: ThreadRef = { channel: 'slack', tenant: 'T1', room: 'C1', key: '1.1', kind: 'room' };
const DIRECT: ThreadRef = { ...ROOM, room: 'D1', key: '2.2', kind: 'direct' };
const ADA = { kind: 'person', channel: 'slack', person: 'U1' } as const;

/** Returns a turn id whose last digits are `nth`. */
const idOf = (nth: number) => turnId(`10000000-0000-4000-8000-${String(nth).padStart(12, '0')}`);

/** Defines the tests that forgetting must pass in every engine. */
export function forgettingContract(name: string, open: () => Promise<OpenAudit>): void {
  describe(`${name} forgets`, () => {
    let opened: OpenAudit;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.dispose());

    const said = (nth: number, person: string, thread: ThreadRef): Message => ({
      ...message(`m${nth}`, `canary-${nth} of ${person}`),
      thread,
      sender: { id: person, name: person, standing: 'member' },
    });
    async function add(nth: number, person: string, thread: ThreadRef): Promise<void> {
      const [id, text] = [idOf(nth), said(nth, person, thread)];
      const key = messageKey(thread, text.id);
      await store.inbox.add(newTurn(id, laneOf(thread), { originKey: id, message: text, messageKey: key }));
    }
    async function claimed(): Promise<Claim> {
      const claim = await store.inbox.claim();
      if (claim === undefined) throw new Error('nothing to claim');
      return claim;
    }
    /** Stores an answered question, and data of every kind that belongs to it. */
    async function answered(nth: number, person: string, thread: ThreadRef): Promise<void> {
      await add(nth, person, thread);
      const claim = await claimed();
      await store.inbox.checkpoint(claim, { text: { at: 0, text: `canary-${nth}` }, account: `${person}@p` });
      const texts = { question: `canary-${nth}`, answer: `canary-${nth}` };
      await store.inbox.settle(claim, 'answered', { answerChars: 8, ...texts });
      const key = { thread, agent: agentName('books') };
      const { history = [] } = (await store.sessions.find(key)) ?? {};
      const exchange = { reply: idOf(nth), ...texts };
      await store.sessions.save(key, { session: `s-${thread.room}`, history: [...history, exchange] });
      await store.keyed('replies').set(`version ${idOf(nth)}`, texts, DAY_MS, UNOWNED);
      await store.keyed('receipts').set(`receipt:${idOf(nth)}`, [texts], DAY_MS, UNOWNED);
      await store
        .keyed('threads')
        .set(`answer ${laneOf(thread)}`, { turn: idOf(nth), sources: [] }, DAY_MS, UNOWNED);
      await store.keyed('threads').set(`agent ${laneOf(thread)}`, 'books', DAY_MS, UNOWNED);
      await store.keyed('rates').set(JSON.stringify(['slack', 'T1', person]), 1, DAY_MS, UNOWNED);
      await store.keyed('adapter slack').set(`preference T1 ${person}`, 'canary', DAY_MS, UNOWNED);
      await store
        .keyed('adapter slack')
        .set(`engaged T1 ${thread.room} ${thread.key}`, true, DAY_MS, UNOWNED);
      await store.feedback.give({
        ...{ turn: idOf(nth), reply: idOf(nth), person, verdict: 'up', note: `canary-${nth}`, at: 1 },
        ...{ channel: 'slack', tenant: 'T1', room: thread.room },
      });
    }
    const records = () => store.audit.page({ from: 0, to: Number.MAX_SAFE_INTEGER }, 1_000);
    const stored = async () => (await opened.dump()).toSorted();
    async function anonymize(target: ForgetTarget): Promise<void> {
      while ((await store.forgetting.anonymize(target, 'forgotten-1')) > 0);
    }

    it('a person: their turns, answers, conversations, feedback and state, and nothing of others', async () => {
      await answered(1, 'U1', ROOM);
      await answered(2, 'U2', ROOM);
      await answered(3, 'U1', DIRECT);
      await answered(4, 'U2', { ...ROOM, key: '4.4' });
      const erased = await store.forgetting.erase(ADA);
      expect(erased.removed).toMatchObject({
        ...{ turns: 2, answers: 2, conversations: 2, timelines: 2, feedback: 2 },
      });
      expect(erased.platformSessions.toSorted()).toEqual(['s-C1', 's-D1']);
      await anonymize(ADA);
      const left = await stored();
      expect(left.filter((row) => /canary-[13]\b|\bU1\b|D1/.test(row))).toEqual([]);
      for (const nth of [2, 4]) expect(left.filter((row) => row.includes(`canary-${nth}`))).not.toEqual([]);
      const key = { thread: ROOM, agent: agentName('books') };
      // The conversation of the other people continues in a new session of the platform, without the person's part.
      expect(await store.sessions.find(key)).toEqual({
        history: [{ reply: idOf(2), question: 'canary-2', answer: 'canary-2' }],
      });
      expect(await store.keyed('threads').get(`agent ${laneOf(ROOM)}`)).toBe('books');
    });

    it('a person whose turns have been deleted by age, with the help of the audit', async () => {
      await answered(1, 'U1', DIRECT);
      await store.inbox.prune(Number.MAX_SAFE_INTEGER);
      await store.forgetting.erase(ADA);
      await anonymize(ADA);
      expect((await stored()).filter((row) => /canary-1|U1|D1/.test(row))).toEqual([]);
    });

    it('a person in one workspace only', async () => {
      await answered(1, 'U1', ROOM);
      expect((await store.forgetting.erase({ ...ADA, tenant: 'T2' })).removed.turns).toBe(0);
      expect((await store.forgetting.erase({ ...ADA, tenant: 'T1' })).removed.turns).toBe(1);
    });

    it('a person in one workspace, and none of their values in another one', async () => {
      const values = (tenant: string): readonly (readonly [string, string])[] => [
        ['rates', JSON.stringify(['slack', tenant, 'U1'])],
        ['quotas', JSON.stringify(['person 5', 'slack', tenant, 'U1'])],
        ['names', JSON.stringify(['slack', tenant, 'U1'])],
        ['account links', `link ${JSON.stringify(['slack', tenant, 'U1'])}`],
        ['threads', `prompt ${laneOf({ ...ROOM, tenant })} U1`],
        ['threads', `agent ${laneOf({ ...DIRECT, tenant, key: 'of U1' })}`],
        ['adapter slack', `preference ${tenant} U1`],
        ['secrets slack', `slack about ${tenant} U1 7.7`],
      ];
      for (const [namespace, key] of [...values('T1'), ...values('T2')])
        await store.keyed(namespace).set(key, 'canary', DAY_MS, UNOWNED);
      const left = async (tenant: string) => {
        const found = await Promise.all(values(tenant).map(([of, key]) => store.keyed(of).get(key)));
        return found.filter((value) => value !== undefined).length;
      };
      await store.forgetting.erase({ ...ADA, tenant: 'T1' });
      expect([await left('T1'), await left('T2')]).toEqual([0, values('T2').length]);
      await store.forgetting.erase(ADA);
      expect(await left('T2')).toBe(0);
    });

    it('a person among those who asked and talked in a thread, and none of the others', async () => {
      await answered(1, 'U1', ROOM);
      const keyed = store.keyed('adapter slack');
      const key = `engaged T1 ${ROOM.room} ${ROOM.key}`;
      const ben = { by: 'U2', at: 6 };
      const engaged = { askers: ['U1', 'U2'], last: 5, talk: [{ by: 'U1', at: 5 }, ben] };
      await keyed.set(key, engaged, DAY_MS, UNOWNED);
      await store.forgetting.erase(ADA);
      expect(await keyed.get(key)).toEqual({ askers: ['U2'], last: 5, talk: [ben] });
    });

    it('a person whom a value of the channel names, and not the values that name others', async () => {
      const own = store.keyed('adapter slack');
      const values = [
        ['question T1 C1 1', 'U1'],
        ['question T1 C1 2', 'U2'],
        ['question T2 C1 1', 'U1'],
      ] as const;
      for (const [key, by] of values) await own.set(key, { by, message: 'm' }, DAY_MS, UNOWNED);
      await store.keyed('adapter teams').set('question T1 C1 1', { by: 'U1' }, DAY_MS, UNOWNED);
      const left = async () => {
        const found = await Promise.all(values.map(async ([key]) => [key, await own.get(key)] as const));
        return found.filter(([, value]) => value !== undefined).map(([key]) => key);
      };
      await store.forgetting.erase({ ...ADA, tenant: 'T1' });
      expect(await left()).toEqual(['question T1 C1 2', 'question T2 C1 1']);
      await store.forgetting.erase(ADA);
      expect(await left()).toEqual(['question T1 C1 2']);
      expect(await store.keyed('adapter teams').get('question T1 C1 1')).toBeDefined();
    });

    it('a person in the middle of a sign-in, and nothing of others who sign in', async () => {
      const requests = createRequests(store.keyed('adapter teams'));
      const tokens = createAskerTokens(store.keyed(ASKERS), systemClock);
      // The id of a tenant of Teams is a UUID, so it looks like the id of a turn.
      const tenant = '20000000-0000-4000-8000-000000000001';
      const signIn = async (person: string) => {
        const thread = { tenant, room: `chat of ${person}`, key: 'k', kind: 'direct' } as const;
        const request = { person, turn: idOf(9), thread };
        await requests.open(request);
        await requests.issue(request);
        await requests.addCard(request, 'a card');
        const token = { token: 'canary', name: person, expiresAt: Date.now() + DAY_MS };
        await tokens.keep({ channel: 'teams', tenant, person }, token);
        await tokens.fail({ channel: 'teams', tenant, person });
      };
      await signIn('U1');
      await signIn('U2');
      const rowsOf = async (person: string) =>
        (await stored()).filter((row) => row.includes(`"${person}`) || row.includes(`\\"${person}`));
      const others = await rowsOf('U2');
      expect(others).toHaveLength(6);
      await store.forgetting.erase({ kind: 'person', channel: 'teams', tenant, person: 'U1' });
      expect(await rowsOf('U1')).toEqual([]);
      expect(await rowsOf('U2')).toEqual(others);
    });

    it.each([
      'a/b',
      'a:b',
      'a%2Fb',
      '"',
    ])('a person with the id %j, and nothing of others', async (person) => {
      const keys = (id: string): readonly (readonly [string, string])[] => [
        ['rates', JSON.stringify(['slack', 'T1', id])],
        ['threads', `prompt ${laneOf(ROOM)} ${id}`],
        ['threads', `agent ${laneOf({ ...ROOM, key: `of ${id}` })}`],
        ['adapter slack', `preference T1 ${id}`],
      ];
      const others = ['U1', 'a', 'b', 'T1', `${person}2`].flatMap(keys);
      for (const [namespace, key] of [...keys(person), ...others])
        await store.keyed(namespace).set(key, 'canary', DAY_MS, UNOWNED);
      await store.forgetting.erase({ ...ADA, tenant: 'T1', person });
      const left = async (some: ReturnType<typeof keys>) => {
        const found = await Promise.all(some.map(([of, key]) => store.keyed(of).get(key)));
        return found.filter((value) => value !== undefined).length;
      };
      expect(await left(keys(person))).toBe(0);
      expect(await left(others)).toBe(others.length);
    });

    it('a person whom another person linked, in the records of the other person', async () => {
      const link = (detail: string) =>
        store.audit.add({
          ...{ action: 'link', outcome: 'done', channel: 'console', tenant: 'console', person: 'ada' },
          ...{ account: 'ada@p', detail },
        });
      const others = ['slack/T1/U10', 'slack/T2/XU1', 'teams/T1/U1', 'unlink', 'taken', 'slack/T3/U3'];
      for (const detail of ['slack/T1/U1', 'slack/T2/U1', ...others]) await link(detail);
      const details = async () => (await records()).map(({ detail }) => detail);
      while ((await store.forgetting.anonymize({ ...ADA, tenant: 'T1' }, 'forgotten-1')) > 0);
      expect(await details()).toEqual(['forgotten-1', 'slack/T2/U1', ...others]);
      while ((await store.forgetting.anonymize(ADA, 'forgotten-2')) > 0);
      expect(await details()).toEqual(['forgotten-1', 'forgotten-2', ...others]);
      const tenant = { kind: 'tenant', channel: 'slack', tenant: 'T3' } as const;
      while ((await store.forgetting.anonymize(tenant, 'forgotten-3')) > 0);
      expect(await details()).toEqual(['forgotten-1', 'forgotten-2', ...others.slice(0, -1), 'forgotten-3']);
      expect(new Set((await records()).map(({ person }) => person))).toEqual(new Set(['ada']));
    });

    it('a linked person, although a record in the audit is damaged', async () => {
      for (const detail of ['slack/T1/U1', 'slack/T1/U2'])
        await store.audit.add({
          ...{ action: 'link', outcome: 'done', channel: 'console', tenant: 'console', person: 'ada' },
          detail,
        });
      await opened.sql(`UPDATE audit SET facts = facts || '{' WHERE facts LIKE '%U2%'`);
      await anonymize({ ...ADA, tenant: 'T1' });
      expect((await stored()).filter((row) => row.includes('slack/T1/U1'))).toEqual([]);
    });

    it('a thread, and nothing of another thread of its room', async () => {
      await answered(1, 'U1', ROOM);
      await answered(2, 'U1', { ...ROOM, key: '1.12' });
      const target = { kind: 'thread', channel: 'slack', tenant: 'T1', room: 'C1', thread: '1.1' } as const;
      const { removed } = await store.forgetting.erase(target);
      expect(removed).toMatchObject({ turns: 1, answers: 1, conversations: 1, timelines: 1, feedback: 1 });
      await anonymize(target);
      const left = await stored();
      expect(left.filter((row) => /canary-1\b|\b1\.1\b(?!2)/.test(row) && !/"ask"|ask\|/.test(row))).toEqual(
        [],
      );
      expect(left.filter((row) => row.includes('canary-2')).length).toBeGreaterThan(4);
    });

    it('a workspace, with turns that wait or run, and all people in its audit records', async () => {
      await answered(1, 'U1', ROOM);
      await answered(2, 'U2', { ...DIRECT, tenant: 'T2' });
      await add(3, 'U1', ROOM);
      const running = await claimed();
      await add(4, 'U1', { ...ROOM, key: '9.9' });
      const target = { kind: 'tenant', channel: 'slack', tenant: 'T1' } as const;
      expect((await store.forgetting.erase(target)).removed.turns).toBe(3);
      expect(await store.inbox.settle(running, 'answered')).toBe('lost');
      await anonymize(target);
      const left = (await stored()).filter((row) => /canary-[134]|U1|C1|T1/.test(row));
      expect(left).toEqual([]);
    });

    it('a room, with the questions there that a person’s limit counts', async () => {
      const rates = store.keyed('rates');
      const asked = (room: string) => ({ at: 1, question: `["slack/T1","message","${room}/1.1",0]` });
      const key = (person: string) => JSON.stringify(['slack', 'T1', person]);
      await rates.set(key('U1'), [asked('C1')], DAY_MS, UNOWNED);
      await rates.set(key('U2'), [asked('C1'), asked('C2')], DAY_MS, UNOWNED);
      await rates.set(key('U3'), [asked('C2')], DAY_MS, UNOWNED);
      await store.forgetting.erase({ kind: 'tenant', channel: 'slack', tenant: 'T1', room: 'C1' });
      expect(await rates.get(key('U1'))).toBeUndefined();
      expect(await rates.get(key('U2'))).toEqual([asked('C2')]);
      expect(await rates.get(key('U3'))).toEqual([asked('C2')]);
    });

    it('leaves open turns of a person, and tells which are open', async () => {
      await add(1, 'U1', ROOM);
      await add(2, 'U1', ROOM);
      await add(3, 'U2', ROOM);
      expect((await store.forgetting.open(ADA)).toSorted()).toEqual([idOf(1), idOf(2)]);
      expect((await store.forgetting.erase(ADA)).removed.turns).toBe(0);
      expect((await claimed()).turn.id).toBe(idOf(1));
    });

    it('keeps records in the audit, without the person, their account, direct room and texts', async () => {
      await answered(1, 'U1', DIRECT);
      await answered(2, 'U2', ROOM);
      await anonymize(ADA);
      const [one, other] = await records();
      expect(one).toMatchObject({
        ...{ action: 'ask', outcome: 'answered', person: 'forgotten-1', room: 'forgotten-1', answerChars: 8 },
      });
      expect(one).not.toHaveProperty('account');
      expect(other).toMatchObject({ person: 'U2', room: 'C1', question: 'canary-2', account: 'U2@p' });
    });

    it('a second time without any effect', async () => {
      await answered(1, 'U1', ROOM);
      await store.forgetting.erase(ADA);
      await anonymize(ADA);
      const before = await stored();
      const { removed, platformSessions } = await store.forgetting.erase(ADA);
      expect(Object.values(removed).filter((count) => count > 0)).toEqual([]);
      expect(platformSessions).toEqual([]);
      expect(await store.forgetting.anonymize(ADA, 'forgotten-2')).toBe(0);
      expect(await stored()).toEqual(before);
    });

    it('keeps a request until it has a receipt, and then no longer whom it concerned', async () => {
      const id = await store.forgetting.request(ADA, true);
      opened.advance(1);
      await store.forgetting.request({ ...ADA, person: 'U2' }, false);
      const first = await store.forgetting.next();
      expect(first).toEqual({ id, target: ADA, stops: true });
      expect(await store.forgetting.receipt(id)).toBeUndefined();
      const removed = { turns: 2, files: 0 };
      const receipt = { outcome: 'done', pseudonym: 'forgotten-1', removed, remaining: [] } as const;
      if (first !== undefined) await store.forgetting.finish(first, receipt);
      expect(await store.forgetting.receipt(id)).toEqual(receipt);
      expect(await store.forgetting.next()).toMatchObject({ target: { person: 'U2' }, stops: false });
      expect(await records()).toMatchObject([
        { action: 'forget', outcome: 'done', person: 'forgotten-1', detail: 'person, turns 2' },
      ]);
      expect((await stored()).filter((row) => /\bU1\b/.test(row))).toEqual([]);
      await store.forgetting.prune(opened.now() + DAY_MS);
      expect(await store.forgetting.receipt(id)).toBeUndefined();
      expect(await store.forgetting.next()).toBeDefined();
    });
  });
}
