/** What a thread's stored history holds of one reply: its newest version, and nothing once it was taken away. */

import type { TurnId } from '../ids.ts';
import type { Turn } from '../turn.ts';
import type { SessionKey, SessionState, SessionStore } from './sessions.ts';
import { type ReplyShelf, replyOf } from './shelf.ts';

export function withoutReply(state: SessionState, reply: TurnId): SessionState {
  return { ...state, history: state.history.filter((exchange) => exchange.reply !== reply) };
}

/** The question was deleted: what is kept of its reply goes, in the history of every agent that wrote in it too. */
export async function forgetReply(
  turn: Turn,
  { shelf, sessions }: { readonly shelf: ReplyShelf; readonly sessions: SessionStore },
): Promise<void> {
  const reply = replyOf(turn);
  for (const version of await shelf.editions(reply)) {
    const key = sessionOf(await shelf.find(version));
    if (key === undefined) continue;
    const state = await sessions.find(key);
    if (state?.history.some((exchange) => exchange.reply === reply)) {
      await sessions.save(key, withoutReply(state, reply));
    }
  }
  await shelf.forget(reply);
}

function sessionOf(kept: Awaited<ReturnType<ReplyShelf['find']>>): SessionKey | undefined {
  if (kept?.document.agent === undefined) return undefined;
  const { agent, account } = kept.document;
  return { thread: kept.question.thread, agent, ...(account !== undefined && { account }) };
}
