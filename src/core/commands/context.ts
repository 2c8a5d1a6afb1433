import type { Permissions } from '../access/permissions.ts';
import type { Agent } from '../agents/agent.ts';
import type { Directory } from '../agents/routing.ts';
import type { Person, ThreadRef } from '../message.ts';
import type { Source } from '../reply.ts';
import type { AccountLinks } from '../stores/account-links.ts';
import type { NoteAct } from '../stores/audit.ts';
import type { ThreadMemory } from '../stores/thread-memory.ts';
import type { LastAnswer } from './receipt.ts';

/** The state of one thread and one person that a command may read and change. */
export interface CommandContext {
  readonly directory: Directory;
  readonly person: Person;
  readonly thread: ThreadRef;
  readonly permissions: Permissions;
  /** The agent that currently answers in the thread. */
  readonly agent: Agent;
  /** The account under which the agent answers here. */
  readonly account?: string | undefined;
  /** The person's own platform account, if it differs from `account`. */
  readonly own?: string | undefined;
  /** True if the agent answers here only with the person's own token of the identity provider. */
  readonly asAsker?: boolean;
  /** The person's account from the operator's table or file, not from a link. */
  readonly mapped?: string | undefined;
  /** Absent if people cannot link themselves. */
  readonly links?: AccountLinks | undefined;
  readonly signal: AbortSignal;
  /** Name of the room's knowledge workspace. */
  readonly workspace?: string | undefined;
  readonly memory: ThreadMemory;
  readonly noteAct: NoteAct;
  lastAnswer(): Promise<LastAnswer | undefined>;
  /** Ends the thread's session with the agent. */
  forget(): Promise<void>;
}

export interface CommandAnswer {
  readonly text: string;
  readonly sources?: readonly Source[];
}
