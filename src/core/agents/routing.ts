/** Chooses the agent that answers a message. Pure. */

import { BridgeError } from '../../errors.ts';
import type { AgentName } from '../ids.ts';
import { words } from '../words.ts';
import type { Agent, AgentGateway } from './agent.ts';

export interface Directory {
  readonly agents: ReadonlyMap<AgentName, Agent>;
  readonly fallback: AgentName;
}

interface Wishes {
  /** The agent named in the message. */
  readonly named?: AgentName | undefined;
  /** The thread's agent, chosen with `use`. */
  readonly thread?: AgentName | undefined;
  /** The room's default. */
  readonly room?: AgentName | undefined;
}

/**
 * Returns the agent named in the message, or else the thread's choice, the room's default, or the bridge's
 * default.
 * @param offered agents that a refusal may name; by default, all
 */
export function chooseAgent(directory: Directory, wishes: Wishes, offered?: readonly string[]): Agent {
  const name = wishes.named ?? wishes.thread ?? wishes.room ?? directory.fallback;
  const agent = findAgent(directory, name);
  if (agent !== undefined) return agent;
  throw new BridgeError('agent-unknown', `No agent "${name}" is configured.`, {
    tellUser: unknownAgent(offered ?? [...directory.agents.keys()], name),
  });
}

/** Returns what the person reads after an unknown agent name: the agent that was probably meant, and the known agents. */
export function unknownAgent(known: readonly string[], name: string): string {
  return words.unknownAgent(name, { known, near: nearName(name, known) });
}

/** Returns the gateway with which accounts are checked: the agent's own, or that of another agent on `main`. */
export const gatewayOfMain = ({ agents }: Directory, agent: Agent | undefined): AgentGateway | undefined =>
  [agent, ...agents.values()].find((each) => each !== undefined && each.platform === undefined)?.gateway;

/** Finds an agent by its configured name, ignoring case. */
export function findAgent(directory: Directory, name: string): Agent | undefined {
  const wanted = name.toLowerCase();
  for (const agent of directory.agents.values()) {
    if (agent.name.toLowerCase() === wanted) return agent;
  }
  return undefined;
}

/**
 * Minimum length of a name for which a misspelling is accepted. A shorter name differs by one letter from too many
 * ordinary words.
 */
const SHORTEST = 4;
const TWO_MISTAKES_FROM = 8;

/**
 * Returns the name that the word misspells by one letter, or by two if the name is long; undefined if there is none.
 */
export function nearName<Name extends string>(word: string, names: readonly Name[]): Name | undefined {
  const typed = word.toLowerCase();
  const near = names.flatMap((name) => {
    const mistakes = editDistance(typed, name.toLowerCase());
    return name.length >= SHORTEST && mistakes <= allowedIn(name) ? [{ name, mistakes }] : [];
  });
  return near.toSorted((one, other) => one.mistakes - other.mistakes)[0]?.name;
}

const allowedIn = (name: string): number => (name.length >= TWO_MISTAKES_FROM ? 2 : 1);

/**
 * Returns the number of edits between two words. One edit inserts, removes or changes a letter, or swaps two
 * neighbours.
 */
export function editDistance(one: string, other: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (last[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swap = swapped ? (before[j - 2] ?? Number.POSITIVE_INFINITY) + 1 : Number.POSITIVE_INFINITY;
      row.push(Math.min(change, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, swap));
    }
    before = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
