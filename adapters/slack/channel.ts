/** The description of the Slack channel for the registry. Slack's SDK is loaded only when the channel starts. */

import { defineChannel, withPackages } from '../../src/kit.ts';
import { type SlackConfig, slackConfig } from './config.ts';
import { slackFaults, slackSettings, slackVariables } from './settings.ts';

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
  async create(settings, shared) {
    const { createSlack } = await withPackages('Slack', () => import('./index.ts'));
    return createSlack(slackConfig(settings, shared));
  },
  async checks(settings, shared, clock) {
    const { examineSlack } = await withPackages('Slack', () => import('./doctor.ts'));
    return examineSlack(slackConfig(settings, shared), clock);
  },
  async live(settings, shared, clock) {
    const { slackLive } = await withPackages('Slack', () => import('./live/index.ts'));
    return slackLive(slackConfig(settings, shared), clock);
  },
  manifest: {
    form: 'text',
    async make(settings, shared) {
      const { manifestText } = await import('./manifest.ts');
      const config = slackConfig(settings, shared);
      const { appToken, publicUrl, oauth, openId } = config;
      const socketMode = appToken !== undefined || publicUrl === undefined;
      const returns = openId && [openId.redirectUri];
      const text = manifestText({ ...config, socketMode, installable: oauth !== undefined, returns });
      return { text, missing: [] };
    },
  },
});

function wayOf({ oauth, appToken, signingSecret, publicUrl = '' }: SlackConfig): string {
  const installed = oauth && `many workspaces (OAuth, at ${oauth.publicUrl}/slack/install)`;
  const ways = [
    ...(appToken === undefined ? [] : ['Socket Mode']),
    ...(signingSecret === undefined ? [] : [`HTTP events at ${publicUrl}/slack/events`]),
  ];
  return `on for ${installed ?? 'one workspace'}, over ${ways.join(' and ')}`;
}
