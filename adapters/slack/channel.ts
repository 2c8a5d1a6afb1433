/** Slack as the registry knows it: light, without Slack's SDK. */

import { defineChannel, type Shared } from '../../src/kit/channel.ts';
import type { SlackConfig } from './config.ts';
import { type SlackSettings, slackFaults, slackSettings, slackVariables } from './settings.ts';

export const slack = defineChannel({
  api: 1,
  name: 'slack',
  title: 'Slack',
  on: 'when-configured',
  page: 'docs/slack.md',
  settings: slackSettings,
  variables: slackVariables,
  faults: slackFaults,
  announce: (settings, shared) => wayOf(slackConfig(settings, shared)),
  create: async (settings, shared) => (await import('./index.ts')).createSlack(slackConfig(settings, shared)),
  checks: async (settings, shared, clock) =>
    (await import('./doctor.ts')).examineSlack(slackConfig(settings, shared), clock),
  manifest: {
    form: 'text',
    async make(settings, shared) {
      const { manifestText } = await import('./manifest.ts');
      const config = slackConfig(settings, shared);
      const { appToken, publicUrl } = config;
      const socketMode = appToken !== undefined || publicUrl === undefined;
      const text = manifestText({ ...config, socketMode, installable: settings.clientId !== undefined });
      return { text, missing: [] };
    },
  },
});

/** The adapter's own configuration. */
export function slackConfig(settings: SlackSettings, { publicUrl, access, byEmail }: Shared): SlackConfig {
  const { enabled: _, clientId, clientSecret, stateSecret, apiUrl, ...others } = settings;
  const { botToken, signingSecret, appToken, ...shown } = others;
  return {
    ...shown,
    guests: access.guests,
    external: access.external,
    email: byEmail,
    ...(publicUrl !== undefined && { publicUrl }),
    ...(botToken !== undefined && { botToken }),
    ...(signingSecret !== undefined && { signingSecret }),
    ...(appToken !== undefined && { appToken }),
    ...(apiUrl !== undefined && { apiUrl: apiUrl.replace(/\/*$/, '/') }),
    // Whole or absent: the configuration refuses a part of it.
    ...(clientId !== undefined &&
      clientSecret !== undefined &&
      stateSecret !== undefined &&
      publicUrl !== undefined && { oauth: { clientId, clientSecret, stateSecret, publicUrl } }),
  };
}

function wayOf({ oauth, appToken, signingSecret, publicUrl = '' }: SlackConfig): string {
  const installed = oauth && `many workspaces (OAuth, at ${oauth.publicUrl}/slack/install)`;
  const ways = [
    ...(appToken === undefined ? [] : ['Socket Mode']),
    ...(signingSecret === undefined ? [] : [`HTTP events at ${publicUrl}/slack/events`]),
  ];
  return `on for ${installed ?? 'one workspace'}, over ${ways.join(' and ')}`;
}
