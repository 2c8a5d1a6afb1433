/** Decides if a person may ask, and under which platform account. Pure, and closed by default. */

import { BridgeError } from '../../errors.ts';
import type { AgentName } from '../ids.ts';
import type { Person, ThreadRef } from '../message.ts';
import { words } from '../words.ts';

/** One line of the identity table: a condition for people, and their platform account. */
export interface Mapping {
  /** If absent, the line matches every channel. */
  readonly channel?: string | undefined;
  readonly tenant?: string | undefined;
  /** The channel's id of the person. */
  readonly person?: string | undefined;
  readonly email?: string | undefined;
  readonly account: string;
}

/** True for each standing whose people may ask; off by default. */
export interface Standings {
  readonly guests: boolean;
  readonly external: boolean;
  readonly bots: boolean;
}

export interface AccessPolicy extends Standings {
  /** The first matching line counts. */
  readonly identity: readonly Mapping[];
  /** Access of people without an account: the agent's own credential, or a refusal. */
  readonly unmapped: 'service' | 'refuse';
  /** The account of answers in rooms: the room's service account, or the asker's. */
  readonly rooms: 'service' | 'asker';
}

/** Messages in a room that must mention the bridge: `first`, only those that start a thread; `always`; `never`. */
export type MentionRule = 'first' | 'always' | 'never';

/** The operator's settings for a room. */
export interface RoomRules {
  /** The default agent of the room. */
  readonly agent?: AgentName;
  /** The room's service account; absent: the agent's own credential. */
  readonly account?: string;
  /** Name of its knowledge workspace. */
  readonly workspace?: string;
  /** True if documents that people share with a question are uploaded there. */
  readonly uploads?: boolean;
  /** Absent: `first`. */
  readonly mention?: MentionRule;
}

interface Identity {
  /** The account under which the agent answers here; absent for its own credential. */
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
  if (!mayAsk(person, policy)) {
    const tellUser = person.standing === 'bot' ? words.bots : words.guests;
    throw denied(`People of standing "${person.standing}" may not ask.`, tellUser);
  }
  const account = policy.identity.find((line) => fits(line, person, thread))?.account;
  if (account === undefined && policy.unmapped === 'refuse') {
    const message = 'The person has no line in identity.table, and identity.unmapped is "refuse".';
    throw denied(message, words.unmapped);
  }
  return account;
}

/**
 * True if a person in the thread may have another platform account than `account`, under which an answer was made.
 * False in direct messages, whose answers always use the asker's own account.
 */
export function othersHaveAccounts(
  thread: ThreadRef,
  account: string | undefined,
  { identity }: Pick<AccessPolicy, 'identity'>,
): boolean {
  if (thread.kind === 'direct') return false;
  return identity.some((line) => isOfThread(line, thread) && line.account !== account);
}

export function mayAsk({ standing }: Person, policy: Standings): boolean {
  if (standing === 'guest') return policy.guests;
  if (standing === 'external') return policy.external;
  if (standing === 'bot') return policy.bots;
  return true;
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

function denied(message: string, tellUser: string): BridgeError {
  return new BridgeError('access-denied', message, { tellUser });
}
