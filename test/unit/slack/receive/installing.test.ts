import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { type Rig, secret, startRig } from '../rig.ts';
import { callback, openSmallSlack, type SmallSlack } from '../small-slack.ts';

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

const config = () => ({
  apiUrl: slack.apiUrl,
  oauth: {
    clientId: '1.2',
    clientSecret: secret('client secret'),
    stateSecret: secret('state secret'),
    publicUrl: 'https://parley.example',
  },
});

interface Granted {
  readonly team?: string;
  readonly org?: string;
  readonly token?: string;
  readonly expires?: number;
}

function grant({ team, org, token = `xoxb-${team ?? org}`, expires }: Granted): void {
  slack.answers['oauth.v2.access'] = () => ({
    ok: true,
    access_token: token,
    token_type: 'bot',
    scope: 'chat:write,users:read',
    bot_user_id: `U0BOT${team ?? org}`,
    app_id: 'A1',
    team: team === undefined ? null : { id: team, name: `Team ${team}` },
    enterprise: org === undefined ? null : { id: org, name: `Org ${org}` },
    authed_user: { id: 'U1' },
    is_enterprise_install: team === undefined,
    ...(expires !== undefined && { expires_in: expires, refresh_token: `xoxe-1-${team}` }),
  });
  slack.answers['auth.test'] = () => ({
    ok: true,
    user_id: `U0BOT${team ?? org}`,
    bot_id: `B0BOT${team ?? org}`,
    url: 'https://x.slack.com/',
  });
}

/** Opens the installation page as a browser does. Returns the address to which Slack redirects, and the cookie. */
async function begin() {
  const response = await fetch(`${rig.url}/slack/install`, { redirect: 'manual' });
  const location = new URL(response.headers.get('location') ?? '');
  const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { location, cookie, state: location.searchParams.get('state') ?? '' };
}

async function comeBack({ state, cookie }: { state: string; cookie: string }) {
  const query = new URLSearchParams({ code: 'a code', state });
  return fetch(`${rig.url}/slack/oauth_redirect?${query}`, { headers: { cookie } });
}

async function install(granted: Granted): Promise<void> {
  grant(granted);
  const response = await comeBack(await begin());
  expect(response.status, await response.text()).toBe(200);
}

const mention = (team: string, over: object = {}) =>
  callback(
    {
      type: 'app_mention',
      user: 'U1',
      ts: '1793491200.000100',
      channel: 'C1',
      text: `<@U0BOT${team}> how long?`,
    },
    {
      team_id: team,
      authorizations: [{ enterprise_id: null, team_id: team, is_enterprise_install: false }],
      ...over,
    },
  );

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

describe('a removal', () => {
  const gone = (team: string, event: object) =>
    callback(
      { event_ts: '1', ...event },
      {
        team_id: team,
        authorizations: [{ enterprise_id: null, team_id: team, is_enterprise_install: false }],
      },
    );

  test.each([
    { type: 'app_uninstalled' },
    { type: 'tokens_revoked', tokens: { oauth: [], bot: ['U0BOT'] } },
  ])('deletes the stored data of that workspace only: %j', async (event) => {
    await install({ team: 'T1' });
    await install({ team: 'T2' });
    expect(await rig.send(gone('T1', event))).toBe(200);
    expect(rig.forgotten).toEqual(['T1']);
    expect([...rig.secrets.keys()].toSorted()).toEqual(['installation T2', 'installations']);
    await rig.send(mention('T1'));
    await rig.send(mention('T2'));
    expect(rig.taken).toMatchObject([{ message: { thread: { tenant: 'T2' } } }]);
  });

  test('sent twice is acknowledged twice', async () => {
    await install({ team: 'T1' });
    expect(await rig.send(gone('T1', { type: 'app_uninstalled' }))).toBe(200);
    expect(await rig.send(gone('T1', { type: 'app_uninstalled' }))).toBe(200);
  });

  test('of an organization deletes the stored data of its workspaces', async () => {
    await install({ org: 'E1' });
    const over = {
      enterprise_id: 'E1',
      authorizations: [{ enterprise_id: 'E1', team_id: null, is_enterprise_install: true }],
    };
    await rig.send(mention('E1', { team_id: 'T7', ...over }));
    await rig.send(callback({ type: 'app_uninstalled', event_ts: '1' }, { team_id: null, ...over }));
    expect(rig.forgotten.toSorted()).toEqual(['E1', 'T7']);
    expect([...rig.secrets.keys()].filter((key) => !key.startsWith('organisation'))).toEqual([
      'installations',
    ]);
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
