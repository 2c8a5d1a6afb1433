import type { ConsoleEvent, MessageView, ReplyView } from '../../wire.ts';
import { DIRECT } from './model.ts';

/** The oldest messages of a room beyond this are let go; opening the room again brings them back. */
const MESSAGES_MOST = 2_000;

type ReplyEvent = Extract<ConsoleEvent, { type: 'reply' }>;

/** Puts a message in its place by time, or over its older self; one that is not newer changes nothing. */
export function put(messages: readonly MessageView[], message: MessageView): readonly MessageView[] {
  const index = messages.findLastIndex((one) => one.id === message.id);
  const older = messages[index];
  if (older) return older.seq > message.seq ? messages : messages.with(index, message);
  const before = messages.findLastIndex((one) => one.at <= message.at);
  return messages.toSpliced(before + 1, 0, message).slice(-MESSAGES_MOST);
}

/** A reply's change applied to its message; undefined when it does not fit what is held. */
export function applyReply(message: MessageView, event: ReplyEvent): MessageView | undefined {
  const held = message.reply;
  const rest = event.rest ?? held;
  if (!rest) return undefined;
  const text = applyText(held?.text ?? '', event.text);
  if (text === undefined) return undefined;
  // Ratings of an answer come with its message only.
  const thumbs = held?.turn === rest.turn && held.thumbs ? { thumbs: held.thumbs } : {};
  return { ...message, seq: event.seq, reply: { ...thumbs, ...rest, text } };
}

function applyText(held: string, change: ReplyEvent['text']): string | undefined {
  if (!change) return held;
  return change.at > held.length ? undefined : held.slice(0, change.at) + change.text;
}

/** True if the reply may still change by itself. */
export function isLive(reply: ReplyView): boolean {
  return reply.state === 'waiting' || reply.state === 'thinking' || reply.state === 'writing';
}

/** True if a message stands in the room itself and not in a thread under it. */
export function isRoot(message: MessageView): boolean {
  return message.thread === message.id || message.thread === DIRECT;
}
