/** The chat of a live check: calls of the check itself, and what Slack shows. */

import {
  type LiveAttempt,
  type LiveChat,
  LiveFault,
  type LiveStage,
  list,
  type Plain,
  plain,
  text,
} from '../../../src/kit/ladder.ts';
import type { Log } from '../../../src/kit.ts';
import { type Answer, createCaller } from '../api/sender.ts';
import type { Secret, SlackConfig } from '../config.ts';
import { messageId } from '../ids.ts';
import { limits } from '../limits.ts';

const silent = () => undefined;
const LOG: Log = { debug: silent, info: silent, warn: silent, error: silent };
/** Characters of one Markdown block: https://docs.slack.dev/reference/block-kit/blocks/markdown-block */
const MARKDOWN_CHARS = 12_000;
/** Edits after which the measurement ends, if Slack has refused none. */
const MOST_EDITS = 70;
const MINUTE_MS = 60_000;
/** Most messages that one look reads. */
const READ_MESSAGES = 50;
/** Maximum number of tries of a call that Slack's rate limit refuses. */
const TRIES = 3;

const LIMITS: LiveChat['limits'] = {
  text: [MARKDOWN_CHARS, MARKDOWN_CHARS + 5],
  edits: [limits['chat.update']?.perMinute ?? 0, MOST_EDITS],
  editWindowMs: MINUTE_MS,
};

const wordsOf = (name: string): LiveChat['words'] => ({
  app: name,
  direct: `the direct message of ${name} (Messages tab)`,
  followUp: 'In the thread of your first message, write without a mention: and again',
  withFile: `In a channel that has the app, write "@${name} hello"`,
  stop: "Slack's own Stop beside the message field",
});

export function createSlackChat({ apiUrl, name }: SlackConfig, botToken: Secret): LiveChat {
  const caller = createCaller(apiUrl, LOG);
  let botUser: string | undefined;

  const send = (stage: LiveStage, method: string, args: Plain) =>
    caller(method, args, stage.signal, botToken.reveal());
  const attempt = async (stage: LiveStage, method: string, args: Plain) =>
    attemptOf(await send(stage, method, args));

  /** Makes a call of the check itself. Fails the act if Slack refuses it. */
  async function call(stage: LiveStage, method: string, args: Plain = {}): Promise<Plain> {
    for (let tried = 1; ; tried++) {
      const answer = await send(stage, method, args);
      if (answer.kind === 'done') return answer.body;
      const { retryAfterMs } = attemptOf(answer);
      if (retryAfterMs === undefined || tried === TRIES)
        throw new LiveFault(`Slack refused ${method}: ${answer.error}.`);
      await stage.clock.wait(retryAfterMs, stage.signal);
    }
  }

  return {
    title: 'Slack',
    words: wordsOf(name),
    limits: LIMITS,
    methods: { edit: 'chat.update', stream: 'chat.appendStream' },
    known: {},
    async post(stage, place, words) {
      const { room } = place;
      const ts = text((await call(stage, 'chat.postMessage', { channel: room, text: words })).ts) ?? '';
      return { id: messageId(room, ts), thread: { ...place, key: ts } };
    },
    edit: (stage, { thread }, words) =>
      attempt(stage, 'chat.update', {
        ...messageIn(thread),
        text: 'Measurement',
        blocks: [{ type: 'markdown', text: words }],
      }),
    remove: (stage, { thread }) => send(stage, 'chat.delete', messageIn(thread)),
    async messages(stage, { room, key }) {
      botUser ??= text((await call(stage, 'auth.test')).user_id);
      const args = { channel: room, ts: key, limit: READ_MESSAGES };
      const { messages } = await call(stage, 'conversations.replies', args);
      return list(messages)
        .map(plain)
        .filter(({ user, ts }) => user === botUser && ts !== key)
        .map(contentOf);
    },
    async stream(stage, { room: channel, key: thread_ts }) {
      const opened = await call(stage, 'chat.startStream', { channel, thread_ts, markdown_text: 'Silence' });
      const message = { channel, ts: text(opened.ts) ?? '' };
      return {
        append: (words) => attempt(stage, 'chat.appendStream', { ...message, markdown_text: words }),
        async end(last) {
          const ended = await attempt(last, 'chat.stopStream', message);
          await send(last, 'chat.delete', message);
          return ended;
        },
      };
    },
  };
}

const messageIn = ({ room: channel, key: ts }: { readonly room: string; readonly key: string }) => ({
  channel,
  ts,
});

export const attemptOf = (answer: Answer): LiveAttempt => ({
  refused: answer.kind === 'done' ? undefined : answer.error,
  retryAfterMs: answer.kind === 'refused' ? answer.retryAfterMs : undefined,
});

/** Returns the text, the blocks and the files of a message, as one text. */
const contentOf = ({ text: words, blocks, files }: Plain): string =>
  `${text(words) ?? ''}\n${JSON.stringify(blocks ?? [])}\n${JSON.stringify(files ?? [])}`;
