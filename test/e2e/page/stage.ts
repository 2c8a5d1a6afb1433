import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterEach, beforeAll, describe } from 'vitest';
import { type ConsoleServer, startConsoleServer } from '../../fakes/console-server.ts';
import type { ReplyHand } from '../../fakes/console-world.ts';
import { openRig, type Rig } from '../../unit/console/rig.ts';

/** The shell of Chromium has no windows of its own, and takes two thirds of the CPU of the others. */
const executablePath = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);
const args =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync';
/** The built page; vitest builds it before all tests (bin/test-setup.js). */
export const pageFolder = fileURLToPath(new URL('../../../adapters/console/page/dist', import.meta.url));

/** With motion, the browser would draw all the time, and axe would check the colours of a moving frame. */
const CONTEXT: BrowserContextOptions = { viewport: { width: 1_360, height: 860 }, reducedMotion: 'reduce' };

/** A phone, on which the page is narrow. */
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** The looks in which every form must be accessible. */
export const looks: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { ...phone, colorScheme: 'dark' }],
];

/**
 * The browser of all files that share this process. Each test has a context of its own in it. It ends with the
 * process.
 */
let browser: Browser | undefined;

/** One person's visit to the console, whose server the test controls. */
export interface Visit {
  readonly page: Page;
  readonly server: ConsoleServer;
  /** The replies so far, oldest first, for the test to write. */
  readonly hands: readonly ReplyHand[];
  /** Addresses of other servers that the page requested; tests expect none. */
  readonly foreign: readonly string[];
  /** Errors that the page threw or logged. */
  readonly faults: readonly string[];
  readonly newest: () => ReplyHand;
}

/** One person's visit to the real console server; the test acts as the bridge. */
export interface RealVisit {
  readonly page: Page;
  readonly rig: Rig;
  readonly faults: readonly string[];
}

export interface Stage {
  readonly visit: (options?: VisitOptions) => Promise<Visit>;
  /** @param openConsole opens a console for the built page in `pageFolder`; by default, a console without sign-in */
  readonly real: (
    options?: BrowserContextOptions,
    openConsole?: (pageFolder: string) => Promise<Rig>,
  ) => Promise<RealVisit>;
}

interface VisitOptions {
  readonly context?: BrowserContextOptions;
  readonly token?: string;
  readonly hash?: string;
}

/** Defines tests of the built page in a real browser. Without a browser, they are skipped with a message. */
export function describeInChromium(title: string, tests: (stage: Stage) => void): void {
  if (!executablePath) process.stdout.write(`Skipped "${title}": no Chromium was found in /usr/bin.\n`);
  describe.skipIf(!executablePath)(title, () => tests(raiseStage()));
}

function raiseStage(): Stage {
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    // The browser's own listeners for signals would end the process, which other files share.
    const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
    browser ??= await chromium.launch({
      executablePath: executablePath ?? '',
      args: args.split(' '),
      ...signals,
    });
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  return {
    visit: async (options = {}) => {
      if (!browser) throw new Error('The browser did not start.');
      return await visit({ browser, options, closing });
    },
    real: async (options = {}, openConsole = () => openRig({ config: { pageFolder } })) => {
      if (!browser) throw new Error('The browser did not start.');
      const rig = await openConsole(pageFolder);
      const context = await browser.newContext({ ...CONTEXT, ...options });
      closing.push(() => context.close(), rig.close);
      const page = await context.newPage();
      const faults = faultsOf(page);
      await page.goto(`http://127.0.0.1:${rig.port}/#/r/general`);
      return { page, rig, faults };
    },
  };
}

interface Going {
  readonly browser: Browser;
  readonly options: VisitOptions;
  readonly closing: (() => Promise<unknown>)[];
}

async function visit({ browser, options, closing }: Going): Promise<Visit> {
  const hands: ReplyHand[] = [];
  const server = await startConsoleServer({
    page: pageFolder,
    onQuestion: (hand) => hands.push(hand),
    onRetry: (hand) => hand.set({ state: 'thinking', retry: false, notices: [] }),
    receipt: [
      { at: 1_000, name: 'kept', detail: { channel: 'console' } },
      { at: 1_250, name: 'first-text', detail: { afterMs: 250 } },
    ],
    ...(options.token ? { token: options.token } : {}),
  });
  const context = await browser.newContext({ ...CONTEXT, ...options.context });
  closing.push(() => context.close(), server.close);
  const foreign: string[] = [];
  context.on('request', (request) => {
    if (!request.url().startsWith(`${server.address}/`)) foreign.push(request.url());
  });
  const page = await context.newPage();
  const faults = faultsOf(page);
  await page.goto(`${server.address}/console/${options.hash ?? '#/r/general'}`);
  const newest = () => {
    const hand = hands.at(-1);
    if (!hand) throw new Error('Nothing was asked yet.');
    return hand;
  };
  return { page, server, hands, foreign, faults, newest };
}

/** Collects the errors that the page throws or logs from now on. */
function faultsOf(page: Page): readonly string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  return faults;
}

/** Resolves two frames later, because the page has then handled all earlier scrolling. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** Asks in the open room and waits until the thread with its reply is open. */
export async function ask({ page }: { readonly page: Page }, text: string): Promise<void> {
  const field = page.locator('.room-pane textarea');
  await field.fill(text);
  await field.press('Enter');
  await page.locator('.thread-pane .reply').waitFor();
}

/** Presses an action in the menu under the newest answer. */
export async function pressMore(within: Pick<Page, 'getByRole'>, name: string): Promise<void> {
  await within.getByRole('button', { name: 'More actions' }).last().click();
  await within.getByRole('menuitem', { name, exact: true }).click();
}

/** Signs out in the menu at the person's name. */
export async function pressSignOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /You are signed in as/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}
