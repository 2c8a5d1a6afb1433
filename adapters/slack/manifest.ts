/** The app's manifest, made from the settings. https://docs.slack.dev/reference/app-manifest */

import { stringify } from 'yaml';
import { defined } from '../../src/kit.ts';
import type { SlackConfig } from './config.ts';
import { botEvents, botScopes } from './scopes.ts';

export type ManifestSettings = Pick<SlackConfig, 'name' | 'command' | 'email' | 'agentNames' | 'prompts'> & {
  /** Public address of the bridge. If absent, the manifest switches Socket Mode on. */
  readonly publicUrl?: string | undefined;
  readonly socketMode: boolean;
  /** True if workspaces install the app themselves. */
  readonly installable: boolean;
  /** Further addresses to which Slack may send browsers back. */
  readonly returns?: readonly string[] | undefined;
};

/**
 * Slack's limits: 140 characters for `DESCRIPTION`, 174 to 4,000 for `LONG_DESCRIPTION`, 300 for `AGENT_DESCRIPTION`.
 */
const DESCRIPTION = 'Ask the agents of your company in channels, threads and direct messages.';
const LONG_DESCRIPTION =
  'Mention the app in a channel, write to it directly, or use its command and shortcuts: an agent answers in the thread, names the sources, and answers follow-up questions without a mention while you are alone with it in the thread. Answers are written by AI, so check important facts.';
const AGENT_DESCRIPTION =
  "Answers questions from your company's documents and tools, with numbered sources. Share images and files with your question; follow up in the same thread.";
/** Suggested prompts for a new conversation; Slack allows at most 4. */
const PROMPTS = [
  { title: 'What can I ask?', message: 'help' },
  { title: 'Who can answer?', message: 'agents' },
] as const;

const HEAD = `# App manifest for Slack; docs/slack.md says where to paste it. Made by \`parley manifest slack\`.
`;

/** Returns the manifest as YAML, as `parley manifest slack` prints it. */
export const manifestText = (settings: ManifestSettings): string =>
  `${HEAD}${stringify(slackManifest(settings), { lineWidth: 110, aliasDuplicateObjects: false })}`;

export function slackManifest(settings: ManifestSettings): object {
  const { name, publicUrl, socketMode, installable, returns = [] } = settings;
  const base = publicUrl === undefined ? undefined : `${publicUrl}/slack`;
  const events = defined({ request_url: socketMode || base === undefined ? undefined : `${base}/events` });
  const redirects = [...(installable && base !== undefined ? [`${base}/oauth_redirect`] : []), ...returns];
  return {
    display_information: { name, description: DESCRIPTION, long_description: LONG_DESCRIPTION },
    features: featuresOf(settings, events),
    oauth_config: {
      ...(redirects.length > 0 && { redirect_urls: redirects }),
      scopes: { bot: botScopes(settings) },
    },
    settings: {
      event_subscriptions: { ...events, bot_events: botEvents() },
      interactivity: {
        is_enabled: true,
        ...events,
        ...defined({ message_menu_options_url: events.request_url }),
      },
      org_deploy_enabled: installable,
      socket_mode_enabled: socketMode || base === undefined,
      token_rotation_enabled: installable,
    },
  };
}

function featuresOf(
  { name, command, prompts }: ManifestSettings,
  { request_url: url }: { request_url?: string },
): object {
  return {
    app_home: {
      home_tab_enabled: true,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    },
    bot_user: { display_name: name, always_online: true },
    agent_view: {
      agent_description: AGENT_DESCRIPTION,
      suggested_prompts: prompts.length > 0 ? prompts : PROMPTS,
    },
    shortcuts: [
      {
        name: 'Ask an agent about this',
        type: 'message',
        callback_id: 'ask_about',
        description: 'Ask an agent about this message',
      },
      {
        name: 'Ask an agent',
        type: 'global',
        callback_id: 'ask_anywhere',
        description: 'Ask an agent in private',
      },
    ],
    slash_commands: [
      {
        command,
        ...defined({ url }),
        description: 'Ask an agent; only you see the answer until you share it',
        usage_hint: '[agent] question',
        should_escape: false,
      },
    ],
  };
}
