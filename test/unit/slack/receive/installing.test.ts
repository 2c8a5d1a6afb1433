import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { type Rig, startRig } from '../rig.ts';
import { openSmallSlack, type SmallSlack } from '../small-slack.ts';
import {
  type Begun,
  beginAt,
  comeBackTo,
  type Granted,
  grantIn,
  installIn,
  mention,
  oauthConfig,
} from './install-rig.ts';

let slack: SmallSlack;
let clock: VirtualClock;
let rig: Rig;

beforeEach(async () => {
  slack = await openSmallSlack();
  // Starts at the real time, because the SDK measures the age of tokens by the system's clock.
  clock = createVirtualClock({ start: Date.now() });
  rig = await startRig(config(), { clock });
});
afterEach(async () => {
  await rig.close();
  await slack.close();
});

const config = () => oauthConfig(slack);
const grant = (granted: Granted) => grantIn(slack, granted);
const begin = () => beginAt(rig);
const comeBack = (begun: Begun) => comeBackTo(rig, begun);
const install = (granted: Granted) => installIn(rig, slack, granted);

describe('an installation', () => {
  test('redirects the browser to Slack with the scopes and the return address', async () => {
    const { location } = await begin();
    expect(location.origin + location.pathname).toBe(new URL('/oauth/v2/authorize', slack.apiUrl).href);
    expect(Object.fromEntries(location.searchParams)).toMatchObject({
      client_id: '1.2',
      redirect_uri: 'https://parley.example/slack/oauth_redirect',
    });
    expect(location.searchParams.get('scope')?.split(',')).toContain('app_mentions:read');
  });

  test('lets the workspace ask with its own token and bot', async () => {
    expect(await rig.send(mention('T1'))).toBe(200);
    expect(rig.taken).toEqual([]);
    await install({ team: 'T1' });
    await install({ team: 'T2' });
    expect(await rig.send(mention('T1'))).toBe(200);
    expect(await rig.send(mention('T2'))).toBe(200);
    expect(rig.taken).toMatchObject([
      { message: { thread: { tenant: 'T1' }, text: 'how long?' } },
      { message: { thread: { tenant: 'T2' }, text: 'how long?' } },
    ]);
    expect(slack.called('oauth.v2.access')[0]?.args).toMatchObject({
      code: 'a code',
      redirect_uri: 'https://parley.example/slack/oauth_redirect',
    });
  });

  test('of an organization lets each of its workspaces ask as a separate tenant', async () => {
    await install({ org: 'E1' });
    const sent = mention('E1', {
      team_id: 'T7',
      enterprise_id: 'E1',
      authorizations: [{ enterprise_id: 'E1', team_id: null, is_enterprise_install: true }],
    });
    expect(await rig.send(sent)).toBe(200);
    expect(rig.taken).toMatchObject([{ message: { thread: { tenant: 'T7' } } }]);
  });

  test('is still there after a restart', async () => {
    await install({ team: 'T1' });
    await rig.close();
    rig = await startRig(config(), { clock, secrets: rig.secrets });
    expect(await rig.send(mention('T1'))).toBe(200);
    expect(rig.taken).toHaveLength(1);
  });

  const forgeries: Record<
    string,
    (begun: { state: string; cookie: string }) => { state: string; cookie: string }
  > = {
    'another browser': ({ state }) => ({ state, cookie: '' }),
    'another state': ({ cookie }) => ({ state: 'x.y.z', cookie }),
    'a state of its own in both places': () => ({ state: 'x.y.z', cookie: 'slack-app-oauth-state=x.y.z' }),
    'no state': ({ cookie }) => ({ state: '', cookie }),
  };
  test.each(Object.entries(forgeries))('with %s is refused without a call of Slack', async (_, forge) => {
    grant({ team: 'T1' });
    const response = await comeBack(forge(await begin()));
    expect(response.status).toBe(400);
    expect(slack.called('oauth.v2.access')).toEqual([]);
    expect([...rig.secrets.keys()]).toEqual([]);
  });

  test('passes few of 300 made-up codes on to Slack (attack S29)', async () => {
    slack.answers['oauth.v2.access'] = () => ({ ok: false, error: 'invalid_code' });
    const begun = await begin();
    const statuses = await Promise.all(
      Array.from({ length: 300 }, async () => (await comeBack(begun)).status),
    );
    expect(slack.called('oauth.v2.access')).toHaveLength(20);
    expect(new Set(statuses)).toEqual(new Set([502, 429]));
    await clock.pass(60_000);
    await install({ team: 'T1' });
  });

  test('that Slack refuses is reported without Slack’s own text', async () => {
    slack.answers['oauth.v2.access'] = () => ({ ok: false, error: 'invalid_code<script>' });
    const response = await comeBack(await begin());
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain('script>');
  });

  test('that strangers make up does not fill the log', async () => {
    for (let nth = 0; nth < 50; nth += 1)
      expect((await comeBack({ state: `made up ${nth}`, cookie: '' })).status).toBe(400);
    expect(
      rig.logged.filter((line) => line.includes('an installation of the app in Slack failed')),
    ).toHaveLength(1);
  });

  test('has pages that answer GET only', async () => {
    expect((await fetch(`${rig.url}/slack/install`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${rig.url}/slack/other`)).status).toBe(404);
  });

  test('stores no token of the person who installed', async () => {
    await install({ team: 'T1' });
    expect(JSON.stringify([...rig.secrets])).not.toContain('authed');
    expect(rig.logged.join('\n')).not.toContain('xoxb');
  });
});

describe('a token that expires', () => {
  test('is renewed once in the background before it expires', async () => {
    await install({ team: 'T1', expires: 3_600 });
    slack.answers['oauth.v2.access'] = () => ({
      ok: true,
      access_token: 'xoxb-new',
      token_type: 'bot',
      refresh_token: 'xoxe-2',
      expires_in: 43_200,
      scope: 'chat:write',
    });
    await clock.pass(600_000);
    await expect.poll(() => JSON.stringify(rig.secrets.get('installation T1'))).toContain('xoxb-new');
    await clock.pass(1_200_000);
    const renewals = slack
      .called('oauth.v2.access')
      .filter(({ args }) => args.grant_type === 'refresh_token');
    expect(renewals.map(({ args }) => args.refresh_token)).toEqual(['xoxe-1-T1']);
  });

  test('of a workspace that removed the app meanwhile restores nothing', async () => {
    await install({ team: 'T1', expires: 3_600 });
    slack.answers['oauth.v2.access'] = () => {
      for (const key of rig.secrets.keys()) rig.secrets.delete(key);
      return {
        ok: true,
        access_token: 'xoxb-new',
        token_type: 'bot',
        refresh_token: 'x',
        expires_in: 43_200,
      };
    };
    await clock.pass(600_000);
    await expect.poll(() => slack.called('oauth.v2.access').length).toBe(2);
    await clock.pass(600_000);
    expect([...rig.secrets.keys()]).toEqual([]);
  });

  test('that Slack does not renew stays, and is renewed later', async () => {
    await install({ team: 'T1', expires: 3_600 });
    slack.answers['oauth.v2.access'] = () => ({ ok: false, error: 'internal_error' });
    await clock.pass(600_000);
    await expect.poll(() => slack.called('oauth.v2.access').length).toBe(2);
    await clock.pass(600_000);
    await expect.poll(() => slack.called('oauth.v2.access').length).toBe(3);
    expect(JSON.stringify(rig.secrets.get('installation T1'))).toContain('xoxb-T1');
  });
});
