/** Tests the main path in Firefox, which speaks WebDriver BiDi by itself: ask, read the answer, open a source. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type ConsoleServer, startConsoleServer } from '../../fakes/console-server.ts';
import type { ReplyHand } from '../../fakes/console-world.ts';
import { pageFolder } from './stage.ts';

const firefox = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);
if (!firefox) process.stdout.write('Skipped "the page in Firefox": no Firefox was found in /usr/bin.\n');

interface Answer {
  readonly id?: number;
  readonly error?: string;
  readonly result?: {
    readonly contexts?: readonly { readonly context: string }[];
    readonly result?: { readonly value?: unknown };
  };
}

const ENTER = '\uE007';
const ESCAPE = '\uE00C';
let folder = '';
let browser: ChildProcess | undefined;
let socket: WebSocket;
let context = '';
let server: ConsoleServer;
const hands: ReplyHand[] = [];
let sent = 0;

async function send(method: string, params: object): Promise<NonNullable<Answer['result']>> {
  sent += 1;
  const id = sent;
  const answered = new Promise<Answer>((resolve) => {
    const hear = (data: WebSocket.RawData) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id !== id) return;
      socket.off('message', hear);
      resolve(answer);
    };
    socket.on('message', hear);
  });
  socket.send(JSON.stringify({ id, method, params }));
  const { error, result } = await answered;
  if (error !== undefined || result === undefined) throw new Error(`${method}: ${error}`);
  return result;
}

/** Returns the value of an expression in the page. */
async function inPage(expression: string): Promise<unknown> {
  const target = { context };
  const { result } = await send('script.evaluate', { expression, target, awaitPromise: true });
  return result?.value;
}

async function type(text: string): Promise<void> {
  const keys = [...text].flatMap((value) => [
    { type: 'keyDown', value },
    { type: 'keyUp', value },
  ]);
  await send('input.performActions', { context, actions: [{ type: 'key', id: 'keys', actions: keys }] });
}

const textOf = (selector: string) => inPage(`document.querySelector('${selector}')?.innerText ?? ''`);

describe.skipIf(!firefox)('the page in Firefox', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-firefox-'));
    server = await startConsoleServer({ page: pageFolder, onQuestion: (hand) => hands.push(hand) });
    const args = [
      '--headless',
      '--no-remote',
      '--profile',
      folder,
      '--remote-debugging-port',
      '0',
      'about:blank',
    ];
    browser = spawn(firefox ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    if (!browser.stderr) throw new Error('Firefox has no output.');
    for await (const line of createInterface({ input: browser.stderr })) {
      const [, address] = /listening on (ws:\S+)/.exec(line) ?? [];
      if (address === undefined) continue;
      socket = new WebSocket(`${address}/session`);
      break;
    }
    await once(socket, 'open');
    await send('session.new', { capabilities: {} });
    context = (await send('browsingContext.getTree', {})).contexts?.[0]?.context ?? '';
  }, 60_000);
  afterAll(async () => {
    socket?.close();
    if (browser && browser.exitCode === null) {
      browser.kill();
      await once(browser, 'exit');
    }
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('asks, shows the answer in a thread, opens a source, and closes both by Escape', async () => {
    const url = `${server.address}/console/#/r/general`;
    await send('browsingContext.navigate', { context, url, wait: 'complete' });
    // The page focuses the field itself only where a mouse is; a headless Firefox has none.
    await expect.poll(() => inPage(`document.querySelector('.room-pane textarea') !== null`)).toBe(true);
    await inPage(`document.querySelector('.room-pane textarea').focus()`);
    await type(`@knowledge how often?${ENTER}`);
    await expect.poll(() => hands.length).toBe(1);
    await expect.poll(() => textOf('.thread-pane .person-text')).toContain('how often?');
    hands[0]?.append('Twice a year [1].');
    hands[0]?.set({
      state: 'done',
      sources: [
        { key: 'a', number: 1, title: 'Service manual', kind: 'document', fragments: [{ text: 'Twice.' }] },
      ],
    });
    await expect.poll(() => textOf('.thread-pane .reply')).toContain('Twice a year');
    await expect.poll(() => textOf('.thread-pane .source-row')).toContain('Service manual');
    await inPage(`document.querySelector('.thread-pane .source-row').click()`);
    await expect.poll(() => textOf('.source-card.chosen')).toContain('Twice.');
    await type(ESCAPE);
    await expect.poll(() => inPage(`document.querySelector('.panel') === null`)).toBe(true);
    await type(ESCAPE);
    await expect.poll(() => inPage(`document.querySelector('.thread-pane') === null`)).toBe(true);
    expect(await inPage('location.hash')).toBe('#/r/general');
  });
});
