/** Tests, with exact numbers, how many replies start and run, and for how long a reply is expected to grow. */

import { describe, expect, it } from 'vitest';
import { keepBound, remaining } from '../../../../src/core/bound.ts';
import { turnId } from '../../../../src/core/ids.ts';
import { GrowingReplies, ReplyCounts, StartRate } from '../../../../src/core/pacing/replies.ts';

const [one, two] = [turnId('one'), turnId('two')];

describe('the estimated growth time', () => {
  /** Returns the estimate after one reply that grew for `grewMs` milliseconds. */
  const learned = (grewMs: number): number => {
    const growing = new GrowingReplies();
    growing.recordCall(one, true, 70_000);
    growing.recordCall(one, false, 70_000 + grewMs);
    growing.remove(one);
    return growing.spanAt(70_000);
  };

  it('is ten seconds until a reply has ended', () => {
    expect(new GrowingReplies().spanAt(0)).toBe(10_000);
  });

  it('moves by a fifth towards each ended reply, between five seconds and a minute', () => {
    expect(learned(30_000)).toBeCloseTo(14_000);
    expect(learned(60_000)).toBeCloseTo(20_000);
    expect(learned(600_000)).toBeCloseTo(20_000);
    expect(learned(5_000)).toBeCloseTo(9_000);
    expect(learned(0)).toBeCloseTo(9_000);
  });

  it('counts from the newest reply’s first words, and at least a tenth is left', () => {
    const growing = new GrowingReplies();
    growing.recordCall(one, true, 1_000);
    expect([1_000, 4_000, 10_000, 11_000, 60_000].map((now) => growing.spanAt(now))).toEqual([
      10_000, 7_000, 1_000, 1_000, 1_000,
    ]);
    growing.recordCall(one, true, 5_000);
    expect(growing.spanAt(5_000)).toBe(6_000);
    growing.recordCall(two, true, 6_000);
    expect(growing.spanAt(6_000)).toBe(10_000);
    // A time before the newest reply's first words, as if the clock had been set back.
    expect(growing.spanAt(0)).toBe(10_000);
  });

  it('ignores a reply that showed no words', () => {
    const growing = new GrowingReplies();
    growing.recordCall(one, false, 0);
    expect(growing.wait(one, 1_000, 0)).toBe(0);
    growing.remove(one);
    expect(growing.spanAt(0)).toBe(10_000);
  });

  it('counts each reply once', () => {
    const growing = new GrowingReplies();
    growing.recordCall(one, true, 0);
    growing.remove(one);
    growing.remove(one);
    expect(growing.spanAt(0)).toBeCloseTo(9_000);
  });
});

describe('a growing reply', () => {
  it('waits from its own last call', () => {
    const growing = new GrowingReplies();
    growing.recordCall(one, true, 0);
    growing.recordCall(one, false, 700);
    expect([700, 1_000, 1_700].map((now) => growing.wait(one, 1_000, now))).toEqual([1_000, 700, 0]);
    expect(growing.wait(two, 1_000, 700)).toBe(0);
  });

  it('counts among the growing replies of a family until it ends', () => {
    const growing = new GrowingReplies();
    expect([growing.add('edit', one), growing.add('edit', one), growing.add('edit', two)]).toEqual([1, 1, 2]);
    expect(growing.add('post', two)).toBe(1);
    growing.remove(two);
    expect(growing.add('edit', one)).toBe(1);
  });
});

it('a reply that runs in several places is removed from all of them', () => {
  const counts = new ReplyCounts();
  for (const place of ['a', 'b']) for (const reply of [one, two]) counts.add(place, reply);
  counts.remove(one);
  counts.remove(one);
  expect(['a', 'b', 'c'].map((place) => counts.add(place, two))).toEqual([1, 1, 1]);
});

describe('starting replies', () => {
  it('are counted for the last minute', () => {
    const startRate = new StartRate();
    for (const at of [0, 1_000, 30_000]) startRate.note(at);
    expect([59_999, 60_000, 61_000, 90_000].map((now) => startRate.perMinute(now))).toEqual([3, 2, 1, 0]);
  });

  it('count as six times those of the last ten seconds, in a rush', () => {
    const startRate = new StartRate();
    for (const at of [0, 4_000, 5_000, 9_000]) startRate.note(at);
    expect([9_000, 9_999, 10_000, 13_999, 14_000, 19_000].map((now) => startRate.perMinute(now))).toEqual([
      24, 24, 18, 18, 12, 4,
    ]);
  });

  it('of more than a minute ago are dropped', () => {
    const startRate = new StartRate();
    for (const at of [0, 1_000, 61_000]) startRate.note(at);
    // The last reply still counts when the clock is set back to an earlier time.
    expect(startRate.perMinute(0)).toBe(6);
  });
});

describe('a bound', () => {
  const keep = (map: Map<string, number>, key: string, value = 0) => keepBound(map, key, value, 2);

  it('drops the entry that was set longest ago', () => {
    const map = new Map<string, number>();
    for (const key of ['a', 'b']) keep(map, key);
    keep(map, 'a', 1);
    expect([...map]).toEqual([
      ['b', 0],
      ['a', 1],
    ]);
    keep(map, 'c');
    expect([...map.keys()]).toEqual(['a', 'c']);
  });
});

it('the rest of a span is never more than the span and never negative', () => {
  expect(remaining(undefined, 1_000, 500)).toBe(0);
  expect([0, 500, 1_000, 1_001, -1].map((now) => remaining(0, 1_000, now))).toEqual([
    1_000, 500, 0, 0, 1_000,
  ]);
});
