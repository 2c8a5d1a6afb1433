/** The app as Slack must know it, made of what is switched on. */

import type { SlackConfig } from './config.ts';

/** What the code calls, and the scope of the bot that Slack asks for it. https://docs.slack.dev/reference/methods */
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
  'conversations.history': 'channels:history',
  'conversations.replies': 'channels:history',
  'files.completeUploadExternal': 'files:write',
  'files.getUploadURLExternal': 'files:write',
  'files.info': 'files:read',
  'oauth.v2.access': undefined,
  'reactions.add': 'reactions:write',
  'reactions.remove': 'reactions:write',
  'users.info': 'users:read',
  'views.open': undefined,
  'views.publish': undefined,
  'views.update': undefined,
};

/** What the events need beside: a message is told to whoever may read its kind of conversation. */
const EVENTS: Readonly<Record<string, string | undefined>> = {
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

type Features = Pick<SlackConfig, 'email'>;

/** In order, each once. */
export function botScopes({ email }: Features): readonly string[] {
  const needed = [...Object.values(methodScopes), ...Object.values(EVENTS)];
  // The agent view gives the first by itself; a manifest that lacks it is refused.
  const always = ['assistant:write', 'commands', 'files:read'];
  const scopes = [...needed, ...always, ...(email ? ['users:read.email'] : [])];
  return [...new Set(scopes.filter((scope) => scope !== undefined))].sort();
}

/** Callbacks of the shortcuts, as the manifest names them. */
export const SHORTCUTS = { message: 'ask_about_message', global: 'ask' } as const;
