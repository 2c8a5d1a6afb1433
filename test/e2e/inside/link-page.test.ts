/**
 * Tests the page on which people link accounts, in a running bridge with the fake Slack, and with a console whose
 * people sign in with a real OpenID provider.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../bench/free-ports.ts';
import { Browser } from '../../fakes/oidc/browser.ts';
import { CLIENT_ID, CLIENT_SECRET, openProvider, type RealProvider } from '../../fakes/oidc/provider.ts';
import { demoApp, type FakeSlack, startFakeSlack, visibleText } from '../../fakes/slack/index.ts';
import { json } from '../../unit/console/rig.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 90_000, interval: 100 });

let data: DataFolder;
let slack: FakeSlack;
let provider: RealProvider;
let parley: ParleyInside;
let url: string;

beforeAll(async () => {
  url = `http://127.0.0.1:${await freePort()}`;
  [data, slack, provider] = await Promise.all([makeDataFolder(), startFakeSlack(), openProvider(url)]);
  const config = join(data.path, 'parley.yaml');
  const settings = {
    server: { publicUrl: url },
    identity: {
      table: [{ channel: 'console', email: 'ada@example.org', account: 'member-one' }],
      linkDays: 30,
    },
    console: { signIn: { issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } },
  };
  writeFileSync(config, JSON.stringify(settings));
  parley = await runInside(data, {
    PARLEY_CONFIG: config,
    PORT: new URL(url).port,
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.workspace().token,
    SLACK_SIGNING_SECRET: demoApp.signingSecret,
  });
  slack.deliverTo(`${parley.url}/slack/events`);
});
afterAll(async () => {
  await parley?.stop();
  await Promise.all([slack.close(), provider.close()]);
  await data.remove();
});

test('the answer to `link` in Slack leads to the page, whose one press connects the person to the account', async () => {
  const bo = slack.workspace().person({ name: 'Bo', email: 'bo@example.org' });
  const dm = bo.dm();
  /** Sends a direct message, and returns a function that reads the answer. */
  const said = (text: string) => {
    const { ts } = bo.says(dm, text);
    return () => slack.thread(dm.id, ts).filter(({ app }) => app);
  };
  const answer = said('link');
  await eventually(() => JSON.stringify(answer())).toMatch(/#\/link\/[\w-]{50,}/);
  const [, token = ''] = /#\/link\/([\w-]{50,})/.exec(JSON.stringify(answer())) ?? [];
  expect(answer().map(visibleText).join()).toMatch(/open this page.* within 10 minutes/);
  expect(JSON.stringify(answer())).toContain(`${url}/#/link/${token}`);

  const ada = new Browser();
  const post = async (path: string) => ada.visit(`${url}/console/${path}`, json({ token }));
  expect((await post('link')).status).toBe(401);
  await ada.follow(`${url}/console/sign-in/start`, (next) => next === `${url}/`);
  const { text } = await post('link');
  expect(JSON.parse(text)).toMatchObject({
    ...{ title: 'Slack', person: bo.id, name: 'Bo', account: 'member-one', days: 30 },
  });
  expect((await post('link/confirm')).status).toBe(200);
  expect((await post('link/confirm')).status).toBe(409);

  const whoami = said('whoami');
  await eventually(() => whoami().map(visibleText).join()).toContain('member-one');
  expect(parley.output()).not.toContain(token);
});
