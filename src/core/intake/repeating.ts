/**
 * Asks the question of an earlier turn again. After Retry or Regenerate, the new answer appears in the same reply. If
 * the origin has the kind `act`, such as a press on "Ask another agent", the new answer appears in a new reply.
 */

import type { AgentName, TurnId } from '../ids.ts';
import { hasContent, isOf, type Message, type Origin } from '../message.ts';
import { type FinishedReplies, replyOf } from '../stores/finished-replies.ts';
import type { Turn } from '../turn.ts';
import type { Asking, IntakeDeps } from './keeping.ts';

type Repeated =
  | { readonly kind: 'ask'; readonly asking: Asking }
  /** A new answer is already being written in the reply. */
  | { readonly kind: 'duplicate'; readonly turn: TurnId }
  /** The earlier answer has not ended, or its end is not stored yet. */
  | { readonly kind: 'unended' }
  /** The earlier question is no longer stored. */
  | { readonly kind: 'lost' };

type Repeating = Pick<IntakeDeps, 'inbox' | 'finishedReplies'>;

/** Finds the earlier question if the origin refers to a turn; otherwise the message itself is the question. */
export async function repeat(message: Message, origin: Origin, deps: Repeating): Promise<Repeated> {
  const of = 'of' in origin ? origin.of : undefined;
  if (of === undefined) return { kind: 'ask', asking: { message, origin } };
  const earlier = await deps.inbox.find(of);
  if (earlier !== undefined && !mayRepeat(message, origin, earlier)) return { kind: 'lost' };
  const question = await questionOf(message, of, deps.finishedReplies);
  if (question === undefined) return withoutQuestion(origin, earlier, deps);
  if (origin.kind !== 'retry' && origin.kind !== 'regenerate') {
    return { kind: 'ask', asking: { message: question, origin } };
  }
  return earlier === undefined ? { kind: 'lost' } : goOn(question, origin, earlier, deps);
}

/**
 * Says why a question is not stored. The answer of a Retry replaces the stored answer that it retries. A press that
 * another process has already handled, for example before it was killed, then finds no question.
 */
async function withoutQuestion(
  origin: Origin,
  earlier: Turn | undefined,
  { inbox }: Repeating,
): Promise<Repeated> {
  if (earlier === undefined) return { kind: 'lost' };
  if (isActive(earlier)) return { kind: 'unended' };
  const newest = origin.kind === 'retry' ? await inbox.newestOfReply(earlier.id) : undefined;
  if (newest === undefined || newest.id === earlier.id) return { kind: 'lost' };
  return { kind: 'duplicate', turn: newest.id };
}

/**
 * True if the press may ask the turn's question again. Retry and Regenerate must come from the reply's thread. Other
 * presses must come from the reply's room, and ask in that room or in a direct chat of the same tenant. In a private
 * conversation, only the person who asked may repeat (attacks S16, S17).
 */
function mayRepeat({ thread, sender }: Message, origin: Origin, turn: Turn): boolean {
  const { message: earlier } = turn;
  const { channel, tenant, room, kind } = earlier.thread;
  if (origin.kind !== 'act' && !isOf(thread, turn)) return false;
  const from = (origin.kind === 'act' ? origin.from : undefined) ?? thread;
  return (
    [thread, from].every((each) => each.channel === channel && each.tenant === tenant) &&
    from.room === room &&
    (thread.room === room || thread.kind === 'direct') &&
    (kind !== 'direct' || sender.id === earlier.sender.id)
  );
}

/** Returns the message if the channel supplied its content, or else the stored question. */
async function questionOf(
  message: Message,
  of: TurnId,
  finishedReplies: FinishedReplies,
): Promise<Message | undefined> {
  if (hasContent(message)) return message;
  const question = (await finishedReplies.find(of))?.question;
  if (question === undefined) return undefined;
  const { id, thread, sender, sentAt, agent = question.agent } = message;
  return { ...question, ...(agent !== undefined && { agent }), id, thread, sender, sentAt };
}

async function goOn(
  question: Message,
  origin: Extract<Origin, { by: string }>,
  earlier: Turn,
  deps: Repeating,
): Promise<Repeated> {
  // The reply keeps its question's id, so that edits and deletions of another question cannot affect it.
  const message = { ...question, id: earlier.message.id };
  const newest = await deps.inbox.newestOfReply(earlier.id);
  // The finished reply is stored shortly before the inbox records the end of its turn. If the finished reply exists,
  // the turn counts as ended.
  if (isActive(earlier) && (await deps.finishedReplies.find(earlier.id)) === undefined)
    return { kind: 'unended' };
  const follows = earlier.id;
  if (newest !== undefined && newest.id !== earlier.id && isActive(newest))
    return { kind: 'duplicate', turn: newest.id };
  if (origin.kind === 'retry') return { kind: 'ask', asking: { message, origin, follows } };
  // If the channel provides no id for the press, the number of versions is the key, so that each version is
  // regenerated only once.
  const count = (await deps.finishedReplies.editions(replyOf(earlier))).length;
  const pressed = { ...origin, key: origin.key ?? `${count}` };
  return { kind: 'ask', asking: { message: byTheSame(message, earlier.agent), origin: pressed, follows } };
}

/**
 * Addresses the message to the agent of the earlier turn, even if the thread now asks another agent. An agent that the
 * message itself names takes precedence.
 */
function byTheSame(message: Message, earlier: AgentName | undefined): Message {
  const agent = message.agent ?? earlier;
  return agent === undefined ? message : { ...message, agent };
}

export const isActive = ({ state }: Turn): boolean => state === 'waiting' || state === 'running';
