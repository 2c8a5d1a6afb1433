/** Tests the storage of people's tokens of the identity provider. */

import { expect, test } from 'vitest';
import { ASKERS, createAskerTokens } from '../../../src/bridge/asker-tokens.ts';
import { accountTitle, askerAccount, askerOf } from '../../../src/core/asker.ts';
import { turnId } from '../../../src/core/ids.ts';
import { Extent } from '../../../src/store/extent.ts';
import { sealKeyed } from '../../../src/store/sealed.ts';
import { quiet } from '../../fakes/quiet.ts';
import { createVirtualClock } from '../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../slack/keyed.ts';

const ADA = { channel: 'memory', tenant: 'acme', person: 'ada' };
const CANARY = 'canary-token-of-ada';

function open() {
  const clock = createVirtualClock();
  const rows = new Map<string, unknown>();
  const sealing = { namespace: ASKERS, key: () => new Uint8Array(32), log: quiet };
  const tokens = createAskerTokens(sealKeyed(memoryKeyed(rows, clock), sealing), clock);
  const keep = (asker = ADA, name = 'ada@example.org') =>
    tokens.keep(asker, { token: CANARY, name, expiresAt: clock.now() + 60_000 });
  return { clock, rows, tokens, keep };
}

test('a token is found by its person until it expires, and its secret by the account', async () => {
  const { clock, tokens, keep } = open();
  await keep();
  const account = (await tokens.find(ADA, 0)) ?? '';
  expect((await tokens.secretOf(account)).reveal()).toBe(CANARY);
  expect(await tokens.find(ADA, 60_000)).toBeUndefined();
  expect(await tokens.find({ ...ADA, person: 'ben' }, 0)).toBeUndefined();
  expect(await tokens.find({ ...ADA, tenant: 'other' }, 0)).toBeUndefined();
  await clock.pass(60_000);
  expect(await tokens.find(ADA, 0)).toBeUndefined();
  await expect(tokens.secretOf(account)).rejects.toMatchObject({ code: 'sign-in-needed' });
});

test('a token that was stored before the given time does not count', async () => {
  const { clock, tokens, keep } = open();
  await keep();
  await clock.pass(1_000);
  const since = clock.now();
  expect(await tokens.find(ADA, 0, since)).toBeUndefined();
  await keep();
  expect(await tokens.find(ADA, 0, since)).toBeDefined();
});

test('the token is encrypted in the store', async () => {
  const { rows, keep } = open();
  await keep();
  expect(JSON.stringify([...rows])).not.toContain(CANARY);
  expect(JSON.stringify([...rows])).not.toContain('ada@example.org');
});

test('no account leads to the token of another person, whatever name a token contains', async () => {
  const { tokens, keep } = open();
  await keep();
  const eve = { ...ADA, person: 'eve' };
  await keep(eve, (await tokens.find(ADA, 0)) ?? '');
  const account = (await tokens.find(eve, 0)) ?? '';
  expect(askerOf(account)).toEqual(eve);
  await expect(tokens.secretOf('ada@example.org')).rejects.toMatchObject({ code: 'sign-in-needed' });
});

test('the deletion of a person or of a workspace finds every value', async () => {
  const { rows, tokens, keep } = open();
  await keep();
  await tokens.fail(ADA);
  const verdicts = (target: ConstructorParameters<typeof Extent>[0]) =>
    [...rows.keys()].map((key) => new Extent(target).verdict({ namespace: ASKERS, key, owner: null }));
  const { channel, tenant, person } = ADA;
  expect(verdicts({ kind: 'person', channel, tenant, person })).toEqual(['delete', 'delete']);
  expect(verdicts({ kind: 'tenant', channel, tenant })).toEqual(['delete', 'delete']);
  expect(verdicts({ kind: 'person', channel, tenant, person: 'ben' })).toEqual(['keep', 'keep']);
});

test('the time until which a turn waits stays the same', async () => {
  const { clock, tokens } = open();
  const first = await tokens.deadlineOf({ id: turnId('t') }, 1_000);
  await clock.pass(500);
  expect(await tokens.deadlineOf({ id: turnId('t') }, 1_000)).toBe(first);
  expect(await tokens.deadlineOf({ id: turnId('u') }, 1_000)).toBe(first + 500);
});

test.each([
  ['ada@example.org', ADA, 'ada@example.org (memory/acme/ada)'],
  ['Ada (HR)', { ...ADA, person: 'a/b (c) d' }, 'Ada (HR) (memory/acme/a%2Fb%20%28c%29%20d)'],
  ['a\nb\u202e', ADA, 'ab (memory/acme/ada)'],
  ['', ADA, ' (memory/acme/ada)'],
])('the account of %j names the person', (name, asker, account) => {
  expect(askerAccount(name, asker)).toBe(account);
  expect(askerOf(account)).toEqual(asker);
});

test('a name that the platform gave is no account of an asker', () => {
  for (const account of ['ada', 'ada (x)', 'ada (a/b)', '']) {
    expect(askerOf(account)).toBeUndefined();
    expect(accountTitle(account)).toBe(account);
  }
});

test.each([
  'ada (memory/acme/%)',
  'ada (memory/%ff/ada)',
  'ada (memory/acme/%61da)',
  'ada (memory/acme/ad\u00e4)',
])('the damaged account %j is refused, and leads to no token', async (account) => {
  const { tokens, keep } = open();
  await keep();
  expect(() => askerOf(account)).toThrow(expect.objectContaining({ code: 'data-corrupt' }));
  await expect(tokens.secretOf(account)).rejects.toMatchObject({ code: 'data-corrupt' });
  expect(accountTitle(account)).toBe('ada');
});

test.each([
  'a/b',
  'a:b',
  'a%2Fb',
  '%',
  '(x)',
  'a b',
  '"',
  '\u0000',
  'ä',
  '../ada',
])('a person with the id %j gets only their own token', async (person) => {
  const { tokens, keep } = open();
  const odd = { ...ADA, person };
  await keep();
  expect(await tokens.find(odd, 0)).toBeUndefined();
  await keep(odd, 'ada@example.org');
  const account = (await tokens.find(odd, 0)) ?? '';
  expect(askerOf(account)).toEqual(odd);
  expect(account).not.toBe(await tokens.find(ADA, 0));
  expect((await tokens.secretOf(account)).reveal()).toBe(CANARY);
});

test('a token is stored until its last millisecond, and not longer', async () => {
  const { clock, rows, tokens, keep } = open();
  await keep();
  await clock.pass(59_999);
  expect(await tokens.find(ADA, 0)).toBeDefined();
  await clock.pass(1);
  await tokens.find(ADA, 0);
  expect(rows.size).toBe(0);
});

test.each([
  ['a token', (tokens: ReturnType<typeof open>) => tokens.keep],
  [
    'a failure',
    ({ tokens }: ReturnType<typeof open>) =>
      (asker = ADA) =>
        tokens.fail(asker),
  ],
] as const)('%s ends the wait of its person only', async (_what, actOf) => {
  const opened = open();
  const act = actOf(opened);
  let isChanged = false;
  const changed = opened.tokens.changed(ADA, new AbortController().signal).then(() => {
    isChanged = true;
  });
  for (const other of [{ person: 'adam' }, { person: 'ad' }, { tenant: 'acme2' }])
    await act({ ...ADA, ...other });
  await opened.clock.pass(0);
  expect(isChanged).toBe(false);
  await act();
  await changed;
});

test('a failure counts from its own moment on, and not before it', async () => {
  const { clock, tokens } = open();
  const at = clock.now();
  await tokens.fail(ADA);
  const since = (ms: number) => tokens.failedSince(ADA, at + ms);
  expect([await since(-1), await since(0), await since(1)]).toEqual([true, true, false]);
  expect(await tokens.failedSince({ ...ADA, person: 'adam' }, at)).toBe(false);
});

test('each postponement of a turn gives it a new time to wait, which stays the same then', async () => {
  const { clock, tokens } = open();
  const until = (postponed?: number) =>
    tokens.deadlineOf({ id: turnId('t1'), ...(postponed !== undefined && { postponed }) }, 1_000);
  const first = await until();
  await clock.pass(500);
  expect([await until(), await until(1), await until()]).toEqual([first, first + 500, first]);
  await clock.pass(500);
  expect([await until(1), await until(2)]).toEqual([first + 500, first + 1_000]);
});
