/**
 * Links between people and platform accounts that a signed-in person makes on a page: by confirming a one-time code, or
 * by signing in to another chat platform as well. Each code has a page, whose address contains the code in encrypted
 * and authenticated form. So nobody can read the code from the address, and a guessed address is refused before stored
 * codes are looked up.
 */

import type { Permissions } from '../core/access/permissions.ts';
import type { AccountTable } from '../core/agents/access.ts';
import { type Directory, gatewayOfMain } from '../core/agents/routing.ts';
import type { IdentityProof } from '../core/channel/adapter.ts';
import type { Clock } from '../core/clock.ts';
import { type CodeUse, confirmCode, linkProven, showCode } from '../core/commands/link.ts';
import type { Log } from '../core/log.ts';
import type { Person, ThreadRef } from '../core/message.ts';
import type { AccountLinks, CodeAnswer, LinkPages, LinkProofs } from '../core/stores/account-links.ts';
import { actIn, type NoteAct } from '../core/stores/audit.ts';
import { words } from '../core/words.ts';
import { asBridgeError, BridgeError } from '../errors.ts';
import type { Keyed } from '../kit/ladder.ts';
import type { ChannelAdapter } from '../kit.ts';
import { createSealer } from '../web/sealing.ts';
import { createAccountLinks, type LinkAddresses } from './account-links.ts';

/** Returns the addresses of the first channel that has a page for links; undefined if none has. */
export function createLinkAddresses(
  adapters: readonly Pick<ChannelAdapter, 'abilities'>[],
  key: Uint8Array,
): LinkAddresses | undefined {
  const page = adapters.map(({ abilities }) => abilities.linkPage).find((each) => each !== undefined);
  if (page === undefined) return undefined;
  const sealer = createSealer(key, 'account link');
  return {
    addressOf(code) {
      const token = sealer.seal(code);
      return token === undefined ? undefined : page(token);
    },
    codeIn: sealer.open,
  };
}

interface LinkPagesDeps {
  readonly links: AccountLinks;
  readonly addresses: LinkAddresses;
  readonly accounts: AccountTable;
  readonly directory: Directory;
  readonly noteAct: NoteAct;
}

export function createLinkPages(deps: LinkPagesDeps): LinkPages {
  const { addresses } = deps;
  const withCode = async (
    token: string,
    then: (code: string) => Promise<CodeAnswer>,
  ): Promise<CodeAnswer> => {
    const code = addresses.codeIn(token);
    return code === undefined ? { kind: 'refused', text: words.linking.wrong } : then(code);
  };
  return {
    show: (token, by, thread) => withCode(token, (code) => showCode(code, useOn(deps, by, thread))),
    confirm: (token, by, thread) => withCode(token, (code) => confirmCode(code, useOn(deps, by, thread))),
  };
}

/** Returns what the commands need to know about a person who links an account on a page. */
function useOn(
  { links, accounts, directory, noteAct }: Omit<LinkPagesDeps, 'addresses'>,
  person: Person,
  thread: ThreadRef,
): CodeUse {
  const { signal } = new AbortController();
  const gateway = gatewayOfMain(directory, directory.agents.get(directory.fallback));
  return {
    links,
    person,
    thread,
    signal,
    mapped: accounts.find(person, thread),
    // An act on a page belongs to no room, so its room, thread and kind are left out.
    noteAct: ({ room: _room, thread: _thread, kind: _kind, ...act }) => noteAct(act),
    admit: async (account) => gateway?.admit?.(account, signal),
  };
}

interface LinkProofsDeps extends Omit<LinkPagesDeps, 'addresses'> {
  /** The identity proofs by channel. Channels that offer none are absent. */
  readonly proofs: ReadonlyMap<string, IdentityProof>;
  readonly permissions: Pick<Permissions, 'refusal'>;
  readonly log: Log;
  titleOf(channel: string): string;
}

export function createLinkProofs(deps: LinkProofsDeps): LinkProofs {
  const { proofs, accounts, permissions, log, titleOf } = deps;
  return {
    offers(by, thread) {
      if (accounts.find(by, thread) === undefined) return [];
      return [...proofs.keys()].map((channel) => ({ channel, title: titleOf(channel) }));
    },
    begin: (channel, attempt) => proofs.get(channel)?.begin(attempt),
    async finish({ channel, query, nonce }, by, thread) {
      const use = useOn(deps, by, thread);
      try {
        const proof = proofs.get(channel);
        if (proof === undefined)
          throw new BridgeError('sign-in-refused', `The channel "${channel}" offers no proof of identity.`);
        const { person, tenant } = await proof.finish(new URLSearchParams(query), nonce);
        const place: ThreadRef = { channel, tenant, room: '', key: '', kind: 'direct' };
        const proven = {
          channel,
          tenant,
          person,
          title: titleOf(channel),
          mapped: accounts.find(person, place),
          refusal: permissions.refusal(person, 'ask', place),
        };
        return await linkProven(proven, use);
      } catch (thrown) {
        const { code, message, tellUser } = asBridgeError(thrown);
        log.warn({ channel, code }, message);
        await use.noteAct({ ...actIn(thread, by), action: 'link', outcome: 'refused', detail: code });
        return { kind: 'refused', text: tellUser };
      }
    },
  };
}

interface LinkingDeps {
  /** Days for which a link lasts; undefined if the settings do not let people link themselves to an account. */
  readonly days: number | undefined;
  /** Encrypted state. */
  readonly stored: Keyed;
  readonly accounts: AccountTable;
  readonly directory: Directory;
  readonly noteAct: NoteAct;
  readonly permissions: Pick<Permissions, 'refusal'>;
  readonly log: Log;
  readonly clock: Clock;
  readonly adapters: readonly ChannelAdapter[];
  /** Key of signed links; undefined without an HTTP server. */
  readonly key: Uint8Array | undefined;
  /** Display names of the channels, by channel. */
  readonly titles: ReadonlyMap<string, string>;
}

export function openLinking(deps: LinkingDeps) {
  const { days, stored, accounts, directory, noteAct, permissions, log, clock, adapters, key, titles } = deps;
  if (days === undefined) return { links: undefined, linkPages: undefined, linkProofs: undefined };
  const addresses = key && createLinkAddresses(adapters, key);
  const titleOf = (channel: string) => titles.get(channel) ?? channel;
  const isAccepted = async (channel: string, person: string) => {
    const confirmer = adapters.find(({ name }) => name === channel);
    return (await confirmer?.abilities.isAccepted?.(person, 'link')) ?? true;
  };
  const links = createAccountLinks({
    stored,
    accounts,
    days,
    clock,
    addresses,
    titleOf,
    isAccepted,
    noteAct,
  });
  const proofs = new Map(
    adapters.flatMap(({ name, abilities: { identityProof } }) =>
      identityProof === undefined ? [] : [[name, identityProof] as const],
    ),
  );
  if (addresses === undefined && proofs.size > 0) log.warn({ channels: [...proofs.keys()] }, NO_PAGE);
  return {
    /** Undefined if the settings do not let people link themselves to an account. */
    links,
    /** Undefined if people cannot link themselves to an account, or if no channel has a page for links. */
    linkPages: addresses && createLinkPages({ links, addresses, accounts, directory, noteAct }),
    /** Undefined if people cannot link themselves to an account, or if no channel offers a proof of identity. */
    linkProofs:
      addresses && proofs.size > 0
        ? createLinkProofs({ links, accounts, directory, noteAct, proofs, permissions, log, titleOf })
        : undefined,
  };
}

const NO_PAGE =
  'People cannot connect these channels by signing in, because no channel has a page where people sign in first.';
