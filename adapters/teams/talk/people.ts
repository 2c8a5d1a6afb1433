/** Looks up people in Teams and caches them for an hour. Reads the list of members if many look-ups run at once. */

import { orAborted } from '../../../src/kit/or-aborted.ts';
import { BridgeError, type Clock, type Person } from '../../../src/kit.ts';
import type { Connector, Got, Member } from '../api/connector.ts';
import { readPatiently } from '../api/patience.ts';
import { readConversation } from '../ids.ts';
import type { TeamsPlace } from '../receive/activity.ts';
import { type Allowance, createAllowance } from './allowance.ts';
import { words } from './words.ts';

/** How long what Teams said of a person counts: guests become members seldom. */
const KNOWN_MS = 60 * 60_000;
/** People that are remembered, of all conversations. */
const PEOPLE = 10_000;
/** Calls of one conversation's members: Microsoft's page on rate limits, "Get conversation members". */
const WINDOWS = [
  { calls: 14, ms: 1_000 },
  { calls: 16, ms: 2_000 },
  { calls: 120, ms: 30_000 },
  { calls: 3_600, ms: 3_600_000 },
];
/** Concurrent look-ups of one team or chat from which its list of members is read: a page has up to 500 people. */
const CROWD = 20;
const PAGES = 20;
/** Minimum time between two reads of a list, in milliseconds. */
const LIST_AGAIN_MS = 5 * 60_000;
/** Teams and chats whose look-ups are counted. */
const CROWDS = 1_000;

/** A person's two ids. */
export type Ids = Pick<Person, 'id' | 'account'>;

export interface People {
  /** Rejects with `access-denied` if Teams knows no such member, and with `channel-unavailable` if it does not answer. */
  find(place: TeamsPlace, person: Ids, signal: AbortSignal): Promise<Person>;
  /** Whether they are in the conversation just now; false also where Teams does not tell. */
  isMember(place: TeamsPlace, person: Ids): Promise<boolean>;
}

export interface PeopleParts {
  readonly connector: Pick<Connector, 'member' | 'members'>;
  readonly clock: Clock;
  /** Aborts when the adapter stops. */
  readonly signal: AbortSignal;
}

interface Known {
  readonly until: number;
  readonly person: Promise<Person>;
}

export function createPeople(parts: PeopleParts): People {
  const { clock } = parts;
  const known = new Map<string, Known>();
  const allowance = createAllowance(WINDOWS, clock);
  const asking = { ...parts, allowance };
  const remember = (key: string, person: Promise<Person>) => {
    known.delete(key);
    known.set(key, { until: clock.now() + KNOWN_MS, person });
    const [oldest] = known.keys();
    if (known.size > PEOPLE && oldest !== undefined) known.delete(oldest);
  };
  const isKnown = (key: string) => (known.get(key)?.until ?? 0) > clock.now();
  const lookups = createLookups(asking, (person, { tenant }) => {
    const key = `${tenant} ${person.id}`;
    if (!isKnown(key)) remember(key, Promise.resolve(person));
  });
  return {
    find(place, person, signal) {
      const key = `${place.tenant} ${person.id}`;
      const found = known.get(key);
      if (found !== undefined && isKnown(key)) return orAborted(found.person, signal);
      // Callers share the look-up, so one caller's abort must not cancel it.
      const asked = lookups.ask(place, person);
      remember(key, asked);
      // Failed look-ups are not cached.
      asked.catch(() => known.get(key)?.person === asked && known.delete(key));
      return orAborted(asked, signal);
    },
    async isMember(place, person) {
      const { room } = readConversation(place.conversation);
      return (await member(room, person, place, asking)).kind === 'got';
    },
  };
}

/** The look-ups of one team or chat. */
interface Crowd {
  alone: number;
  /** The list's people by id; never rejects. */
  listing?: Promise<ReadonlyMap<string, Person>> | undefined;
  listedAt: number;
}

/** Looks up one person, by the list of members if many look-ups run; calls `met` for everyone on the list. */
function createLookups(asking: Asking, met: (person: Person, place: TeamsPlace) => void) {
  const { clock } = asking;
  const crowds = new Map<string, Crowd>();
  const crowdOf = (place: TeamsPlace): Crowd => {
    const key = rosterOf(place);
    const crowd = crowds.get(key) ?? { alone: 0, listedAt: Number.NEGATIVE_INFINITY };
    crowds.delete(key);
    crowds.set(key, crowd);
    const [oldest] = crowds.keys();
    if (crowds.size > CROWDS && oldest !== undefined) crowds.delete(oldest);
    return crowd;
  };
  const readList = async (place: TeamsPlace) => {
    const found = new Map<string, Person>();
    for await (const person of listed(place, asking)) {
      found.set(person.id, person);
      met(person, place);
    }
    return found;
  };
  const list = (place: TeamsPlace, crowd: Crowd) => {
    if (crowd.listing !== undefined || clock.now() < crowd.listedAt + LIST_AGAIN_MS) return;
    // If the list fails, each person is still looked up singly.
    crowd.listing = readList(place)
      .catch(() => new Map<string, Person>())
      .finally(() => {
        crowd.listing = undefined;
        crowd.listedAt = clock.now();
      });
  };
  return {
    async ask(place: TeamsPlace, person: Ids): Promise<Person> {
      const crowd = crowdOf(place);
      if (crowd.alone >= CROWD) list(place, crowd);
      // Single look-ups would take the calls that the list needs.
      if (crowd.listing !== undefined) {
        const onList = (await crowd.listing).get(person.id);
        if (onList !== undefined) return onList;
      }
      crowd.alone += 1;
      return ask(place, person, asking).finally(() => {
        crowd.alone -= 1;
      });
    },
  };
}

/** Id of the team, or of the chat if there is no team, whose members are listed. */
const rosterOf = ({ team, conversation }: TeamsPlace): string => team ?? readConversation(conversation).room;

async function* listed(place: TeamsPlace, { connector, clock, signal, allowance }: Asking) {
  const conversation = rosterOf(place);
  const where = { serviceUrl: place.serviceUrl, conversation };
  let from: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const got = await readPatiently(
      async () => {
        await allowance(conversation, signal);
        return connector.members(where, from, signal);
      },
      { clock, signal },
    );
    if (got.kind !== 'got') return;
    for (const each of got.value.members)
      yield personOf(each, { id: each.directoryId ?? each.id }, place.tenant);
    from = got.value.next;
    if (from === undefined) return;
  }
}

type Asking = PeopleParts & { readonly allowance: Allowance };

async function ask(place: TeamsPlace, person: Ids, asking: Asking): Promise<Person> {
  const { room } = readConversation(place.conversation);
  const inTeam =
    place.team !== undefined && place.team !== room
      ? await member(place.team, person, place, asking)
      : undefined;
  // Private and shared channels have members of their own.
  const got = inTeam?.kind === 'got' ? inTeam : await member(room, person, place, asking);
  if (got.kind === 'got') return personOf(got.value, person, place.tenant);
  if (isNoMember(got)) {
    throw new BridgeError('access-denied', `Teams knows no member ${person.id} of ${room}.`, {
      tellUser: words.notListed,
    });
  }
  const why = got.kind === 'refused' ? `${got.status} ${got.code}` : got.reason;
  throw new BridgeError('channel-unavailable', `Teams told nothing of the person ${person.id}: ${why}.`);
}

/** True if Teams answered that it knows no such member, or that the id is invalid. */
const NO_MEMBER: readonly number[] = [400, 404];

const isNoMember = (got: Got<Member>): boolean => got.kind === 'refused' && NO_MEMBER.includes(got.status);

/** Tries the documented key first, the Teams id, then the directory's id, which often works as well. */
async function member(
  conversation: string,
  { account, id }: Ids,
  place: TeamsPlace,
  asking: Asking,
): Promise<Got<Member>> {
  const got = await memberBy(conversation, account ?? id, place, asking);
  return account === undefined || !isNoMember(got) ? got : memberBy(conversation, id, place, asking);
}

async function memberBy(
  conversation: string,
  person: string,
  { serviceUrl }: TeamsPlace,
  { connector, clock, signal, allowance }: Asking,
): Promise<Got<Member>> {
  return readPatiently(
    async () => {
      await allowance(conversation, signal);
      return connector.member({ serviceUrl, conversation }, person, signal);
    },
    { clock, signal },
  );
}

function personOf(member: Member, { id }: Ids, tenant: string): Person {
  const { id: account, name, email, tenant: home } = member;
  return {
    id,
    name: name ?? id,
    ...(account !== id && { account }),
    ...(email !== undefined && { email }),
    ...(home !== undefined && { home }),
    standing: standingOf(member, tenant),
  };
}

/** In the names of guests, in the directory that they visit. */
const GUEST = '#ext#';

/** Closed by default: of another organisation first, then what the own one allows. */
function standingOf({ id, tenant: home, role, principal = '' }: Member, tenant: string): Person['standing'] {
  if (id.startsWith('28:')) return 'bot';
  if (role === 'anonymous' || (home !== undefined && home.toLowerCase() !== tenant)) return 'external';
  return role === 'guest' || principal.toLowerCase().includes(GUEST) ? 'guest' : 'member';
}
