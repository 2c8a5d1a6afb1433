/** Looks up a message after a post whose outcome is unknown, so that no text is posted twice. */

import { defined, type Plain, plain, plains, text } from '../../../src/kit/json.ts';
import type { LadderResult } from '../../../src/kit.ts';
import type { Workspace } from '../api/workspace.ts';
import { askedAt, MARK, outcomeOf, type Performing, replyOf } from './deps.ts';
import type { Of } from './screen.ts';

/** Maximum messages that a look-up reads in a thread, starting with the question. */
const MAX_MESSAGES = 200;

/** Looks up a message of the reply. Returns `done` without an id if the message does not exist. */
export async function findReply(call: Of<'find'>, { turn, deps, signal }: Performing): Promise<LadderResult> {
  const { tenant, room, key } = turn.message.thread;
  const workspace = await deps.workspaces.ofTenant(tenant).catch(() => 'unknown' as const);
  if (workspace === 'unknown') return { kind: 'unknown' };
  if (workspace === undefined) return { kind: 'refused', why: 'gone' };
  const asked = askedAt(turn);
  const args = {
    channel: room,
    ts: key,
    limit: MAX_MESSAGES,
    include_all_metadata: true,
    oldest: asked,
  };
  const answer = await deps.sender.call(tenant, 'conversations.replies', args, signal);
  const outcome = outcomeOf(answer);
  // Slack does not allow a look-up here, so the message counts as not posted.
  const isForbidden = outcome.kind === 'refused' && (outcome.why === 'invalid' || outcome.why === 'not-live');
  if (isForbidden) return { kind: 'done' };
  if (answer.kind !== 'done') return outcome;
  const ours = plains(answer.body.messages).filter((message) => isOurs(message, workspace));
  const id = marked(ours, call, replyOf(turn));
  if (id !== undefined || !call.lost.live) return { kind: 'done', ...defined({ id }) };
  const stream = unmarked(ours, call, asked);
  return { kind: 'done', ...(stream !== undefined && { id: stream, live: true }) };
}

function isOurs({ user, bot_id: bot }: Plain, { botUser, botId }: Workspace): boolean {
  return user === botUser || (botId !== undefined && bot === botId);
}

const isMarked = ({ metadata }: Plain): boolean => plain(metadata).event_type === MARK;

/**
 * Finds a message by its mark. An earlier turn of the reply may have posted it, for example before the question was
 * edited.
 */
function marked(ours: readonly Plain[], { index, known }: Of<'find'>, reply: string): string | undefined {
  const found = ours.filter(isMarked).flatMap(({ metadata, ts }) => {
    const mark = plain(plain(metadata).event_payload);
    // Earlier versions of the bridge marked messages with the turn only.
    const isOfReply = (mark.reply ?? mark.turn) === reply;
    const id = text(ts);
    return isOfReply && mark.part === index && id !== undefined && !known.includes(id) ? [id] : [];
  });
  return found[0];
}

/**
 * Finds a stream: the app's newest message that has no mark, follows the question, and is unknown to the bridge. A
 * stream gets its mark only when it is stopped.
 */
function unmarked(
  ours: readonly Plain[],
  { known }: Of<'find'>,
  asked: string | undefined,
): string | undefined {
  const found = ours.flatMap((message) => {
    const ts = text(message.ts);
    const isNew =
      ts !== undefined && !known.includes(ts) && (asked === undefined || Number(ts) > Number(asked));
    return isNew && !isMarked(message) ? [ts] : [];
  });
  return found.at(-1);
}
