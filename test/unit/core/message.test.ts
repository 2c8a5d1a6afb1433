import { describe, expect, test } from 'vitest';
import { turnId } from '../../../src/core/ids.ts';
import {
  isOf,
  laneOf,
  messageKey,
  type Origin,
  originKey,
  type ThreadRef,
} from '../../../src/core/message.ts';
import { message, thread } from '../../fakes/samples.ts';

const base = thread();
const changed = (member: keyof ThreadRef): ThreadRef => ({ ...base, [member]: `${base[member]}2` });
const JOINED = { ...base, room: 'a","b', key: 'c' };
const SPLIT = { ...base, room: 'a', key: 'b","c' };

describe('a lane', () => {
  test.each([
    'channel',
    'tenant',
    'room',
    'key',
  ] as const)('is different if only the %s differs', (member) => {
    expect(laneOf(changed(member))).not.toBe(laneOf(base));
    expect(isOf(changed(member), { message: message({ thread: base }) })).toBe(false);
  });

  test('is the same for the same thread and for no other, whatever its names contain', () => {
    expect(laneOf({ ...base })).toBe(laneOf(base));
    expect(isOf({ ...base }, { message: message({ thread: base }) })).toBe(true);
    expect(laneOf(JOINED)).not.toBe(laneOf(SPLIT));
  });
});

describe('the key by which edits and deletions find a question', () => {
  test.each(['channel', 'tenant', 'room'] as const)('is different if only the %s differs', (member) => {
    expect(messageKey(changed(member), 'm1')).not.toBe(messageKey(base, 'm1'));
  });

  test('differs by message, and is the same in every thread of the room', () => {
    expect(messageKey(base, 'm2')).not.toBe(messageKey(base, 'm1'));
    expect(messageKey(changed('key'), 'm1')).toBe(messageKey(base, 'm1'));
  });
});

describe('the key of an origin', () => {
  const of = turnId('t1');
  const origins: readonly Origin[] = [
    { kind: 'message', key: 'm1', revision: 0 },
    { kind: 'message', key: 'm1', revision: 1 },
    { kind: 'message', key: 'm2', revision: 0 },
    { kind: 'retry', of, by: 'ada' },
    { kind: 'retry', of: turnId('t2'), by: 'ada' },
    { kind: 'withdraw', of, key: 'm1' },
    { kind: 'regenerate', of, by: 'ada', key: 'p1' },
    { kind: 'regenerate', of, by: 'ada', key: 'p2' },
    { kind: 'act', key: 'm1' },
    { kind: 'show', of, edition: 1, key: 'm1' },
  ];

  test('differs between origins, and between channels and tenants', () => {
    const places = [base, changed('channel'), changed('tenant')];
    const keys = places.flatMap((place) => origins.map((origin) => originKey(place, origin)));
    expect(new Set(keys).size).toBe(places.length * origins.length);
  });

  test('is the same for a repeated event, whichever person it names', () => {
    const [one, other] = ['ada', 'bob'].map((by) => originKey(base, { kind: 'retry', of, by }));
    expect(one).toBe(other);
  });
});
