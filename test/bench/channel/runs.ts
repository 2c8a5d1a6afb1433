/** The plan of questions through a channel, and the evaluation of its log. */

import { setTimeout as pause } from 'node:timers/promises';
import { atMost, type Figure, none, quantile } from '../figure.ts';
import type { Processes } from './processes.ts';
import type { Saying } from './saying.ts';

const SECOND_MS = 1_000;
/** Maximum wait of a run for its last reply. */
const PATIENCE_MS = 240_000;
const LOOK_EVERY_MS = 500;
/** Pause in milliseconds after the last words of the run, in which the replies are closed. */
const REST_MS = 3_000;
const CHARS_A_SECOND = 165;

export interface Planned {
  readonly room: number;
  readonly startsAtMs: number;
  readonly saying: Saying;
}

/** The channel's log of one reply. */
export interface Seen {
  /** Time at which the first words of the reply were visible; absent if none ever were. */
  readonly firstAt?: number;
  /** Time at which its last words were visible. */
  readonly lastAt?: number;
  /** Time at which its last call was answered. */
  readonly closedAt: number;
  /** Length of the visible text over time, for the lag of a growing text. */
  readonly growth: readonly { readonly at: number; readonly chars: number }[];
}

export type Reply<Its extends Seen = Seen> = Its & {
  readonly plan: Planned;
  /**
   * Milliseconds from the platform's first words to the first visible ones; `lastMs` counts from its last
   * words.
   */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly closedMs: number;
  /** Lag of the visible text behind the platform's text at each change, in milliseconds. */
  readonly lags: readonly number[];
  /** For each piece of the answer, the time from the agent's output to its display, in milliseconds. */
  readonly tokenLags: readonly number[];
};

export interface Ran<Its extends Seen = Seen> {
  readonly replies: readonly Reply<Its>[];
  /** Number of calls answered with 429. */
  readonly refused: number;
  /** Requests that the channel accepts although its documentation forbids them. */
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
  /** Asks the question and returns a function that reads its reply from then on. */
  ask(planned: Planned): () => Its;
}

/** Everything is asked at its planned time, however late earlier replies are. */
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

/**
 * Returns the lag of each piece of the answer. `growth` also counts the markup around the first words; so few
 * characters do not change a quantile.
 */
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

/** @param planned the expected number of replies; one that never started counts as lost */
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

/** Values that are printed in every row. */
export const unbroken = (row: string, ran: Ran, planned?: number): readonly Figure[] => [
  none(`${row}: refused for their rate`, ran.refused),
  none(`${row}: replies that lost their end`, lost(ran, planned)),
  none(`${row}: calls that the channel's documentation does not allow`, ran.violations),
];

export const lastWordsWithin = (row: string, ran: Ran, target: number): Figure =>
  atMost(`${row}, last words p95`, lastWords(ran, 0.95), target);
