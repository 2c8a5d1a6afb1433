/**
 * Repairs replies that a late call may have changed. The channel may carry out a call long after the bridge has given it
 * up. Or a process loses its lease while a call is in flight, for example because the machine paused the process, and
 * the call reaches the channel after the new owner's calls. Such a call leaves an outdated text or a second message.
 */

import { asBridgeError } from '../../errors.ts';
import type { TurnContext } from '../answer/turn-context.ts';
import type { Clock } from '../clock.ts';
import type { TurnId } from '../ids.ts';
import { begin, withdraw } from '../live-reply/compose.ts';
import type { TurnDeps } from '../live-reply/deps.ts';
import type { TurnScope } from '../live-reply/scope.ts';
import { type Origin, originKey, replyLane, withoutContent } from '../message.ts';
import type { ReplyDocument } from '../reply.ts';
import type { Part } from '../screen.ts';
import { replyOf } from '../stores/finished-replies.ts';
import type { Claim, NewTurn } from '../stores/inbox.ts';
import { forgetReply } from '../stores/sessions.ts';
import { isRepair, type Turn } from '../turn.ts';

type ShowOrigin = Extract<Origin, { kind: 'show' }>;

/**
 * Time after the end of a turn within which its calls of unknown outcome may still take effect, in milliseconds. As long
 * as the longest call to a channel.
 */
const LATE_MS = 10_000;
/** Maximum attempts to store the request, and the pause between two of them in milliseconds. */
const TRIES = 5;
const TRY_AGAIN_MS = 1_000;

/**
 * Adds a turn in which the owner of the reply writes the reply's final state again, once no other turn is writing the
 * reply. Does nothing if this claim made no call. If the turn was deleted, deletes what this claim has stored since.
 */
export async function requestRepair({ claim: { turn }, liveReply, deps }: TurnContext): Promise<void> {
  const id = deps.newId();
  const notBefore = liveReply.isUncertain() ? deps.clock.now() + LATE_MS : 0;
  const request = async (): Promise<void> => {
    const screen = liveReply.screen();
    if ((await deps.inbox.find(turn.id)) === undefined)
      return forgetReply(turn, deps.finishedReplies, deps.sessions);
    if (screen === undefined) return;
    const strays = screen.parts.map((part) => ({ id: part.id, live: part.live }));
    await deps.inbox.add(repairOf(turn, { strays, ...(notBefore > 0 && { notBefore }) }, id));
  };
  for (let tries = 1; tries <= TRIES; tries += 1) {
    try {
      return await request();
    } catch (thrown) {
      liveReply.emit('trouble', { code: asBridgeError(thrown).code, what: 'repair' });
      await deps.clock.wait(TRY_AGAIN_MS);
    }
  }
}

/** True if a late call may change the reply after the turn. A repair is not repaired itself, so that repairs end. */
export const isRepairable = ({ claim: { turn }, liveReply }: TurnContext): boolean =>
  liveReply.isUncertain() && liveReply.document().state !== 'withdrawn' && !isRepair(turn);

function repairOf(turn: Turn, how: Pick<ShowOrigin, 'strays' | 'notBefore'>, id: TurnId): NewTurn {
  const reply = replyOf(turn);
  const message = withoutContent(turn.message);
  const origin: ShowOrigin = { kind: 'show', of: reply, key: `repair ${turn.id} ${turn.attempt}`, ...how };
  const key = originKey(message.thread, origin);
  return { id, message, origin, originKey: key, lane: replyLane(reply), follows: turn.id };
}

/** Waits until the repair may begin. Resolves to false if the turn is interrupted before. */
export async function isDue({ notBefore = 0 }: ShowOrigin, scope: TurnScope, clock: Clock): Promise<boolean> {
  const ms = notBefore - clock.now();
  if (ms <= 0) return true;
  const resumed = scope.stall();
  return clock
    .wait(ms, scope.asking)
    .then(
      () => true,
      () => false,
    )
    .finally(resumed);
}

/**
 * Returns what a repair shows: an empty document if the question was deleted, and nothing if the reply says that its
 * question is kept and no message must be removed, because the newest turn will write the whole reply. Otherwise, and
 * for every other turn that shows a version, returns `newest`: the version itself.
 */
export async function repairedDocument(
  claim: Claim,
  origin: ShowOrigin,
  { inbox }: Pick<TurnDeps, 'inbox'>,
): Promise<ReplyDocument | 'newest' | undefined> {
  if (!isRepair({ origin })) return 'newest';
  const newest = await inbox.newestOfReply(origin.of).catch(() => undefined);
  if (newest?.state === 'withdrawn') return withdraw(begin(newest.id));
  const isKept = newest?.state === 'waiting' && newest.postponed !== undefined;
  return isKept && straysOf(claim, origin).length === 0 ? undefined : 'newest';
}

/**
 * Returns the claim with the stray messages added to its screen, as parts that begin after the end of the text. The
 * writer deletes parts that contain no text, so it deletes the stray messages.
 * @param length length of the text that the reply shows
 */
export function withStrays(claim: Claim, origin: ShowOrigin, length: number): Claim {
  const { screen } = claim.turn;
  if (screen === undefined) return claim;
  const surplus = straysOf(claim, origin).map(
    ({ id, live }): Part => ({ id, live, from: length + 1, openedAt: 0, sure: false }),
  );
  const parts = [...screen.parts, ...surplus];
  return { ...claim, turn: { ...claim.turn, screen: { ...screen, parts } } };
}

/** Returns the messages of a lost claim that the reply does not contain. */
function straysOf(
  { turn: { screen } }: Claim,
  { strays = [] }: ShowOrigin,
): NonNullable<ShowOrigin['strays']> {
  const known = [...(screen?.parts ?? []).map(({ id }) => id), ...(screen?.beside ?? [])];
  return strays.filter(({ id }) => !known.includes(id));
}
