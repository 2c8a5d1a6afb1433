/** Looks up people in Teams: one person, or all members of a team or chat. */

import { createPersonLookup, type Ids, visibleName } from '../../../src/kit/ladder.ts';
import { BridgeError, type Clock, defined, type Person } from '../../../src/kit.ts';
import type { TeamsPlace } from '../activity.ts';
import type { Connector, Got, Member } from '../api/connector.ts';
import { WRONG_REGION } from '../api/errors.ts';
import { readWithRetries } from '../api/retries.ts';
import { readConversation } from '../ids.ts';
import { words } from './words.ts';

/** Maximum pages read of a list of members. A page has up to 500 people. */
const MAX_PAGES = 20;

export type People = ReturnType<typeof createPeople>;

interface PeopleDeps {
  readonly connector: Pick<Connector, 'member' | 'members'>;
  readonly clock: Clock;
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

export function createPeople(deps: PeopleDeps) {
  const lookup = createPersonLookup<TeamsPlace>({
    clock: deps.clock,
    listOf: rosterOf,
    readList: (place) => listed(place, deps),
    async lookUp(place, person, { signal, listRead }) {
      // Wait until the list of members is read, because single look-ups would use up the calls that the limits permit
      // for reading the list.
      await listRead();
      signal.throwIfAborted();
      return ask(place, person, { ...deps, signal: AbortSignal.any([deps.signal, signal]) });
    },
  });
  return {
    /**
     * Looks up a person. Rejects with `access-denied` if the person is no member, and with `channel-unavailable` if Teams
     * does not answer.
     */
    find: lookup.find,
    /**
     * Returns true if the person is a member of the conversation now; false if the person is not, or if Teams does not
     * answer.
     */
    async isMember(place: TeamsPlace, person: Ids): Promise<boolean> {
      const { room } = readConversation(place.conversation);
      return (await member(room, person, place, deps)).kind === 'got';
    },
  };
}

/** Returns the id of the team or chat whose list of members contains the person. Channels use their team's list. */
const rosterOf = ({ team, conversation }: TeamsPlace): string => team ?? readConversation(conversation).room;

async function* listed(place: TeamsPlace, { connector, clock, signal }: PeopleDeps) {
  const where = { serviceUrl: place.serviceUrl, conversation: rosterOf(place) };
  let from: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const got = await readWithRetries(() => connector.members(where, from, signal), clock, signal);
    if (got.kind !== 'got') return;
    for (const each of got.value.members)
      yield personOf(each, { id: each.directoryId ?? each.id }, place.tenant);
    from = got.value.next;
    if (from === undefined) return;
  }
}

async function ask(place: TeamsPlace, person: Ids, deps: PeopleDeps): Promise<Person> {
  const { room } = readConversation(place.conversation);
  const inTeam =
    place.team !== undefined && place.team !== room
      ? await member(place.team, person, place, deps)
      : undefined;
  // Private and shared channels have members who are not in their team's list.
  const got = inTeam?.kind === 'got' ? inTeam : await member(room, person, place, deps);
  if (got.kind === 'got') return personOf(got.value, person, place.tenant);
  if (isNoMember(got)) {
    throw new BridgeError('access-denied', `Teams lists no member ${person.id} in ${room}.`, {
      tellUser: words.notListed,
    });
  }
  const why = got.kind === 'refused' ? `${got.status} ${got.code}` : got.reason;
  throw new BridgeError(
    'channel-unavailable',
    `Teams returned no profile of the person ${person.id}: ${why}.`,
  );
}

/** HTTP statuses of Teams for an unknown member (404) and for an invalid id (400). */
const NO_MEMBER: readonly number[] = [400, 404];

const isNoMember = (got: Got<Member>): boolean =>
  got.kind === 'refused' && NO_MEMBER.includes(got.status) && got.code !== WRONG_REGION;

/**
 * Looks up a member: first by the id in Teams, as Microsoft documents it; then by the id in the directory, which often
 * works too.
 */
async function member(
  conversation: string,
  { account, id }: Ids,
  { serviceUrl }: TeamsPlace,
  { connector, clock, signal }: PeopleDeps,
): Promise<Got<Member>> {
  const by = (person: string) =>
    readWithRetries(() => connector.member({ serviceUrl, conversation }, person, signal), clock, signal);
  const got = await by(account ?? id);
  return account === undefined || !isNoMember(got) ? got : by(id);
}

function personOf(member: Member, { id }: Ids, tenant: string): Person {
  const { id: account, name, email, tenant: home } = member;
  return {
    id,
    name: visibleName([name], id),
    ...(account !== id && { account }),
    ...defined({ email, home }),
    standing: standingOf(member, tenant),
  };
}

/** Part of a guest's sign-in name; the directory that invited the guest adds it. */
const GUEST = '#ext#';

/**
 * Returns the person's standing. If several apply, the one with the fewest rights counts, and `external` has fewer than
 * `guest`.
 */
function standingOf({ id, tenant: home, role, principal = '' }: Member, tenant: string): Person['standing'] {
  if (id.startsWith('28:')) return 'bot';
  if (role === 'anonymous' || (home !== undefined && home.toLowerCase() !== tenant)) return 'external';
  return role === 'guest' || principal.toLowerCase().includes(GUEST) ? 'guest' : 'member';
}
