/** Rows P1 to P7 of the targets: who asks where and when, and what is read from it. */

import type { Figure } from '../figure.ts';
import { type House, openHouse } from './house.ts';
import { questionOf, type Saying } from './saying.ts';
import { type Seen, seenOf } from './watch.ts';

const SECOND_MS = 1_000;
/** Longest that a run waits for its last reply. */
const PATIENCE_MS = 240_000;
const LOOK_EVERY_MS = 500;
/** Everything of a reply has been closed by then. */
const REST_MS = 3_000;
const CHARS_A_SECOND = 165;

export interface Planned {
  readonly room: number;
  readonly startsAtMs: number;
  readonly saying: Saying;
}

export interface Reply extends Seen {
  readonly plan: Planned;
  /** Milliseconds, from the platform's first and last words. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly closedMs: number;
  /** How far what can be read lags behind what was said, at each change, in milliseconds. */
  readonly lags: readonly number[];
}

export interface Ran {
  readonly replies: readonly Reply[];
  readonly refused: number;
  readonly violations: number;
}

interface Setting {
  readonly mode?: 'window' | 'bucket';
  readonly streaming?: boolean;
}

export function plan(
  count: number,
  of: (nth: number) => { room: number; startsAtMs?: number; ms: number },
): readonly Planned[] {
  return Array.from({ length: count }, (_, nth) => {
    const { room, startsAtMs = 0, ms } = of(nth);
    const saying = {
      id: `q${nth}`,
      ms,
      everyMs: 200,
      chars: Math.round((ms / SECOND_MS) * CHARS_A_SECOND),
      shape: 'lines' as const,
    };
    return { room, startsAtMs, saying };
  });
}

export async function runPlan(
  plans: readonly Planned[],
  { mode = 'window', streaming = true }: Setting = {},
): Promise<Ran> {
  const house = await openHouse({ limits: { mode }, streaming });
  try {
    return await measure(house, plans);
  } finally {
    await house.close();
  }
}

async function measure(house: House, plans: readonly Planned[]): Promise<Ran> {
  const { slack } = house;
  const workspace = slack.workspace();
  const person = workspace.person();
  const rooms = new Map(
    [...new Set(plans.map(({ room }) => room))].map((room) => [room, workspace.channel()]),
  );
  const asked = await Promise.all(
    plans.map(async (each) => {
      await new Promise((resolve) => setTimeout(resolve, each.startsAtMs));
      const room = rooms.get(each.room);
      if (room === undefined) throw new Error('no such room');
      return { plan: each, ts: person.mentions(room, questionOf(each.saying)).ts };
    }),
  );
  const look = () => asked.map(({ plan: { saying }, ts }) => seenOf(slack.log.calls, { ts, id: saying.id }));
  const until = Date.now() + PATIENCE_MS;
  while (look().some(({ lastAt }) => lastAt === undefined) && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const answers = await house.answers();
  const seen = look();
  return {
    replies: asked.flatMap(({ plan: each }, nth): readonly Reply[] => {
      const times = answers[each.saying.id];
      const its = seen[nth];
      if (times === undefined || its === undefined) return [];
      return [
        {
          ...its,
          plan: each,
          firstMs: (its.firstAt ?? Number.POSITIVE_INFINITY) - times.firstAt,
          lastMs: (its.lastAt ?? Number.POSITIVE_INFINITY) - times.endAt,
          closedMs: its.closedAt - times.endAt,
          lags: its.growth.map(
            ({ at, chars }) => at - times.firstAt - (chars / each.saying.chars) * each.saying.ms,
          ),
        },
      ];
    }),
    refused: slack.log.failed(429).length,
    violations: slack.log.violations.length,
  };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export function atMost(name: string, ms: number, target: number): Figure {
  return { name, value: ms, unit: 'ms', target: `<= ${target} ms`, ok: ms <= target };
}

export function none(name: string, count: number): Figure {
  return { name, value: count, unit: '', target: '0', ok: count === 0 };
}

export const lost = (replies: readonly Reply[]): number =>
  replies.filter(({ lastAt }) => lastAt === undefined).length;
