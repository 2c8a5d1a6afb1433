/** The state of each agent's conversation, by thread. */

import type { Exchange } from '../agents/agent.ts';
import type { AgentName, TurnId } from '../ids.ts';
import type { ThreadRef } from '../message.ts';
import type { Turn } from '../turn.ts';
import { type FinishedReplies, replyOf } from './finished-replies.ts';

/** Key of a thread's session with one agent on one platform, under one account. */
export interface SessionKey {
  readonly thread: ThreadRef;
  readonly agent: AgentName;
  readonly account?: string | undefined;
  /** Absent for the platform `main`. */
  readonly platform?: string | undefined;
}

export interface SessionState {
  readonly session?: string;
  readonly history: readonly Exchange[];
}

export interface SessionStore {
  find(key: SessionKey): Promise<SessionState | undefined>;
  save(key: SessionKey, state: SessionState): Promise<void>;
  forget(key: SessionKey): Promise<void>;
}

/** Returns the state without the exchanges of one reply. */
export function withoutReply(state: SessionState, reply: TurnId): SessionState {
  return { ...state, history: state.history.filter((exchange) => exchange.reply !== reply) };
}

/**
 * Deletes all stored data of a reply, because its question was deleted. Also deletes the reply's exchanges from the
 * history of every agent that wrote a version of the reply.
 */
export async function forgetReply(
  turn: Turn,
  finishedReplies: FinishedReplies,
  sessions: SessionStore,
): Promise<void> {
  const reply = replyOf(turn);
  for (const version of await finishedReplies.editions(reply)) {
    const key = sessionOf(await finishedReplies.find(version));
    if (key === undefined) continue;
    const state = await sessions.find(key);
    if (state?.history.some((exchange) => exchange.reply === reply)) {
      await sessions.save(key, withoutReply(state, reply));
    }
  }
  await finishedReplies.forget(reply);
}

function sessionOf(stored: Awaited<ReturnType<FinishedReplies['find']>>): SessionKey | undefined {
  if (stored?.document.agent === undefined) return undefined;
  const { agent, account, platform } = stored.document;
  return { thread: stored.question.thread, agent, account, platform };
}
