/**
 * `npm run docs:pictures` takes the documentation's pictures from the running product: Parley with its sandbox, in a
 * temporary data folder and a real browser. Needs a Chromium in /usr/bin.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { makeDataFolder, runParley } from '../e2e/house/running-parley.ts';

const folder = new URL('../../docs/pictures/', import.meta.url).pathname;
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--hide-scrollbars'];
const desktop = { viewport: { width: 1_180, height: 720 } };
const phone = { viewport: { width: 390, height: 700 }, isMobile: true, hasTouch: true };
const QUESTION = '@parley Can I work from home?';

/** Milliseconds until text and panels have stopped moving. */
const SETTLE_MS = 1_000;

if (executablePath === undefined) throw new Error('No Chromium was found in /usr/bin.');
mkdirSync(folder, { recursive: true });
const data = await makeDataFolder();
const parley = await runParley(data);
const corrected = await makeDataFolder();
const correcting = await runParley(corrected, { PARLEY_CONFIG: writeRules(corrected.path) });
const browser = await chromium.launch({ executablePath, args });
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const name = (picture: string): string => (colorScheme === 'dark' ? `${picture}-dark` : picture);
    const page = await open(browser, { ...desktop, colorScheme });
    await ask(page, QUESTION);
    await answered(page);
    await take(page, name('answer'));
    await page.locator('.thread-pane .chip').first().click();
    await page.locator('.source-card').first().waitFor();
    await take(page, name('sources'));
    await page.context().close();
  }
  const running = await open(browser, desktop);
  await ask(running, '@slow-demo How do you write?');
  await running
    .locator('.thread-pane .reply')
    .getByText(/one character/)
    .waitFor();
  await running.getByRole('button', { name: 'Stop' }).waitFor();
  await take(running, 'running');
  const small = await open(browser, { ...phone, colorScheme: 'dark' });
  await ask(small, QUESTION);
  await answered(small);
  await take(small, 'phone');
  for (const [name, options] of [
    ['correct', { ...desktop, colorScheme: 'light' }],
    ['correct-dark', { ...desktop, colorScheme: 'dark' }],
    ['correct-phone', { ...phone, colorScheme: 'dark' }],
  ] as const) {
    const page = await open(browser, options, correcting.url);
    await ask(page, QUESTION);
    await answered(page);
    await page.getByRole('button', { name: 'More actions' }).last().click();
    await page.getByRole('menuitem', { name: 'Correct' }).click();
    await page.getByRole('button', { name: 'Store' }).waitFor();
    await take(page, name);
    await page.context().close();
  }
} finally {
  await browser.close();
  await Promise.all([parley.terminate(), correcting.terminate()]);
  await Promise.all([data.remove(), corrected.remove()]);
}
drawMessages();

/**
 * Slack and Teams cannot run here, so their pictures are drawn. They show the same answer in the messages that each of
 * the two would receive.
 */
function drawMessages(): void {
  const own = new URL('.', import.meta.url).pathname;
  for (const [suffix, ...dark] of [[''], ['-dark', '--dark']]) {
    const slack = [`${own}slack.ts`, '--picture', `${folder}slack${suffix}.png`];
    const teams = [
      `${own}teams.ts`,
      folder,
      '--width',
      '560',
      '--scene',
      'visitor',
      '--as',
      `teams${suffix}`,
    ];
    const slackForm = [`${own}slack.ts`, '--form', '--picture', `${folder}slack-correct${suffix}.png`];
    const teamsForm = [...teams.slice(0, 5), 'correction', '--as', `teams-correct${suffix}`];
    for (const script of [slack, teams, slackForm, teamsForm])
      execFileSync(process.execPath, [...script, ...dark]);
  }
}

/** Writes settings with which members may correct answers. Returns the path of their file. */
function writeRules(path: string): string {
  const [config, rules] = [join(path, 'parley.yaml'), join(path, 'rules.yaml')];
  writeFileSync(rules, 'rules:\n  - { allow: [ask, share, correct], who: member }\n');
  writeFileSync(config, `rules: ${rules}\nrooms: [{ channel: console, kind: room, workspace: handbook }]\n`);
  return config;
}

async function open(browser: Browser, options: BrowserContextOptions, url = parley.url): Promise<Page> {
  const context = await browser.newContext({
    ...options,
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await page.goto(`${url}/#/r/general`);
  await page.locator('.room-pane textarea').waitFor();
  return page;
}

async function ask(page: Page, text: string): Promise<void> {
  const field = page.locator('.room-pane textarea');
  await field.fill(text);
  await page.getByRole('button', { name: 'Send' }).first().click();
  await page.locator('.thread-pane .reply').waitFor();
}

async function answered(page: Page): Promise<void> {
  await page.locator('.thread-pane .chip').first().waitFor();
  await page.locator('.thread-pane .suggestion').first().waitFor();
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(SETTLE_MS);
  await page.screenshot({ path: `${folder}${name}.png` });
}
