/** Acts of a live check that measure the limits which a channel assumes. They write one message each, and delete it. */

import { type LiveAct, type LiveCall, LiveFault, type LiveStage } from './live.ts';
import type { LiveAttempt, LiveChat, LivePost } from './live-acts.ts';
import { timeLimit } from './time-limit.ts';

/** Maximum time to delete the message of a measurement, in milliseconds. */
const CLEANUP_MS = 10_000;
/** Time without an append after which the stream is continued, in milliseconds. */
const IDLE_MS = 30_000;

export const measuringActs = (chat: LiveChat): readonly LiveAct[] => [
  toolAct('size', `A text of ${chat.limits.text[0]} characters is accepted`, 'mention', (stage) =>
    withPost(chat, stage, (post) => measureSize(chat, stage, post)),
  ),
  toolAct(
    'edit-rate',
    `${chat.limits.edits[0]} edits in a row are accepted, as Parley assumes`,
    'mention',
    (stage) => withPost(chat, stage, (post) => measureEdits(chat, stage, post)),
  ),
  streamAct(chat, {
    name: 'idle-stream',
    proves: `A stream can be continued after ${IDLE_MS / 1_000} s of silence`,
    pauses: [IDLE_MS],
  }),
];

/** @param after the act that makes known what this act needs */
export const toolAct = (
  name: string,
  proves: string,
  after: 'mention' | 'direct',
  perform: LiveAct['perform'],
): LiveAct => ({ name, proves, by: 'tool', needs: [after], perform });

/** Returns a stage that Ctrl-C does not interrupt, because a measurement must not leave its message in the chat. */
const forCleanup = (stage: LiveStage): LiveStage => ({ ...stage, signal: timeLimit(CLEANUP_MS) });

/** Posts a message for a measurement, and deletes it afterwards. */
async function withPost(
  chat: LiveChat,
  stage: LiveStage,
  work: (post: LivePost) => Promise<void>,
): Promise<void> {
  const { room } = chat.known;
  if (room === undefined) throw new LiveFault('No room is known.');
  const post = await chat.post(stage, room, 'Measurement of the live check');
  await work(post).finally(() => chat.remove(forCleanup(stage), post));
}

async function measureSize(chat: LiveChat, stage: LiveStage, post: LivePost): Promise<void> {
  const accepted: boolean[] = [];
  for (const length of chat.limits.text) {
    const words = 'word '.repeat(length / 5).padEnd(length, '.');
    accepted.push((await chat.edit(stage, post, words)).refused === undefined);
    stage.measure(`${length} characters accepted`, Number(accepted.at(-1)));
  }
  if (!accepted[0]) throw new LiveFault(`${chat.title} refused the longest text that Parley writes.`);
}

async function measureEdits(chat: LiveChat, stage: LiveStage, post: LivePost): Promise<void> {
  const [assumed, most] = chat.limits.edits;
  // The edits of earlier acts must not count.
  await stage.clock.wait(chat.limits.editWindowMs, stage.signal);
  const pauses = Array.from({ length: most }, () => 0);
  const series = { what: 'edits', title: chat.title, pauses, assumed };
  await measureSeries(series, stage, (index) => chat.edit(stage, post, `Measurement ${index}`));
}

interface StreamMeasurement extends Pick<LiveAct, 'name' | 'proves'> {
  /** Milliseconds before each append. */
  readonly pauses: readonly number[];
  /** Number of appends that must be accepted; default: all. */
  readonly assumed?: number;
}

/** Measures how many appends to a stream are accepted. */
export const streamAct = (
  chat: LiveChat,
  { name, proves, pauses, assumed = pauses.length }: StreamMeasurement,
): LiveAct =>
  toolAct(name, proves, 'direct', async (stage) => {
    const { direct } = chat.known;
    if (direct === undefined) throw new LiveFault('No direct chat is known.');
    const stream = await chat.stream(stage, direct);
    try {
      const series = { what: 'appends', title: chat.title, pauses, assumed };
      await measureSeries(series, stage, () => stream.append(' and words'));
    } finally {
      const { refused } = await stream.end(forCleanup(stage));
      stage.measure('end accepted', Number(refused === undefined));
    }
  });

interface Series {
  readonly what: string;
  readonly title: string;
  readonly pauses: readonly number[];
  readonly assumed: number;
}

/** Makes attempts until one is refused, and measures how many were accepted. Fails the act if they are too few. */
async function measureSeries(
  { what, title, pauses, assumed }: Series,
  stage: LiveStage,
  attempt: (index: number) => Promise<LiveAttempt>,
): Promise<void> {
  const began = stage.clock.now();
  let accepted = 0;
  let last: LiveAttempt | undefined;
  for (const pause of pauses) {
    if (pause > 0) await stage.clock.wait(pause, stage.signal);
    last = await attempt(accepted);
    if (last.refused !== undefined) break;
    accepted += 1;
  }
  stage.measure(`${what} accepted`, accepted);
  stage.measure(`time of the ${what}, s`, Math.round((stage.clock.now() - began) / 100) / 10);
  if (last?.retryAfterMs !== undefined) stage.measure('Retry-After, s', last.retryAfterMs / 1_000);
  if (accepted >= assumed) return;
  const refusal = `refused the next one (${last?.refused})`;
  throw new LiveFault(`${title} accepted ${accepted} ${what} and ${refusal}; Parley assumes ${assumed}.`);
}

export const ratesAct = ({ title }: LiveChat, calls: readonly LiveCall[]): LiveAct =>
  toolAct(
    'rates',
    `All calls of the bridge stayed within the rate limits of ${title}`,
    'mention',
    async (stage) => {
      const refused = calls.filter(({ retryAfterMs }) => retryAfterMs !== undefined);
      stage.measure('calls', calls.length);
      stage.measure('calls refused for their rate', refused.length);
      if (refused.length === 0) return;
      const methods = [...new Set(refused.map(({ method }) => method))].join(', ');
      throw new LiveFault(`${title} refused ${refused.length} calls for their rate: ${methods}.`);
    },
  );
