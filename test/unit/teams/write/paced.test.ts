/** Tests the writer with the real pacer and budgets, in virtual time and under Teams' documented limits. */

import { describe, expect, it } from 'vitest';
import type { Sent } from '../../../../adapters/teams/api/connector.ts';
import { limits } from '../../../../adapters/teams/limits.ts';
import { createStreamCalls, createStreamedTexts } from '../../../../adapters/teams/write/deps.ts';
import { createWriter, type WriterDeps } from '../../../../adapters/teams/write/index.ts';
import { createBudgets } from '../../../../src/core/pacing/budgets.ts';
import { fragmentLink } from '../../../../src/kit/fragment-link.ts';
import { type Plain, plains } from '../../../../src/kit/json.ts';
import { createStreaming } from '../../../../src/kit/streaming.ts';
import { type ThreadRef, type Turn, turnId } from '../../../../src/kit.ts';
import { correctionsOf } from '../../../fakes/corrections.ts';
import { growReply, openEye, type Seen } from '../../../fakes/pacing/growing-reply.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { message, turn } from '../../../fakes/samples.ts';
import { createLimiter } from '../../../fakes/teams/limits.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';

const LATENCY_MS = 80;
interface Plan {
  readonly kind: ThreadRef['kind'];
  readonly room: string;
  readonly key: string;
  /** Milliseconds until the agent's first words arrive. */
  readonly thinksMs: number;
  readonly lastsMs: number;
}

async function run(plans: readonly Plan[]) {
  const clock = createVirtualClock();
  const limiter = createLimiter(clock);
  const budgets = createBudgets(limits, clock);
  let refused = 0;
  let sent = 0;
  let ended = 0;

  const one = async (plan: Plan, index: number): Promise<Seen> => {
    const eye = openEye(clock);
    let streamedAt = Number.NEGATIVE_INFINITY;
    const asked = async (activity: object): Promise<Sent> => {
      await clock.wait(LATENCY_MS / 2);
      const said = JSON.stringify(activity);
      const seconds = limiter.take({ tenant: 'T1', family: 'send', thread: plan.room });
      const streams = plains((activity as Plain).entities).some(({ type }) => type === 'streaminfo');
      const isFast = streams && clock.now() - streamedAt < 1_000;
      if (streams) streamedAt = clock.now();
      await clock.wait(LATENCY_MS / 2);
      if (seconds > 0 || isFast) {
        refused += 1;
        return { kind: 'refused', status: 429, code: 'Throttled', meaning: 'rate', retryAfterMs: 1_000 };
      }
      eye.see(said);
      sent += 1;
      return { kind: 'done', id: `${sent}` };
    };
    const question = turnOf(plan, index);
    const connector = {
      send: (_: object, activity: object) => asked(activity),
      update: (_: object, activity: object) => asked(activity),
      delete: () => asked({}),
    };
    const host = {
      clock,
      log: quiet,
      agents: () => [],
      corrections: correctionsOf(),
      otherRights: () => true,
      openMedia: () => Promise.reject(new Error('There are no images.')),
      link: () => '',
      sourceLink: fragmentLink,
      messagesOfOthers: async () => new Set<string>(),
    };
    const streaming = createStreaming(true, clock);
    const writer = createWriter(question, { ...deps, host, connector, streaming, streamCalls });
    const seen = await growReply({
      ...{ reply: question.id, room: plan.room, writer, budgets, clock, eye },
      ...(plan.kind === 'room' && { thread: plan.key }),
      thinksMs: plan.thinksMs,
      lastsMs: plan.lastsMs,
    });
    ended += 1;
    return seen;
  };

  const streamCalls = createStreamCalls();
  const all = Promise.all(plans.map(one));
  await clock.until(() => ended === plans.length, 3_600_000);
  return { runs: await all, refused, sent };
}

const deps: Omit<WriterDeps, 'connector' | 'streaming' | 'streamCalls' | 'host'> = {
  places: {
    find: async ({ tenant, room, kind }) => ({
      ...{ tenant, kind, conversation: room },
      ...{ serviceUrl: 'https://smba.trafficmanager.net/emea/', bot: '28:bot' },
    }),
    close: async () => undefined,
  },
  format: 'markdown',
  appId: 'app',
  stopped: () => undefined,
  unshown: () => undefined,
  removeLater: async () => undefined,
  random: () => 0,
  streamedTexts: createStreamedTexts(),
};

function turnOf({ kind, room, key }: Plan, index: number): Turn {
  const thread = { channel: 'teams', tenant: 'T1', room, key, kind };
  const sender = { id: 'U1', name: 'engineer', standing: 'member' } as const;
  return turn({ id: turnId(`turn ${index}`), message: message({ id: `${room}/${index}`, thread, sender }) });
}

const plans = (count: number, of: (index: number) => Partial<Plan>): readonly Plan[] =>
  Array.from({ length: count }, (_, index) => {
    const room = `room ${index}`;
    return { kind: 'direct', room, key: room, thinksMs: 700, lastsMs: 10_000, ...of(index) };
  });

const most = (runs: readonly Seen[], of: keyof Seen): number => Math.max(...runs.map((each) => each[of]));

describe('20 replies at once', () => {
  it('show text in 20 personal chats within 1.2 s, and the last text within a second', async () => {
    const { runs, refused } = await run(plans(20, (index) => ({ thinksMs: 20 + index * 90 })));
    expect(refused).toBe(0);
    expect(most(runs, 'firstMs')).toBeLessThanOrEqual(1_200);
    expect(most(runs, 'lastMs')).toBeLessThanOrEqual(1_200);
  });

  it('show text in 20 channels at once', async () => {
    const { runs, refused } = await run(plans(20, () => ({ kind: 'room', key: '1' })));
    expect(refused).toBe(0);
    expect(most(runs, 'firstMs')).toBeLessThanOrEqual(500);
    expect(most(runs, 'lastMs')).toBeLessThanOrEqual(500);
  });

  it('show text in 20 threads of one channel as soon as the limits allow', async () => {
    const { runs, refused } = await run(
      plans(20, (index) => ({ kind: 'room', room: 'channel', key: `${index}` })),
    );
    expect(refused).toBe(0);
    // Teams allows 7 calls in one second and 8 in two seconds, so the calls go out in groups of seven, one group every
    // 2 s. The 20th call is in the third group, which starts after 4 s. A period begins at a response, so each of the
    // three groups adds its latency.
    expect(most(runs, 'firstMs')).toBeLessThanOrEqual(4_000 + 3 * LATENCY_MS);
    expect(most(runs, 'lastMs')).toBeLessThanOrEqual(4_000 + 3 * LATENCY_MS);
  });
});

it('one long reply in a chat stays under 1,800 calls an hour and shows its end at once', async () => {
  for (const kind of ['direct', 'group'] as const) {
    const { runs, refused } = await run(plans(1, () => ({ kind, lastsMs: 300_000 })));
    expect(refused).toBe(0);
    expect(most(runs, 'lastMs')).toBeLessThanOrEqual(1_200);
  }
});
