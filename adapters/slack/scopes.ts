/** The scopes that the app requests. Each scope is needed by a call, an event or a feature. */

import type { SlackConfig } from './config.ts';
import { methods } from './limits.ts';

/**
 * Events that the app subscribes to, with the scope that each requires (undefined if none). An event about messages
 * requires the scope to read that kind of conversation.
 */
const eventScopes: Readonly<Record<string, string | undefined>> = {
  agent_session_stopped: undefined,
  agent_session_title_changed: undefined,
  app_home_opened: undefined,
  app_mention: 'app_mentions:read',
  app_uninstalled: undefined,
  channel_id_changed: 'groups:history',
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
  team_access_granted: undefined,
  team_access_revoked: undefined,
  tokens_revoked: undefined,
};

/** Scopes that features need: the agent view, the command with the shortcuts, shared files, members of private channels. */
const FEATURES = ['assistant:write', 'commands', 'files:read', 'groups:read'];

export function botEvents(): readonly string[] {
  return Object.keys(eventScopes);
}

/**
 * The scope for posting a message under a name and an icon other than the app's.
 * https://docs.slack.dev/reference/scopes/chat.write.customize
 */
export const CUSTOMIZE = 'chat:write.customize';

/** Returns the scopes sorted, without duplicates. People's e-mail addresses and agents' names need further ones. */
export function botScopes({
  email,
  agentNames,
}: Pick<SlackConfig, 'email' | 'agentNames'>): readonly string[] {
  const ofMethods = Object.values(methods).map(({ scope }) => scope);
  const needed = [...ofMethods, ...Object.values(eventScopes), ...FEATURES];
  if (email) needed.push('users:read.email');
  if (agentNames) needed.push(CUSTOMIZE);
  return [...new Set(needed.filter((scope) => scope !== undefined))].sort();
}
