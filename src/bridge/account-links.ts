/**
 * Stores the links that people make between their ids and platform accounts. All values are encrypted, and codes are
 * stored as hashes. All replicas share the stored links and codes.
 */

import { randomInt } from 'node:crypto';
import type { AccountTable } from '../core/agents/access.ts';
import type { Clock } from '../core/clock.ts';
import type { Person, ThreadRef } from '../core/message.ts';
import type { AccountLinks, Claimant, CodeResult } from '../core/stores/account-links.ts';
import { actIn, type NoteAct } from '../core/stores/audit.ts';
import type { Keyed } from '../core/stores/keyed.ts';
import { hash, holderKey, idOf, isLink, type Link, linkKey } from './link-records.ts';

/** Time for which a code works, in milliseconds. */
const CODE_MS = 10 * 60_000;
/** Maximum wrong codes of one person. The count starts again `CODE_MS` after the last wrong code. */
const MAX_WRONG = 5;
const DAY_MS = 24 * 60 * 60_000;

/** Letters and digits of codes, without those that people confuse: 12 of them have 60 bits. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 3;
const GROUP = 4;

/** Addresses of the pages on which links are confirmed. */
export interface LinkAddresses {
  /** Returns the address of the page on which the code can be confirmed. */
  addressOf(code: string): string | undefined;
  /** Returns the code that the token in a page's address contains; undefined if this bridge did not make the token. */
  codeIn(token: string): string | undefined;
}

interface AccountLinksDeps {
  /** Encrypted state. */
  readonly stored: Keyed;
  readonly accounts: AccountTable;
  readonly days: number;
  readonly clock: Pick<Clock, 'now'>;
  /** Absent if no channel has a page on which links are confirmed. */
  readonly addresses?: LinkAddresses | undefined;
  /** Returns the display name of a channel. */
  titleOf(channel: string): string;
  /** Resolves with false if the identity provider of a channel's people no longer accepts the person. */
  isAccepted(channel: string, person: string): Promise<boolean>;
  readonly noteAct: NoteAct;
}

interface PendingCode extends Omit<Claimant, 'title'> {
  /** Time from which the code no longer works, in milliseconds since the epoch. */
  readonly until: number;
  /** The first person who entered the code. */
  readonly shownBy?: string;
  readonly isUsed?: true;
}

export function createAccountLinks(deps: AccountLinksDeps): AccountLinks {
  const { stored, days, clock, addresses, titleOf } = deps;
  const codes = createCodes(deps);
  /** Calls `then` with the code's claimant, if the person may use the code. */
  const use = async (
    pending: Promise<PendingCode | undefined>,
    { by, thread }: { readonly by: Person; readonly thread: ThreadRef },
    then: (claimant: Claimant) => CodeResult | Promise<CodeResult>,
  ): Promise<CodeResult> => {
    const found = await pending;
    if (found === undefined) {
      const more = (count: unknown) => Number(count ?? 0) + 1;
      await stored.change(`wrong ${ownId(by, thread)}`, more, CODE_MS, ownerOf({ ...thread, person: by.id }));
      return { kind: 'wrong' };
    }
    const claimant = titled(found, titleOf);
    return isSameWorkspace(claimant, thread) ? { kind: 'same-workspace' } : then(claimant);
  };
  const isBlocked = async (by: string) => Number((await stored.get(`wrong ${by}`)) ?? 0) >= MAX_WRONG;
  return {
    days,
    find: (person, thread) => findLinked(deps, person, thread),
    async begin(person, thread) {
      const key = `asked ${ownId(person, thread)}`;
      const earlier = await stored.get(key);
      if (typeof earlier === 'string') await stored.delete(`code ${earlier}`);
      const code = newCode();
      const { channel, tenant } = thread;
      const claimant = { channel, tenant, person: person.id, name: person.name };
      const pending: PendingCode = { ...claimant, until: clock.now() + CODE_MS };
      const owner = ownerOf(claimant);
      await stored.set(`code ${hash(code)}`, pending, CODE_MS, owner);
      await stored.set(key, hash(code), CODE_MS, owner);
      return code;
    },
    pageOf: (code) => addresses?.addressOf(code),
    async show(code, person, thread) {
      const by = ownId(person, thread);
      if (await isBlocked(by)) return { kind: 'blocked' };
      return use(codes.show(code, by), { by: person, thread }, (claimant) => ({ kind: 'shown', claimant }));
    },
    async confirm(code, account, person, thread) {
      const by = ownId(person, thread);
      if (await isBlocked(by)) return { kind: 'blocked' };
      return use(codes.spend(code, by), { by: person, thread }, (claimant) =>
        linkTo(deps, claimant, { account, by: thread.channel, byPerson: person.id }),
      );
    },
    async linkProven(proven, account, by, thread) {
      if (isSameWorkspace(proven, thread)) return { kind: 'same-workspace' };
      return linkTo(deps, titled(proven, titleOf), { account, by: thread.channel, byPerson: by.id });
    },
    unlink: (person, thread) => endLink(stored, person, thread),
  };
}

/**
 * Reserves and spends codes. Both functions resolve with the code's record from before the call, or with undefined if
 * the code does not work.
 */
function createCodes({ stored, clock }: Pick<AccountLinksDeps, 'stored' | 'clock'>) {
  const take = async (code: string, change: (pending: PendingCode) => PendingCode | undefined) => {
    const key = `code ${hash(code.toUpperCase())}`;
    const claimant = await stored.get(key);
    if (!isPending(claimant)) return undefined;
    let pendingCode: PendingCode | undefined;
    await stored.change(
      key,
      (current) => {
        const pending = isPending(current) && clock.now() < current.until ? current : undefined;
        const next = pending?.isUsed === undefined && pending !== undefined ? change(pending) : undefined;
        pendingCode = next && pending;
        return next;
      },
      CODE_MS,
      ownerOf(claimant),
    );
    return pendingCode;
  };
  return {
    show: (code: string, by: string) =>
      take(code, (pending) => ((pending.shownBy ?? by) === by ? { ...pending, shownBy: by } : undefined)),
    /** A code is spent only by the person to whom its claimant was shown. */
    spend: (code: string, by: string) =>
      take(code, (pending) => (pending.shownBy === by ? { ...pending, isUsed: true } : undefined)),
  };
}

/** Links the claimant to the account, in place of an earlier account. */
async function linkTo(
  { stored, days, clock }: Pick<AccountLinksDeps, 'stored' | 'days' | 'clock'>,
  claimant: Claimant,
  made: Required<Pick<Link, 'account' | 'by' | 'byPerson'>>,
): Promise<CodeResult> {
  const { person, name } = claimant;
  const { account } = made;
  const owner = ownerOf(claimant);
  const free = (holder: unknown) => (holder === undefined || holder === person ? person : undefined);
  if (!(await stored.change(holderKey(claimant, account), free, days * DAY_MS, owner)))
    return { kind: 'taken' };
  const key = linkKey(claimant, person);
  const earlier = await stored.get(key);
  if (isLink(earlier) && earlier.account !== account)
    await stored.delete(holderKey(claimant, earlier.account));
  const link: Link = { ...made, since: clock.now(), name };
  await stored.set(key, link, days * DAY_MS, owner);
  return { kind: 'linked', claimant };
}

async function findLinked(
  { stored, accounts, isAccepted, noteAct }: AccountLinksDeps,
  person: Person,
  thread: ThreadRef,
): Promise<string | undefined> {
  const link = await stored.get(linkKey(thread, person.id));
  if (!isLink(link) || !accounts.names(link.account)) return undefined;
  // A link counts only while the account's holder is this person. A link that was removed just as it was made again
  // has no holder, and another person may have linked the account since.
  const holder = await stored.get(holderKey(thread, link.account));
  if (holder !== person.id) return undefined;
  const { account, by, byPerson } = link;
  if (by === undefined || byPerson === undefined || (await isAccepted(by, byPerson))) return account;
  if (await endLink(stored, person, thread))
    await noteAct({ ...actIn(thread, person), action: 'link', outcome: 'done', detail: ENDED });
  return undefined;
}

/** Detail in the audit of a link that ended because of the identity provider. */
const ENDED = 'unlink by identity provider';

async function endLink(stored: Keyed, person: Person, thread: ThreadRef): Promise<boolean> {
  const key = linkKey(thread, person.id);
  const link = await stored.get(key);
  if (!isLink(link)) return false;
  await stored.delete(key);
  await stored.delete(holderKey(thread, link.account));
  return true;
}

const ownerOf = ({ channel, tenant, person }: Omit<Claimant, 'title' | 'name'>) => ({
  channel,
  tenant,
  person,
});

const titled = (
  { channel, tenant, person, name }: Omit<Claimant, 'title'>,
  titleOf: AccountLinksDeps['titleOf'],
): Claimant => ({ channel, tenant, person, name, title: titleOf(channel) });

const newCode = (): string =>
  Array.from({ length: GROUPS }, () =>
    Array.from({ length: GROUP }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join(''),
  ).join('-');

const ownId = ({ id }: Person, { channel, tenant }: ThreadRef): string => idOf(channel, tenant, id);

const isSameWorkspace = (claimant: Omit<Claimant, 'title'>, { channel, tenant }: ThreadRef): boolean =>
  claimant.channel === channel && claimant.tenant === tenant;

const isPending = (value: unknown): value is PendingCode =>
  typeof value === 'object' && value !== null && 'until' in value && typeof value.until === 'number';
