/** Who people are: asked of Slack once an hour and person. */

import { type Plain, plain, text } from '../../../src/kit/json.ts';
import { orAborted } from '../../../src/kit/or-aborted.ts';
import { BridgeError, type Clock, type Person } from '../../../src/kit.ts';
import type { Reads } from '../receive/reads.ts';
import type { Workspace } from '../receive/workspace.ts';

/** How long what Slack said of a person counts: guests become members seldom. */
const KNOWN_MS = 60 * 60_000;
/** People that are remembered, of all workspaces. */
const PEOPLE = 10_000;

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
  return {
    find(workspace, user, signal) {
      const key = `${workspace.tenant} ${user}`;
      const found = known.get(key);
      if (found !== undefined && found.until > clock.now()) return orAborted(found.person, signal);
      // Others wait for the same answer, so that no one's end may end it.
      const person = ask(reads, workspace, user);
      known.delete(key);
      known.set(key, { until: clock.now() + KNOWN_MS, person });
      // A failure is nobody's answer but the one who waited for it.
      person.catch(() => known.get(key)?.person === person && known.delete(key));
      const [oldest] = known.keys();
      if (known.size > PEOPLE && oldest !== undefined) known.delete(oldest);
      return orAborted(person, signal);
    },
    forget(tenant) {
      for (const key of known.keys()) if (key.startsWith(`${tenant} `)) known.delete(key);
    },
  };
}

async function ask(reads: Reads, workspace: Workspace, user: string): Promise<Person> {
  const answer = await reads.call(workspace, 'users.info', { user, include_locale: true });
  const person = plain(answer.user);
  if (text(person.id) === undefined) {
    throw new BridgeError('channel-unavailable', `Slack told nothing of the person ${user}.`);
  }
  return decodePerson(person, workspace);
}

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
