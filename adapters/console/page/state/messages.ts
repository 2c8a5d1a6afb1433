import type { ConsoleEvent, MessageView, ReplyView } from '../../wire.ts';
import { DIRECT } from './model.ts';

/** Maximum messages of a room. Beyond it, the oldest are dropped; they are fetched again with the room. */
const MAX_MESSAGES = 2_000;

type ReplyEvent = Extract<ConsoleEvent, { type: 'reply' }>;

/** Inserts a message by time, or replaces its older version. An outdated message changes nothing. */
export function put(messages: readonly MessageView[], message: MessageView): readonly MessageView[] {
  const index = messages.findLastIndex((one) => one.id === message.id);
  const older = messages[index];
  if (older) return older.seq > message.seq ? messages : messages.with(index, message);
  const before = messages.findLastIndex((one) => one.at <= message.at);
  return messages.toSpliced(before + 1, 0, message).slice(-MAX_MESSAGES);
}

/** Applies a change to the message of a reply. Returns undefined if text before the change is missing. */
export function applyReply(message: MessageView, event: ReplyEvent): MessageView | undefined {
  const held = message.reply;
  const rest = event.rest ?? held;
  if (!rest) return undefined;
  const text = applyText(held?.text ?? '', event.text);
  if (text === undefined) return undefined;
  // Only whole messages contain ratings, so keep those of the same turn.
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

/** True if a message belongs to the room itself and not to a thread. */
export function isRoot(message: MessageView): boolean {
  return message.thread === message.id || message.thread === DIRECT;
}
