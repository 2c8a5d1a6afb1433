/** Who people are: asked of Teams once an hour and person. */

import { orAborted } from '../../../src/kit/or-aborted.ts';
import { BridgeError, type Clock, type Person } from '../../../src/kit.ts';
import type { Connector, Got, Member } from '../api/connector.ts';
import { readPatiently } from '../api/patience.ts';
import { readConversation } from '../ids.ts';
import type { TeamsPlace } from '../receive/activity.ts';
import { type Allowance, createAllowance } from './allowance.ts';

/** How long what Teams said of a person counts: guests become members seldom. */
const KNOWN_MS = 60 * 60_000;
/** People that are remembered, of all conversations. */
const PEOPLE = 10_000;
/** Calls of one conversation's members: Microsoft's page on rate limits, "Get conversation members". */
const WINDOWS = [
  { calls: 14, ms: 1_000 },
  { calls: 16, ms: 2_000 },
  { calls: 120, ms: 30_000 },
];

export interface People {
  /** Rejects with `channel-unavailable` when Teams does not tell. */
  find(place: TeamsPlace, person: string, signal: AbortSignal): Promise<Person>;
  /** Whether they are in the conversation just now; false also where Teams does not tell. */
  isMember(place: TeamsPlace, person: string): Promise<boolean>;
}

export interface PeopleParts {
  readonly connector: Pick<Connector, 'member'>;
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
  return {
    find(place, person, signal) {
      const key = `${place.tenant} ${person}`;
      const found = known.get(key);
      if (found !== undefined && found.until > clock.now()) return orAborted(found.person, signal);
      // Others wait for the same answer, so that no one's end may end it.
      const asked = ask(place, person, { ...parts, allowance });
      known.delete(key);
      known.set(key, { until: clock.now() + KNOWN_MS, person: asked });
      // A failure is nobody's answer but the one who waited for it.
      asked.catch(() => known.get(key)?.person === asked && known.delete(key));
      const [oldest] = known.keys();
      if (known.size > PEOPLE && oldest !== undefined) known.delete(oldest);
      return orAborted(asked, signal);
    },
    async isMember(place, person) {
      const { room } = readConversation(place.conversation);
      return (await member(room, person, place, { ...parts, allowance })).kind === 'got';
    },
  };
}

type Asking = PeopleParts & { readonly allowance: Allowance };

async function ask(place: TeamsPlace, person: string, asking: Asking): Promise<Person> {
  const { room } = readConversation(place.conversation);
  const inTeam =
    place.team !== undefined && place.team !== room
      ? await member(place.team, person, place, asking)
      : undefined;
  // Private and shared channels have members of their own.
  const got = inTeam?.kind === 'got' ? inTeam : await member(room, person, place, asking);
  if (got.kind === 'got') return personOf(got.value, person, place.tenant);
  const why = got.kind === 'refused' ? `${got.status} ${got.code}` : got.reason;
  throw new BridgeError('channel-unavailable', `Teams told nothing of the person ${person}: ${why}.`);
}

async function member(
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

function personOf(member: Member, id: string, tenant: string): Person {
  const { name, email, tenant: home } = member;
  return {
    id,
    name: name ?? id,
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
