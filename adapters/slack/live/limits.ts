/** Acts of the live check that measure the limits which Parley assumes. They write one message each, and delete it. */

import { type LiveAct, LiveFault, type LiveStage, text } from '../../../src/kit/ladder.ts';
import { limits } from '../limits.ts';
import type { LiveChat } from './chat.ts';

/** Characters of one Markdown block: https://docs.slack.dev/reference/block-kit/blocks/markdown-block */
const MARKDOWN_CHARS = 12_000;
/** Edits after which the measurement ends, if Slack has refused none. */
const MOST_EDITS = 70;
const MINUTE_MS = 60_000;
/** Time without an append after which the stream is continued, in milliseconds. */
const IDLE_MS = 30_000;

export const limitActs = (chat: LiveChat): readonly LiveAct[] => [
  sizeAct(chat),
  editRateAct(chat),
  idleStreamAct(chat),
];

type Posted = Readonly<Record<'channel' | 'ts', string>>;

/** Posts a message for a measurement, and deletes it afterwards. */
async function withMessage(chat: LiveChat, stage: LiveStage, work: (message: Posted) => Promise<void>) {
  const channel = chat.known.room?.room ?? '';
  const began = stage.clock.now();
  const posted = await chat.call(stage, 'chat.postMessage', {
    channel,
    text: 'Measurement of the live check',
  });
  stage.measure('post, ms', stage.clock.now() - began);
  const message = { channel, ts: text(posted.ts) ?? '' };
  await work(message).finally(() => chat.send(stage, 'chat.delete', message));
}

const sizeAct = (chat: LiveChat): LiveAct => ({
  name: 'size',
  proves: `A Markdown block of ${MARKDOWN_CHARS} characters is accepted`,
  by: 'tool',
  needs: ['mention'],
  perform: (stage) =>
    withMessage(chat, stage, async (message) => {
      const accepts = async (characters: number) => {
        const blocks = [{ type: 'markdown', text: 'word '.repeat(characters / 5).padEnd(characters, '.') }];
        const answer = await chat.send(stage, 'chat.update', { ...message, text: 'Measurement', blocks });
        return answer.kind === 'done';
      };
      const isAccepted = await accepts(MARKDOWN_CHARS);
      stage.measure(`${MARKDOWN_CHARS} characters accepted`, Number(isAccepted));
      stage.measure(`${MARKDOWN_CHARS + 5} characters accepted`, Number(await accepts(MARKDOWN_CHARS + 5)));
      if (!isAccepted) throw new LiveFault('Slack refused the longest block that Parley writes.');
    }),
});

const editRateAct = (chat: LiveChat): LiveAct => ({
  name: 'edit-rate',
  proves: 'Slack accepts as many edits a minute as Parley makes',
  by: 'tool',
  needs: ['mention'],
  perform: (stage) =>
    withMessage(chat, stage, async (message) => {
      // The edits of earlier acts must not count.
      await stage.clock.wait(MINUTE_MS, stage.signal);
      let edits = 0;
      const began = stage.clock.now();
      for (; edits < MOST_EDITS; edits++) {
        const answer = await chat.send(stage, 'chat.update', {
          ...message,
          text: `Measurement ${edits}`,
        });
        if (answer.kind === 'done') continue;
        const pause = answer.kind === 'refused' ? answer.retryAfterMs : undefined;
        if (pause === undefined) throw new LiveFault(`Slack refused chat.update: ${answer.error}.`);
        stage.measure('Retry-After, s', pause / 1_000);
        break;
      }
      stage.measure('edits before a refusal', edits);
      stage.measure('time of these edits, s', Math.round((stage.clock.now() - began) / 1_000));
      const assumed = limits['chat.update']?.perMinute ?? 0;
      if (edits < assumed)
        throw new LiveFault(`Slack accepted ${edits} edits; Parley assumes ${assumed} a minute.`);
    }),
});

const idleStreamAct = (chat: LiveChat): LiveAct => ({
  name: 'idle-stream',
  proves: `A stream can be continued after ${IDLE_MS / 1_000} s of silence`,
  by: 'tool',
  needs: ['direct'],
  async perform(stage) {
    const channel = chat.known.direct?.room ?? '';
    const begun = await chat.call(stage, 'chat.startStream', {
      channel,
      thread_ts: chat.known.direct?.key,
      markdown_text: 'Silence',
    });
    const message = { channel, ts: text(begun.ts) ?? '' };
    await stage.clock.wait(IDLE_MS, stage.signal);
    const answer = await chat.send(stage, 'chat.appendStream', {
      ...message,
      markdown_text: ' and words',
    });
    stage.measure('append accepted', Number(answer.kind === 'done'));
    await chat.send(stage, 'chat.stopStream', message);
    await chat.send(stage, 'chat.delete', message);
    if (answer.kind !== 'done') throw new LiveFault(`Slack refused the append: ${answer.error}.`);
  },
});
