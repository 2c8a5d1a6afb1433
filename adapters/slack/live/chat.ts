/** The chat of a live check: the room and the people that the acts know, and what Slack shows there. */

import {
  type LiveCall,
  LiveFault,
  type LiveStage,
  list,
  type Plain,
  plain,
  type TurnId,
  text,
} from '../../../src/kit/ladder.ts';
import type { Log, Message, Person, ThreadRef } from '../../../src/kit.ts';
import { type Caller, createCaller } from '../api/sender.ts';
import type { Secret, SlackConfig } from '../config.ts';
import { messageId, timeOf } from '../ids.ts';

/** The place and the person of the first mention, and the first direct message. The acts fill them in. */
interface Known {
  room?: ThreadRef;
  person?: Person;
  direct?: ThreadRef;
}

export interface Answering {
  readonly thread: ThreadRef;
  readonly turn: TurnId | undefined;
}

export type LiveChat = ReturnType<typeof createLiveChat>;

const silent = () => undefined;
const LOG: Log = { debug: silent, info: silent, warn: silent, error: silent };
/** Most messages that one look reads. */
const READ_MESSAGES = 50;
/** Maximum number of tries of a call that Slack's rate limit refuses. */
const TRIES = 3;
/** Last word of a slow answer; an answer that was stopped does not have it. */
export const LAST_WORD = 'finished';

export function createLiveChat({ apiUrl }: SlackConfig, botToken: Secret) {
  const caller = createCaller(apiUrl, LOG);
  const known: Known = {};
  let botUser: string | undefined;

  const send = (stage: LiveStage, method: string, args: Plain) =>
    caller(method, args, stage.signal, botToken.reveal());

  /** Makes a call of the check itself. Fails the act if Slack refuses it. */
  async function call(stage: LiveStage, method: string, args: Plain = {}): Promise<Plain> {
    for (let tried = 1; ; tried++) {
      const answer = await send(stage, method, args);
      if (answer.kind === 'done') return answer.body;
      const pause = answer.kind === 'refused' ? answer.retryAfterMs : undefined;
      if (pause === undefined || tried === TRIES)
        throw new LiveFault(`Slack refused ${method}: ${answer.error}.`);
      await stage.clock.wait(pause, stage.signal);
    }
  }

  /** Returns the app's messages in a thread as Slack stores them, without the thread's first message. */
  async function shown(stage: LiveStage, { room, key }: ThreadRef): Promise<readonly Plain[]> {
    botUser ??= text((await call(stage, 'auth.test')).user_id);
    const args = { channel: room, ts: key, limit: READ_MESSAGES };
    const { messages } = await call(stage, 'conversations.replies', args);
    return list(messages)
      .map(plain)
      .filter(({ user, ts }) => user === botUser && ts !== key);
  }

  return { known, send, call, shown };
}

/**
 * Posts a question in the app's own name, and asks it in the name of the person, because an app cannot write as a
 * person. Resolves with the thread of the answer and its turn.
 */
export async function ask({ known, call }: LiveChat, stage: LiveStage, question: string): Promise<Answering> {
  const { person: sender, room: place } = known;
  if (place === undefined || sender === undefined) throw new LiveFault('No room is known.');
  const { room } = place;
  const words = `Question of the live check: ${question}`;
  const ts = text((await call(stage, 'chat.postMessage', { channel: room, text: words })).ts) ?? '';
  const thread = { ...place, key: ts };
  const written = { id: messageId(room, ts), text: question, sentAt: timeOf(ts), revision: 0 };
  const message: Message = { ...written, thread, sender, quoted: [], files: [] };
  return { thread, turn: await stage.ask(message) };
}

/** Asks, and waits for the end of the answer. */
export async function answered(chat: LiveChat, stage: LiveStage, question: string): Promise<Answering> {
  const asked = await ask(chat, stage, question);
  await stage.reply(asked.turn, asked.thread);
  return asked;
}

type Fits = (content: string, messages: readonly Plain[]) => boolean;

/** Returns a function that resolves as soon as `fits` accepts the app's messages in the thread. */
export const reader = (chat: LiveChat, stage: LiveStage) => (thread: ThreadRef, fits: Fits) =>
  stage.until(async () => {
    const messages = await chat.shown(stage, thread);
    return fits(messages.map(contentOf).join('\n'), messages) || undefined;
  }, 'Slack does not show the expected answer when the thread is read.');

/** Waits for the end of the answer, and fails the act if it was not stopped. */
export async function assertStopped(
  chat: LiveChat,
  stage: LiveStage,
  { turn, thread }: Answering,
): Promise<void> {
  const { state } = await stage.reply(turn, thread);
  const content = JSON.stringify(await chat.shown(stage, thread));
  if (state !== 'stopped' || content.includes(LAST_WORD)) throw new LiveFault('The answer was not stopped.');
}

/** Returns the text, the blocks and the files of a message, as one text. */
export const contentOf = ({ text: words, blocks, files }: Plain): string =>
  `${text(words) ?? ''}\n${JSON.stringify(blocks ?? [])}\n${JSON.stringify(files ?? [])}`;

/** Returns a caller that adds each call to the list. */
export const recording =
  (calls: LiveCall[], now: () => number) =>
  (caller: Caller): Caller =>
  async (method, args, signal, token) => {
    const began = now();
    const answer = await caller(method, args, signal, token);
    const retryAfterMs = answer.kind === 'refused' ? answer.retryAfterMs : undefined;
    const refused = answer.kind === 'done' ? undefined : answer.error;
    calls.push({ method, args, ms: now() - began, refused, retryAfterMs });
    return answer;
  };
