/**
 * Tests, with every engine, that a code links the person who requested it to one account only: the account of whoever
 * presents the code first.
 */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccountLinks } from '../../src/bridge/account-links.ts';
import { holderKey, LINKS, readLinks } from '../../src/bridge/link-records.ts';
import { createAccountTable } from '../../src/core/agents/access.ts';
import type { AccountLinks } from '../../src/core/stores/account-links.ts';
import type { Act } from '../../src/core/stores/audit.ts';
import type { ForgetTarget } from '../../src/core/stores/forgetting.ts';
import { type Store, sealKeyed } from '../../src/store/index.ts';
import { quiet } from '../fakes/quiet.ts';
import { person, thread } from '../fakes/samples.ts';

/** Two replicas with one database. SQLite serves one process only, so with SQLite both are the same store. */
export interface OpenLinks {
  readonly stores: readonly [Store, Store];
  now(): number;
  advance(ms: number): void;
  /** Resolves with every row of every table, as text. */
  dump(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

const inSlack = thread({ channel: 'slack', tenant: 'T1', kind: 'direct' });
const inConsole = thread({ channel: 'console', tenant: 'console', kind: 'direct' });
const mallory = person({ id: 'mallory' });
const ada = person({ id: 'ada' });
const eve = person({ id: 'eve' });
const u1 = person({ id: 'U1', name: 'Ada in Slack' });

const MINUTE = 60_000;
const DAYS = 30;
const kindOf = async (result: Promise<{ readonly kind: string }>) => (await result).kind;

/** Defines the tests that codes and links must pass with every engine. */
export function accountLinksContract(name: string, open: () => Promise<OpenLinks>): void {
  describe(`${name} keeps codes and links`, () => {
    let opened: OpenLinks;
    let accounts: readonly string[];
    /** People of the console whom the identity provider refuses. */
    let refused: Set<string>;
    let acts: Act[];
    let links: AccountLinks;
    /** A second replica with the same database. */
    let replica: AccountLinks;
    const sealing = { key: () => new Uint8Array(32), log: quiet };

    beforeEach(async () => {
      opened = await open();
      accounts = ['ada@p', 'eve@p'];
      [refused, acts] = [new Set(), []];
      const table = { ...createAccountTable([]), names: (account: string) => accounts.includes(account) };
      const clock = { now: opened.now };
      const linksOf = (store: Store) => {
        const stored = sealKeyed(store.keyed(LINKS), { ...sealing, namespace: LINKS });
        const titleOf = (channel: string) => `${channel} for people`;
        const isAccepted = async (channel: string, id: string) => channel !== 'console' || !refused.has(id);
        const noteAct = async (act: Act) => void acts.push(act);
        return createAccountLinks({
          stored,
          accounts: table,
          days: DAYS,
          clock,
          titleOf,
          isAccepted,
          noteAct,
        });
      };
      [links, replica] = [linksOf(opened.stores[0]), linksOf(opened.stores[1])];
    });
    afterEach(() => opened.dispose());

    const rows = () => opened.stores[1].keyedRows;
    const linkAda = async () => {
      const code = await links.begin(u1, inSlack);
      await replica.show(code, ada, inConsole);
      return replica.confirm(code, 'ada@p', ada, inConsole);
    };
    const forget = async (target: ForgetTarget) =>
      (await opened.stores[0].forgetting.erase(target)).removed.links ?? 0;

    test('a code of one replica, confirmed at another, links the person for both until unlinked', async () => {
      const code = await links.begin(u1, inSlack);
      expect(code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}$/);
      const claimant = { channel: 'slack', tenant: 'T1', person: 'U1', name: 'Ada in Slack' };
      const title = 'slack for people';
      expect(await replica.show(code.toLowerCase(), ada, inConsole)).toEqual({
        kind: 'shown',
        claimant: { ...claimant, title },
      });
      expect(await links.find(u1, inSlack)).toBeUndefined();
      expect(await kindOf(replica.confirm(code, 'ada@p', ada, inConsole))).toBe('linked');
      expect(await links.find(u1, inSlack)).toBe('ada@p');
      expect(await links.find(u1, thread({ channel: 'slack', tenant: 'T2' }))).toBeUndefined();
      expect(await links.unlink(u1, inSlack)).toBe(true);
      expect([await replica.find(u1, inSlack), await links.unlink(u1, inSlack)]).toEqual([undefined, false]);
    });

    describe('a code does not work', () => {
      test('without having been shown', async () => {
        const code = await links.begin(u1, inSlack);
        expect(await kindOf(links.confirm(code, 'ada@p', ada, inConsole))).toBe('wrong');
      });

      test('twice, also if both replicas get it at the same moment', async () => {
        for (let round = 0; round < 10; round += 1) {
          const code = await links.begin(u1, inSlack);
          const shown = [links, replica].map((each, nth) =>
            kindOf(each.show(code, [ada, eve][nth] ?? ada, inConsole)),
          );
          expect((await Promise.all(shown)).toSorted()).toEqual(['shown', 'wrong']);
          const [by, account] = (await shown[0]) === 'shown' ? [ada, 'ada@p'] : [eve, 'eve@p'];
          const both = [links, replica, links, replica].map((each) =>
            kindOf(each.confirm(code, account, by, inConsole)),
          );
          expect((await Promise.all(both)).toSorted()).toEqual(['linked', 'wrong', 'wrong', 'wrong']);
          expect(await kindOf(links.show(code, by, inConsole))).toBe('wrong');
          opened.advance(11 * MINUTE);
        }
      });

      test('for another person than the first who showed it', async () => {
        const code = await links.begin(u1, inSlack);
        await links.show(code, ada, inConsole);
        expect(await kindOf(replica.show(code, eve, inConsole))).toBe('wrong');
        expect(await kindOf(replica.confirm(code, 'eve@p', eve, inConsole))).toBe('wrong');
        expect(await links.find(u1, inSlack)).toBeUndefined();
      });

      test('after 10 minutes, or after a newer one', async () => {
        const old = await links.begin(u1, inSlack);
        const newer = await replica.begin(u1, inSlack);
        expect(await kindOf(links.show(old, ada, inConsole))).toBe('wrong');
        opened.advance(11 * MINUTE);
        expect(await kindOf(links.show(newer, ada, inConsole))).toBe('wrong');
        const shown = await links.begin(u1, inSlack);
        opened.advance(9 * MINUTE);
        expect(await kindOf(replica.show(shown, ada, inConsole))).toBe('shown');
        opened.advance(2 * MINUTE);
        expect(await kindOf(replica.confirm(shown, 'ada@p', ada, inConsole))).toBe('wrong');
      });

      test('in the workspace that it comes from', async () => {
        const code = await links.begin(mallory, inSlack);
        expect(await kindOf(links.show(code, ada, inSlack))).toBe('same-workspace');
        expect(await kindOf(links.confirm(code, 'ada@p', ada, inSlack))).toBe('same-workspace');
        expect(await links.find(mallory, inSlack)).toBeUndefined();
      });

      test('for an account that another person of the workspace uses', async () => {
        expect(await linkAda()).toMatchObject({ kind: 'linked' });
        const code = await links.begin(mallory, inSlack);
        await links.show(code, ada, inConsole);
        expect(await kindOf(links.confirm(code, 'ada@p', ada, inConsole))).toBe('taken');
        expect(await links.find(mallory, inSlack)).toBeUndefined();
      });

      test('after five wrong ones at any replica, for 10 minutes', async () => {
        const code = await links.begin(u1, inSlack);
        const guesses = Array.from({ length: 5 }, (_, nth) =>
          kindOf((nth % 2 === 0 ? links : replica).show(`AAAA-AAAA-AAA${nth + 2}`, eve, inConsole)),
        );
        expect(new Set(await Promise.all(guesses))).toEqual(new Set(['wrong']));
        expect(await kindOf(links.show(code, eve, inConsole))).toBe('blocked');
        expect(await kindOf(replica.confirm(code, 'eve@p', eve, inConsole))).toBe('blocked');
        expect(await kindOf(replica.show(code, ada, inConsole))).toBe('shown');
        opened.advance(11 * MINUTE);
        const fresh = await links.begin(u1, inSlack);
        expect(await kindOf(replica.show(fresh, eve, inConsole))).toBe('shown');
      });
    });

    test('a link ends for all replicas once the identity provider refuses the person who confirmed it', async () => {
      expect((await linkAda()).kind).toBe('linked');
      refused.add('eve');
      expect(await links.find(u1, inSlack)).toBe('ada@p');
      refused.add('ada');
      expect(await replica.find(u1, inSlack)).toBeUndefined();
      refused.clear();
      expect(await links.find(u1, inSlack)).toBeUndefined();
      expect(await readLinks({ rows: rows(), sealing })).toEqual([]);
      expect(acts).toMatchObject([
        { action: 'link', channel: 'slack', person: 'U1', detail: 'unlink by identity provider' },
      ]);
    });

    describe('a person whose identity is proven', () => {
      const proven = { channel: 'slack', tenant: 'T1', person: 'U1', name: 'Ada in Slack' };
      const prove = (over: object = {}, account = 'ada@p') =>
        links.linkProven({ ...proven, ...over }, account, ada, inConsole);

      test('is linked without a code, for both replicas, until unlinked', async () => {
        expect(await prove()).toEqual({ kind: 'linked', claimant: { ...proven, title: 'slack for people' } });
        expect(await replica.find(u1, inSlack)).toBe('ada@p');
        const [link] = await readLinks({ rows: rows(), sealing });
        expect(link).toMatchObject({ ...proven, account: 'ada@p', by: 'console' });
        expect(await replica.unlink(u1, inSlack)).toBe(true);
        expect(await kindOf(prove({ person: 'mallory' }))).toBe('linked');
      });

      test('takes over no account of another person in the workspace', async () => {
        await linkAda();
        expect(await kindOf(prove({ person: 'mallory' }))).toBe('taken');
        expect(await kindOf(prove({ person: 'mallory', tenant: 'T2' }))).toBe('linked');
        expect(await links.find(mallory, inSlack)).toBeUndefined();
      });

      test('is not linked in the workspace of the account’s own person', async () => {
        expect(await kindOf(prove({ channel: 'console', tenant: 'console' }))).toBe('same-workspace');
      });

      test('frees the earlier account when linked to another one', async () => {
        await prove();
        await prove({}, 'eve@p');
        expect(await links.find(u1, inSlack)).toBe('eve@p');
        expect(await kindOf(prove({ person: 'mallory' }))).toBe('linked');
      });
    });

    test('a link counts only while nobody else holds its account', async () => {
      await linkAda();
      // As after a link that was removed just as it was made again.
      await opened.stores[0].keyed(LINKS).delete(holderKey(inSlack, 'ada@p'));
      expect(await links.find(u1, inSlack)).toBeUndefined();
      const code = await links.begin(mallory, inSlack);
      await links.show(code, ada, inConsole);
      expect(await kindOf(links.confirm(code, 'ada@p', ada, inConsole))).toBe('linked');
      const found = [u1, mallory].map((each) => replica.find(each, inSlack));
      expect(await Promise.all(found)).toEqual([undefined, 'ada@p']);
    });

    test('a code works in another channel whose workspace has the same id', async () => {
      const code = await links.begin(u1, inSlack);
      const elsewhere = thread({ channel: 'teams', tenant: 'T1', kind: 'direct' });
      expect(await kindOf(links.show(code, ada, elsewhere))).toBe('shown');
    });

    test('a link ends with its days, and with the account’s line in the file', async () => {
      await linkAda();
      accounts = [];
      expect(await links.find(u1, inSlack)).toBeUndefined();
      accounts = ['ada@p'];
      expect(await replica.find(u1, inSlack)).toBe('ada@p');
      opened.advance((DAYS + 1) * 24 * 60 * MINUTE);
      expect(await links.find(u1, inSlack)).toBeUndefined();
      expect(await readLinks({ rows: rows(), sealing })).toEqual([]);
    });

    test('links are listed with their person, their times and the channel of the confirmation', async () => {
      await linkAda();
      const [link, ...more] = await readLinks({ rows: rows(), sealing });
      expect(more).toEqual([]);
      expect(link).toMatchObject({
        ...{ channel: 'slack', tenant: 'T1', person: 'U1', name: 'Ada in Slack' },
        ...{ account: 'ada@p', by: 'console', since: opened.now() },
      });
    });

    test('neither codes nor accounts are on disk as text', async () => {
      const code = await links.begin(u1, inSlack);
      await linkAda();
      const stored = (await opened.dump()).join();
      expect(stored).toContain('U1');
      for (const secret of [code, 'ada@p', 'Ada in Slack']) expect(stored).not.toContain(secret);
    });

    test.each([
      ['person', { kind: 'person', channel: 'slack', person: 'U1' }],
      ['person of one workspace', { kind: 'person', channel: 'slack', tenant: 'T1', person: 'U1' }],
      ['workspace', { kind: 'tenant', channel: 'slack', tenant: 'T1' }],
    ] as const)('of a forgotten %s, nothing is left, and the account can be linked again', async (_what, target) => {
      await linkAda();
      await links.begin(u1, inSlack);
      expect(await forget(target)).toBe(1);
      expect(await forget(target)).toBe(0);
      const left = (await rows().list(LINKS, '')).map(({ key }) => key.split(' ')[0]);
      // The used code of the first link expires after 10 minutes.
      expect(left.filter((kind) => kind !== 'code')).toEqual([]);
      expect((await opened.dump()).join()).not.toContain('U1');
      const code = await links.begin(mallory, inSlack);
      await links.show(code, ada, inConsole);
      expect(await kindOf(links.confirm(code, 'ada@p', ada, inConsole))).toBe('linked');
    });

    test.each([
      ['another person', { kind: 'person', channel: 'slack', person: 'U2' }],
      ['the same id in another channel', { kind: 'person', channel: 'teams', person: 'U1' }],
      ['the same id in another workspace', { kind: 'person', channel: 'slack', tenant: 'T2', person: 'U1' }],
      ['a thread', { kind: 'thread', channel: 'slack', tenant: 'T1', room: 'C1', thread: '1' }],
      ['a room', { kind: 'tenant', channel: 'slack', tenant: 'T1', room: 'C1' }],
    ] as const)('the link stays when %s is forgotten', async (_what, target) => {
      await linkAda();
      expect(await forget(target)).toBe(0);
      expect(await links.find(u1, inSlack)).toBe('ada@p');
    });
  });
}
