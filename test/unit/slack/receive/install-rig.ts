/** Installs the app in a small Slack, as a browser does. */

import { expect } from 'vitest';
import { type Rig, secret } from '../rig.ts';
import { callback, type SmallSlack } from '../small-slack.ts';

export const oauthConfig = (slack: SmallSlack) => ({
  apiUrl: slack.apiUrl,
  oauth: {
    clientId: '1.2',
    clientSecret: secret('client secret'),
    stateSecret: secret('state secret'),
    publicUrl: 'https://parley.example',
  },
});

export interface Granted {
  readonly team?: string;
  readonly org?: string;
  readonly token?: string;
  readonly expires?: number;
  /** Properties of Slack's answer that differ from the usual ones. */
  readonly over?: object;
}

export function grantIn(
  slack: SmallSlack,
  { team, org, token = `xoxb-${team ?? org}`, expires, over }: Granted,
): void {
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
    ...over,
  });
  slack.answers['auth.test'] = () => ({
    ok: true,
    user_id: `U0BOT${team ?? org}`,
    bot_id: `B0BOT${team ?? org}`,
    url: 'https://x.slack.com/',
  });
}

export interface Begun {
  readonly state: string;
  readonly cookie: string;
}

/** Opens the installation page. Returns the address to which Slack redirects, and the cookie. */
export async function beginAt(rig: Rig) {
  const response = await fetch(`${rig.url}/slack/install`, { redirect: 'manual' });
  const location = new URL(response.headers.get('location') ?? '');
  const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { location, cookie, state: location.searchParams.get('state') ?? '' };
}

export async function comeBackTo(
  rig: Rig,
  { state, cookie }: Begun,
  given: Record<string, string> = { code: 'a code' },
) {
  const query = new URLSearchParams({ ...given, state });
  return fetch(`${rig.url}/slack/oauth_redirect?${query}`, { headers: { cookie } });
}

export async function installIn(rig: Rig, slack: SmallSlack, granted: Granted): Promise<void> {
  grantIn(slack, granted);
  const response = await comeBackTo(rig, await beginAt(rig));
  expect(response.status, await response.text()).toBe(200);
}

export const mention = (team: string, over: object = {}) =>
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
