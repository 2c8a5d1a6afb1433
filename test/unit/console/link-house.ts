/** Links to platform accounts, and their pages. Made by the bridge's real code, but with a store in memory. */

import { createAccountLinks } from '../../../src/bridge/account-links.ts';
import { createLinkAddresses, createLinkPages, createLinkProofs } from '../../../src/bridge/link-pages.ts';
import { LINKS } from '../../../src/bridge/link-records.ts';
import { createAccountTable } from '../../../src/core/agents/access.ts';
import type { IdentityProof } from '../../../src/core/channel/adapter.ts';
import type { Person } from '../../../src/core/message.ts';
import type { AccountLinks, LinkPages, LinkProofs } from '../../../src/core/stores/account-links.ts';
import { BridgeError } from '../../../src/errors.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { manualClock } from '../../contract/store/manual-clock.ts';
import { quiet } from '../../fakes/quiet.ts';
import { agent, person, thread } from '../../fakes/samples.ts';

/** Key of signed links. */
export const LINK_KEY = Buffer.alloc(32, 7);
const inSlack = thread({ channel: 'slack', tenant: 'T1', kind: 'direct' });
/** Rules that let everyone ask, also guests, people of other organizations and bots. */
const everyone = { refusal: () => undefined };
const u1 = person({ id: 'U1', name: 'Ada in Slack' });

interface SlackProof extends IdentityProof {
  /** The person whom the proof confirms; U1 by default. */
  person: Person;
}

/** A stand-in for the sign-in to Slack: it sends the browser back at once, and accepts only the code `good`. */
export const slackProof = (backTo: string): SlackProof => {
  const nonces: string[] = [];
  const own: SlackProof = {
    person: u1,
    begin({ state, nonce }) {
      nonces.push(nonce);
      return `${backTo}?${new URLSearchParams({ code: 'good', state })}`;
    },
    async finish(query, nonce) {
      if (query.get('code') !== 'good' || !nonces.includes(nonce))
        throw new BridgeError('sign-in-refused', 'The proof is not valid.');
      return { person: own.person, tenant: inSlack.tenant };
    },
  };
  return own;
};

export interface LinkHouse {
  readonly links: AccountLinks;
  readonly linkPages: LinkPages | undefined;
  readonly linkProofs: LinkProofs | undefined;
  readonly store: Store;
  /** Whether a channel's identity provider accepts a person; everyone by default. */
  isAccepted?: (channel: string, person: string) => Promise<boolean | undefined>;
  advance(ms: number): void;
  /** Why the platform refuses every account; undefined to accept them. */
  refused: BridgeError | undefined;
  /** Resolves with a new code of the person U1 in Slack. */
  code(): Promise<string>;
  /** Resolves with the address of the page for a new code. */
  begin(): Promise<string>;
  /** Resolves with the account to which U1 is linked. */
  linked(): Promise<string | undefined>;
  unlink(): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * @param page returns the address of the page on which a code is confirmed; the token contains the code. Undefined if
 * no channel has such a page
 * @param slack the proof of identity that Slack offers
 */
export async function openLinkHouse(
  page: ((token: string) => string) | undefined,
  slack?: IdentityProof,
): Promise<LinkHouse> {
  const clock = manualClock();
  const store = await openStore({ file: ':memory:', clock, log: quiet });
  const abilities = page ? { linkPage: page } : {};
  const addresses = createLinkAddresses([{ abilities: {} }, { abilities }], LINK_KEY);
  const accounts = createAccountTable([
    { email: 'ada@example.org', account: 'ada@p' },
    { email: 'ben@example.org', account: 'ben@p' },
  ]);
  const titleOf = (channel: string) => ({ slack: 'Slack' })[channel] ?? channel;
  const stored = store.keyed(LINKS);
  const links = createAccountLinks({
    ...{ stored, accounts, days: 30, clock, addresses, titleOf },
    isAccepted: async (channel, id) => (await house.isAccepted?.(channel, id)) ?? true,
    noteAct: store.audit.add,
  });
  const books = agent('books');
  const admit = async () => {
    if (house.refused !== undefined) throw house.refused;
  };
  const agents = new Map([[books.name, { ...books, gateway: { ...books.gateway, admit } }]]);
  const directory = { agents, fallback: books.name };
  const common = { links, accounts, directory, noteAct: store.audit.add };
  const proofs = new Map(slack && [['slack', slack]]);
  const more = { proofs, permissions: everyone, log: quiet, titleOf };
  const house: LinkHouse = {
    ...{ links, store, advance: clock.advance, refused: undefined },
    linkPages: addresses && createLinkPages({ ...common, addresses }),
    linkProofs: slack && createLinkProofs({ ...common, ...more }),
    code: () => links.begin(u1, inSlack),
    begin: async () => links.pageOf(await links.begin(u1, inSlack)) ?? '',
    linked: () => links.find(u1, inSlack),
    unlink: () => links.unlink(u1, inSlack),
    close: () => store.close(),
  };
  return house;
}
