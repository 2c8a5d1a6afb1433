/** The conversations that agents know, by thread. */

import type { Exchange } from '../agents/agent.ts';
import type { AgentName } from '../ids.ts';
import type { ThreadRef } from '../message.ts';

/** What a thread remembers with one agent, as one platform account. */
export interface SessionKey {
  readonly thread: ThreadRef;
  readonly agent: AgentName;
  readonly account?: string;
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
