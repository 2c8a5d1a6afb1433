import { plainText } from '../../../../src/kit/ladder.ts';
import type { MessageView, ReplyView } from '../../wire.ts';
import { isLive } from './messages.ts';
import { DIRECT, type PageState } from './model.ts';
import { shortened } from './time.ts';

/** Maximum characters of an answer that a screen reader announces. The whole answer is in the thread. */
const READ_OUT_CHARS = 240;
/** Maximum announcements in memory. Several replies may end in one batch of events, and each is read out. */
const MAX_ANNOUNCEMENTS = 8;

/** Maximum number of running replies that are tracked until they end. */
const RUNNING = 500;

/**
 * Tracks running replies, and adds an announcement for screen readers when a running reply ends: for any reply in the
 * open room, but in other rooms only if the current person asked the question.
 * @param arrived true if the message is new, false if it was only loaded for the first time; a new reply is announced
 * even if it has ended already
 */
export function announce(state: PageState, message: MessageView, arrived: boolean): PageState {
  const { reply, id } = message;
  if (!reply) return state;
  const known = state.running.includes(id);
  if (isLive(reply)) return known ? state : { ...state, running: [...state.running, id].slice(-RUNNING) };
  if (!known && !arrived) return state;
  const ended = { ...state, running: state.running.filter((one) => one !== id) };
  const here = message.room === state.place.room;
  if (!here && !isMine(state, message.room, reply)) return ended;
  const text = wordsFor(message.author.name, reply, here ? '' : whereOf(state, message));
  const urgent = reply.state === 'failed' || reply.state === 'stopped';
  const next = { id: (state.announcements.at(-1)?.id ?? 0) + 1, text, urgent };
  return { ...ended, announcements: [...state.announcements, next].slice(-MAX_ANNOUNCEMENTS) };
}

/**
 * True if the message is newer than all messages of its thread in `held`. `held` must not contain the message itself.
 * Outside direct rooms, returns false if `held` lacks the root of the thread.
 */
export function isNew(held: readonly MessageView[], { thread, at }: MessageView): boolean {
  if (thread === DIRECT) return held.every((one) => one.at <= at);
  const root = held.find((one) => one.id === thread);
  return root !== undefined && (root.lastAt === undefined || at > root.lastAt);
}

/** True if the current person asked the question of the reply. */
export function isMine({ messages, who }: PageState, room: string, { question }: ReplyView): boolean {
  return messages[room]?.some((one) => one.id === question && one.author.id === who) ?? false;
}

function whereOf({ rooms }: PageState, { room, thread }: MessageView): string {
  const name = rooms.find((one) => one.id === room)?.name;
  return name === undefined || thread === DIRECT ? ' in a direct message' : ` in ${name}`;
}

function wordsFor(agent: string, reply: ReplyView, where: string): string {
  const notice = reply.notices.at(-1)?.text;
  switch (reply.state) {
    case 'stopped':
      return `${agent} was stopped${where}.`;
    case 'failed':
      return `${agent} could not answer${where}: ${notice ?? 'something went wrong.'}`;
    case 'partial':
      return `${agent} was interrupted${where}: ${notice ?? excerpt(reply.text)}`;
    case 'withdrawn':
      return `The answer of ${agent}${where} was removed.`;
    default:
      return `${agent} answered${where}: ${excerpt(reply.text) || notice || 'no text.'}`;
  }
}

const SOURCE_MARK = /\s?\[\d{1,4}\]/g;

function excerpt(markdown: string): string {
  const text = plainText(markdown.slice(0, READ_OUT_CHARS * 8))
    .replace(SOURCE_MARK, '')
    .replace(/\s+/g, ' ')
    .trim();
  return shortened(text, READ_OUT_CHARS);
}
