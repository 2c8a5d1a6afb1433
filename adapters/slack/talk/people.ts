/** Looks up people in Slack and caches them for an hour. Reads the list of people if many look-ups run at once. */

import { type Plain, plain, plains, text } from '../../../src/kit/json.ts';
import { orAborted } from '../../../src/kit/or-aborted.ts';
import { BridgeError, type Clock, type Person } from '../../../src/kit.ts';
import type { Reads } from '../receive/reads.ts';
import type { Workspace } from '../receive/workspace.ts';

/** How long what Slack said of a person counts: guests become members seldom. */
const KNOWN_MS = 60 * 60_000;
/** People that are remembered, of all workspaces. */
const PEOPLE = 10_000;
/** Concurrent look-ups of one workspace from which its list is read too. A rate-limited look-up also triggers it. */
const CROWD = 20;
/** People on a page, as Slack advises (https://docs.slack.dev/apis/web-api/pagination), and pages that are read. */
const PAGE = 200;
const PAGES = PEOPLE / PAGE;
/** Tries for one page; each waits up to 15 s for a permit, and 20 pages a minute are allowed. */
const PAGE_TRIES = 5;
/** Minimum time between two reads of a list, in milliseconds. */
const LIST_AGAIN_MS = 5 * 60_000;

export interface People {
  /** Rejects with `channel-unavailable` when Slack does not tell. */
  find(workspace: Workspace, user: string, signal?: AbortSignal): Promise<Person>;
  /** Forgets everyone of a workspace. */
  forget(tenant: string): void;
}

interface Known {
  readonly until: number;
  readonly person: Promise<Person>;
}

export function createPeople(reads: Reads, clock: Clock): People {
  const known = new Map<string, Known>();
  const keyOf = ({ tenant }: Workspace, user: string) => `${tenant} ${user}`;
  const remember = (key: string, person: Promise<Person>) => {
    known.delete(key);
    known.set(key, { until: clock.now() + KNOWN_MS, person });
    const [oldest] = known.keys();
    if (known.size > PEOPLE && oldest !== undefined) known.delete(oldest);
  };
  const lookups = createLookups(reads, clock, (person, workspace) =>
    remember(keyOf(workspace, person.id), Promise.resolve(person)),
  );
  return {
    find(workspace, user, signal) {
      const key = keyOf(workspace, user);
      const found = known.get(key);
      if (found !== undefined && found.until > clock.now()) return orAborted(found.person, signal);
      // Callers share the look-up, so one caller's abort must not cancel it.
      const person = lookups.ask(workspace, user);
      remember(key, person);
      // Failed look-ups are not cached.
      person.catch(() => known.get(key)?.person === person && known.delete(key));
      return orAborted(person, signal);
    },
    forget(tenant) {
      for (const key of known.keys()) if (key.startsWith(`${tenant} `)) known.delete(key);
      lookups.forget(tenant);
    },
  };
}

/** The look-ups of one workspace that are under way. */
interface Crowd {
  readonly waiting: Map<string, (person: Person) => void>;
  /** Never rejects. */
  listing?: Promise<void> | undefined;
  listedAt: number;
}

/** Looks up one person, singly and by the list; calls `met` for the other people on the list. */
function createLookups(
  reads: Reads,
  clock: Clock,
  met: (person: Person, workspace: Workspace) => void,
): { ask(workspace: Workspace, user: string): Promise<Person>; forget(tenant: string): void } {
  const crowds = new Map<string, Crowd>();
  const crowdOf = ({ tenant }: Workspace): Crowd => {
    const crowd = crowds.get(tenant) ?? { waiting: new Map(), listedAt: Number.NEGATIVE_INFINITY };
    crowds.set(tenant, crowd);
    return crowd;
  };
  const readList = async (workspace: Workspace, { waiting }: Crowd) => {
    for await (const person of listed(reads, workspace)) {
      const told = waiting.get(person.id);
      if (told === undefined) met(person, workspace);
      else told(person);
    }
  };
  const list = (workspace: Workspace, crowd: Crowd) => {
    if (crowd.listing !== undefined || clock.now() < crowd.listedAt + LIST_AGAIN_MS) return;
    // If the list fails, the single look-ups still run.
    crowd.listing = readList(workspace, crowd)
      .catch(() => undefined)
      .finally(() => {
        crowd.listing = undefined;
        crowd.listedAt = clock.now();
      });
  };
  return {
    /** The first of the two answers that Slack gave. */
    async ask(workspace, user) {
      const crowd = crowdOf(workspace);
      const over = new AbortController();
      const onList = Promise.withResolvers<Person>();
      crowd.waiting.set(user, onList.resolve);
      if (crowd.waiting.size >= CROWD) list(workspace, crowd);
      const alone = askAlone(reads, workspace, user, over.signal).catch(async (thrown: unknown) => {
        if (isBusy(thrown)) list(workspace, crowd);
        await crowd.listing;
        throw thrown;
      });
      return Promise.race([onList.promise, alone]).finally(() => {
        over.abort();
        crowd.waiting.delete(user);
      });
    },
    forget: (tenant) => void crowds.delete(tenant),
  };
}

async function askAlone(
  reads: Reads,
  workspace: Workspace,
  user: string,
  signal: AbortSignal,
): Promise<Person> {
  const answer = await reads.call(workspace, 'users.info', { user, include_locale: true }, signal);
  const person = plain(answer.user);
  if (text(person.id) === undefined) {
    throw new BridgeError('channel-unavailable', `Slack told nothing of the person ${user}.`);
  }
  return decodePerson(person, workspace);
}

/** The people of a workspace, page by page; people of other organisations are not among them. */
async function* listed(reads: Reads, workspace: Workspace): AsyncGenerator<Person> {
  // An organisation's token covers many workspaces, so the list must name one.
  const team = workspace.installation === undefined ? {} : { team_id: workspace.tenant };
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const at = cursor === undefined ? {} : { cursor };
    const answer = await readPage(reads, workspace, { limit: PAGE, include_locale: true, ...team, ...at });
    for (const member of plains(answer.members)) {
      if (text(member.id) !== undefined) yield decodePerson(member, workspace);
    }
    cursor = text(plain(answer.response_metadata).next_cursor);
    if (cursor === undefined) return;
  }
}

async function readPage(reads: Reads, workspace: Workspace, args: Plain): Promise<Plain> {
  for (let tries = 1; ; tries++) {
    try {
      return await reads.call(workspace, 'users.list', args);
    } catch (thrown) {
      if (!isBusy(thrown) || tries >= PAGE_TRIES) throw thrown;
    }
  }
}

const isBusy = (thrown: unknown): boolean =>
  thrown instanceof BridgeError && thrown.facts.error === 'ratelimited';

export function decodePerson(user: Plain, workspace: Workspace): Person {
  const profile = plain(user.profile);
  const names = [profile.display_name, user.real_name, profile.real_name, user.name].map(text);
  const email = text(profile.email);
  const locale = text(user.locale);
  const home = text(user.team_id);
  return {
    id: text(user.id) ?? '',
    name: names.find((name) => name !== undefined) ?? text(user.id) ?? '',
    ...(email !== undefined && { email }),
    ...(locale !== undefined && { locale }),
    ...(home !== undefined && { home }),
    standing: standingOf(user, workspace),
  };
}

/** Closed by default: of another organisation first, then what the own one allows. */
function standingOf(user: Plain, workspace: Workspace): Person['standing'] {
  if (user.is_bot === true || user.id === 'USLACKBOT') return 'bot';
  if (user.is_stranger === true || isForeign(user, workspace)) return 'external';
  if (user.is_restricted === true || user.is_ultra_restricted === true) return 'guest';
  return 'member';
}

/** Workspaces of one organisation are not foreign to each other. */
function isForeign(user: Plain, { tenant, enterprise }: Workspace): boolean {
  const home = text(user.team_id);
  if (home === undefined || home === tenant || home === enterprise) return false;
  const own = text(plain(user.enterprise_user).enterprise_id);
  return enterprise === undefined || own !== enterprise;
}
