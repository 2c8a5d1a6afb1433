import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { methods } from '../../../../adapters/slack/limits.ts';
import { type ManifestSettings, slackManifest } from '../../../../adapters/slack/manifest.ts';
import { botScopes } from '../../../../adapters/slack/scopes.ts';
import { sharedOf } from '../../../../src/cli/channels.ts';
import { embeddedSettings } from '../../../../src/cli/embedded.ts';
import { manifestOf } from '../../../../src/cli/manifest.ts';
import type { Loaded } from '../../../../src/config/load.ts';
import { load, stateOf } from '../../../fakes/house.ts';

const root = new URL('../../../../', import.meta.url).pathname;
const textOf = async (loaded: Loaded) =>
  (await manifestOf(stateOf(loaded, 'slack'), sharedOf(loaded.config))).text;
const on = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 's' };

/** Matches the names of Slack's methods in the code. */
const METHOD =
  /'((?:agents|apps|assistant|auth|bots|chat|conversations|files|oauth|reactions|team|usergroups|users|views)\.[a-zA-Z0-9.]+)'/g;
const called = new Set(
  globSync('adapters/slack/**/*.ts', { cwd: root })
    .filter((path) => !/\/(scopes|limits|errors)\.ts$/.test(path))
    .flatMap((path) =>
      [...readFileSync(`${root}${path}`, 'utf8').matchAll(METHOD)].map(([, name]) => name ?? ''),
    ),
);

test('the checked-in manifest equals the one that the code makes', async () => {
  expect(readFileSync(`${root}manifests/slack.yaml`, 'utf8')).toBe(
    await textOf(load({}, {}, embeddedSettings())),
  );
});

describe('the scopes', () => {
  test('cover every method that the code calls', () => {
    expect(called.size).toBeGreaterThan(4);
    expect([...called].filter((name) => !(name in methods))).toEqual([]);
  });

  test('belong only to methods that the code calls', () => {
    // The SDK calls oauth.v2.access, so the name does not occur in the code.
    const known = Object.keys(methods).filter((name) => name !== 'oauth.v2.access');
    expect(known.filter((name) => !called.has(name))).toEqual([]);
  });

  test('are exactly those of the design', () => {
    const scopes = [
      'app_mentions:read',
      'assistant:write',
      'chat:write',
      'channels:history',
      'channels:read',
      'groups:history',
      'groups:read',
      'im:history',
      'mpim:history',
      'files:read',
      'files:write',
      'reactions:write',
      'users:read',
      'usergroups:read',
      'commands',
    ];
    expect(botScopes({ email: false, agentNames: false })).toEqual(scopes.toSorted());
    expect(botScopes({ email: true, agentNames: false })).toEqual([...scopes, 'users:read.email'].toSorted());
  });
});

const settings: ManifestSettings = {
  name: 'Parley',
  command: '/ask',
  prompts: [],
  email: false,
  agentNames: false,
  socketMode: false,
  installable: false,
};

test('with linkBySignIn, Slack may send browsers back to the page', async () => {
  const environment = { ...on, SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 's' };
  const server = { publicUrl: 'https://parley.example' };
  const shared = { server, identity: { linkDays: 30 } };
  const redirects = async (slack: object) =>
    (parse(await textOf(load(environment, { ...shared, slack }))) as ReturnType<typeof JSON.parse>)
      .oauth_config;
  const { redirect_urls, scopes } = await redirects({ linkBySignIn: true });
  expect(redirect_urls).toEqual(['https://parley.example/connect/slack']);
  // Slack refuses an installation that requests the sign-in's scopes together with others.
  expect(Object.keys(scopes)).toEqual(['bot']);
});

test('with a public address, Slack sends all requests there', () => {
  const made = JSON.stringify(slackManifest({ ...settings, publicUrl: 'https://parley.example' }));
  expect(made.match(/https:\/\/parley\.example\/slack\/events/g)).toHaveLength(4);
  expect(made).toContain('"socket_mode_enabled":false');
});

test('with Socket Mode, the manifest contains no address', () => {
  const made = JSON.stringify(
    slackManifest({ ...settings, socketMode: true, publicUrl: 'https://parley.example' }),
  );
  expect(made).not.toContain('https:');
  expect(made).toContain('"socket_mode_enabled":true');
});

test('for many workspaces, the manifest allows the redirect of browsers, installations of organizations, and token rotation', () => {
  expect(
    slackManifest({ ...settings, publicUrl: 'https://parley.example', installable: true }),
  ).toMatchObject({
    oauth_config: { redirect_urls: ['https://parley.example/slack/oauth_redirect'] },
    settings: { org_deploy_enabled: true, token_rotation_enabled: true },
  });
});

test('requests the scope to post under names of agents only if configured', async () => {
  expect(await textOf(load(on))).not.toContain('chat:write.customize');
  const named = load(on, { slack: { agentNames: true } });
  expect(await textOf(named)).toContain('chat:write.customize');
});

test('requests e-mail addresses only if people are identified by them', async () => {
  const identity = { table: [{ email: 'a@example.org', account: 'a' }] };
  expect(await textOf(load(on, { identity }))).toContain('users:read.email');
});

test('offers the configured questions', () => {
  const prompts = [{ title: 'Passes', message: 'How long is a visitor pass valid?' }];
  expect(JSON.stringify(slackManifest({ ...settings, prompts }))).toContain(JSON.stringify(prompts));
});

test('stays within Slack’s limits', () => {
  const made = parse(readFileSync(`${root}manifests/slack.yaml`, 'utf8'));
  expect(made.display_information.name.length).toBeLessThanOrEqual(35);
  expect(made.display_information.description.length).toBeLessThanOrEqual(140);
  expect(made.display_information.long_description.length).toBeGreaterThanOrEqual(174);
  expect(made.features.agent_view.agent_description.length).toBeLessThanOrEqual(300);
  expect(made.features.agent_view.suggested_prompts.length).toBeLessThanOrEqual(4);
});
