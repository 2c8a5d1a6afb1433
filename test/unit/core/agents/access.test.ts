import { describe, expect, test } from 'vitest';
import {
  type AccessPolicy,
  accountFor,
  identify,
  othersHaveAccounts,
} from '../../../../src/core/agents/access.ts';
import { person, thread } from '../../../fakes/samples.ts';

const closed: AccessPolicy = {
  guests: false,
  external: false,
  bots: false,
  identity: [],
  unmapped: 'service',
  rooms: 'service',
};
const denied = expect.objectContaining({ code: 'access-denied' });

describe('who may ask', () => {
  test('members may; nobody else unless switched on, each on its own', () => {
    expect(accountFor(person(), thread(), closed)).toBeUndefined();
    const open: AccessPolicy = { ...closed, guests: true, external: true, bots: true };
    for (const [standing, own] of [
      ['guest', 'guests'],
      ['external', 'external'],
      ['bot', 'bots'],
    ] as const) {
      const asker = person({ standing });
      expect(accountFor(asker, thread(), { ...closed, [own]: true }), standing).toBeUndefined();
      expect(() => accountFor(asker, thread(), { ...open, [own]: false }), standing).toThrow(denied);
    }
  });
});

describe('whether others may have other rights than an answer had', () => {
  const lines = [
    { channel: 'other', person: 'eve', account: 'eve@p' },
    { tenant: 'umbrella', person: 'bob', account: 'bob@p' },
    { email: 'ada@acme.example', account: 'ada@p' },
  ];

  test('only somebody whom a line of the channel and the tenant gives another account', () => {
    const others = (account: string | undefined, identity: AccessPolicy['identity'], over = {}) =>
      othersHaveAccounts(thread(over), account, { identity });
    expect(others(undefined, [])).toBe(false);
    expect(others(undefined, lines)).toBe(true);
    expect(others('ada@p', lines)).toBe(false);
    expect(others('service@p', lines)).toBe(true);
    expect(others('ada@p', lines, { tenant: 'umbrella' })).toBe(true);
    expect(others(undefined, lines.slice(0, 2))).toBe(false);
    expect(others(undefined, lines, { kind: 'direct' })).toBe(false);
  });
});

describe('as which platform account', () => {
  const policy = (identity: AccessPolicy['identity'], over: Partial<AccessPolicy> = {}): AccessPolicy => ({
    ...closed,
    identity,
    ...over,
  });

  test('the first line that fits, by person or by e-mail address', () => {
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

  test('a line of another channel or tenant does not fit, though the person’s id is the same', () => {
    const lines = policy([
      { channel: 'other', person: 'ada', account: 'a' },
      { tenant: 'umbrella', person: 'ada', account: 'b' },
      { channel: 'memory', tenant: 'acme', person: 'ada', account: 'c' },
    ]);
    expect(accountFor(person(), thread(), lines)).toBe('c');
    expect(accountFor(person(), thread({ tenant: 'umbrella' }), lines)).toBe('b');
  });

  test('a line without person and e-mail fits nobody, and no address fits no address', () => {
    expect(accountFor(person(), thread(), policy([{ account: 'everyone' }]))).toBeUndefined();
  });

  test('people without a line are refused where the policy says so', () => {
    expect(() => accountFor(person(), thread(), policy([], { unmapped: 'refuse' }))).toThrow(denied);
  });
});

describe('private and public', () => {
  const policy: AccessPolicy = { ...closed, identity: [{ person: 'ada', account: 'ada@p' }] };
  const room = { account: 'room@p' };
  const direct = thread({ kind: 'direct' });
  const bo = person({ id: 'bo' });

  test('a room’s answer takes the room’s account, a private one the asker’s', () => {
    expect(identify(person(), thread(), policy, room)).toEqual({ account: 'room@p', own: 'ada@p' });
    expect(identify(person(), thread(), policy, {})).toEqual({ own: 'ada@p' });
    expect(identify(person(), thread({ kind: 'group' }), policy, room).account).toBe('room@p');
    expect(identify(person(), direct, policy, room)).toEqual({ account: 'ada@p', own: 'ada@p' });
    expect(identify(bo, direct, policy, room)).toEqual({});
  });

  test('where the policy wants it, rooms too are answered as who asks', () => {
    const asker = { ...policy, rooms: 'asker' as const };
    expect(identify(person(), thread(), asker, room).account).toBe('ada@p');
    expect(identify(bo, thread(), asker, room).account).toBe('room@p');
  });

  test('who may not ask may not ask in a room either', () => {
    const strict = { ...policy, unmapped: 'refuse' as const };
    expect(() => identify(bo, thread(), strict, room)).toThrow(denied);
    expect(() => identify(person({ standing: 'guest' }), thread(), strict, room)).toThrow(denied);
  });
});
