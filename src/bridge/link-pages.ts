/**
 * Pages on which a signed-in person confirms a link. The page's address contains the one-time code, encrypted and
 * authenticated. Therefore, the address reveals no code that can be typed, and a guessed address never reaches the
 * stored codes.
 */

import type { Config } from '../config/schema.ts';
import type { AccountTable } from '../core/agents/access.ts';
import type { Directory } from '../core/agents/routing.ts';
import type { Clock } from '../core/clock.ts';
import { type CodeUse, confirmCode, showCode } from '../core/commands/link.ts';
import type { Person, ThreadRef } from '../core/message.ts';
import type { AccountLinks, CodeAnswer, LinkPages } from '../core/stores/account-links.ts';
import type { NoteAct } from '../core/stores/audit.ts';
import { words } from '../core/words.ts';
import type { ChannelAdapter, Keyed } from '../kit.ts';
import { createSealer } from '../web/sealing.ts';
import { createAccountLinks, type LinkAddresses } from './account-links.ts';
import { LINKS } from './link-records.ts';

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
  const { links, addresses, accounts, directory, noteAct } = deps;
  const useOf = (person: Person, thread: ThreadRef): CodeUse => {
    const { signal } = new AbortController();
    const gateway = directory.agents.get(directory.fallback)?.gateway;
    return {
      ...{ links, person, thread, signal, mapped: accounts.find(person, thread) },
      // An act on a page happens in no room.
      noteAct: ({ room: _room, thread: _thread, kind: _kind, ...act }) => noteAct(act),
      admit: async (account) => gateway?.admit?.(account, signal),
    };
  };
  const withCode = async (
    token: string,
    then: (code: string) => Promise<CodeAnswer>,
  ): Promise<CodeAnswer> => {
    const code = addresses.codeIn(token);
    return code === undefined ? { kind: 'refused', text: words.linking.wrong } : then(code);
  };
  return {
    show: (token, by, thread) => withCode(token, (code) => showCode(code, useOf(by, thread))),
    confirm: (token, by, thread) => withCode(token, (code) => confirmCode(code, useOf(by, thread))),
  };
}

interface LinkingDeps extends Omit<LinkPagesDeps, 'links' | 'addresses'> {
  readonly config: Pick<Config, 'identity'>;
  /** Encrypted state of a namespace. */
  readonly sealed: (namespace: string) => Keyed;
  readonly clock: Clock;
  readonly adapters: readonly ChannelAdapter[];
  /** Key of signed links; undefined without an HTTP server. */
  readonly key: Uint8Array | undefined;
  /** Display names of the channels, by channel. */
  readonly titles: ReadonlyMap<string, string>;
}

interface Linking {
  /** Undefined if the settings do not let people link themselves. */
  readonly links: AccountLinks | undefined;
  /** Undefined also if no channel has a page for links. */
  readonly linkPages: LinkPages | undefined;
}

export function openLinking(deps: LinkingDeps): Linking {
  const { config, sealed, accounts, clock, adapters, key, titles } = deps;
  const days = config.identity.linkDays;
  if (days === undefined) return { links: undefined, linkPages: undefined };
  const addresses = key && createLinkAddresses(adapters, key);
  const titleOf = (channel: string) => titles.get(channel) ?? channel;
  const links = createAccountLinks({ stored: sealed(LINKS), accounts, days, clock, addresses, titleOf });
  return { links, linkPages: addresses && createLinkPages({ ...deps, links, addresses }) };
}
