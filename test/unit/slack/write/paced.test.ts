/**
 * Tests the writer under the real pacer and budgets, in virtual time and with Slack's documented rate limits (targets
 * P1 to P3 and P7 of docs/reference/performance.md).
 */

import { describe, expect, it } from 'vitest';
import type { Answer, Sender } from '../../../../adapters/slack/api/sender.ts';
import { limits } from '../../../../adapters/slack/limits.ts';
import { createWriter, type WriterDeps } from '../../../../adapters/slack/write/index.ts';
import { createBudgets } from '../../../../src/core/pacing/budgets.ts';
import { fragmentLink } from '../../../../src/kit/fragment-link.ts';
import { createStreaming } from '../../../../src/kit/streaming.ts';
import { type Turn, turnId } from '../../../../src/kit.ts';
import { correctionsOf } from '../../../fakes/corrections.ts';
import { growReply, keepReply, openEye, type Seen } from '../../../fakes/pacing/growing-reply.ts';
import { createLimiter } from '../../../fakes/pacing/limiter.ts';
import { message, turn } from '../../../fakes/samples.ts';
import { documentedRates } from '../../../fakes/slack/limits.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const LATENCY_MS = 80;
const THINKS_MS = 500;
const perMinute = Object.fromEntries(
  Object.entries(documentedRates).map(([name, { calls }]) => [name, calls]),
);

interface Plan {
  readonly room: string;
  readonly startsAt: number;
  readonly lastsMs: number;
  readonly streams: boolean;
  /** True if the platform turns out to be down, so that the reply says only that its question is kept. */
  readonly isKept?: true;
}

async function run(plans: readonly Plan[], kind: 'window' | 'bucket') {
  const clock = createVirtualClock();
  const limiter = createLimiter(
    { kind, perMinute, room: { method: 'chat.postMessage', perSecond: 1, burst: 3 } },
    clock,
  );
  const budgets = createBudgets(limits, clock);
  const calls: Record<string, number> = {};
  let posted = 0;
  let ended = 0;

  const one = async (plan: Plan, index: number): Promise<Seen> => {
    await clock.wait(plan.startsAt);
    const eye = openEye(clock);
    const sender: Sender = {
      async call(tenant, method, args): Promise<Answer> {
        await clock.wait(LATENCY_MS / 2);
        calls[method] = (calls[method] ?? 0) + 1;
        const seconds = limiter.arrive({ tenant, room: plan.room, method });
        await clock.wait(LATENCY_MS / 2);
        if (seconds !== undefined)
          return { kind: 'refused', why: 'rate', error: 'ratelimited', retryAfterMs: seconds * 1_000 };
        eye.see(JSON.stringify(args));
        posted += 1;
        return { kind: 'done', body: { ts: `1.${posted}` } };
      },
    };
    const asked = turnOf(plan, index);
    const streaming = createStreaming(true, clock);
    const streamsIn = plan.streams ? 'always' : 'never';
    const writer = createWriter(asked, { ...deps, sender, permitted: sender, streamsIn, streaming });
    const replied = { reply: asked.id, room: plan.room, writer, budgets, clock, thinksMs: THINKS_MS };
    const seen = plan.isKept
      ? await keepReply(replied).then((ms) => ({ firstMs: ms, lastMs: ms, closedMs: ms }))
      : await growReply({ ...replied, eye, lastsMs: plan.lastsMs });
    ended += 1;
    return seen;
  };

  const all = Promise.all(plans.map(one));
  await clock.until(() => ended === plans.length, 3_600_000);
  return { runs: await all, refused: limiter.refused, calls };
}

const deps: Omit<WriterDeps, 'sender' | 'permitted' | 'streamsIn' | 'streaming'> = {
  apiUrl: 'https://slack.com/api/',
  workspaces: {
    find: async () => undefined,
    ofTenant: async () => ({ tenant: 'T1', token: 'xoxb', botUser: 'U0' }),
    disable: () => undefined,
    remove: async () => [],
  },
  host: {
    agents: () => [],
    corrections: correctionsOf(),
    otherRights: () => true,
    sourceLink: (source) => fragmentLink(source),
    openMedia: () => Promise.reject(new Error('There are no images.')),
  },
  places: { find: async () => undefined },
  footer: true,
};

function turnOf({ room }: Plan, index: number): Turn {
  const key = `1793491200.${String(index).padStart(6, '0')}`;
  const thread = { channel: 'slack', tenant: 'T1', room, key, kind: 'room' } as const;
  const sender = { id: 'U1', name: 'engineer', standing: 'member' } as const;
  return turn({ id: turnId(`turn ${index}`), message: message({ id: `${room}/${key}`, thread, sender }) });
}

const plans = (count: number, of: (index: number) => Partial<Plan>): readonly Plan[] =>
  Array.from({ length: count }, (_, index) => ({
    room: `room ${index}`,
    startsAt: 0,
    lastsMs: 10_000,
    streams: true,
    ...of(index),
  }));

function quantile(runs: readonly Seen[], of: keyof Seen, share: number): number {
  const sorted = runs.map((each) => each[of]).toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

describe.each(['window', 'bucket'] as const)('under limits that count by %s', (kind) => {
  it('replies say at once that their questions are kept, beside 60 that grow', async () => {
    const growing = plans(60, () => ({ streams: false, lastsMs: 30_000 }));
    const kept = plans(60, (index) => ({ room: `other room ${index}`, isKept: true, startsAt: 2_000 }));
    const { runs, refused } = await run([...growing, ...kept], kind);
    expect(refused).toBe(0);
    expect(quantile(runs.slice(growing.length), 'firstMs', 1)).toBeLessThanOrEqual(1_000);
  });

  it('P1: 20 replies at once by edits', async () => {
    const { runs, refused } = await run(
      plans(20, () => ({ streams: false })),
      kind,
    );
    expect(refused).toBe(0);
    expect(quantile(runs, 'lastMs', 0.95)).toBeLessThanOrEqual(300);
  });

  it('P2: 50 replies at once by streams, edits and posts', async () => {
    const { runs, refused } = await run(
      plans(50, (index) => ({ room: `room ${index % 10}` })),
      kind,
    );
    expect(refused).toBe(0);
    expect(quantile(runs, 'lastMs', 0.95)).toBeLessThanOrEqual(300);
    expect(quantile(runs, 'closedMs', 1)).toBeLessThanOrEqual(60_000);
  });

  it('P3: 200 replies within a minute', async () => {
    const { runs, refused } = await run(
      plans(200, (index) => ({ room: `room ${index % 20}`, startsAt: index * 300, lastsMs: 20_000 })),
      kind,
    );
    expect(refused).toBe(0);
    expect(quantile(runs, 'lastMs', 0.95)).toBeLessThanOrEqual(300);
    expect(quantile(runs, 'lastMs', 1)).toBeLessThanOrEqual(1_000);
    expect(quantile(runs, 'firstMs', 0.5)).toBeLessThanOrEqual(2_000);
    expect(quantile(runs, 'closedMs', 1)).toBeLessThanOrEqual(60_000);
  });
});

it('P5: one reply shows its first words at once, as a stream and by edits', async () => {
  for (const streams of [true, false]) {
    const { runs } = await run(
      plans(1, () => ({ streams })),
      'window',
    );
    expect(quantile(runs, 'firstMs', 1)).toBeLessThanOrEqual(300);
  }
});
