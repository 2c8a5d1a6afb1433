/**
 * Measures Slack under its documented rate limits (targets P1 to P3, P5 to P8, P1s, and P15 to P17). The bridge, the
 * platform and Slack run in separate processes; all times are from Slack's log.
 *
 * Only `--full` measures these: P3; P17; P2 in the mode `bucket`; P6 with an answer that takes 5 s. P1, P1s and P7 have
 * runs of their own only with `--full`. Without it, P1 is measured in the runs of P16, and P1s and P7 in those of P15.
 */

import { firstWords, lastWords, lastWordsWithin, plan, tokenLag, unbroken } from './channel/runs.ts';
import { atMost, type Figure, part, quantile } from './figure.ts';
import { acknowledgements, newcomers } from './slack/acknowledge.ts';
import { lastTextAtOnce, loneReply, twentyAtOnce } from './slack/live.ts';
import { runPlan } from './slack/runs.ts';

const BY_EDITS = { streaming: false };

export async function run({ full = false }: { readonly full?: boolean } = {}): Promise<readonly Figure[]> {
  return [
    ...(full ? await part('P1: 20 replies by edits', twentyByEdits) : []),
    ...(await part('P2: 50 replies by all means', () =>
      fiftyByAllMeans(full ? ['window', 'bucket'] : ['window']),
    )),
    ...(full ? await part('P3: 200 replies in a minute', aWorkspaceAtOnce) : []),
    ...(await part('P6: long answers', () => longAnswer(full))),
    ...(full ? await part('P7: a minute by edits', aMinuteByEdits) : []),
    ...(await part('P5, P15: a lone reply', () => loneReply({ full }))),
    ...(await part('P16: 20 replies at once', twentyAtOnce)),
    ...(full ? await part('P1s: references late or never', lastTextAtOnce) : []),
    ...(await part('P8: acknowledgements', () => acknowledgements(full ? 60 : 5))),
    ...(full ? await part('P17: acknowledgements of new people', newcomers) : []),
  ];
}

async function twentyByEdits(): Promise<readonly Figure[]> {
  const ran = await runPlan(
    plan(20, (room) => ({ room, ms: 10_000 })),
    BY_EDITS,
  );
  return [lastWordsWithin('P1: 20 replies by edits', ran, 300), ...unbroken('P1', ran)];
}

async function fiftyByAllMeans(modes: readonly ('window' | 'bucket')[]): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const mode of modes) {
    const ran = await runPlan(
      plan(50, (nth) => ({ room: nth % 10, ms: 10_000 })),
      { mode },
    );
    figures.push(lastWordsWithin(`P2: 50 replies (${mode})`, ran, 300), ...unbroken('P2', ran));
  }
  return figures;
}

async function aWorkspaceAtOnce(): Promise<readonly Figure[]> {
  const ran = await runPlan(plan(200, (nth) => ({ room: nth % 20, startsAtMs: nth * 300, ms: 20_000 })));
  return [
    lastWordsWithin('P3: 200 replies', ran, 300),
    atMost('P3: 200 replies, last words, worst', lastWords(ran, 1), 1_000),
    atMost('P3: 200 replies, first words p50', firstWords(ran, 0.5), 2_000),
    atMost('P3: 200 replies, first words p95', firstWords(ran, 0.95), 15_000),
    atMost(
      'P3: 200 replies, all closed',
      quantile(
        ran.replies.map(({ closedMs }) => closedMs),
        1,
      ),
      60_000,
    ),
    ...unbroken('P3', ran),
  ];
}

async function longAnswer(full: boolean): Promise<readonly Figure[]> {
  const long = { id: 'long', ms: 5_000, everyMs: 20, chars: 50_000, shape: 'mixed' as const };
  const atOnce = { ...long, ms: 1, everyMs: 1 };
  const figures: Figure[] = [];
  for (const [how, saying, setting] of [
    ['in posts', atOnce, BY_EDITS],
    ...(full
      ? ([
          ['native', long, {}],
          ['by edits', long, BY_EDITS],
        ] as const)
      : []),
  ] as const) {
    const ran = await runPlan([{ room: 0, startsAtMs: 0, saying }], setting);
    figures.push(...unbroken(`P6: 50,000 characters ${how}`, ran));
  }
  return figures;
}

async function aMinuteByEdits(): Promise<readonly Figure[]> {
  const ran = await runPlan(
    plan(1, () => ({ room: 0, ms: 60_000 })),
    BY_EDITS,
  );
  const lags = ran.replies.flatMap((reply) => reply.lags);
  return [
    atMost('P7: 60 s by edits, lag of the text p95', quantile(lags, 0.95), 1_500),
    atMost('P7: 60 s by edits, lag of each word p95', tokenLag(ran, 0.95), 1_500),
    ...unbroken('P7', ran),
  ];
}
