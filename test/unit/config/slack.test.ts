import { describe, expect, it } from 'vitest';
import { slackSettings } from '../../../src/cli/slack-settings.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { BridgeError, exitCode } from '../../../src/errors.ts';

const sandbox = { agents: { only: { interface: 'lite-key', credential: { kind: 'api-key', key: 'k' } } } };
const load = (environment: Record<string, string>) =>
  loadConfig({ environment: { PARLEY_CONFIG: '', ...environment }, sandbox }).config;

function refusal(environment: Record<string, string>): BridgeError {
  try {
    load(environment);
  } catch (thrown) {
    if (thrown instanceof BridgeError) return thrown;
    throw thrown;
  }
  throw new Error('the configuration was taken');
}

const one = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_SIGNING_SECRET: 'secret' };
const many = {
  SLACK_SIGNING_SECRET: 'secret',
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'client secret',
  SLACK_STATE_SECRET: 'state secret',
  PARLEY_KEY: 'k'.repeat(32),
  PARLEY_PUBLIC_URL: 'https://parley.example/',
};

describe('Slack', () => {
  it('is off where none of its settings is set', () => {
    expect(slackSettings(load({}))).toBeUndefined();
  });

  it('is on for one workspace with a token and proof of where requests come from', () => {
    expect(slackSettings(load(one))).toMatchObject({ name: 'Parley', command: '/ask', email: false });
    const { SLACK_BOT_TOKEN } = one;
    expect(slackSettings(load({ SLACK_BOT_TOKEN, SLACK_APP_TOKEN: 'xapp-1' }))).toBeDefined();
  });

  it('is on for many workspaces, with addresses as they are put together', () => {
    expect(slackSettings(load({ ...many, SLACK_API_URL: 'http://127.0.0.1:1/api' }))).toMatchObject({
      oauth: { clientId: '1.2', publicUrl: 'https://parley.example' },
      apiUrl: 'http://127.0.0.1:1/api/',
    });
  });

  const without = (set: Record<string, string>, name: string) =>
    Object.fromEntries(Object.entries(set).filter(([each]) => each !== name));

  it.each([
    ...Object.keys(one).map((name) => [name, without(one, name)] as const),
    ...Object.keys(many).map((name) => [name, without(many, name)] as const),
  ])('without %s refuses to start, and names it', (name, environment) => {
    const error = refusal(environment);
    expect(error.message).toContain(name);
    expect(exitCode(error.code)).toBe(78);
  });

  it.each([
    'SLACK_BOT_TOKEN',
    'SLACK_SIGNING_SECRET',
    'SLACK_APP_TOKEN',
  ])('with a blank %s refuses to start', (name) => {
    const error = refusal({ ...one, [name]: ' ' });
    expect(error.message).toContain(name);
    expect(exitCode(error.code)).toBe(78);
  });

  it('takes a token or installations, not both', () => {
    expect(refusal({ ...many, SLACK_BOT_TOKEN: 'xoxb-1' }).message).toContain('SLACK_CLIENT_ID');
  });

  it('shows no secret in a refusal', () => {
    const { SLACK_SIGNING_SECRET: _, ...bare } = one;
    expect(refusal(bare).message).not.toContain('xoxb');
  });
});
