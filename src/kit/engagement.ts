/**
 * Remembers the threads in which an agent was asked, because follow-up messages there need no mention. Stores only
 * ids.
 */

import type { MentionRule } from '../core/agents/access.ts';
import type { ThreadRef } from '../core/message.ts';
import type { KeyValues } from '../core/stores/keyed.ts';

/**
 * True if the room's rule treats a message without a mention as a question. Must not be called for direct messages,
 * which are always questions.
 */
export async function isFollowUp(
  thread: ThreadRef,
  rule: MentionRule,
  engagement: Pick<Engagement, 'has'>,
): Promise<boolean> {
  return rule === 'never' || (rule === 'first' && (await engagement.has(thread)));
}

/**
 * Milliseconds for which a thread is remembered after its last message: 30 days. The conversation with the agent is
 * remembered for the same time.
 */
const ENGAGED_MS = 30 * 24 * 60 * 60_000;

export interface Engagement {
  has(thread: ThreadRef): Promise<boolean>;
  begin(thread: ThreadRef): Promise<void>;
}

export function createEngagement(state: KeyValues): Engagement {
  const keyOf = ({ tenant, room, key }: ThreadRef) => `engaged ${tenant} ${room} ${key}`;
  return {
    has: async (thread) => (await state.get(keyOf(thread))) === true,
    begin: (thread) => state.set(keyOf(thread), true, ENGAGED_MS),
  };
}
