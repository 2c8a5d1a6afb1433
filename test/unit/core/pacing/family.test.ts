/** Tests the rate limit of one method family with exact numbers. */

import { describe, expect, it } from 'vitest';
import type { FamilyLimit } from '../../../../src/core/channel/limits.ts';
import { FamilyBudget } from '../../../../src/core/pacing/family.ts';

const MINUTE_MS = 60_000;

const family = (perMinute: number, over: Partial<FamilyLimit> = {}) =>
  new FamilyBudget({ gapMs: 0, perMinute, ...over });

function call(budget: FamilyBudget, ...times: readonly number[]): void {
  for (const at of times) {
    budget.take();
    budget.answered(at);
  }
}

describe('slots', () => {
  it('are spare unless a call used or is using them, or a reply reserved them', () => {
    const budget = family(10);
    call(budget, 0, 0);
    budget.take();
    budget.reserve(3);
    expect(budget.spare(0)).toBe(4);
    budget.giveBack();
    budget.reserve(-1);
    expect(budget.spare(0)).toBe(6);
  });

  it('are free again exactly one minute after the answer', () => {
    const budget = family(10);
    call(budget, 100, 200);
    expect([MINUTE_MS + 99, MINUTE_MS + 100, MINUTE_MS + 200].map((now) => budget.spare(now))).toEqual([
      8, 9, 10,
    ]);
  });

  it('are free once the oldest calls leave the minute', () => {
    const budget = family(3);
    call(budget, 0, 1_000, 5_000);
    expect([1, 2, 3].map((cost) => budget.spareWait(cost, 6_000))).toEqual([54_000, 55_000, 59_000]);
    expect(budget.spareWait(4, 6_000)).toBe(Number.POSITIVE_INFINITY);
    expect(budget.spareWait(0, 6_000)).toBe(0);
    expect(budget.spareWait(1, MINUTE_MS)).toBe(0);
  });

  it('with a reservation have no wait for the holder and an infinite wait for others', () => {
    const budget = family(2);
    budget.reserve(2);
    expect(budget.spareWait(1, 0)).toBe(Number.POSITIVE_INFINITY);
    expect(budget.reservedWait(0)).toBe(0);
    call(budget, 0, 500);
    expect(budget.reservedWait(1_000)).toBe(59_000);
    expect(budget.reservedWait(MINUTE_MS)).toBe(0);
  });

  it('in flight delay the holder as well', () => {
    const budget = family(1);
    budget.take();
    expect(budget.reservedWait(0)).toBe(Number.POSITIVE_INFINITY);
  });

  it('are unlimited if no limit is documented', () => {
    const budget = new FamilyBudget({ gapMs: 0 });
    call(budget, 0, 0, 0);
    budget.reserve(5);
    expect(budget.spareWait(100, 0)).toBe(0);
    expect(budget.reservedWait(0)).toBe(0);
    expect(budget.spreadWait(10_000, 0)).toBe(0);
    expect(budget.shareGap(20, 10_000, 0)).toBe(0);
  });
});

describe('a refusal', () => {
  it('closes the family for the longer of two times', () => {
    const budget = family(10);
    expect(budget.closedFor(0)).toBe(0);
    budget.close(5_000, 1_000);
    expect(budget.closedFor(2_000)).toBe(4_000);
    budget.close(1_000, 2_000);
    expect(budget.closedFor(2_000)).toBe(4_000);
    budget.close(9_000, 3_000);
    expect(budget.closedFor(3_000)).toBe(9_000);
    expect(budget.closedFor(12_000)).toBe(0);
  });

  it.each([
    [50, 35],
    [20, 14],
    [5, 3],
    [1, 1],
  ])('lowers %i calls per minute to %i', (documented, lowered) => {
    const budget = family(documented);
    budget.close(1_000, 0);
    expect(budget.limitAt(0)).toBe(lowered);
  });

  it('belongs to the same episode as refusals within a minute of its end', () => {
    const budget = family(50);
    budget.close(1_000, 0);
    budget.close(1_000, MINUTE_MS + 999);
    expect(budget.limitAt(MINUTE_MS + 999)).toBe(38);
    // The second refusal prolonged the episode of refusals. The third refusal belongs to the same episode, so it does
    // not lower the limit again.
    budget.close(1_000, 2 * MINUTE_MS + 1_998);
    expect(budget.limitAt(2 * MINUTE_MS + 1_998)).toBe(41);
    budget.close(1_000, 3 * MINUTE_MS + 2_998);
    expect(budget.limitAt(3 * MINUTE_MS + 2_998)).toBe(Math.floor(44 * 0.7));
  });

  it('is undone slowly: a twentieth of the documented limit per minute, rounded up', () => {
    const budget = family(50);
    budget.close(1_000, 1_000);
    const limits = [0, 0.999, 1, 2, 5, 6].map((minutes) => budget.limitAt(1_000 + minutes * MINUTE_MS));
    expect(limits).toEqual([35, 35, 38, 41, 50, 50]);
    // This time is before the refusal, as if the clock was set back.
    expect(budget.limitAt(-5 * MINUTE_MS)).toBe(35);
  });

  it('of a family without a documented limit teaches none', () => {
    const budget = new FamilyBudget({ gapMs: 0 });
    budget.close(1_000, 0);
    expect(budget.limitAt(0)).toBe(Number.POSITIVE_INFINITY);
    expect(budget.learned(0)).toBeUndefined();
    expect(budget.closedFor(0)).toBe(1_000);
  });

  it('is reported while the limit differs', () => {
    const budget = family(50);
    expect(budget.learned(0)).toBeUndefined();
    budget.close(1_000, 0);
    expect(budget.learned(0)).toBe(35);
    expect(budget.learned(5 * MINUTE_MS)).toBeUndefined();
  });

  it('of an earlier process is restored in whole calls, unless this process learned a newer limit', () => {
    const [whole, least, taught] = [family(50), family(50), family(50)];
    whole.recall(20.9, 0);
    expect(whole.limitAt(0)).toBe(20);
    expect(whole.limitAt(MINUTE_MS)).toBe(23);
    least.recall(0.2, 0);
    expect(least.limitAt(0)).toBe(1);
    taught.close(1_000, 0);
    taught.recall(20, 0);
    expect(taught.limitAt(0)).toBe(35);
  });
});

describe('progress', () => {
  it('is spread so that spare slots last for the span, no wider than the limit', () => {
    const budget = family(20);
    expect(budget.spreadWait(10_000, 0)).toBe(0);
    budget.noteProgress(0);
    expect(budget.spreadWait(10_000, 100)).toBe(400);
    expect(budget.spreadWait(10_000, 500)).toBe(0);
    // With 15 of the 20 slots reserved, 5 are spare, so the gap is 10 s / 5 = 2 s. With 15 spare slots, it would be
    // 667 ms.
    budget.reserve(15);
    expect(budget.spreadWait(10_000, 0)).toBe(2_000);
    expect(budget.spreadWait(60_000, 0)).toBe(3_000);
    // No slot is spare, so the gap is the limit's own: 3 s. The calculation must not divide by zero.
    budget.reserve(5);
    expect(budget.spreadWait(60_000, 0)).toBe(3_000);
    expect(budget.spreadWait(1_000, 0)).toBe(1_000);
  });

  it('keeps the short gap while 69 of 100 calls are spare', () => {
    const budget = family(100, { gapMs: 1_480, spareGapMs: 450 });
    expect(budget.gapMs(0)).toBe(450);
    budget.reserve(31);
    expect(budget.gapMs(0)).toBe(450);
    budget.reserve(1);
    expect(budget.gapMs(0)).toBe(1_480);
    expect(family(100, { gapMs: 700 }).gapMs(0)).toBe(700);
  });

  it('gives each of several replies its share', () => {
    const budget = family(20);
    expect([0, 1].map((replies) => budget.shareGap(replies, 10_000, 0))).toEqual([0, 0]);
    expect(budget.shareGap(2, 10_000, 0)).toBeCloseTo(2 * 500 * 0.35);
    expect(budget.shareGap(10, 10_000, 0)).toBeCloseTo(10 * 500 * 0.35);
  });
});
