/** A question that was written anew is asked anew in the same reply; with one that was deleted its replies go. */

import type { Intake, IntakeResult } from '../channel/events.ts';
import { type LaneKey, laneKey } from '../ids.ts';
import { type Message, messageKey, originKey } from '../message.ts';
import type { NewTurn } from '../stores/inbox.ts';
import type { Turn } from '../turn.ts';
import { type IntakeDeps, keep } from './keeping.ts';
import { isActive } from './repeating.ts';

/** `nothing` for an edit that leaves the words as they were (an unfurled link), or of what was never asked. */
export async function rewrite(
  { message, fresh = false }: Extract<Intake, { kind: 'edit' }>,
  deps: IntakeDeps,
): Promise<IntakeResult> {
  const { id, thread, revision } = message;
  const earlier = await deps.inbox.ofMessage(messageKey(thread, id));
  if (earlier !== undefined && (await saysTheSame(earlier, message, deps))) return { kind: 'nothing' };
  const origin = { kind: 'message', key: id, revision } as const;
  return keep({ message, origin }, deps, async (turn) => {
    const superseded = await deps.inbox.supersede(turn);
    return superseded.kind === 'unknown' && fresh ? deps.inbox.add(turn) : superseded;
  });
}

/** What was asked before is known while its turn waits or runs, and as long as its reply is kept. */
async function saysTheSame(earlier: Turn, now: Message, { finishedReplies }: IntakeDeps): Promise<boolean> {
  const before = isActive(earlier) ? earlier.message : (await finishedReplies.find(earlier.id))?.question;
  return before !== undefined && sameQuestion(before, now);
}

function sameQuestion(one: Message, other: Message): boolean {
  const files = (message: Message) => message.files.map(({ id }) => id).join(' ');
  return one.text.trim() === other.text.trim() && one.agent === other.agent && files(one) === files(other);
}

export async function remove(
  { thread, message }: Extract<Intake, { kind: 'delete' }>,
  deps: IntakeDeps,
): Promise<IntakeResult> {
  const taken = await deps.inbox.withdraw(messageKey(thread, message), (newest) => takingAway(newest, deps));
  return { kind: taken > 0 ? 'noted' : 'nothing' };
}

/** The turn that takes an ended reply away, beside its thread: nobody waits for it, and it waits for nobody. */
function takingAway(newest: Turn, { newId }: IntakeDeps): NewTurn {
  const reply = newest.reply ?? newest.id;
  const origin = { kind: 'withdraw', of: reply, key: reply } as const;
  return {
    id: newId(),
    origin,
    originKey: originKey(newest.message.thread, origin),
    lane: laneBeside(reply),
    message: newest.message,
    follows: newest.id,
  };
}

/** A lane of a reply's own. */
export function laneBeside(reply: string): LaneKey {
  return laneKey(JSON.stringify(['reply', reply]));
}
