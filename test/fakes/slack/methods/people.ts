/** Implements users.info, users.list, team.info, bots.info and reactions.*. */

import { needText, number, text } from '../args.ts';
import { type Call, channelOf, messageOf, writableChannel } from '../call.ts';
import { refuse } from '../refusal.ts';
import type { Json, Person } from '../shapes.ts';
import { pageOf } from './conversations.ts';

export function userInfo(call: Call): Json {
  const person = call.workspace.people.get(needText(call.args, 'user')) ?? refuse('user_not_found');
  return { user: userJson(call, person) };
}

function userJson({ workspace, token, world }: Call, person: Person): Json {
  // The e-mail address needs its own scope: https://docs.slack.dev/reference/scopes/users.read.email
  const email =
    token.scopes.has('users:read.email') && person.email !== undefined ? { email: person.email } : {};
  // Workspaces of one organization are not foreign to each other.
  const enterprise = world.workspaces.get(person.team)?.enterprise;
  return {
    id: person.id,
    team_id: person.team,
    name: person.name,
    deleted: person.deleted ?? false,
    real_name: person.name,
    tz: person.tz ?? 'Etc/UTC',
    profile: { real_name: person.name, display_name: person.name, team: person.team, ...email },
    is_admin: false,
    is_owner: false,
    is_restricted: person.guest !== undefined,
    is_ultra_restricted: person.guest === 'single-channel',
    is_stranger:
      person.team !== workspace.id && (enterprise === undefined || enterprise !== workspace.enterprise),
    is_bot: person.bot ?? false,
    is_app_user: false,
    updated: Math.floor(world.clock.now() / 1_000),
    locale: 'en-US',
    ...(enterprise === undefined
      ? {}
      : { enterprise_user: { id: person.id, enterprise_id: enterprise, teams: [person.team] } }),
  };
}

/**
 * Lists at most 200 people per page (slackapi/python-slack-sdk#343). Slack requires `limit` in large teams only
 * (https://docs.slack.dev/reference/methods/users.list: `limit_required`); the fake always requires it.
 */
export function userList(call: Call): Json {
  if (number(call.args, 'limit') === undefined && text(call.args, 'limit') === undefined)
    refuse('limit_required');
  const { people, id } = call.workspace;
  const { page, next } = pageOf(
    call,
    [...people.values()].filter(({ team }) => team === id),
  );
  return { members: page.map((person) => userJson(call, person)), response_metadata: { next_cursor: next } };
}

export function teamInfo({ args, workspace, world }: Call): Json {
  const team = world.workspaces.get(text(args, 'team') ?? workspace.id) ?? refuse('team_not_found');
  return {
    team: {
      id: team.id,
      name: team.name,
      domain: team.domain,
      email_domain: '',
      ...(team.enterprise === undefined
        ? {}
        : { enterprise_id: team.enterprise, enterprise_name: 'Organization' }),
    },
  };
}

export function botInfo({ args, workspace, world }: Call): Json {
  if (text(args, 'bot') !== workspace.botId) refuse('bot_not_found');
  return {
    bot: {
      id: workspace.botId,
      deleted: false,
      name: world.app.name,
      updated: 1_790_000_000,
      app_id: world.app.id,
      user_id: workspace.botUser,
    },
  };
}

export function addReaction(call: Call): Json {
  const { message, name } = reactionOf(call);
  const by = message.reactions.get(name) ?? new Set();
  if (by.has(call.workspace.botUser)) refuse('already_reacted');
  message.reactions.set(name, by.add(call.workspace.botUser));
  return {};
}

export function removeReaction(call: Call): Json {
  const { message, name } = reactionOf(call);
  if (message.reactions.get(name)?.delete(call.workspace.botUser) !== true) refuse('no_reaction');
  return {};
}

function reactionOf(call: Call) {
  const { args } = call;
  const name = needText(args, 'name');
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) refuse('invalid_name');
  const channel = channelOf(call, text(args, 'channel') ?? refuse('no_item_specified'));
  const message = messageOf(channel, text(args, 'timestamp') ?? refuse('no_item_specified'));
  writableChannel(call, channel.id);
  return { message, name };
}
