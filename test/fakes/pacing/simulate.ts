/** Runs many replies through the real pacer and budgets, in virtual time, against documented limits. */

import type { FamilyLimit } from '../../../src/core/channel/limits.ts';
import { turnId } from '../../../src/core/ids.ts';
import { begin, finish } from '../../../src/core/live-reply/compose.ts';
import { createBudgets } from '../../../src/core/pacing/budgets.ts';
import { createLatest } from '../../../src/core/pacing/latest.ts';
import { pace } from '../../../src/core/pacing/pace.ts';
import { change, type ReplyDocument } from '../../../src/core/reply.ts';
import type { Screen } from '../../../src/core/screen.ts';
import { createVirtualClock } from '../virtual-clock.ts';
import { createLadderWriter, type Means } from './ladder.ts';
import { createLimiter, type ServerLimits } from './limiter.ts';

export interface PlannedReply {
  readonly tenant: string;
  readonly room: string;
  /** Start of the reply, in milliseconds from the start of the simulation. */
  readonly startsAt: number;
  readonly lastsMs: number;
  readonly means: readonly Means[];
  /** Milliseconds between two pieces of the answer. */
  readonly everyMs?: number;
}

export interface SimulatedReply {
  readonly plan: PlannedReply;
  /** Milliseconds from the platform's first text to the first visible words. */
  readonly firstMs: number;
  /** Milliseconds from the end of the platform's answer until its last words are visible. */
  readonly lastMs: number;
  /** Milliseconds from the end of the platform's answer until the reply is finished in the channel. */
  readonly closedMs: number;
  readonly rung: Screen['rung'];
  /** For each piece of the answer, the time from the agent's output to its display, in milliseconds. */
  readonly lags: readonly number[];
}

export interface Simulation {
  readonly replies: readonly SimulatedReply[];
  readonly refused: number;
  readonly calls: Readonly<Record<string, number>>;
}

/** Default milliseconds between two pieces of an answer. */
const EVERY_MS = 200;
const DELTA = 'Two years of warranty, in words. ';
const LATENCY_MS = 80;

/** Slack's documented limits, as the bridge applies them (docs/reference/performance.md). */
const LIMITS: Readonly<Record<string, FamilyLimit>> = {
  'chat.startStream': { gapMs: 0, perMinute: 20 },
  'chat.stopStream': { gapMs: 0, perMinute: 20 },
  'chat.appendStream': { gapMs: 650, spareGapMs: 400, perMinute: 100 },
  'chat.update': { gapMs: 1_480, spareGapMs: 450, perMinute: 50 },
  'chat.postMessage': { gapMs: 0, perMinute: 300, perRoom: { perSecond: 1, burst: 3 } },
};
/** The same limits, as the simulated server enforces them. */
const SERVER: Omit<ServerLimits, 'kind'> = {
  perMinute: {
    'chat.startStream': 20,
    'chat.stopStream': 20,
    'chat.appendStream': 100,
    'chat.update': 50,
    'chat.postMessage': 300,
  },
  room: { method: 'chat.postMessage', perSecond: 1, burst: 3 },
};

export async function simulate(
  plans: readonly PlannedReply[],
  kind: ServerLimits['kind'] = 'window',
): Promise<Simulation> {
  const clock = createVirtualClock();
  const limiter = createLimiter({ ...SERVER, kind }, clock);
  const budgets = createBudgets(LIMITS, clock);
  const calls: Record<string, number> = {};
  let ended = 0;
  const run = async (plan: PlannedReply, index: number): Promise<SimulatedReply> => {
    await clock.wait(plan.startsAt);
    const id = turnId(`turn ${index}`);
    const latest = createLatest(begin(id));
    const times = { first: Number.NaN, last: Number.NaN };
    const wire = {
      async send(method: string) {
        await clock.wait(LATENCY_MS / 2);
        calls[method] = (calls[method] ?? 0) + 1;
        const retryAfter = limiter.arrive({ tenant: plan.tenant, room: plan.room, method });
        await clock.wait(LATENCY_MS / 2);
        return retryAfter;
      },
    };
    const writer = createLadderWriter(wire, plan.means);
    const never = new AbortController().signal;
    const { lastsMs, everyMs = EVERY_MS } = plan;
    const total = Math.round(lastsMs / everyMs);
    const length = DELTA.length * total;
    const saidAt: number[] = [];
    const lags: number[] = [];
    const note = (screen: Screen) => {
      const shown = screen.parts.at(-1)?.shown?.length ?? 0;
      for (let nth = lags.length; (nth + 1) * DELTA.length <= shown; nth++)
        lags.push(clock.now() - (saidAt[nth] ?? 0));
      if (shown > 0 && Number.isNaN(times.first)) times.first = clock.now();
      if (shown === length && Number.isNaN(times.last)) times.last = clock.now();
    };
    const pacing = pace(latest, writer.blank(), {
      reply: id,
      place: { tenant: plan.tenant, room: plan.room },
      writer,
      budgets,
      clock,
      signal: never,
      halt: never,
      mayWrite: () => true,
      record: async (_document, screen) => note(screen),
      moved: () => undefined,
    });
    const grow = (document: ReplyDocument): ReplyDocument =>
      change(document, { text: document.text + DELTA, state: 'writing' });
    const first = clock.now();
    for (let n = 0; n < total; n++) {
      latest.set(grow(latest.get()));
      saidAt.push(clock.now());
      await clock.wait(everyMs);
    }
    latest.set(finish(latest.get()));
    latest.close();
    const end = clock.now();
    const screen = await pacing;
    budgets.free(id);
    ended += 1;
    return {
      plan,
      firstMs: times.first - first,
      lastMs: times.last - end,
      closedMs: clock.now() - end,
      rung: screen.rung,
      lags,
    };
  };
  const all = Promise.all(plans.map(run));
  await clock.until(() => ended === plans.length, 3_600_000);
  return { replies: await all, refused: limiter.refused, calls };
}
