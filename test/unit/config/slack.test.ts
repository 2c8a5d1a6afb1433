import { describe, expect, it } from 'vitest';
import { type SlackConfig, slackConfig } from '../../../adapters/slack/config.ts';
import { slackSettings } from '../../../adapters/slack/settings.ts';
import { sharedOf } from '../../../src/cli/channels.ts';
import { BridgeError, exitCode } from '../../../src/errors.ts';
import { lineOf, load, ownSettings, stateOf } from '../../fakes/house.ts';

/** Returns the configuration with which the adapter is created; undefined if Slack is off. */
function created(environment: Record<string, string>, slack: object = {}): SlackConfig | undefined {
  const loaded = load(environment, Object.keys(slack).length > 0 ? { slack } : {});
  if (!stateOf(loaded, 'slack').isOn) return undefined;
  const own = ownSettings('slack', environment, { slack });
  return slackConfig(slackSettings(environment).parse(own), sharedOf(loaded.config));
}

function refusal(environment: Record<string, string>, file: Parameters<typeof load>[1] = {}): BridgeError {
  try {
    load(environment, file);
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
  SLACK_STATE_SECRET: 'a state secret of the test',
  PARLEY_KEY: 'k'.repeat(32),
  PARLEY_PUBLIC_URL: 'https://parley.example/',
};

describe('Slack', () => {
  it('is off if none of its settings is set', () => {
    expect(created({})).toBeUndefined();
  });

  it('is on for one workspace with a token and a signing secret or app token', () => {
    expect(created(one)).toMatchObject({ name: 'Parley', command: '/ask', email: false });
    const { SLACK_BOT_TOKEN } = one;
    const bySocket = created({ SLACK_BOT_TOKEN, SLACK_APP_TOKEN: 'xapp-1' });
    expect(bySocket?.appToken?.reveal()).toBe('xapp-1');
    expect(bySocket?.signingSecret).toBeUndefined();
  });

  it.each([
    [undefined, 'auto'],
    ['always', 'always'],
    [true, 'auto'],
    [false, 'never'],
  ])('reads streaming: %s as %s', (given, streaming) => {
    const slack = {
      botToken: 'xoxb-1',
      signingSecret: 'secret',
      ...(given !== undefined && { streaming: given }),
    };
    expect(created({}, slack)).toMatchObject({ streaming });
  });

  it('is on for many workspaces, with derived addresses', () => {
    expect(created({ ...many, SLACK_API_URL: 'http://127.0.0.1:1/api' })).toMatchObject({
      oauth: { clientId: '1.2', publicUrl: 'https://parley.example' },
      apiUrl: 'http://127.0.0.1:1/api/',
    });
  });

  const linking = { ...one, SLACK_CLIENT_ID: '1.2', SLACK_CLIENT_SECRET: 'client secret' };
  const own = { linkBySignIn: true };
  const whole = { slack: own, identity: { linkDays: 30 }, server: { publicUrl: 'https://parley.example/' } };

  it.each([
    ['one workspace', linking, undefined],
    ['many workspaces', many, { clientId: '1.2' }],
  ])('lets people of %s connect themselves by signing in', (_which, environment, oauth) => {
    const loaded = load(environment, whole);
    const settings = ownSettings('slack', environment, { slack: own });
    const made = slackConfig(slackSettings(environment).parse(settings), sharedOf(loaded.config));
    expect(made).toMatchObject({
      openId: { clientId: '1.2', redirectUri: 'https://parley.example/connect/slack' },
      ...(oauth && { oauth }),
    });
    if (oauth === undefined) expect(made.oauth).toBeUndefined();
    const off = slackConfig(
      slackSettings(environment).parse(ownSettings('slack', environment, { slack: {} })),
      sharedOf(loaded.config),
    );
    expect(off.openId).toBeUndefined();
  });

  it.each([
    ['SLACK_CLIENT_ID', { ...linking, SLACK_CLIENT_ID: undefined }, whole],
    ['SLACK_CLIENT_SECRET', { ...linking, SLACK_CLIENT_SECRET: undefined }, whole],
    ['SLACK_BOT_TOKEN', { ...linking, SLACK_STATE_SECRET: 'a state secret of the test' }, whole],
    ['SLACK_STATE_SECRET', { ...linking, SLACK_BOT_TOKEN: undefined }, whole],
    ['identity.linkDays', linking, { ...whole, identity: {} }],
    ['PARLEY_PUBLIC_URL', linking, { ...whole, server: {} }],
  ])('names %s if connecting by a sign-in needs it', (name, environment, file) => {
    const given = Object.entries(environment).filter(
      (each): each is [string, string] => each[1] !== undefined,
    );
    const { code, message } = refusal(Object.fromEntries(given), file);
    expect(exitCode(code)).toBe(78);
    expect(message).toContain(name);
    const lines = message.split('\n').filter((line) => line.includes('is missing'));
    expect(new Set(lines).size).toBe(lines.length);
  });

  const without = (set: Record<string, string>, name: string) =>
    Object.fromEntries(Object.entries(set).filter(([each]) => each !== name));

  it.each([
    ...Object.keys(one).map((name) => [name, without(one, name)] as const),
    ...Object.keys(many).map((name) => [name, without(many, name)] as const),
  ])('refuses to start without %s, and names it', (name, environment) => {
    const error = refusal(environment);
    expect(error.message).toContain(name);
    expect(exitCode(error.code)).toBe(78);
  });

  it.each([
    'SLACK_BOT_TOKEN',
    'SLACK_SIGNING_SECRET',
    'SLACK_APP_TOKEN',
  ])('refuses to start with a blank %s', (name) => {
    const error = refusal({ ...one, [name]: ' ' });
    expect(error.message).toContain(name);
    expect(exitCode(error.code)).toBe(78);
  });

  it('accepts a token or installations, not both', () => {
    expect(refusal({ ...many, SLACK_BOT_TOKEN: 'xoxb-1' }).message).toContain('SLACK_CLIENT_ID');
  });

  const app = 'xapp-1-canary';
  const person = 'xoxp-1-canary';
  it.each([
    ['SLACK_BOT_TOKEN', { SLACK_BOT_TOKEN: app }, 'an app-level token', 'SLACK_APP_TOKEN'],
    ['SLACK_BOT_TOKEN', { SLACK_BOT_TOKEN: person }, "a person's token", 'OAuth & Permissions'],
    ['SLACK_BOT_TOKEN', { SLACK_BOT_TOKEN: 'xoxe-1-canary' }, 'a refresh token', 'OAuth & Permissions'],
    ['SLACK_APP_TOKEN', { SLACK_APP_TOKEN: 'xoxb-1-canary' }, 'a bot token', 'SLACK_BOT_TOKEN'],
    ['SLACK_APP_TOKEN', { SLACK_APP_TOKEN: 'xoxe.xoxb-1-canary' }, 'a bot token', 'App-Level Tokens'],
    ['SLACK_SIGNING_SECRET', { SLACK_SIGNING_SECRET: app }, 'an app-level token', 'Basic Information'],
  ])('refuses another kind of Slack token in %s, with its kind and the cure', (name, wrong, what, cure) => {
    const { message, code } = refusal({ ...one, ...wrong });
    expect(exitCode(code)).toBe(78);
    expect(message).toContain(name);
    expect(message).toContain(what);
    expect(message).toContain(cure);
    expect(message).not.toContain('canary');
  });

  it('accepts a bot token that Slack renews', () => {
    const settings = created({ ...one, SLACK_BOT_TOKEN: 'xoxe.xoxb-1' });
    expect(settings?.botToken?.reveal()).toBe('xoxe.xoxb-1');
  });

  it.each([
    ['PARLEY_KEY', 32, 31],
    ['SLACK_STATE_SECRET', 16, 15],
  ])('refuses a %s of less than %i characters', (name, least, length) => {
    const { message, code } = refusal({ ...many, [name]: 'k'.repeat(length) });
    expect(exitCode(code)).toBe(78);
    expect(message).toContain(name);
    expect(message).toContain(`${length} characters`);
    expect(message).toContain(`${least} random characters or more`);
    expect(message).not.toContain('kkk');
    const good = { ...many, [name]: 'k'.repeat(least) };
    const secrets = [load(good).config.key, created(good)?.oauth?.stateSecret];
    expect(secrets.map((secret) => secret?.reveal())).toContain('k'.repeat(least));
  });

  it('refuses a short key without Slack, too', () => {
    expect(refusal({ PARLEY_KEY: 'short' }).message).toContain('PARLEY_KEY');
  });

  const { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET } = one;
  it.each<[Record<string, string>, string]>([
    [{}, 'off: none of its settings is set'],
    [{ SLACK_BOT_TOKEN, SLACK_APP_TOKEN: 'xapp-1' }, 'on for one workspace, over Socket Mode'],
    [{ SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET }, 'on for one workspace, over HTTP events at /slack/events'],
    [
      { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, SLACK_APP_TOKEN: 'xapp-1', PARLEY_PUBLIC_URL: 'https://a.b/' },
      'on for one workspace, over Socket Mode and HTTP events at https://a.b/slack/events',
    ],
    [
      many,
      'on for many workspaces (OAuth, at https://parley.example/slack/install), over HTTP events at https://parley.example/slack/events',
    ],
  ])('prints in one line whether it is on, and how', (environment, line) => {
    expect(lineOf(load(environment), 'Slack')).toBe(line);
  });

  it('prints that it was switched off', () => {
    const off = load(one, { slack: { enabled: false } });
    expect(lineOf(off, 'Slack')).toBe('off, by slack.enabled');
  });

  it('shows no secret in a refusal', () => {
    const { SLACK_SIGNING_SECRET: _, ...bare } = one;
    expect(refusal(bare).message).not.toContain('xoxb');
  });
});
