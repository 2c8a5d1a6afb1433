import type { ConsoleEvent, MessageView, ReplyView } from '../../wire.ts';
import { DIRECT } from './model.ts';

/** Maximum messages of a room in memory. When there are more, the oldest are dropped, and loaded again when needed. */
const MAX_MESSAGES = 2_000;

type ReplyEvent = Extract<ConsoleEvent, { type: 'reply' }>;

/**
 * Inserts a message in the order of time, or replaces its older version. A version older than the one in `messages` has
 * no effect.
 */
export function put(messages: readonly MessageView[], message: MessageView): readonly MessageView[] {
  const index = messages.findLastIndex((one) => one.id === message.id);
  const older = messages[index];
  if (older) return older.seq > message.seq ? messages : messages.with(index, message);
  const before = messages.findLastIndex((one) => one.at <= message.at);
  return messages.toSpliced(before + 1, 0, message).slice(-MAX_MESSAGES);
}

/** Applies a change to the reply in a message. Returns undefined if text before the change is missing. */
export function applyReply(message: MessageView, event: ReplyEvent): MessageView | undefined {
  const held = message.reply;
  const rest = event.rest ?? held;
  if (!rest) return undefined;
  const text = applyText(held?.text ?? '', event.text);
  if (text === undefined) return undefined;
  // Only events with a whole message contain ratings, so keep the known ratings if the turn is the same.
  const thumbs = held?.turn === rest.turn && held.thumbs ? { thumbs: held.thumbs } : {};
  return { ...message, seq: event.seq, reply: { ...thumbs, ...rest, text } };
}

function applyText(held: string, change: ReplyEvent['text']): string | undefined {
  if (!change) return held;
  return change.at > held.length ? undefined : held.slice(0, change.at) + change.text;
}

/** True if the reply has not ended. */
export function isLive(reply: ReplyView): boolean {
  return reply.state === 'waiting' || reply.state === 'thinking' || reply.state === 'writing';
}

/** True if the message stands in the room itself, not inside a thread. */
export function isRoot(message: MessageView): boolean {
  return message.thread === message.id || message.thread === DIRECT;
}
