/**
 * Decides who may ask an agent, and who may press the buttons of its answers. Records each refusal in the audit.
 */

import { BridgeError } from '../../errors.ts';
import type { Permissions } from '../access/permissions.ts';
import type { RoomRules } from '../agents/access.ts';
import type { Agent } from '../agents/agent.ts';
import { chooseAgent, type Directory, findAgent } from '../agents/routing.ts';
import type { AgentName } from '../ids.ts';
import type { Message, Person, ThreadRef } from '../message.ts';
import { actIn, type NoteAct } from '../stores/audit.ts';
import type { ThreadMemory } from '../stores/thread-memory.ts';
import type { Turn } from '../turn.ts';
import { words } from '../words.ts';

export interface AskRightsDeps {
  readonly permissions: Permissions;
  readonly noteAct: NoteAct;
  readonly directory: Directory;
  readonly memory: Pick<ThreadMemory, 'chosenAgent'>;
  /** Returns the operator's settings for the room. */
  room(thread: ThreadRef): RoomRules;
}

type Routed = Pick<Message, 'thread' | 'sender' | 'agent' | 'roomAgent'>;

/**
 * Resolves with the agent that the message asks, and with the agent chosen for its thread. A chosen agent that is no
 * longer configured is left out, because an error would also block `use`, which chooses another agent. Rejects with
 * `agent-unknown`.
 */
export async function routeOf(
  { thread, sender, agent: named, roomAgent }: Routed,
  { directory, memory, room, permissions }: AskRightsDeps,
): Promise<{ readonly agent: Agent; readonly chosen: AgentName | undefined }> {
  const name = await memory.chosenAgent(thread, sender.id);
  const chosen = name !== undefined && findAgent(directory, name) !== undefined ? name : undefined;
  const wishes = { named, thread: chosen, room: roomAgent ?? room(thread).agent };
  return { agent: chooseAgent(directory, wishes, permissions.agents(sender, thread)), chosen };
}

/**
 * Resolves with the reason why the rules in force do not let the person ask at the place, as a sentence for them, and
 * with the rule; undefined if they may ask.
 * @param about the turn and its agent, for the audit
 */
export async function refusalToAsk(
  person: Person,
  place: ThreadRef & { readonly agent?: AgentName | undefined },
  about: { readonly turn: Turn['id']; readonly agent?: AgentName },
  { permissions, noteAct }: Pick<AskRightsDeps, 'permissions' | 'noteAct'>,
): Promise<{ readonly tellUser: string; readonly rule: string | undefined } | undefined> {
  const tellUser = permissions.refusal(person, 'ask', place);
  if (tellUser === undefined) return undefined;
  const rule = permissions.decide(person, 'ask', place).rule?.place;
  const act = { ...actIn(place, person), action: 'ask', outcome: 'refused', ...about } as const;
  await noteAct(rule === undefined ? act : { ...act, rule });
  return { tellUser, rule };
}

/**
 * Resolves with the reason why the person may not press a button of the turn's reply; undefined if they may. A press
 * needs the right to ask the agent of its reply. Before that agent is recorded, the agent that the question asks counts.
 */
export async function refusalToPress(
  person: Person,
  { id: turn, agent: recorded, message }: Pick<Turn, 'id' | 'agent' | 'message'>,
  deps: AskRightsDeps,
): Promise<string | undefined> {
  const { thread } = message;
  const agent = recorded ?? (await routeOf(message, deps).catch(ofUnknownAgent))?.agent.name;
  const about = agent === undefined ? { turn } : { turn, agent };
  if ((await refusalToAsk(person, { ...thread, agent }, about, deps)) === undefined) return undefined;
  return deps.permissions.refusal(person, 'ask', thread) ?? words.mayNotPress(agent);
}

/** A question to an unknown agent fails, so its reply belongs to no agent. */
function ofUnknownAgent(thrown: unknown): undefined {
  if (!(thrown instanceof BridgeError && thrown.code === 'agent-unknown')) throw thrown;
}
