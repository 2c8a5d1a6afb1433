/**
 * Measures Microsoft Teams under its documented rate limits. The bridge, the platform and Teams run in separate
 * processes; all times are from Teams' log. With `--full`, questions arrive faster and for longer. It then also
 * measures a channel with many replies, and further long answers.
 */

import { firstWords, lastWords, lastWordsWithin, plan, unbroken } from './channel/runs.ts';
import { atMost, type Figure, none, part } from './figure.ts';
import { acknowledgements } from './teams/acknowledge.ts';
import { boundOf } from './teams/bound.ts';
import { missing, runPlan } from './teams/runs.ts';

const REPLIES = 20;
/**
 * Milliseconds that Teams itself delays a stream: it accepts one call per second, and the first call shows “Thinking…”.
 */
const STREAM_MS = 1_200;
const CHANNEL_MS = 2_500;
/** Maximum milliseconds that Parley adds. */
const OWN_MS = 300;

export async function run({ full = false }: { readonly full?: boolean } = {}): Promise<readonly Figure[]> {
  return [
    ...(await part('acknowledgements', () => acknowledgements({ full }))),
    ...(await part('replies in chats', inChats)),
    ...(await part('replies in channels', inChannels)),
    ...(full ? await part('replies in one channel', inOneChannel) : []),
    ...(await part('long answers', () => longAnswers(full))),
  ];
}

async function inChats(): Promise<readonly Figure[]> {
  const ran = await runPlan(
    plan(REPLIES, (room) => ({ room, startsAtMs: room * 200, ms: 10_000 })),
    { places: 'chats' },
  );
  const row = `${REPLIES} replies in one-to-one chats`;
  return [
    atMost(`${row}, first words p95`, firstWords(ran, 0.95), STREAM_MS),
    lastWordsWithin(row, ran, STREAM_MS),
    ...unbroken(row, ran, REPLIES),
  ];
}

async function inChannels(): Promise<readonly Figure[]> {
  const ran = await runPlan(
    plan(REPLIES, (room) => ({ room, ms: 10_000 })),
    { places: 'channels' },
  );
  const row = `${REPLIES} replies at once in as many channels`;
  return [
    atMost(`${row}, first words p95`, firstWords(ran, 0.95), CHANNEL_MS),
    lastWordsWithin(row, ran, OWN_MS),
    ...unbroken(row, ran, REPLIES),
  ];
}

/**
 * Measures replies in threads of one channel, which share its rate limits. These limits determine when the last reply
 * ends.
 */
async function inOneChannel(): Promise<readonly Figure[]> {
  const ran = await runPlan(
    plan(REPLIES, () => ({ room: 0, ms: 10_000 })),
    { places: 'channels' },
  );
  const row = `${REPLIES} replies at once in threads of one channel`;
  const target = boundOf(REPLIES) + OWN_MS;
  return [
    atMost(`${row}, first words, worst`, firstWords(ran, 1), target),
    atMost(`${row}, last words, worst`, lastWords(ran, 1), target),
    ...unbroken(row, ran, REPLIES),
  ];
}

async function longAnswers(full: boolean): Promise<readonly Figure[]> {
  const saying = { id: 'long', ms: 5_000, everyMs: 20, chars: 50_000, shape: 'mixed' } as const;
  const figures: Figure[] = [];
  for (const [how, setting] of [
    ['native', { places: 'chats' }],
    ...(full
      ? ([
          ['in a channel', { places: 'channels' }],
          ['by edits', { places: 'chats', streaming: false }],
        ] as const)
      : []),
  ] as const) {
    const ran = await runPlan([{ room: 0, startsAtMs: 0, saying }], setting);
    const row = `50,000 characters ${how}`;
    const [reply] = ran.replies;
    figures.push(
      none(`${row}: numbered parts that cannot be read`, missing(saying, reply?.text ?? '')),
      ...unbroken(row, ran, 1),
    );
  }
  return figures;
}
