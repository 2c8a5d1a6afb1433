/** Who asks where and when through a channel, and what is read from its log. */

import { setTimeout as pause } from 'node:timers/promises';
import { atMost, type Figure, none, quantile } from '../figure.ts';
import type { Processes } from './processes.ts';
import type { Saying } from './saying.ts';

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

/** What the channel's log tells of one reply. */
export interface Seen {
  /** When the first words of the reply could be read; absent when none ever could. */
  readonly firstAt?: number;
  /** When its last words could be read. */
  readonly lastAt?: number;
  /** When its last call was answered. */
  readonly closedAt: number;
  /** Length of what could be read at times, for the lag of a growing text. */
  readonly growth: readonly { readonly at: number; readonly chars: number }[];
}

export type Reply<Its extends Seen = Seen> = Its & {
  readonly plan: Planned;
  /** Milliseconds, from the platform's first and last words. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly closedMs: number;
  /** How far what can be read lags behind what was said, at each change, in milliseconds. */
  readonly lags: readonly number[];
  /** For each piece of the answer, the time from the agent's output to its display, in milliseconds. */
  readonly tokenLags: readonly number[];
};

export interface Ran<Its extends Seen = Seen> {
  readonly replies: readonly Reply<Its>[];
  /** Calls that were answered with 429. */
  readonly refused: number;
  /** What the channel lets pass but documents otherwise. */
  readonly violations: number;
}

export function plan(
  count: number,
  of: (nth: number) => { room: number; startsAtMs?: number; ms: number },
  more: Partial<Saying> = {},
): readonly Planned[] {
  return Array.from({ length: count }, (_, nth) => {
    const { room, startsAtMs = 0, ms } = of(nth);
    const chars = Math.round((ms / SECOND_MS) * CHARS_A_SECOND);
    return { room, startsAtMs, saying: { id: `q${nth}`, ms, everyMs: 200, chars, shape: 'lines', ...more } };
  });
}

interface Measuring<Its extends Seen> extends Pick<Processes, 'answers'> {
  /** Asks it, and gives what tells of its reply from then on. */
  ask(planned: Planned): () => Its;
}

/** Everything is asked when the plan says, however late the replies before are. */
export async function measure<Its extends Seen>(
  plans: readonly Planned[],
  { ask, answers: askPlatform }: Measuring<Its>,
): Promise<readonly Reply<Its>[]> {
  const asked = await Promise.all(
    plans.map(async (planned) => {
      await pause(planned.startsAtMs);
      return { planned, look: ask(planned) };
    }),
  );
  const until = Date.now() + PATIENCE_MS;
  while (asked.some(({ look }) => look().lastAt === undefined) && Date.now() < until)
    await pause(LOOK_EVERY_MS);
  await pause(REST_MS);
  const answers = await askPlatform();
  return asked.flatMap(({ planned, look }): readonly Reply<Its>[] => {
    const times = answers[planned.saying.id];
    return times === undefined ? [] : [replyOf(planned, look(), times)];
  });
}

function replyOf<Its extends Seen>(
  planned: Planned,
  its: Its,
  { firstAt, endAt }: { readonly firstAt: number; readonly endAt: number },
): Reply<Its> {
  const { chars, ms } = planned.saying;
  return {
    ...its,
    plan: planned,
    firstMs: (its.firstAt ?? Number.POSITIVE_INFINITY) - firstAt,
    lastMs: (its.lastAt ?? Number.POSITIVE_INFINITY) - endAt,
    closedMs: its.closedAt - endAt,
    lags: its.growth.map(({ at, chars: shown }) => at - firstAt - (shown / chars) * ms),
    tokenLags: tokenLagsOf(planned, its, firstAt),
  };
}

/** `growth` counts the marks of the first words as characters too; so few characters do not change a quantile. */
function tokenLagsOf({ saying }: Planned, { growth }: Seen, firstAt: number): readonly number[] {
  const { chars, ms, everyMs } = saying;
  const pieces = Math.max(1, Math.round(ms / everyMs));
  const lags: number[] = [];
  for (const { at, chars: shown } of growth) {
    while (lags.length < pieces && (lags.length + 1) * (chars / pieces) <= shown)
      lags.push(at - firstAt - lags.length * everyMs);
  }
  return lags;
}

export const tokenLag = ({ replies }: Ran, share: number): number =>
  quantile(
    replies.flatMap(({ tokenLags }) => tokenLags),
    share,
  );

/** @param planned how many replies there should be; one that never began is lost, too */
export const lost = ({ replies }: Ran, planned: number = replies.length): number =>
  planned - replies.filter(({ lastAt }) => lastAt !== undefined).length;

export const firstWords = ({ replies }: Ran, share: number): number =>
  quantile(
    replies.map(({ firstMs }) => firstMs),
    share,
  );
export const lastWords = ({ replies }: Ran, share: number): number =>
  quantile(
    replies.map(({ lastMs }) => lastMs),
    share,
  );

/** What holds in every row. */
export const unbroken = (row: string, ran: Ran, planned?: number): readonly Figure[] => [
  none(`${row}: refused for their rate`, ran.refused),
  none(`${row}: replies that lost their end`, lost(ran, planned)),
  none(`${row}: calls that the channel's documentation does not allow`, ran.violations),
];

export const lastWordsWithin = (row: string, ran: Ran, target: number): Figure =>
  atMost(`${row}, last words p95`, lastWords(ran, 0.95), target);
