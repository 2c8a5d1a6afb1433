/**
 * Measures the delay between the agent's output and its display (targets P1s, P15 and P16), by edits and as streams.
 */

import {
  firstWords,
  lastWordsWithin,
  type Planned,
  plan,
  type Ran,
  tokenLag,
  unbroken,
} from '../channel/runs.ts';
import { atMost, type Figure, none } from '../figure.ts';
import { LATENCY_MS } from './house.ts';
import { runPlan } from './runs.ts';

const WAYS = [
  ['by edits', false],
  ['native', true],
] as const;
const REPLY_MS = 10_000;
/** Maximum delay of the last words in milliseconds (target P1s). */
const LAST_WORDS_MS = 200;
const AT_ONCE = 20;
/**
 * Calls per minute that may show text. Each reply needs one such call for its first words and one for its last words.
 */
const SHOWS_A_MINUTE = { 'by edits': 50, native: 100 + AT_ONCE };

const CROWDS = [
  [1, 'late'],
  [AT_ONCE, 'late'],
  [50, 'never'],
] as const;

const alone = (nth: number) => ({ room: nth, ms: REPLY_MS });

/** Measures the delay of the last words if the answer's sources arrive after 2 s or never. */
export async function lastTextAtOnce(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [way, streaming] of WAYS) {
    for (const [count, references] of CROWDS) {
      const plans = plan(count, (nth) => ({ room: nth % AT_ONCE, ms: REPLY_MS }), { references });
      const ran = await runPlan(plans, { streaming });
      const row = `P1s: ${count} ${way}, references ${references}`;
      figures.push(lastWordsWithin(row, ran, LAST_WORDS_MS), ...unbroken('P1s', ran, count));
    }
  }
  return figures;
}

/**
 * Measures a one-paragraph reply while no other reply runs. With `--full`, twenty other replies start 1 s before the
 * end of the measured answer.
 */
export async function loneReply({ full }: { readonly full: boolean }): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [way, streaming, target] of [
    ['by edits', false, 370],
    ['native', true, 300],
  ] as const) {
    const late = plan(full ? AT_ONCE : 0, (nth) => ({ ...alone(nth + 1), startsAtMs: 9_000 }));
    const lone = plan(1, alone, { shape: 'paragraph', references: 'late' });
    const ran = await runPlan([...lone, ...late.map(withOwnId)], { streaming });
    const first: Ran = { ...ran, replies: ran.replies.slice(0, 1) };
    figures.push(
      atMost(`P5: a lone reply ${way}, first words`, firstWords(first, 1), 300),
      atMost(`P15: a lone reply ${way}, lag of the text p50`, tokenLag(first, 0.5), target),
      atMost(`P7: a lone reply ${way}, lag of each word p95`, tokenLag(first, 0.95), 1_500),
      lastWordsWithin(`P1s: a lone reply ${way}, references late`, first, LAST_WORDS_MS),
      none(`P15: refused for their rate${full ? ' when 20 more begin' : ''}`, ran.refused),
    );
  }
  return figures;
}

const withOwnId = (planned: Planned): Planned => ({
  ...planned,
  saying: { ...planned.saying, id: `late-${planned.saying.id}` },
});

/**
 * Compares the median delay with its lower bound. If every allowed call shows the same amount of text, the bound is
 * half the time between two calls of one reply, plus the latency of a call.
 */
export async function twentyAtOnce(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [way, streaming] of WAYS) {
    const ran = await runPlan(plan(AT_ONCE, alone), { streaming });
    const bound = (AT_ONCE * REPLY_MS) / SHOWS_A_MINUTE[way] / 2 + LATENCY_MS;
    figures.push(
      atMost(
        `P16: ${AT_ONCE} replies ${way}, lag of the text p50 (bound ${Math.round(bound)} ms)`,
        tokenLag(ran, 0.5),
        1.1 * bound,
      ),
      lastWordsWithin(`P1: ${AT_ONCE} replies ${way}`, ran, LAST_WORDS_MS),
      ...unbroken('P1, P16', ran, AT_ONCE),
    );
  }
  return figures;
}
