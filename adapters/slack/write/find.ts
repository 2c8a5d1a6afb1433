/** Looks up a message after a post whose outcome is unknown, so that no text is posted twice. */

import { type LadderResult, type Plain, plain, plains, text } from '../../../src/kit/ladder.ts';
import { defined, type Outcome } from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import { askedAt, FIXED, MARK, outcomeBeside, type Performing, replyOf } from './deps.ts';
import type { Of } from './screen.ts';

/** Maximum messages that a look-up reads in a thread, starting with the question. */
const MAX_MESSAGES = 200;

/** Looks up a message of the reply. Returns `done` without an id if the message does not exist. */
export async function findReply(call: Of<'find'>, { turn, deps, signal }: Performing): Promise<LadderResult> {
  const { tenant, room, key } = turn.message.thread;
  const workspace = await deps.workspaces.ofTenant(tenant).catch(() => 'unknown' as const);
  if (workspace === 'unknown') return { kind: 'unknown' };
  if (workspace === undefined) return { kind: 'refused', why: 'gone' };
  const since = askedAt(turn);
  const args = {
    channel: room,
    ts: key,
    limit: MAX_MESSAGES,
    include_all_metadata: true,
    oldest: since,
  };
  const answer = await deps.sender.call(tenant, 'conversations.replies', args, signal);
  const outcome = outcomeBeside(answer);
  // Slack does not allow a look-up here, so the message counts as not posted.
  if (outcome.kind === 'refused' && outcome.why === 'invalid') return { kind: 'done' };
  if (answer.kind !== 'done') return outcome;
  const unknown = plains(answer.body.messages)
    .filter((message) => isOurs(message, workspace))
    .flatMap((message) => {
      const ts = text(message.ts);
      return ts === undefined || call.known.includes(ts) ? [] : [{ ts, mark: markOf(message) }];
    });
  // An earlier turn of the reply may have posted the message, for example before the question was edited.
  const marked = unknown.find(
    ({ mark }) => mark?.reply === replyOf(turn) && (call.lost.stray || mark.part === call.index),
  );
  if (marked !== undefined || !call.lost.live) return { kind: 'done', ...defined({ id: marked?.ts }) };
  // A stream gets its mark only when it is stopped, so take the newest message without a mark after the question.
  const stream = unknown.findLast(
    ({ ts, mark }) => mark === undefined && (since === undefined || Number(ts) > Number(since)),
  );
  return { kind: 'done', ...(stream !== undefined && { id: stream.ts, live: true }) };
}

/**
 * Returns the outcome of an edit whose message Slack does not find. If the message was posted before this turn, for
 * example before its question was edited, the workspace's retention may have removed it: the answer is posted again. If
 * it was posted in this turn and is really gone, a person deleted it, which ends the reply (fault F19).
 */
export async function afterMissing({ part }: Of<'update'>, at: Performing): Promise<Outcome> {
  const { turn, deps, signal } = at;
  if (part.openedAt < turn.keptAt) return FIXED;
  const { tenant, room: channel, key: ts } = turn.message.thread;
  const args = { channel, ts, oldest: part.id, latest: part.id, inclusive: true };
  const answer = await deps.permitted.call(tenant, 'conversations.replies', args, signal);
  if (answer.kind === 'unknown' || (answer.kind === 'refused' && answer.why === 'rate'))
    return { kind: 'unknown' };
  const isThere = answer.kind === 'done' && plains(answer.body.messages).some((each) => each.ts === part.id);
  return isThere ? FIXED : { kind: 'refused', why: 'gone' };
}

function isOurs({ user, bot_id: bot }: Plain, { botUser, botId }: Workspace): boolean {
  return user === botUser || (botId !== undefined && bot === botId);
}

/** Returns which reply and which part of it the message shows. */
function markOf({ metadata }: Plain) {
  const { event_type: type, event_payload: payload } = plain(metadata);
  if (type !== MARK) return undefined;
  const { reply, turn, part } = plain(payload);
  // Earlier versions of the bridge marked messages with the turn only.
  return { reply: reply ?? turn, part };
}
