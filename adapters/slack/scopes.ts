/** Scopes of the app; each is needed by a call, an event or a feature. */

import type { SlackConfig } from './config.ts';
import { methods } from './limits.ts';

/**
 * Events that the app subscribes to, and the scope that each requires; undefined if none. A message event requires the
 * right to read its kind of conversation.
 */
const eventScopes: Readonly<Record<string, string | undefined>> = {
  agent_session_stopped: undefined,
  agent_session_title_changed: undefined,
  app_home_opened: undefined,
  app_mention: 'app_mentions:read',
  app_uninstalled: undefined,
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
  tokens_revoked: undefined,
};

/** Scopes of the agent view, of the command and the shortcuts, and of shared files. */
const FEATURES = ['assistant:write', 'commands', 'files:read'];

export function botEvents(): readonly string[] {
  return Object.keys(eventScopes);
}

/**
 * The scope for posting a message under a name and an icon other than the app's.
 * https://docs.slack.dev/reference/scopes/chat.write.customize
 */
export const CUSTOMIZE = 'chat:write.customize';

/** Settings that require further scopes: people's e-mail addresses, and posts under an agent's name. */
type Wanted = Pick<SlackConfig, 'email' | 'agentNames'>;

/** Returns the scopes sorted, without duplicates. */
export function botScopes({ email, agentNames }: Wanted): readonly string[] {
  const ofMethods = Object.values(methods).map(({ scope }) => scope);
  const needed = [...ofMethods, ...Object.values(eventScopes), ...FEATURES];
  const known = needed.filter((scope) => scope !== undefined);
  return [
    ...new Set([...known, ...(email ? ['users:read.email'] : []), ...(agentNames ? [CUSTOMIZE] : [])]),
  ].sort();
}
