/** The question of an earlier turn once more: in its reply for Retry and Regenerate, in one of its own for an act. */

import type { AgentName, TurnId } from '../ids.ts';
import { isOf, type Message, type Origin } from '../message.ts';
import { type FinishedReplies, replyOf } from '../stores/finished-replies.ts';
import type { Turn } from '../turn.ts';
import type { Asking, IntakeDeps } from './keeping.ts';

type Repeated =
  | { readonly kind: 'ask'; readonly asking: Asking }
  /** The reply is being written anew already. */
  | { readonly kind: 'duplicate'; readonly turn: TurnId }
  /** The earlier question is no longer known. */
  | { readonly kind: 'lost' };

type Repeating = Pick<IntakeDeps, 'inbox' | 'finishedReplies'>;

/** Finds the question of an origin that refers to an earlier turn; any other origin asks its message as it is. */
export async function repeat(message: Message, origin: Origin, deps: Repeating): Promise<Repeated> {
  const of = 'of' in origin ? origin.of : undefined;
  if (of === undefined) return { kind: 'ask', asking: { message, origin } };
  const earlier = await deps.inbox.find(of);
  if (earlier !== undefined && !mayRepeat(message, origin, earlier)) return { kind: 'lost' };
  const question = await questionOf(message, of, deps.finishedReplies);
  if (question === undefined) return { kind: 'lost' };
  if (origin.kind !== 'retry' && origin.kind !== 'regenerate') {
    return { kind: 'ask', asking: { message: question, origin } };
  }
  return earlier === undefined ? { kind: 'lost' } : goOn(question, origin, earlier, deps);
}

/**
 * True if a press may repeat the turn's question. False in another room or tenant, for a reply's own question outside
 * its thread, and for another person in a private conversation (attacks S16, S17).
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

/** The channel's own words where it could read them; else those that were kept. */
async function questionOf(
  message: Message,
  of: TurnId,
  finishedReplies: FinishedReplies,
): Promise<Message | undefined> {
  if (message.text.trim() !== '' || message.files.length > 0) return message;
  const question = (await finishedReplies.find(of))?.question;
  if (question === undefined) return undefined;
  const { id, thread, sender, sentAt, agent = question.agent } = message;
  return { ...question, ...(agent !== undefined && { agent }), id, thread, sender, sentAt };
}

async function goOn(
  asked: Message,
  origin: Extract<Origin, { by: string }>,
  earlier: Turn,
  deps: Repeating,
): Promise<Repeated> {
  // Whatever a press says it is: edits and deletions of another question are none of this reply's.
  const message = { ...asked, id: earlier.message.id };
  const newest = await deps.inbox.newestOfReply(earlier.id);
  // Between the end that people see and the end that is recorded, the answer is among the finished replies already.
  if (isActive(earlier) && (await deps.finishedReplies.find(earlier.id)) === undefined)
    return { kind: 'lost' };
  const follows = earlier.id;
  if (origin.kind === 'retry') return { kind: 'ask', asking: { message, origin, follows } };
  if (newest !== undefined && newest.id !== earlier.id && isActive(newest))
    return { kind: 'duplicate', turn: newest.id };
  // Without the channel's own id of the press, one more version is asked for once for each that is there.
  const count = (await deps.finishedReplies.editions(replyOf(earlier))).length;
  const pressed = { ...origin, key: origin.key ?? `${count}` };
  return { kind: 'ask', asking: { message: byTheSame(message, earlier.agent), origin: pressed, follows } };
}

/** Another version comes from the agent that wrote the first, whoever the thread asks by now. */
function byTheSame(message: Message, earlier: AgentName | undefined): Message {
  const agent = message.agent ?? earlier;
  return agent === undefined ? message : { ...message, agent };
}

export const isActive = ({ state }: Turn): boolean => state === 'waiting' || state === 'running';
