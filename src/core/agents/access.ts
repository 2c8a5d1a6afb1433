/** Decides under which platform account an agent answers a person. Pure. */

import { BridgeError } from '../../errors.ts';
import type { AgentName } from '../ids.ts';
import type { Person, ThreadRef } from '../message.ts';
import { words } from '../words.ts';

/**
 * One line of the identity table: matches people by the given members and assigns them a platform account.
 */
export interface Mapping {
  /** If absent, the line matches every channel. Without `tenant`, it matches every tenant. */
  readonly channel?: string | undefined;
  readonly tenant?: string | undefined;
  /** The person's id on the channel. */
  readonly person?: string | undefined;
  readonly email?: string | undefined;
  readonly account: string;
}

export interface AccessPolicy {
  /** The first matching entry decides. */
  readonly identity: readonly Mapping[];
  /**
   * Behaviour if no line matches a person: `service` asks with the agent's own credential, `refuse` refuses the
   * question.
   */
  readonly unmapped: 'service' | 'refuse';
  /**
   * The account used for questions in rooms: `service` is the room's service account, `asker` the asker's own
   * account.
   */
  readonly rooms: 'service' | 'asker';
}

/**
 * Which messages in a room must mention the bridge: `first`, only messages that start a thread; `always`,
 * all; `never`, none.
 */
export type MentionRule = 'first' | 'always' | 'never';

/** The operator's settings for a room. */
export interface RoomRules {
  /** The default agent of the room. */
  readonly agent?: AgentName;
  /** The room's service account; if absent, the agent's own credential is used. */
  readonly account?: string;
  /** Name of the room's knowledge workspace. */
  readonly workspace?: string;
  /** If absent, `first` applies. */
  readonly mention?: MentionRule;
}

interface Identity {
  /** The account under which the agent answers in this thread; absent for the agent's own credential. */
  readonly account?: string;
  /** The person's own platform account. */
  readonly own?: string;
}

/**
 * Returns the accounts for an answer. Everyone in a room sees its answers, so they use the room's account; private
 * answers use the asker's. Throws `access-denied`.
 */
export function identify(person: Person, thread: ThreadRef, policy: AccessPolicy, room: RoomRules): Identity {
  const own = accountFor(person, thread, policy);
  const isPrivate = thread.kind === 'direct';
  const asker = isPrivate || policy.rooms === 'asker' ? own : undefined;
  const account = asker ?? (isPrivate ? undefined : room.account);
  return { ...(account !== undefined && { account }), ...(own !== undefined && { own }) };
}

/** Returns the person's own platform account, if any. Throws `access-denied`. */
export function accountFor(person: Person, thread: ThreadRef, policy: AccessPolicy): string | undefined {
  const account = policy.identity.find((line) => fits(line, person, thread))?.account;
  if (account === undefined && policy.unmapped === 'refuse') {
    const message = 'The person has no line in identity.table, and identity.unmapped is "refuse".';
    throw new BridgeError('access-denied', message, { tellUser: words.unmapped });
  }
  return account;
}

/**
 * True if someone in the thread may have a platform account other than `account`, under which the answer was made.
 * Always false in direct messages, where answers use the asker's own account.
 */
export function othersHaveAccounts(
  thread: ThreadRef,
  account: string | undefined,
  { identity }: Pick<AccessPolicy, 'identity'>,
): boolean {
  if (thread.kind === 'direct') return false;
  return identity.some((line) => isOfThread(line, thread) && line.account !== account);
}

function isOfThread({ channel, tenant }: Mapping, thread: ThreadRef): boolean {
  return (
    (channel === undefined || channel === thread.channel) &&
    (tenant === undefined || tenant === thread.tenant)
  );
}

function fits(line: Mapping, person: Person, thread: ThreadRef): boolean {
  if (!isOfThread(line, thread)) return false;
  if (line.person !== undefined) return line.person === person.id;
  return line.email !== undefined && line.email.toLowerCase() === person.email?.toLowerCase();
}
