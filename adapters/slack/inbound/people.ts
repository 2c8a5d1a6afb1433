/** Looks up people in Slack, one at a time or through the workspace's list of members. */

import {
  createPersonLookup,
  PEOPLE,
  type Plain,
  plain,
  plains,
  text,
  visibleName,
} from '../../../src/kit/ladder.ts';
import { BridgeError, type Clock, defined, type Person } from '../../../src/kit.ts';
import type { Read, Reads } from '../api/calls.ts';
import type { Workspace } from '../api/workspace.ts';

/** People per page, as Slack advises (https://docs.slack.dev/apis/web-api/pagination), and maximum number of pages. */
const PAGE = 200;
const PAGES = PEOPLE / PAGE;
/**
 * Maximum attempts per page. Slack allows 20 pages a minute, and an attempt waits up to 15 s for a permit, so one
 * attempt may be too few.
 */
const PAGE_TRIES = 5;

export type People = ReturnType<typeof createPeople>;

export function createPeople(calls: Reads, clock: Clock) {
  const lookup = createPersonLookup<Workspace>({
    clock,
    listOf: ({ tenant }) => tenant,
    readList: (workspace) => listed(calls, workspace),
    async lookUp(workspace, { id }, { signal, listRead, readList }) {
      const read: Read = (method, args) => calls.read(workspace, method, args, signal);
      try {
        return await askAlone(read, workspace, id);
      } catch (thrown) {
        if (thrown instanceof BridgeError && NO_PROFILE.has(String(thrown.facts.error)))
          throw unseen(id, thrown);
        // The list of members has its own rate limit, so reading it can find a person even if the rate limit refused to
        // look up that person alone.
        await (isBusy(thrown) ? readList() : listRead());
        throw thrown;
      }
    },
  });
  return {
    /**
     * Looks up a person. Rejects with `access-denied` if Slack never shows the person's profile to the app, and with
     * `channel-unavailable` if Slack does not answer.
     */
    find: (workspace: Workspace, user: string, signal?: AbortSignal): Promise<Person> =>
      lookup.find(workspace, { id: user }, signal),
    /** Deletes all cached people of a workspace. */
    forget: lookup.forget,
  };
}

/** Slack's error codes for people whose profile the app can never see. */
const NO_PROFILE = new Set(['user_not_found', 'user_not_visible', 'users_not_found']);

const unseen = (id: string, cause: BridgeError): BridgeError =>
  new BridgeError('access-denied', `Slack shows the app no profile of the person ${id}.`, {
    cause,
    tellUser:
      'Slack does not show me your profile, so I cannot check whether you may ask. Please ask an administrator of this Slack workspace whether this app may see you.',
  });

async function askAlone(read: Read, workspace: Workspace, user: string): Promise<Person> {
  const person = plain((await read('users.info', { user, include_locale: true })).user);
  if (text(person.id) === undefined) {
    throw new BridgeError('channel-unavailable', `Slack returned no profile of the person ${user}.`);
  }
  return decodePerson(person, workspace);
}

/** Lists the people of a workspace, page by page, without people of other organizations. */
async function* listed(calls: Reads, workspace: Workspace): AsyncGenerator<Person> {
  // An organization's token covers many workspaces, so the request must name one.
  const { tenant, installation, organization } = workspace;
  const team = (installation ?? organization) === undefined ? {} : { team_id: tenant };
  let cursor: string | undefined;
  for (let page = 0; page < PAGES; page++) {
    const answer = await readPage(calls, workspace, { limit: PAGE, include_locale: true, ...team, cursor });
    for (const member of plains(answer.members)) {
      if (text(member.id) !== undefined) yield decodePerson(member, workspace);
    }
    cursor = text(plain(answer.response_metadata).next_cursor);
    if (cursor === undefined) return;
  }
}

async function readPage(calls: Reads, workspace: Workspace, args: Plain): Promise<Plain> {
  for (let tries = 1; ; tries++) {
    try {
      return await calls.read(workspace, 'users.list', args);
    } catch (thrown) {
      if (!isBusy(thrown) || tries >= PAGE_TRIES) throw thrown;
    }
  }
}

const isBusy = (thrown: unknown): boolean =>
  thrown instanceof BridgeError && thrown.facts.error === 'ratelimited';

function decodePerson(user: Plain, workspace: Workspace): Person {
  const profile = plain(user.profile);
  const names = [profile.display_name, user.real_name, profile.real_name, user.name].map(text);
  return {
    id: text(user.id) ?? '',
    name: visibleName(names, text(user.id) ?? ''),
    ...defined({ email: text(profile.email), locale: text(user.locale), home: text(user.team_id) }),
    standing: standingOf(user, workspace),
  };
}

/**
 * Returns the person's standing. If several apply, the one with the fewest rights counts, so doubt never grants access.
 */
function standingOf(user: Plain, workspace: Workspace): Person['standing'] {
  if (user.is_bot === true || user.id === 'USLACKBOT') return 'bot';
  if (user.is_stranger === true || isForeign(user, workspace)) return 'external';
  if (user.is_restricted === true || user.is_ultra_restricted === true) return 'guest';
  return 'member';
}

/** True if the person belongs to another organization. Workspaces of one organization are not foreign to each other. */
function isForeign(user: Plain, { tenant, enterprise }: Workspace): boolean {
  const home = text(user.team_id);
  if (home === undefined || home === tenant || home === enterprise) return false;
  const own = text(plain(user.enterprise_user).enterprise_id);
  return enterprise === undefined || own !== enterprise;
}
