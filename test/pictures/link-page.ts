/**
 * Takes the pictures of the sign-in, of the pages on which a person connects their account, and of the private answers of
 * two people with different rights: the running product with a fake Slack and real OpenID providers. A part of `npm run
 * docs:pictures`; needs a Chromium in /usr/bin.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { freePort } from '../bench/free-ports.ts';
import { makeDataFolder, runParley } from '../e2e/house/running-parley.ts';
import { CLIENT_ID, CLIENT_SECRET, openProvider } from '../fakes/oidc/provider.ts';
import { demoApp, startFakeSlack } from '../fakes/slack/index.ts';

const folder = new URL('../../docs/pictures/', import.meta.url).pathname;
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--hide-scrollbars'];
const desktop = { viewport: { width: 900, height: 640 } };
const phone = { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true };
/** Milliseconds between two looks at the messages in Slack, and until the page has stopped moving. */
const LOOK_MS = 100;
const SETTLE_MS = 500;

if (executablePath === undefined) throw new Error('No Chromium was found in /usr/bin.');
const url = `http://127.0.0.1:${await freePort()}`;
const [data, slack, provider] = await Promise.all([makeDataFolder(), startFakeSlack(), openProvider(url)]);
const openId = await slack.oauth.openId([`${url}/connect/slack`]);
const config = join(data.path, 'parley.yaml');
const table = [
  { channel: 'console', email: 'ada@example.org', account: 'member-one' },
  { channel: 'console', email: 'ben@example.org', account: 'member-two' },
];
writeFileSync(
  config,
  JSON.stringify({
    server: { publicUrl: url },
    identity: { table, linkDays: 90 },
    rooms: [{ channel: 'console', room: 'general', account: 'member-two' }],
    console: { signIn: { issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } },
    slack: { linkBySignIn: true },
  }),
);
const parley = await runParley(data, {
  PARLEY_CONFIG: config,
  PORT: new URL(url).port,
  SLACK_API_URL: slack.apiUrl,
  SLACK_BOT_TOKEN: slack.workspace().token,
  SLACK_SIGNING_SECRET: demoApp.signingSecret,
  SLACK_CLIENT_ID: demoApp.clientId,
  SLACK_CLIENT_SECRET: demoApp.clientSecret,
});
const browser = await chromium.launch({ executablePath, args });
const ada = slack.workspace().person({ name: 'Ada Lindqvist', email: 'ada@example.org' });
try {
  slack.deliverTo(`${parley.url}/slack/events`);
  for (const [name, options] of [
    ['link', { ...desktop, colorScheme: 'light' }],
    ['link-dark', { ...desktop, colorScheme: 'dark' }],
    ['link-phone', { ...phone, colorScheme: 'dark' }],
  ] as const) {
    const page = await (await browser.newContext({ ...options, locale: 'en-GB' })).newPage();
    await page.goto(await pageOfNewCode(ada));
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.waitForTimeout(SETTLE_MS);
    await page.screenshot({ path: `${folder}${name.replace('link', 'sign-in')}.png` });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Connect' }).waitFor();
    await page.waitForTimeout(SETTLE_MS);
    await page.screenshot({ path: `${folder}${name}.png` });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await takeConnecting(page, name.replace('link', 'connect'));
    await page.context().close();
  }
  for (const account of ['ada', 'ben']) await takePrivateAnswer(account);
} finally {
  await browser.close();
  await parley.terminate();
  await Promise.all([slack.close(), provider.close()]);
  await data.remove();
}

/** Connects Slack by signing in there, with pictures of the menu and of the page that says what is connected. */
async function takeConnecting(page: Page, name: string): Promise<void> {
  openId.person = { id: ada.id, team: slack.workspace().id };
  const rooms = page.getByRole('button', { name: 'Show rooms' });
  if (await rooms.isVisible()) await rooms.click();
  await page.getByRole('button', { name: /You are signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Connect Slack' }).waitFor();
  await page.waitForTimeout(SETTLE_MS);
  if (name !== 'connect-phone')
    await page.screenshot({ path: `${folder}${name.replace('connect', 'connect-menu')}.png` });
  await page.getByRole('menuitem', { name: 'Connect Slack' }).click();
  await page.getByText('is now connected').waitFor();
  await page.waitForTimeout(SETTLE_MS);
  await page.screenshot({ path: `${folder}${name.replace('connect', 'connect-slack')}.png` });
}

/** Asks in a room, whose account may not read the handbook, and then in private. */
async function takePrivateAnswer(account: string): Promise<void> {
  provider.account = account;
  const page = await (await browser.newContext({ ...desktop, locale: 'en-GB' })).newPage();
  await page.goto(`${url}/`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const box = page.locator('textarea').first();
  await box.fill('@knowledge How long is a visitor pass valid?');
  await box.press('Enter');
  await page.getByRole('button', { name: 'More actions' }).first().click();
  await page.getByRole('menuitem', { name: 'Ask in private' }).click();
  await page.locator('.room-pane').getByRole('button', { name: 'More actions' }).waitFor();
  await page.waitForTimeout(SETTLE_MS);
  await page.screenshot({ path: `${folder}private-${account}.png` });
  await page.context().close();
}

/** Sends `link` to the bridge in Slack, and resolves with the address in the message that the bridge sends back. */
async function pageOfNewCode(
  person: ReturnType<ReturnType<typeof slack.workspace>['person']>,
): Promise<string> {
  const dm = person.dm();
  const { ts } = person.says(dm, 'link');
  for (;;) {
    const answer = JSON.stringify(slack.thread(dm.id, ts).filter(({ app }) => app));
    const [token] = /#\/link\/[\w-]{50,}/.exec(answer) ?? [];
    if (token !== undefined) return `${url}/${token}`;
    await wait(LOOK_MS);
  }
}
