import { describe, expect, test } from 'vitest';
import {
  type AccessPolicy,
  accountFor,
  createAccountTable,
  identify,
  type Mapping,
  othersHaveAccounts,
} from '../../../../src/core/agents/access.ts';
import { person, thread } from '../../../fakes/samples.ts';

const closed: AccessPolicy = {
  accounts: createAccountTable([]),
  unmapped: 'service',
  rooms: 'service',
};
const denied = expect.objectContaining({ code: 'access-denied' });

describe('other people’s rights', () => {
  const lines = [
    { channel: 'other', person: 'eve', account: 'eve@p' },
    { tenant: 'umbrella', person: 'bob', account: 'bob@p' },
    { email: 'ada@acme.example', account: 'ada@p' },
  ];

  test('differ only if a line of the channel and the tenant names another account', () => {
    const others = (account: string | undefined, identity: readonly Mapping[], over = {}) =>
      othersHaveAccounts(thread(over), account, { accounts: createAccountTable(identity) });
    expect(others(undefined, [])).toBe(false);
    expect(others(undefined, lines)).toBe(true);
    expect(others('ada@p', lines)).toBe(false);
    expect(others('service@p', lines)).toBe(true);
    expect(others('ada@p', lines, { tenant: 'umbrella' })).toBe(true);
    expect(others(undefined, lines.slice(0, 2))).toBe(false);
    expect(others(undefined, lines, { kind: 'direct' })).toBe(false);
  });
});

describe('the platform account', () => {
  const policy = (identity: readonly Mapping[], over: Partial<AccessPolicy> = {}): AccessPolicy => ({
    ...closed,
    accounts: createAccountTable(identity),
    ...over,
  });

  test('comes from the first matching entry, by person or by e-mail address', () => {
    const lines = policy([
      { person: 'bob', account: 'bob@p' },
      { email: 'ADA@acme.example', account: 'ada@p' },
      { person: 'ada', account: 'later@p' },
    ]);
    expect(accountFor(person({ email: 'ada@acme.example' }), thread(), lines)).toBe('ada@p');
    expect(accountFor(person({ id: 'bob' }), thread(), lines)).toBe('bob@p');
    expect(accountFor(person(), thread(), lines)).toBe('later@p');
    expect(accountFor(person({ id: 'eve' }), thread(), lines)).toBeUndefined();
  });

  test('is nobody’s while nothing proves who writes', () => {
    const lines = policy([
      { person: 'ada', account: 'ada@p' },
      { email: 'ada@acme.example', account: 'ada@p' },
    ]);
    const nick = person({ email: 'ada@acme.example', standing: 'unproven' });
    expect(accountFor(nick, thread(), lines)).toBeUndefined();
    expect(identify(nick, thread({ kind: 'direct' }), lines, { account: 'room@p' })).toEqual({});
  });

  test('is not that of an address that only looks the same after Unicode folding or normalization', () => {
    const lines = policy([{ email: 'Mark@acme.example', account: 'mark@p' }]);
    const accountOf = (email: string) => accountFor(person({ email }), thread(), lines);
    expect(accountOf('MARK@ACME.example')).toBe('mark@p');
    // The Kelvin sign, a full-width letter, and an invisible character.
    for (const email of ['mar\u212a', '\uff4dark', 'mark\u00ad'])
      expect(accountOf(`${email}@acme.example`), email).toBeUndefined();
  });

  test('ignores lines of another channel or tenant, even for the same person id', () => {
    const lines = policy([
      { channel: 'other', person: 'ada', account: 'a' },
      { tenant: 'umbrella', person: 'ada', account: 'b' },
      { channel: 'memory', tenant: 'acme', person: 'ada', account: 'c' },
    ]);
    expect(accountFor(person(), thread(), lines)).toBe('c');
    expect(accountFor(person(), thread({ tenant: 'umbrella' }), lines)).toBe('b');
  });

  test('ignores lines without a person and an e-mail address, and people without an address', () => {
    expect(accountFor(person(), thread(), policy([{ account: 'everyone' }]))).toBeUndefined();
  });

  test('is required if the policy refuses people without a line', () => {
    expect(() => accountFor(person(), thread(), policy([], { unmapped: 'refuse' }))).toThrow(denied);
  });
});

describe('private and public answers', () => {
  const policy: AccessPolicy = {
    ...closed,
    accounts: createAccountTable([{ person: 'ada', account: 'ada@p' }]),
  };
  const room = { account: 'room@p' };
  const direct = thread({ kind: 'direct' });
  const bo = person({ id: 'bo' });

  test('use the asker’s account in private and the room’s account in rooms', () => {
    expect(identify(person(), thread(), policy, room)).toEqual({ account: 'room@p', own: 'ada@p' });
    expect(identify(person(), thread(), policy, {})).toEqual({ own: 'ada@p' });
    expect(identify(person(), thread({ kind: 'group' }), policy, room).account).toBe('room@p');
    expect(identify(person(), direct, policy, room)).toEqual({ account: 'ada@p', own: 'ada@p' });
    expect(identify(bo, direct, policy, room)).toEqual({});
  });

  test('use the asker’s account in rooms too, if the policy says so', () => {
    const asker = { ...policy, rooms: 'asker' as const };
    expect(identify(person(), thread(), asker, room).account).toBe('ada@p');
    expect(identify(bo, thread(), asker, room).account).toBe('room@p');
  });

  test('are refused in rooms to people without an account, if the policy says so', () => {
    const strict = { ...policy, unmapped: 'refuse' as const };
    expect(() => identify(bo, thread(), strict, room)).toThrow(denied);
  });
});
