/** The envelope of an event: https://docs.slack.dev/apis/events-api/#callback-field */

import type { Json } from '../shapes.ts';
import type { Outgoing, World } from '../world.ts';

/** True if the whole organization of the workspace installed the app. */
export const isOrgWide = (world: World, enterprise: string | undefined): boolean =>
  [...world.tokens.values()].some(
    (token) => token.enterprise !== undefined && token.enterprise === enterprise && token.state === 'live',
  );

export function envelope(world: World, { team, event, external = false }: Outgoing): Json {
  const workspace = world.workspaces.get(team);
  const enterprise = workspace?.enterprise ?? null;
  const orgWide = isOrgWide(world, workspace?.enterprise);
  return {
    token: world.app.verificationToken,
    team_id: team,
    ...(enterprise === null ? {} : { enterprise_id: enterprise }),
    context_team_id: team,
    context_enterprise_id: enterprise,
    api_app_id: world.app.id,
    event,
    type: 'event_callback',
    event_id: world.newId('Ev'),
    event_time: Math.floor(world.clock.now() / 1_000),
    authorizations: [
      {
        enterprise_id: enterprise,
        team_id: orgWide ? null : team,
        user_id: workspace?.botUser ?? null,
        is_bot: true,
        is_enterprise_install: orgWide,
      },
    ],
    is_ext_shared_channel: external,
    event_context: `4-${world.newId('')}`,
  };
}

const KINDS: Readonly<Record<string, string>> = {
  channel: 'channels',
  group: 'groups',
  im: 'im',
  mpim: 'mpim',
};

/** Returns the event's name in the app's manifest, such as `message.channels` or `app_mention`. */
function nameOf({ type, channel_type: kind }: Json): string {
  return type === 'message' ? `message.${KINDS[String(kind)] ?? ''}` : String(type);
}

/** True if Slack sends the event: the app is installed, is subscribed to the event and has the required scope. */
export function isSent(world: World, { team, scope, event }: Outgoing): boolean {
  if (!world.subscriptions.has(nameOf(event))) return false;
  const workspace = world.workspaces.get(team);
  const holders = [...world.tokens.values()].filter(
    (token) =>
      token.kind === 'bot' &&
      (token.team === team || (token.enterprise !== undefined && token.enterprise === workspace?.enterprise)),
  );
  if (scope === undefined) return holders.length > 0;
  return holders.some((token) => token.state === 'live' && token.scopes.has(scope));
}
