import type { SlackConfig } from '../../adapters/registry.ts';
import type { Config } from '../config/schema.ts';

type SlackSlice = Pick<Config, 'slack' | 'server' | 'identity' | 'access'>;

/** Slack's own slice of the configuration; nothing where Slack is off. */
export function slackSettings({ slack, server, identity, access }: SlackSlice): SlackConfig | undefined {
  if (slack === undefined || !slack.enabled) return undefined;
  const { botToken, signingSecret, appToken, apiUrl, command, streaming, footer, name, prompts, agentNames } =
    slack;
  const publicUrl = server.publicUrl?.replace(/\/*$/, '');
  const oauth = oauthOf(slack, publicUrl);
  return {
    name,
    command,
    streaming,
    footer,
    agentNames,
    prompts,
    guests: access.guests,
    external: access.external,
    email: identity.table.some((line) => line.email !== undefined),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(botToken !== undefined && { botToken }),
    ...(signingSecret !== undefined && { signingSecret }),
    ...(appToken !== undefined && { appToken }),
    ...(apiUrl !== undefined && { apiUrl: apiUrl.replace(/\/*$/, '/') }),
    ...(oauth !== undefined && { oauth }),
  };
}

/** Whole or absent: the configuration refuses a part of it. */
function oauthOf(
  { clientId, clientSecret, stateSecret }: NonNullable<Config['slack']>,
  publicUrl: string | undefined,
): SlackConfig['oauth'] {
  if (clientId === undefined || clientSecret === undefined || stateSecret === undefined) return undefined;
  if (publicUrl === undefined) return undefined;
  return { clientId, clientSecret, stateSecret, publicUrl };
}

/** Whether Slack is on and how, in one line that ends a sentence. */
export function slackLine(config: SlackSlice): string {
  if (config.slack === undefined) return 'off, because none of its settings is set';
  const settings = slackSettings(config);
  if (settings === undefined) return 'off, by slack.enabled';
  const { oauth, appToken, signingSecret, publicUrl = '' } = settings;
  const installed = oauth && `many workspaces (OAuth, at ${oauth.publicUrl}/slack/install)`;
  const ways = [
    ...(appToken === undefined ? [] : ['Socket Mode']),
    ...(signingSecret === undefined ? [] : [`HTTP events at ${publicUrl}/slack/events`]),
  ];
  return `on for ${installed ?? 'one workspace'}, over ${ways.join(' and ')}`;
}
