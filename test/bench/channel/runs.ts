/** Plans the questions of a run through a channel, and evaluates the channel's log. */

import { setTimeout as pause } from 'node:timers/promises';
import { atMost, type Figure, none, quantile } from '../figure.ts';
import type { Processes } from './processes.ts';
import type { Saying } from './saying.ts';

const SECOND_MS = 1_000;
/** Maximum milliseconds that a run waits for its last reply. */
const MAX_WAIT_MS = 240_000;
const LOOK_EVERY_MS = 500;
/** Milliseconds to wait after the last words of a run, so that the last calls of its replies are logged. */
const REST_MS = 3_000;
const CHARS_A_SECOND = 165;

export interface Planned {
  readonly room: number;
  readonly startsAtMs: number;
  readonly saying: Saying;
}

/** What the channel's log says about one reply. */
export interface Seen {
  /** Time at which the reply's first words became visible; absent if none did. */
  readonly firstAt?: number;
  /** Time at which the reply's last words became visible. */
  readonly lastAt?: number;
  /** Time at which the reply's last call was answered. */
  readonly closedAt: number;
  /** Length of the visible text over time, to compute its delay behind the platform. */
  readonly growth: readonly { readonly at: number; readonly chars: number }[];
}

export type Reply<Its extends Seen = Seen> = Its & {
  readonly plan: Planned;
  /**
   * Milliseconds from the platform's first words to the first visible words; `lastMs` is the same for the last words.
   */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly closedMs: number;
  /** At each change of the visible text, its delay behind the platform's text in milliseconds. */
  readonly lags: readonly number[];
  /** For each piece of the answer, the milliseconds from the agent's output to its display. */
  readonly tokenLags: readonly number[];
};

export interface Ran<Its extends Seen = Seen> {
  readonly replies: readonly Reply<Its>[];
  /** Number of calls that were answered with 429. */
  readonly refused: number;
  /** Number of requests that the channel's documentation forbids, although the channel accepts them. */
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
  /** Asks a question. Returns a function that reads the current state of its reply from the channel's log. */
  ask(planned: Planned): () => Its;
}

/** Asks each question at its planned time, however late earlier replies are. */
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
  const until = Date.now() + MAX_WAIT_MS;
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
 * Returns the delay of each piece of the answer. `growth` also counts the markup around the first words. This markup
 * has only a few characters, so it does not change a quantile.
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

/** @param planned expected number of replies; a reply that never started counts as lost */
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

/**
 * Figures that every row prints: calls refused because of the rate limit, unfinished replies, and calls that the
 * channel's documentation forbids. Each should be 0.
 */
export const unbroken = (row: string, ran: Ran, planned?: number): readonly Figure[] => [
  none(`${row}: refused for their rate`, ran.refused),
  none(`${row}: replies whose end was never shown`, lost(ran, planned)),
  none(`${row}: calls that the channel's documentation does not allow`, ran.violations),
];

export const lastWordsWithin = (row: string, ran: Ran, target: number): Figure =>
  atMost(`${row}, last words p95`, lastWords(ran, 0.95), target);
