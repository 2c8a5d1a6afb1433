/**
 * Repairs replies after a takeover. A process may lose its lease while a call is in flight, for example because the
 * machine paused the process. The call may then reach the channel after the new owner's calls, and leave an outdated
 * text or a second message.
 */

import { asBridgeError } from '../../errors.ts';
import type { TurnContext } from '../answer/turn-context.ts';
import type { TurnId } from '../ids.ts';
import { type Origin, originKey, replyLane, withoutContent } from '../message.ts';
import type { Part } from '../screen.ts';
import { replyOf } from '../stores/finished-replies.ts';
import type { Claim, NewTurn } from '../stores/inbox.ts';
import { forgetReply } from '../stores/sessions.ts';
import type { Turn } from '../turn.ts';

type ShowOrigin = Extract<Origin, { kind: 'show' }>;

/**
 * Adds a turn in which the owner of the reply writes the reply's final state again, once no other turn is writing the
 * reply. Does nothing if this claim made no call. If the turn was deleted, deletes what this claim has stored since.
 */
export async function requestRepair({ claim: { turn }, liveReply, deps }: TurnContext): Promise<void> {
  const screen = liveReply.screen();
  try {
    if ((await deps.inbox.find(turn.id)) === undefined)
      return await forgetReply(turn, deps.finishedReplies, deps.sessions);
    if (screen === undefined) return;
    const strays = screen.parts.map(({ id, live }) => ({ id, live }));
    await deps.inbox.add(repairOf(turn, strays, deps.newId()));
  } catch (thrown) {
    liveReply.emit('trouble', { code: asBridgeError(thrown).code, what: 'repair' });
  }
}

function repairOf(turn: Turn, strays: NonNullable<ShowOrigin['strays']>, id: TurnId): NewTurn {
  const reply = replyOf(turn);
  const message = withoutContent(turn.message);
  const origin: ShowOrigin = { kind: 'show', of: reply, key: `repair ${turn.id} ${turn.attempt}`, strays };
  const key = originKey(message.thread, origin);
  return { id, message, origin, originKey: key, lane: replyLane(reply), follows: turn.id };
}

/**
 * Returns the claim with the stray messages added to its screen, as parts that begin after the end of the text. The
 * writer deletes parts that contain no text, so it deletes the stray messages.
 * @param length length of the text that the reply shows
 */
export function withStrays(claim: Claim, { strays = [] }: ShowOrigin, length: number): Claim {
  const { screen } = claim.turn;
  if (screen === undefined) return claim;
  const known = [...screen.parts.map(({ id }) => id), ...(screen.beside ?? [])];
  const surplus = strays
    .filter(({ id }) => !known.includes(id))
    .map(({ id, live }): Part => ({ id, live, from: length + 1, openedAt: 0, sure: false }));
  const parts = [...screen.parts, ...surplus];
  return { ...claim, turn: { ...claim.turn, screen: { ...screen, parts } } };
}
