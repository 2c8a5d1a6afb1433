/** Implements oauth.v2.access, auth.* and apps.*: https://docs.slack.dev/reference/methods/oauth.v2.access */

import { needText, text } from '../args.ts';
import type { Call } from '../call.ts';
import { type Code, grantsOf, type Issued, issue, takeCode } from '../oauth/grants.ts';
import { refuse } from '../refusal.ts';
import type { Json, Token, Workspace } from '../shapes.ts';
import { addressOf } from '../socket/hub.ts';
import type { World } from '../world.ts';

export function access(call: Call): Json {
  const { args, world } = call;
  checkClient(call);
  const grant = text(args, 'grant_type');
  if (grant === 'refresh_token') return refresh(call);
  if (grant !== undefined && grant !== 'authorization_code') refuse('invalid_grant_type');
  const code = takeCode(world, text(args, 'code') ?? '') ?? refuse('invalid_code');
  if (code.redirectUri !== undefined && text(args, 'redirect_uri') !== code.redirectUri)
    refuse('bad_redirect_uri');
  const place = code.enterprise === undefined ? { team: code.team ?? '' } : { enterprise: code.enterprise };
  if (place.team !== undefined && !world.workspaces.has(place.team)) refuse('invalid_code');
  return installed(world, issue(world, code.scopes, place), code);
}

function checkClient({ args, world }: Call): void {
  if (text(args, 'client_id') !== world.app.clientId) refuse('invalid_client_id');
  if (text(args, 'client_secret') !== world.app.clientSecret) refuse('bad_client_secret');
}

function installed(world: World, { token, refresh: next, expiresIn }: Issued, code?: Code): Json {
  const workspace = world.workspaces.get(token.team ?? '') ?? firstOf(world, token);
  const orgWide = token.team === undefined;
  const { enterprise } = workspace;
  return {
    app_id: world.app.id,
    authed_user: code === undefined ? {} : { id: code.user },
    scope: [...token.scopes].join(','),
    token_type: 'bot',
    access_token: token.value,
    bot_user_id: workspace.botUser,
    team: orgWide ? null : { id: workspace.id, name: workspace.name },
    enterprise: enterprise === undefined ? null : { id: enterprise, name: 'Organization' },
    is_enterprise_install: orgWide,
    ...(next === undefined ? {} : { refresh_token: next, expires_in: expiresIn ?? 0 }),
  };
}

function firstOf(world: World, token: Token): Workspace {
  const found = [...world.workspaces.values()].find(({ enterprise }) => enterprise === token.enterprise);
  return found ?? refuse('invalid_code');
}

/** A refresh token works once. The bot token that was issued with it stays valid until its own expiry. */
function refresh({ args, world }: Call): Json {
  const given = text(args, 'refresh_token') ?? '';
  const old = grantsOf(world).refresh.get(given) ?? refuse('invalid_refresh_token');
  grantsOf(world).refresh.delete(given);
  if (old.state !== 'live') refuse('token_revoked');
  const place = old.team === undefined ? { enterprise: old.enterprise ?? '' } : { team: old.team };
  return installed(world, issue(world, old.scopes, place));
}

export function authTest({ workspace, token }: Call): Json {
  const orgWide = token.team === undefined;
  return {
    url: `https://${workspace.domain}.slack.com/`,
    team: workspace.name,
    user: workspace.people.get(workspace.botUser)?.name ?? '',
    team_id: orgWide ? (workspace.enterprise ?? '') : workspace.id,
    user_id: workspace.botUser,
    bot_id: workspace.botId,
    is_enterprise_install: orgWide,
    ...(workspace.enterprise === undefined ? {} : { enterprise_id: workspace.enterprise }),
  };
}

export function revoke({ args, token }: Call): Json {
  if (args.test !== true) token.state = 'revoked';
  return { revoked: args.test !== true };
}

export function uninstall(call: Call): Json {
  checkClient(call);
  removeApp(call.world, call.workspace);
  return {};
}

/** Removes the app from the workspace: sends `tokens_revoked` and `app_uninstalled`, and revokes the tokens. */
export function removeApp(world: World, workspace: Workspace): void {
  const { id } = workspace;
  world.emit({
    team: id,
    event: { type: 'tokens_revoked', tokens: { oauth: [], bot: [workspace.botUser] } },
  });
  world.emit({ team: id, event: { type: 'app_uninstalled' } });
  for (const token of world.tokens.values()) if (token.team === id) token.state = 'inactive';
  workspace.installed = false;
}

export const openConnection = ({ world, url }: Call): Json => ({ url: addressOf(world, url) });

export function eventAuthorizations({ args, world }: Call): Json {
  needText(args, 'event_context');
  const authorizations = [...world.workspaces.values()]
    .filter(({ installed: there }) => there)
    .map((each) => ({
      enterprise_id: each.enterprise ?? null,
      team_id: each.id,
      user_id: each.botUser,
      is_bot: true,
      is_enterprise_install: false,
    }));
  return { authorizations };
}
