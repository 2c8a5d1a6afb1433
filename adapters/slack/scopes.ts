/** Scopes of the app: none without a call or an event that needs it. */

import type { SlackConfig } from './config.ts';

/** Methods that the code calls, and the bot's scope that each needs. https://docs.slack.dev/reference/methods */
export const methodScopes: Readonly<Record<string, string | undefined>> = {
  'agents.sessions.rename': 'chat:write',
  'agents.sessions.setStatus': 'chat:write',
  'apps.connections.open': undefined,
  'assistant.threads.setStatus': 'chat:write',
  'assistant.threads.setSuggestedPrompts': 'assistant:write',
  'assistant.threads.setTitle': 'assistant:write',
  'auth.test': undefined,
  'chat.appendStream': 'chat:write',
  'chat.delete': 'chat:write',
  'chat.postEphemeral': 'chat:write',
  'chat.postMessage': 'chat:write',
  'chat.startStream': 'chat:write',
  'chat.stopStream': 'chat:write',
  'chat.update': 'chat:write',
  'conversations.replies': 'channels:history',
  'files.completeUploadExternal': 'files:write',
  'files.getUploadURLExternal': 'files:write',
  'files.info': 'files:read',
  'oauth.v2.access': undefined,
  'reactions.add': 'reactions:write',
  'reactions.remove': 'reactions:write',
  'users.info': 'users:read',
  'users.list': 'users:read',
  'views.open': undefined,
  'views.publish': undefined,
  'views.push': undefined,
  'views.update': undefined,
};

/** Events, and the scope of each: a message is told to whoever may read its kind of conversation. */
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

/** An agent's view, the command and the shortcuts, and what people share. */
const FEATURES = ['assistant:write', 'commands', 'files:read'];

export function botEvents(): readonly string[] {
  return Object.keys(eventScopes);
}

/**
 * Lets a message carry another name and icon than the app's.
 * https://docs.slack.dev/reference/scopes/chat.write.customize
 */
export const CUSTOMIZE = 'chat:write.customize';

/** Settings that need further scopes: people's e-mail addresses, and posts under an agent's name. */
type Wanted = Pick<SlackConfig, 'email' | 'agentNames'>;

/** Sorted, without duplicates. */
export function botScopes({ email, agentNames }: Wanted): readonly string[] {
  const needed = [...Object.values(methodScopes), ...Object.values(eventScopes), ...FEATURES];
  const known = needed.filter((scope) => scope !== undefined);
  return [
    ...new Set([...known, ...(email ? ['users:read.email'] : []), ...(agentNames ? [CUSTOMIZE] : [])]),
  ].sort();
}
