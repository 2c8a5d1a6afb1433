/** Tests that a code links only the person who asked for it, to the account of the one person who showed it. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccountLinks } from '../../../src/bridge/account-links.ts';
import { createAccountTable } from '../../../src/core/agents/access.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { AccountLinks } from '../../../src/core/stores/account-links.ts';
import type { Keyed } from '../../../src/core/stores/keyed.ts';
import { sealKeyed } from '../../../src/store/sealed.ts';
import { createCommits } from '../../../src/store/sqlite/commits.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { createKeyed } from '../../../src/store/sqlite/keyed.ts';
import { quiet } from '../../fakes/quiet.ts';
import { person, thread } from '../../fakes/samples.ts';

const inSlack = thread({ channel: 'slack', tenant: 'T1', kind: 'direct' });
const inConsole = thread({ channel: 'console', tenant: 'console', kind: 'direct' });
const mallory = person({ id: 'mallory' });
const ada = person({ id: 'ada' });
const eve = person({ id: 'eve' });
const u1 = person({ id: 'U1', name: 'Ada in Slack' });

let now: number;
let accounts: readonly string[];
let stored: Keyed;
let database: ReturnType<typeof openDatabase>;
let links: AccountLinks;
/** A second replica with the same database. */
let replica: AccountLinks;

beforeEach(() => {
  [now, accounts] = [Date.now(), ['ada@p', 'eve@p']];
  database = openDatabase(':memory:');
  const clock: Clock = { now: () => now, wait: () => new Promise((over) => setImmediate(over)) };
  const commits = createCommits({ database: database.database, clock, backlog: undefined });
  stored = createKeyed({ database: database.database, commits, clock, log: quiet })('account links');
  const sealing = { namespace: 'account links', key: () => new Uint8Array(32), log: quiet };
  const table = { ...createAccountTable([]), names: (account: string) => accounts.includes(account) };
  const open = () =>
    createAccountLinks({ stored: sealKeyed(stored, sealing), accounts: table, days: 30, clock });
  [links, replica] = [open(), open()];
});
afterEach(() => database.close());

const MINUTE = 60_000;
const kindOf = async (result: Promise<{ readonly kind: string }>) => (await result).kind;
const linkAda = async () => {
  const code = await links.begin(u1, inSlack);
  await replica.show(code, ada, inConsole);
  return links.confirm(code, 'ada@p', ada, inConsole);
};

test('a shown and confirmed code links the person, for every replica, until unlinked', async () => {
  const code = await links.begin(u1, inSlack);
  expect(code).toMatch(/^[A-Z2-9]{4}-[A-Z2-9]{4}-[A-Z2-9]{4}$/);
  const claimant = { channel: 'slack', tenant: 'T1', person: 'U1', name: 'Ada in Slack' };
  expect(await replica.show(code.toLowerCase(), ada, inConsole)).toEqual({
    kind: 'shown',
    claimant: expect.objectContaining(claimant),
  });
  expect(await links.find(u1, inSlack)).toBeUndefined();
  expect(await kindOf(replica.confirm(code, 'ada@p', ada, inConsole))).toBe('linked');
  expect(await links.find(u1, inSlack)).toBe('ada@p');
  expect(await links.find(u1, thread({ channel: 'slack', tenant: 'T2' }))).toBeUndefined();
  expect(await links.unlink(u1, inSlack)).toBe(true);
  expect([await replica.find(u1, inSlack), await links.unlink(u1, inSlack)]).toEqual([undefined, false]);
});

describe('a code does not work', () => {
  test('twice, or without having been shown', async () => {
    const code = await links.begin(u1, inSlack);
    expect(await kindOf(links.confirm(code, 'ada@p', ada, inConsole))).toBe('wrong');
    await links.show(code, ada, inConsole);
    const both = [links, replica].map((each) => kindOf(each.confirm(code, 'ada@p', ada, inConsole)));
    expect((await Promise.all(both)).toSorted()).toEqual(['linked', 'wrong']);
  });

  test('for another person than the first who showed it', async () => {
    const code = await links.begin(u1, inSlack);
    await links.show(code, ada, inConsole);
    expect(await kindOf(links.show(code, eve, inConsole))).toBe('wrong');
    expect(await kindOf(links.confirm(code, 'eve@p', eve, inConsole))).toBe('wrong');
    expect(await links.find(u1, inSlack)).toBeUndefined();
  });

  test('after 10 minutes, or after a newer one', async () => {
    const old = await links.begin(u1, inSlack);
    const newer = await links.begin(u1, inSlack);
    expect(await kindOf(links.show(old, ada, inConsole))).toBe('wrong');
    now += 11 * MINUTE;
    expect(await kindOf(links.show(newer, ada, inConsole))).toBe('wrong');
    const shown = await links.begin(u1, inSlack);
    now += 9 * MINUTE;
    expect(await kindOf(links.show(shown, ada, inConsole))).toBe('shown');
    now += 2 * MINUTE;
    expect(await kindOf(links.confirm(shown, 'ada@p', ada, inConsole))).toBe('wrong');
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

  test('after five wrong ones, for 10 minutes', async () => {
    const code = await links.begin(u1, inSlack);
    for (let tries = 0; tries < 5; tries += 1)
      expect(await kindOf(links.show(`AAAA-AAAA-AAA${tries + 2}`, eve, inConsole))).toBe('wrong');
    expect(await kindOf(replica.show(code, eve, inConsole))).toBe('blocked');
    now += 11 * MINUTE;
    const fresh = await links.begin(u1, inSlack);
    expect(await kindOf(links.show(fresh, eve, inConsole))).toBe('shown');
  });
});

test('a link ends with its days, and with the account’s line in the file', async () => {
  await linkAda();
  accounts = [];
  expect(await links.find(u1, inSlack)).toBeUndefined();
  accounts = ['ada@p'];
  expect(await links.find(u1, inSlack)).toBe('ada@p');
  now += 31 * 24 * 60 * MINUTE;
  expect(await links.find(u1, inSlack)).toBeUndefined();
});

test('neither codes nor accounts are on disk as text', async () => {
  const code = await links.begin(u1, inSlack);
  await linkAda();
  const rows = JSON.stringify(database.database.prepare('SELECT * FROM keyed').all());
  expect(rows).toContain('U1');
  for (const secret of [code, 'ada@p', 'Ada in Slack']) expect(rows).not.toContain(secret);
});
