/** Decides under which platform account an agent answers a person. Pure. */

import { BridgeError } from '../../errors.ts';
import { hasAskerForm } from '../asker.ts';
import type { AgentName } from '../ids.ts';
import { foldedEmail, type Person, type ThreadRef } from '../message.ts';
import { words } from '../words.ts';
import type { LiteOptions } from './agent.ts';

/**
 * One line of the identity table: matches people by the properties that it sets, and assigns them a platform account.
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

/** Finds the platform accounts of people. */
export interface AccountTable {
  /** Returns the account of the first entry that matches the person. */
  find(person: Person, thread: ThreadRef): string | undefined;
  /** True if an entry for the thread's channel and workspace names an account other than `account`. */
  namesOther(thread: ThreadRef, account: string | undefined): boolean;
  /** True if an entry names the account. */
  names(account: string): boolean;
}

/**
 * True for a name that the operator must not give to an account: an agent would answer with the token of the person whose
 * ids the name contains.
 */
export const isReserved = (account: string): boolean => hasAskerForm(account);

export interface AccessPolicy {
  readonly accounts: AccountTable;
  /**
   * What happens to the question of a person without an account: `service` asks it with the agent's own credential,
   * `refuse` refuses it.
   */
  readonly unmapped: 'service' | 'refuse';
  /** The sentence that people read on a refusal, in place of the default sentence. */
  readonly tellUnmapped?: string;
  /**
   * The account used for questions in rooms: `service` is the room's service account, `asker` the asker's own
   * account.
   */
  readonly rooms: 'service' | 'asker';
}

/**
 * Which messages in a room are questions although they do not mention the bridge. `alone`: those of a person who asked in
 * the thread, while only this person and the bridge have written since the last answer. `always`: all messages of a
 * thread in which somebody asked. `mention`: none. `open`: all messages of the room.
 */
export type MentionRule = 'alone' | 'always' | 'mention' | 'open';

/** The operator's settings for a room. */
export interface RoomRules {
  /** The default agent of the room. */
  readonly agent?: AgentName;
  /** The room's service account; if absent, the agent's own credential is used. */
  readonly account?: string;
  /** Name of the room's knowledge workspace. */
  readonly workspace?: string;
  readonly lite?: LiteOptions;
  /** If absent, `alone` applies. */
  readonly mention?: MentionRule;
}

/**
 * Returns the accounts for an answer: `account`, under which the agent answers in this thread (absent for the agent's
 * own credential), and `own`, the person's own platform account. Answers in a room use the room's account, because
 * everyone in the room sees them. Private answers use the asker's account. Throws `access-denied`.
 */
export function identify(person: Person, thread: ThreadRef, policy: AccessPolicy, room: RoomRules) {
  const own = accountFor(person, thread, policy);
  const isPrivate = thread.kind === 'direct';
  const asker = isPrivate || policy.rooms === 'asker' ? own : undefined;
  const account = asker ?? (isPrivate ? undefined : room.account);
  return { ...(account !== undefined && { account }), ...(own !== undefined && { own }) };
}

/**
 * Returns the person's own platform account, if any. Throws `access-denied` if there is none and `unmapped` is
 * `refuse`.
 */
export function accountFor(person: Person, thread: ThreadRef, policy: AccessPolicy): string | undefined {
  const account = policy.accounts.find(person, thread);
  if (account === undefined && policy.unmapped === 'refuse') {
    const message =
      'The person has no entry in identity.table or identity.file, and identity.unmapped is "refuse".';
    throw new BridgeError('access-denied', message, {
      tellUser: policy.tellUnmapped ?? words.unmapped,
    });
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
  { accounts }: Pick<AccessPolicy, 'accounts'>,
): boolean {
  return thread.kind !== 'direct' && accounts.namesOther(thread, account);
}

/** Indexes the entries, so that finding an account takes the same time for every size of the table. */
export function createAccountTable(entries: readonly Mapping[]): AccountTable {
  const people = new Map<string, number>();
  const scopes = new Map<string, Set<string>>();
  const all = new Set(entries.map(({ account }) => account));
  for (const [index, { channel, tenant, person, email, account }] of entries.entries()) {
    const scope = scopeOf(channel, tenant);
    const named = scopes.get(scope) ?? new Set<string>();
    // Two accounts are enough to tell whether the scope has an account other than a given one.
    if (named.size < 2) scopes.set(scope, named.add(account));
    const key = personKey({ person, email });
    if (key !== undefined && !people.has(scope + key)) people.set(scope + key, index);
  }
  return {
    names: (account) => all.has(account),
    find(person, thread) {
      const keys = keysOf(person);
      const found = scopesAround(thread).flatMap((scope) => keys.map((key) => people.get(scope + key)));
      const first = Math.min(...found.map((index) => index ?? entries.length));
      return entries[first]?.account;
    },
    namesOther: (thread, account) =>
      scopesAround(thread).some((scope) => [...(scopes.get(scope) ?? [])].some((each) => each !== account)),
  };
}

/** Returns a table that searches `first`, then `second`. The second table may be replaced at any time. */
export const joinTables = (first: AccountTable, second: () => AccountTable): AccountTable => ({
  names: (account) => first.names(account) || second().names(account),
  find: (person, thread) => first.find(person, thread) ?? second().find(person, thread),
  namesOther: (thread, account) => first.namesOther(thread, account) || second().namesOther(thread, account),
});

const scopeOf = (channel = '', tenant = ''): string => JSON.stringify([channel, tenant]);

const scopesAround = ({ channel, tenant }: ThreadRef): readonly string[] => [
  scopeOf(channel, tenant),
  scopeOf(channel),
  scopeOf('', tenant),
  scopeOf(),
];

/** An entry with an id ignores its e-mail address. */
function personKey({ person, email }: Pick<Mapping, 'person' | 'email'>): string | undefined {
  if (person !== undefined) return `id ${person}`;
  return email === undefined ? undefined : `email ${foldedEmail(email)}`;
}

/**
 * Returns the keys under which entries may name the person. The e-mail address of an external person or a bot does not
 * count, because another organization can set it to any address. An unproven person has no keys.
 */
function keysOf({ id, email, standing }: Person): readonly string[] {
  if (standing === 'unproven') return [];
  const isOurs = standing === 'member' || standing === 'guest';
  return [`id ${id}`, ...(email !== undefined && isOurs ? [`email ${foldedEmail(email)}`] : [])];
}
