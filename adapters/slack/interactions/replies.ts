/** Handles a press on a reply's button or menu: checks where the person pressed, and asks the question. */

import {
  type IntakeResult,
  type KeptReply,
  type PressContext,
  type PressQuestion,
  plains,
  type ReplyRef,
  within,
} from '../../../src/kit/ladder.ts';
import { type ActionName, defined, type Message, type Press, type ThreadRef } from '../../../src/kit.ts';
import { tsOf } from '../ids.ts';
import { toMessage } from '../inbound/intake.ts';
import { messageMarkdown } from '../inbound/message-text.ts';
import { isFor, isPrivate, privateThread } from '../private-places.ts';
import { decodeMessage } from '../receive/decode.ts';
import type { ReadAction } from '../render/actions.ts';
import { actMessage, agentLabel, askInPublic, nameOf } from './asking.ts';
import { type Interaction, threadAt, whoIn } from './deps.ts';
import { words } from './words.ts';

export interface ReplyPress {
  readonly press: Press;
  readonly context: PressContext<KeptReply>;
}

/**
 * Returns the press and its context. The data of a press can be forged, so a press counts only in the room that shows
 * its reply (attack S16: a press that names another room; S17: a press on another person's private answer).
 * @param ts time stamp of the press; absent for a form
 */
export function replyPress(
  interaction: Interaction,
  { reply, detail }: ReadAction,
  { action, ts, note }: { action: ActionName; ts?: string | undefined; note?: string },
): ReplyPress {
  const { by, workspace, deps } = interaction;
  const { host } = deps;
  const thread = threadAt(workspace, reply);
  return {
    press: {
      action,
      turn: reply.turn,
      thread,
      detail,
      // The key contains no space, so that a thread's key can include it.
      ...defined({ key: ts && `${by.user}-${ts}`, note }),
    },
    context: {
      ...whoIn(interaction),
      host,
      isHere: ts === undefined ? isFor(by.user, reply) : isAtReply(interaction, reply),
      reply: () => host.reply(reply.turn, thread),
      ask: (question) => ask(interaction, { reply, thread, ts: ts ?? '' }, question),
    },
  };
}

/** True if the press came from the reply's room, or, for a private reply, from any direct message. */
function isAtReply({ conversation = '', by }: Interaction, reply: ReplyRef): boolean {
  if (!isFor(by.user, reply)) return false;
  return conversation === reply.room || (isPrivate(reply) && conversation.startsWith('D'));
}

interface Place {
  readonly reply: ReplyRef;
  readonly thread: ThreadRef;
  readonly ts: string;
}

/**
 * Asks the question again, with its current text in Slack. If Slack returns no text, the bridge uses its own copy,
 * which it keeps for a day.
 */
async function ask(interaction: Interaction, place: Place, question: PressQuestion): Promise<IntakeResult> {
  const { deps } = interaction;
  const { kind, origin, by: person, agent } = question;
  const thread = await threadFor(interaction, place, question);
  const read =
    kind === 'suggestion' ? undefined : await readQuestion(interaction, place.reply.question, place.thread);
  const own = actMessage(
    { person },
    { thread, text: question.text || (read?.text ?? ''), agent, ts: place.ts },
  );
  if (kind === 'again') {
    const message = { ...(read ?? { ...own, id: place.reply.question }), sender: person };
    return deps.host.intake({ kind: 'ask', origin, message });
  }
  const message = { ...own, quoted: read?.quoted ?? [], files: read?.files ?? [] };
  if (isPrivate(thread)) return deps.host.intake({ kind: 'ask', origin, message });
  const name = nameOf(person.id);
  const sentence =
    kind === 'same' && agent !== undefined ? words.askedSame(name, agentLabel(agent)) : words.asked(name);
  return askInPublic(interaction, { origin, message, said: sentence });
}

/**
 * Returns the thread of the answer: a new private thread for "Ask as me", and for "Ask another agent" under a private
 * answer; otherwise the reply's thread.
 */
async function threadFor(
  interaction: Interaction,
  { thread, ts }: Place,
  { kind, by }: PressQuestion,
): Promise<ThreadRef> {
  if (kind !== 'mine' && !(kind === 'same' && isPrivate(thread))) return thread;
  const { tenant, room } = thread;
  const alone = privateThread(tenant, room, by.id, ts);
  await keepPlace(interaction, alone);
  return alone;
}

/** Stores the response URL of the press. It is newer than the stored one, so it accepts private answers for longer. */
export async function keepPlace({ by, deps, threadTs }: Interaction, thread: ThreadRef): Promise<void> {
  const known = await deps.places.find(thread);
  await deps.places.keep(thread, {
    ...known,
    user: by.user,
    ...defined({ responseUrl: by.responseUrl, threadTs }),
  });
}

/**
 * Maximum wait for the question's text from Slack, in milliseconds. After that, the bridge uses its own copy, which it
 * keeps for a day.
 */
const READ_MS = 2_000;

/**
 * Reads the text of a reply's question from Slack, because the bridge keeps its copy for a day only. Resolves with
 * undefined if the question was asked with a button, was deleted, or is not returned.
 */
async function readQuestion(
  { deps, workspace }: Interaction,
  question: string,
  thread: ThreadRef,
): Promise<Message | undefined> {
  const { calls, host } = deps;
  const ts = tsOf(question);
  if (isPrivate(thread) || !/^\d+\.\d+$/.test(ts)) return undefined;
  const where = { channel: thread.room, ts: thread.key };
  const args = { ...where, oldest: ts, latest: ts, inclusive: true, limit: 2 };
  const over = new AbortController();
  const reading = calls.read(workspace, 'conversations.replies', args, over.signal).catch(() => undefined);
  const answer = await within(reading, READ_MS, host.clock).finally(() => over.abort());
  // Slack also returns the thread's first message, so look for the requested one. A deleted question that has replies
  // stays as a tombstone, whose text was written by Slack.
  const found = plains(answer?.messages)
    .map((each) => decodeMessage(each, { channel: thread.room }))
    .find((each) => each?.ts === ts && each.subtype !== 'tombstone');
  if (found?.user === undefined || found.user === workspace.botUser) return undefined;
  const message = toMessage({ threadTs: thread.key, ...found }, messageMarkdown(found), workspace, host);
  return { ...message, thread };
}
