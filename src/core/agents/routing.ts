/** Which agent a message asks. Pure. */

import { BridgeError } from '../../errors.ts';
import type { AgentName } from '../ids.ts';
import { words } from '../words.ts';
import type { Agent } from './agent.ts';
import { nearName } from './near-name.ts';

export interface Directory {
  readonly agents: ReadonlyMap<AgentName, Agent>;
  readonly fallback: AgentName;
}

export interface Wishes {
  /** The agent that the message named. */
  readonly named?: AgentName | undefined;
  /** What `use` chose for the thread. */
  readonly thread?: AgentName | undefined;
  /** The room's default. */
  readonly room?: AgentName | undefined;
}

/** The message's own word first, then the thread's choice, the room's default, the bridge's default. */
export function chooseAgent(directory: Directory, wishes: Wishes): Agent {
  const name = wishes.named ?? wishes.thread ?? wishes.room ?? directory.fallback;
  const agent = findAgent(directory, name);
  if (agent !== undefined) return agent;
  throw new BridgeError('agent-unknown', `No agent "${name}" is configured.`, {
    tellUser: unknownAgent(directory, name),
  });
}

/** The sentence for a name that no agent has: the agent that was probably meant, and all that can be asked. */
export function unknownAgent({ agents }: Directory, name: string): string {
  const known = [...agents.keys()];
  return words.unknownAgent(name, { known, near: nearName(name, known) });
}

/** By the configured name, whatever its case. */
export function findAgent(directory: Directory, name: string): Agent | undefined {
  const wanted = name.toLowerCase();
  for (const agent of directory.agents.values()) {
    if (agent.name.toLowerCase() === wanted) return agent;
  }
  return undefined;
}
