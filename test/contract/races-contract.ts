/**
 * Tests, with every engine, that concurrent writers of one key have the results of some order of their changes, and
 * that a compound change which fails in the middle changes nothing.
 */

import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { agentName, turnId } from '../../src/core/ids.ts';
import { laneOf, messageKey, type ThreadRef } from '../../src/core/message.ts';
import type { Claim } from '../../src/core/stores/inbox.ts';
import type { Keyed } from '../../src/core/stores/keyed.ts';
import type { Turn } from '../../src/core/turn.ts';
import type { Store } from '../../src/store/index.ts';
import { message, newTurn, screen } from './turn-makers.ts';

/** Replicas with one database. SQLite serves one process only, so with SQLite all of them are the same store. */
export interface OpenRaces {
  readonly stores: readonly Store[];
  advance(ms: number): void;
  /** Resolves with every row of every table, as text. */
  dump(): Promise<readonly string[]>;
  /**
   * Holds back all writes of values; reads go on. Resolves with a function that lets the writes go on once `writers`
   * of them wait.
   */
  hold(): Promise<(writers: () => number) => Promise<void>>;
  /** Lets every write into the table fail, until the returned function is called. */
  breakTable(table: string): Promise<() => Promise<void>>;
  /** Resolves with the newest turns, as the command `rules diff` reads them. */
  recent(limit: number): Promise<readonly Turn[]>;
  dispose(): Promise<void>;
}

const TTL_MS = 60_000;
const ADA = { channel: 'slack', tenant: 'T1', person: 'U1' };
const ROOM: ThreadRef = { channel: 'slack', tenant: 'T1', room: 'C1', key: '1.1', kind: 'room' };

/**
 * A change of the key by one replica, as the store and as a naive model carry it out. `model` returns the new value.
 */
interface Act {
  readonly name: string;
  run(keyed: Keyed, by: string): Promise<unknown>;
  model(value: unknown, by: string): { readonly result: unknown; readonly value: unknown };
}

const claimed = (value: unknown, by: string) => (value === undefined ? [by] : undefined);
const appended = (value: unknown, by: string) => [...(Array.isArray(value) ? value : []), by];
const ifKnown = (value: unknown, by: string) => (value === undefined ? undefined : [by]);
const changing = (name: string, next: (value: unknown, by: string) => unknown): Act => ({
  name,
  run: (keyed, by) => keyed.change('key', (value) => next(value, by), TTL_MS, 'nobody'),
  model(value, by) {
    const after = next(value, by);
    return { result: after !== undefined, value: after ?? value };
  },
});
const acts: readonly Act[] = [
  changing('claim', claimed),
  changing('append', appended),
  changing('replace', ifKnown),
  {
    name: 'delete',
    run: (keyed) => keyed.delete('key'),
    model: () => ({ result: undefined, value: undefined }),
  },
  {
    name: 'set',
    run: (keyed, by) => keyed.set('key', [by], TTL_MS, 'nobody'),
    model: (_value, by) => ({ result: undefined, value: [by] }),
  },
];

const permutations = (list: readonly number[]): readonly (readonly number[])[] =>
  list.length < 2
    ? [list]
    : list.flatMap((one) => permutations(list.filter((each) => each !== one)).map((rest) => [one, ...rest]));

/** Returns every result that some order of the acts explains, as JSON: the result of each act, and the last value. */
function explained(before: unknown, given: readonly Act[]): ReadonlySet<string> {
  const orders = permutations(given.map((_, nth) => nth));
  const outcomes = orders.map((order) => {
    let value = before;
    const results = given.map((): unknown => undefined);
    for (const nth of order) {
      const done = given[nth]?.model(value, `${nth}`);
      [results[nth], value] = [done?.result, done?.value];
    }
    return JSON.stringify([results, value]);
  });
  return new Set(outcomes);
}

/** Number of replicas that write to one key. */
const WRITERS = 3;

/** Defines the tests of concurrent writers that every engine must pass. */
export function racesContract(name: string, open: (replicas: number) => Promise<OpenRaces>): void {
  describe(`${name} with concurrent writers`, () => {
    let opened: OpenRaces;
    let store: Store;
    beforeEach(async () => {
      opened = await open(WRITERS);
      store = firstOf(opened);
    });
    afterEach(() => opened.dispose());

    /** All replicas read the value before one of them writes. */
    async function race(given: readonly Act[], namespace: string): Promise<string | undefined> {
      const release = await opened.hold();
      let settled = 0;
      const results = given.map((act, nth) => {
        const replica = opened.stores[nth] ?? store;
        const result = act.run(replica.keyed(namespace), `${nth}`);
        return result.finally(() => {
          settled += 1;
        });
      });
      await release(() => given.length - settled);
      // On a busy machine, a write may wait so long that the server refuses it. Such a race shows nothing.
      const done = await Promise.all(results).catch(() => undefined);
      return done && JSON.stringify([done, await store.keyed(namespace).get('key')]);
    }

    test('one key has the value and the results of some order', async () => {
      const round = fc.record({
        given: fc.array(fc.constantFrom(...acts), { minLength: WRITERS, maxLength: WRITERS }),
        before: fc.constantFrom(undefined, ['old']),
        hasExpired: fc.boolean(),
      });
      let nth = 0;
      const property = fc.asyncProperty(round, async ({ given, before, hasExpired }) => {
        nth += 1;
        const namespace = `race ${nth}`;
        const { set } = store.keyed(namespace);
        if (before !== undefined) await set('key', before, TTL_MS, 'nobody');
        if (hasExpired) opened.advance(2 * TTL_MS);
        const outcome = await race(given, namespace);
        fc.pre(outcome !== undefined);
        const allowed = explained(hasExpired ? undefined : before, given);
        expect(allowed, given.map((act) => act.name).join(', ')).toContain(outcome);
      });
      await fc.assert(property, {
        numRuns: 40,
        examples: [
          [{ given: Array(WRITERS).fill(acts[0]), before: undefined, hasExpired: false }],
          [{ given: Array(WRITERS).fill(acts[0]), before: ['old'], hasExpired: true }],
          [{ given: Array(WRITERS).fill(acts[1]), before: ['old'], hasExpired: false }],
        ],
      });
    });

    test('a new value has the owner and the time to live of the change that set it', async () => {
      const { change, get, set } = store.keyed('names');
      const erased = async () =>
        (await store.forgetting.erase({ kind: 'person', ...ADA })).removed.state ?? 0;
      await set('one', 'x', TTL_MS, { ...ADA, person: 'U12' });
      await change('two', () => 'x', TTL_MS, { ...ADA, person: 'U12' });
      expect(await erased()).toBe(0);
      await set('one', 'y', TTL_MS, ADA);
      await change('two', () => 'y', TTL_MS, ADA);
      await set('three', 'x', TTL_MS, ADA);
      await set('three', 'y', TTL_MS, { ...ADA, person: 'U12' });
      expect(await erased()).toBe(2);
      expect(await get('three')).toBe('y');
      await Promise.all([
        change('four', () => 1, 10 * TTL_MS, 'nobody'),
        change('four', () => 2, 2 * TTL_MS, 'nobody'),
        change('four', () => undefined, 10 * TTL_MS, 'nobody'),
      ]);
      opened.advance(TTL_MS);
      expect(await get('four')).toBe(2);
      opened.advance(TTL_MS);
      expect(await get('four')).toBeUndefined();
    });
  });
}

const firstOf = ({ stores: [store] }: OpenRaces): Store => {
  if (store === undefined) throw new Error('There is no store.');
  return store;
};

/** Defines the tests of compound changes that every engine must pass. */
export function compoundContract(name: string, open: (replicas: number) => Promise<OpenRaces>): void {
  describe(`${name} with a write that fails`, () => {
    let opened: OpenRaces;
    let store: Store;
    beforeEach(async () => {
      opened = await open(1);
      store = firstOf(opened);
    });
    afterEach(() => opened.dispose());

    const said = (id: string, person: string, revision = 0) => {
      const { sender, ...others } = message(id);
      const whole = { ...others, thread: ROOM, sender: { ...sender, id: person }, revision };
      const key = revision === 0 ? id : `${id} ${revision}`;
      return newTurn(`10000000-0000-4000-8000-00000000000${key.replace(' ', '')}`, laneOf(ROOM), {
        ...{ originKey: key, message: whole, messageKey: messageKey(ROOM, id) },
        origin: { kind: 'message', key, revision },
      });
    };
    const next = async (): Promise<Claim> => {
      const claim = await store.inbox.claim();
      if (claim === undefined) throw new Error('There is nothing to claim.');
      return claim;
    };
    /**
     * Stores an answered question and data about it, a running answer and two waiting questions, some of another
     * person.
     */
    async function fill(): Promise<Claim> {
      await store.inbox.add(said('1', 'U1'));
      const first = await next();
      await store.inbox.checkpoint(first, { text: { at: 0, text: 'canary' }, screen: screen('m1') });
      await store.inbox.settle(first, 'answered', { answerChars: 6, question: 'canary', answer: 'canary' });
      await store.inbox.withdraw(messageKey(ROOM, 'gone U1'), (turn: Turn) => said('9', turn.id));
      for (const id of ['2', '3', '4']) await store.inbox.add(said(id, 'U1'));
      const running = await next();
      await store.inbox.checkpoint(running, { text: { at: 0, text: 'growing' }, screen: screen('m2') });
      await store.keyed('names').set('whole', 'canary', TTL_MS, ADA);
      await store.sessions.save(
        { thread: ROOM, agent: agentName('books') },
        {
          history: [
            { question: 'canary', answer: 'x', reply: first.turn.id },
            { question: 'other', answer: 'y', reply: turnId('other') },
          ],
        },
      );
      await store.feedback.give({
        ...{ turn: first.turn.id, reply: first.turn.id, person: 'U1', verdict: 'up', at: 1 },
        ...{ channel: 'slack', tenant: 'T1', room: 'C1' },
      });
      await store.audit.add({ action: 'link', outcome: 'done', ...ADA, detail: 'teams/t/x' });
      await store.audit.add({ action: 'link', outcome: 'done', ...ADA, person: 'U2', detail: 'slack/T1/U1' });
      return running;
    }

    const person = { kind: 'person', ...ADA } as const;
    const request = async () => {
      const found = await store.forgetting.next();
      if (found === undefined) throw new Error('There is no request.');
      return found;
    };
    const receipt = { outcome: 'done', pseudonym: 'p', removed: {}, remaining: [] } as const;
    const removal = (turn: Turn) => ({ ...said('8', 'U1'), follows: turn.id });
    const books = agentName('books');
    /** Changes that write to several tables or rows, each with one of the tables that it writes to. */
    const compound: readonly (readonly [string, readonly string[], (running: Claim) => Promise<unknown>])[] =
      [
        ['erase', ['turns', 'withdrawn', 'feedback', 'keyed'], () => store.forgetting.erase(person)],
        ['anonymize', ['audit'], () => store.forgetting.anonymize(person, 'p')],
        ['finish', ['forgetting', 'audit'], async () => store.forgetting.finish(await request(), receipt)],
        [
          'remove',
          ['keyed', 'audit'],
          () => store.keyedRows.remove('names', ['whole'], [{ action: 'link', outcome: 'done', ...ADA }]),
        ],
        ['settle', ['turns', 'audit', 'answers'], (running) => store.inbox.settle(running, 'answered')],
        [
          'checkpoint',
          ['turns', 'answers'],
          (running) => store.inbox.checkpoint(running, { session: 's', text: { at: 3, text: 'new' } }),
        ],
        ['release', ['turns'], (running) => store.inbox.release(running)],
        ['postpone', ['turns'], (running) => store.inbox.postpone(running, { agent: books, asked: true })],
        ['supersede', ['turns', 'audit'], () => store.inbox.supersede(said('3', 'U1', 1))],
        ['withdraw', ['turns', 'withdrawn'], () => store.inbox.withdraw(messageKey(ROOM, '3'), removal)],
        ['instead', ['turns'], () => store.inbox.instead(laneOf(ROOM), 'U1', said('4', 'U1').id)],
      ];
    test('the newest questions of one moment are read in the order of their storing, newest first', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const id of ids) await store.inbox.add(newTurn(id, `lane ${id}`));
      // Neither an edit, which ends the turns of its question, nor an earlier message counts as newer.
      const lane = 'lane f';
      for (const id of ['g', 'h']) {
        opened.advance(1);
        const key = { messageKey: 'key' };
        const sent = { ...message(id), sentAt: id === 'g' ? 2 : 1 };
        await store.inbox.add(newTurn(id, lane, { message: sent, ...(id === 'g' && key) }));
      }
      opened.advance(1);
      const revised = { ...message('g'), revision: 1 };
      await store.inbox.supersede(newTurn('i', lane, { message: revised, messageKey: 'key' }));
      const read = async (limit: number) => (await opened.recent(limit)).map(({ id }) => id);
      expect(await read(9)).toEqual(['i', 'h', 'g', ...ids.toReversed()]);
      expect(await read(4)).toEqual(['i', 'h', 'g', 'f']);
    });

    test.each(compound)('%s changes nothing unless it changes everything', async (_what, tables, run) => {
      const running = await fill();
      await store.forgetting.request(person, false);
      const dump = async () => (await opened.dump()).toSorted();
      const before = await dump();
      for (const table of tables) {
        const mend = await opened.breakTable(table);
        await run(running).then(
          // With SQLite, checkpoints that cannot be written are kept beside the store.
          (value) => expect(value, table).toBe('held'),
          (thrown: unknown) => expect(thrown, table).toMatchObject({ code: 'store-unavailable' }),
        );
        expect(await dump(), table).toEqual(before);
        await mend();
      }
      await run(running);
      expect(await dump()).not.toEqual(before);
    });
  });
}
