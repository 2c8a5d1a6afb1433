/** The writer under the real pacer and budgets, in virtual time, with Slack's documented limits on (P1 to P3, P7). */

import { describe, expect, it } from 'vitest';
import type { Answer, Sender } from '../../../../adapters/slack/api/sender.ts';
import { limits } from '../../../../adapters/slack/limits.ts';
import { createWriter, type WriterParts } from '../../../../adapters/slack/write/index.ts';
import { createBudgets } from '../../../../src/core/pacing/budgets.ts';
import { createLatest } from '../../../../src/core/pacing/latest.ts';
import { pace } from '../../../../src/core/pacing/pace.ts';
import { change } from '../../../../src/core/reply.ts';
import { begin, finish } from '../../../../src/core/stage/compose.ts';
import { createStreaming } from '../../../../src/kit/streaming.ts';
import { laneKey, type ReplyDocument, type Turn, turnId } from '../../../../src/kit.ts';
import { createLimiter } from '../../../fakes/pacing/limiter.ts';
import { documentedRates } from '../../../fakes/slack/limits.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const LATENCY_MS = 80;
const WORDS = 'Two years of warranty, in words. ';
const LAST = 'Z.';
const perMinute = Object.fromEntries(
  Object.entries(documentedRates).map(([name, { calls }]) => [name, calls]),
);

interface Plan {
  readonly room: string;
  readonly startsAt: number;
  readonly lastsMs: number;
  readonly streams: boolean;
}

interface Run {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly closedMs: number;
}

async function run(plans: readonly Plan[], kind: 'window' | 'bucket') {
  const clock = createVirtualClock();
  const limiter = createLimiter(
    { kind, perMinute, room: { method: 'chat.postMessage', perSecond: 1, burst: 3 } },
    clock,
  );
  const budgets = createBudgets({ limits, clock });
  const calls: Record<string, number> = {};
  const live = new AbortController().signal;
  let posted = 0;
  let ended = 0;

  const one = async (plan: Plan, index: number): Promise<Run> => {
    await clock.wait(plan.startsAt);
    const times = { first: Number.NaN, last: Number.NaN };
    const see = (args: object) => {
      const said = JSON.stringify(args);
      if (Number.isNaN(times.first) && said.includes('warranty')) times.first = clock.now();
      if (said.includes(LAST))
        times.last = Math.min(Number.isNaN(times.last) ? clock.now() : times.last, clock.now());
    };
    const sender: Sender = {
      async call(tenant, method, args): Promise<Answer> {
        await clock.wait(LATENCY_MS / 2);
        calls[method] = (calls[method] ?? 0) + 1;
        const seconds = limiter.arrive({ tenant, room: plan.room, method });
        await clock.wait(LATENCY_MS / 2);
        if (seconds !== undefined)
          return { kind: 'refused', why: 'rate', error: 'ratelimited', retryAfterMs: seconds * 1_000 };
        see(args);
        posted += 1;
        return { kind: 'done', body: { ts: `1.${posted}` } };
      },
    };
    const turn = turnOf(plan, index);
    const streaming = createStreaming(plan.streams, clock);
    const writer = createWriter(turn, { ...parts, sender, streaming });
    const latest = createLatest(begin(turn.id));
    const pacing = pace(latest, writer.blank(), {
      reply: turn.id,
      tenant: 'T1',
      room: plan.room,
      writer,
      budgets,
      clock,
      signal: live,
      halt: live,
      record: async () => undefined,
      moved: () => undefined,
    });
    const grow = (text: string) => (document: ReplyDocument) =>
      change(document, { text: document.text + text, state: 'writing' });
    await clock.wait(500);
    const first = clock.now();
    for (let at = 0; at < plan.lastsMs; at += 200) {
      latest.set(grow(WORDS)(latest.get()));
      await clock.wait(200);
    }
    latest.set(finish(grow(LAST)(latest.get())));
    latest.close();
    const end = clock.now();
    await pacing;
    budgets.free(turn.id);
    ended += 1;
    return { firstMs: times.first - first, lastMs: times.last - end, closedMs: clock.now() - end };
  };

  const all = Promise.all(plans.map(one));
  await clock.until(() => ended === plans.length, 3_600_000);
  return { runs: await all, refused: limiter.refused, calls };
}

const parts: Omit<WriterParts, 'sender' | 'streaming'> = {
  workspaces: {
    find: async () => undefined,
    ofTenant: async () => ({ tenant: 'T1', token: 'xoxb', botUser: 'U0' }),
    disable: () => undefined,
    remove: async () => [],
  },
  host: {
    agents: () => [],
    openMedia: () => Promise.reject(new Error('There are no images.')),
  },
  places: { find: async () => undefined },
  footer: true,
};

function turnOf({ room }: Plan, index: number): Turn {
  const key = `1793491200.${String(index).padStart(6, '0')}`;
  return {
    id: turnId(`turn ${index}`),
    origin: { kind: 'message', key, revision: 0 },
    lane: laneKey(key),
    message: {
      id: `${room}/${key}`,
      thread: { channel: 'slack', tenant: 'T1', room, key, kind: 'room' },
      sender: { id: 'U1', name: 'engineer', standing: 'member' },
      text: 'Question',
      quoted: [],
      files: [],
      sentAt: 0,
      revision: 0,
    },
    keptAt: 0,
    attempt: 1,
    phase: 'new',
    state: 'running',
  };
}

const plans = (count: number, of: (index: number) => Partial<Plan>): readonly Plan[] =>
  Array.from({ length: count }, (_, index) => ({
    room: `room ${index}`,
    startsAt: 0,
    lastsMs: 10_000,
    streams: true,
    ...of(index),
  }));

function quantile(runs: readonly Run[], of: keyof Run, share: number): number {
  const sorted = runs.map((each) => each[of]).toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

describe.each(['window', 'bucket'] as const)('under limits that count by %s', (kind) => {
  it('P1: 20 replies at once by edits', async () => {
    const { runs, refused } = await run(
      plans(20, () => ({ streams: false })),
      kind,
    );
    expect(refused).toBe(0);
    expect(quantile(runs, 'lastMs', 0.95)).toBeLessThanOrEqual(300);
  });

  it('P2: 50 replies at once by all means', async () => {
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
