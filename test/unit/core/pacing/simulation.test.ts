/**
 * Tests the pacer's targets P1 to P4, P7, P15 and P16 (docs/reference/performance.md) in virtual time. Only the budgets
 * limit the calls, so the numbers are exact.
 */

import { describe, expect, it } from 'vitest';
import { type PlannedReply, type SimulatedReply, simulate } from '../../../fakes/pacing/simulate.ts';

const every = ['native', 'edits', 'once'] as const;

function replies(count: number, plan: (index: number) => Partial<PlannedReply>): readonly PlannedReply[] {
  return Array.from({ length: count }, (_, index) => ({
    tenant: 't1',
    room: `room ${index}`,
    startsAt: 0,
    lastsMs: 10_000,
    means: every,
    ...plan(index),
  }));
}

function quantile(
  list: readonly SimulatedReply[],
  of: 'firstMs' | 'lastMs' | 'closedMs',
  share: number,
): number {
  const sorted = list.map((each) => each[of]).toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Returns a quantile of the delay from the agent's output to its display. */
function lag(list: readonly SimulatedReply[], share: number): number {
  const sorted = list.flatMap(({ lags }) => lags).toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

describe.each(['window', 'bucket'] as const)('against limits that count by %s', (kind) => {
  it('P1: 20 concurrent replies, by edits', async () => {
    const ran = await simulate(
      replies(20, () => ({ means: ['edits'] })),
      kind,
    );
    expect(ran.refused).toBe(0);
    expect(quantile(ran.replies, 'lastMs', 0.95)).toBeLessThanOrEqual(300);
  });

  it('P2: 50 concurrent replies in 10 rooms', async () => {
    const ran = await simulate(
      replies(50, (index) => ({ room: `room ${index % 10}` })),
      kind,
    );
    expect(ran.refused).toBe(0);
    expect(quantile(ran.replies, 'lastMs', 0.95)).toBeLessThanOrEqual(300);
    expect(quantile(ran.replies, 'closedMs', 1)).toBeLessThanOrEqual(60_000);
  });

  it('P2: in one room, limited by the room’s rate', async () => {
    const ran = await simulate(
      replies(50, () => ({ room: 'the only one' })),
      kind,
    );
    expect(ran.refused).toBe(0);
    // 30 of the replies need a post. Three replies post immediately, and then one more reply in each second. The last
    // post comes at 27 s, and all answers end at 10 s.
    expect(quantile(ran.replies, 'lastMs', 1)).toBeLessThanOrEqual(17_000 + 300);
  });

  it('P3: 200 replies within a minute in 20 rooms', async () => {
    const ran = await simulate(
      replies(200, (index) => ({ room: `room ${index % 20}`, startsAt: index * 300, lastsMs: 20_000 })),
      kind,
    );
    expect(ran.refused).toBe(0);
    expect(quantile(ran.replies, 'lastMs', 0.95)).toBeLessThanOrEqual(300);
    expect(quantile(ran.replies, 'lastMs', 1)).toBeLessThanOrEqual(1_000);
    expect(quantile(ran.replies, 'firstMs', 0.5)).toBeLessThanOrEqual(2_000);
    expect(quantile(ran.replies, 'firstMs', 0.95)).toBeLessThanOrEqual(15_000);
    expect(quantile(ran.replies, 'closedMs', 1)).toBeLessThanOrEqual(60_000);
  });

  it('P3x: 600 replies within a minute end as soon as the posts allow', async () => {
    const ran = await simulate(
      replies(600, (index) => ({ room: `room ${index % 60}`, startsAt: index * 100, lastsMs: 20_000 })),
      kind,
    );
    expect(ran.refused).toBe(0);
    // Each reply needs one post, and 300 posts per minute are allowed. The first 300 replies post when they end. Each
    // of the other 300 replies waits 30 s.
    expect(quantile(ran.replies, 'lastMs', 0.95)).toBeLessThanOrEqual(1.4 * 30_000);
  });

  it('P4: a busy workspace delays neither another one nor its own new replies', async () => {
    const busy = replies(19, () => ({ lastsMs: 60_000 }));
    const other = replies(1, () => ({ tenant: 't2', lastsMs: 60_000 }));
    const newcomer = replies(1, () => ({ room: 'new', startsAt: 45_000 }));
    const ran = await simulate([...busy, ...other, ...newcomer], kind);
    const alone = await simulate(other, kind);
    expect(ran.refused).toBe(0);
    expect(ran.replies[19]).toEqual(alone.replies[0]);
    expect(ran.replies[20]?.firstMs).toBeLessThanOrEqual(2_000);
  });

  it.each([
    ['by edits', 'edits', 370],
    ['native', 'native', 300],
  ] as const)('P15: a lone reply %s is live, and gives way to 20 others', async (_, means, target) => {
    const alone = await simulate(
      replies(1, () => ({ means: [means], everyMs: 50 })),
      kind,
    );
    expect(lag(alone.replies, 0.5)).toBeLessThanOrEqual(target);
    const late = replies(20, (index) => ({ room: `late ${index}`, startsAt: 9_000 }));
    const busy = await simulate([...replies(1, () => ({ means: [means] })), ...late], kind);
    expect(busy.refused).toBe(0);
    expect(quantile(busy.replies, 'lastMs', 0.95)).toBeLessThanOrEqual(300);
    expect(quantile(busy.replies, 'firstMs', 0.95)).toBeLessThanOrEqual(2_000);
  });

  // The bound is the median delay of 10-second replies if all allowed calls are spread evenly.
  it.each([
    ['by edits', 'edits', 50],
    ['native', 'native', 120],
  ] as const)('P16: 20 replies at once %s, near the bound of the limits', async (_, means, shows) => {
    const ran = await simulate(
      replies(20, () => ({ means: [means] })),
      kind,
    );
    const bound = (20 * 10_000) / 2 / shows + 80;
    expect(ran.refused).toBe(0);
    expect(lag(ran.replies, 0.5)).toBeLessThanOrEqual(1.1 * bound);
    expect(quantile(ran.replies, 'lastMs', 0.95)).toBeLessThanOrEqual(300);
  });

  it('the growth time of a workspace’s replies is learned, and its calls are spread over it', async () => {
    const wave = (startsAt: number) => replies(20, () => ({ means: ['native'], lastsMs: 30_000, startsAt }));
    const ran = await simulate([0, 120_000, 240_000].flatMap(wave), kind);
    expect(lag(ran.replies.slice(40), 0.5)).toBeLessThanOrEqual(0.7 * lag(ran.replies.slice(0, 20), 0.5));
  });

  it('P7: one long reply by edits', async () => {
    const ran = await simulate(
      replies(1, () => ({ lastsMs: 60_000, means: ['edits'] })),
      kind,
    );
    expect(ran.refused).toBe(0);
    expect(ran.calls['chat.update']).toBeGreaterThanOrEqual(45);
    expect(lag(ran.replies, 0.95)).toBeLessThanOrEqual(1_560);
  });
});
