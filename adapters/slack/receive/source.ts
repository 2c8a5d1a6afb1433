/** Reads from the body of a request which workspace and which room it comes from. */

import { type Plain, plain, plains, text } from '../../../src/kit/ladder.ts';
import { defined } from '../../../src/kit.ts';
import type { Source } from '../api/workspace.ts';

/**
 * Returns where a request comes from, as Slack reports it. If a whole organization installed the app, a press, a form
 * or a shortcut may name no team (https://github.com/slackapi/bolt-python/pull/23). The person's own workspace must
 * not take its place, because it may be another workspace of the organization
 * (https://github.com/slackapi/bolt-js/issues/1875).
 */
export function sourceOf(body: Plain): Source {
  const [authorization] = plains(body.authorizations);
  const { app_installed_team_id: installed, team_id: shownIn } = plain(body.view);
  const around = plain(body.team);
  const teams = [authorization?.team_id, installed, around.id, body.team_id, body.context_team_id, shownIn];
  const enterprises = [authorization?.enterprise_id, plain(body.enterprise).id, around.enterprise_id];
  const team = teams.map(text).find((id) => id !== undefined && !isOrganization(id));
  const enterprise = [...enterprises, body.enterprise_id, ...teams].map(text).find(isOrganization);
  // Commands are forms, so they report this as text.
  const reported = String((authorization ?? body).is_enterprise_install);
  const orgWide =
    reported === 'true' || (reported !== 'false' && team === undefined && enterprise !== undefined);
  const own = orgWide ? undefined : text(plain(body.user).team_id);
  return { orgWide, ...defined({ team: team ?? own, enterprise, room: roomOf(body) }) };
}

/** True for the id of an organization. Slack sends it in place of a workspace's id where no workspace applies. */
const isOrganization = (id: string | undefined): boolean => id?.startsWith('E') === true;

function roomOf({ event, channel, container, channel_id: id }: Plain): string | undefined {
  const inner = plain(event);
  const rooms = [
    inner.channel,
    plain(inner.message).channel,
    plain(channel).id,
    plain(container).channel_id,
    id,
  ];
  return rooms.map(text).find((room) => room !== undefined);
}
