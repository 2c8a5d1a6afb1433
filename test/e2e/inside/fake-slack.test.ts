/** Tests `npm run fake-slack` as docs/slack.md describes it: a bridge answers the lines that a person types. */

import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { readPages } from '../../docs/pages.ts';
import { demoApp } from '../../fakes/slack/index.ts';
import { runInside } from '../house/parley-inside.ts';
import { makeDataFolder } from '../house/running-parley.ts';

const WITHIN = { timeout: 30_000, interval: 50 };
const CHAT = new URL('../../fakes/slack/chat.ts', import.meta.url).pathname;
const closers: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function runChat(port: number) {
  const child: ChildProcess = spawn(process.execPath, [CHAT, '--port', String(port)]);
  closers.push(() => child.kill());
  let written = '';
  const keep = (chunk: Buffer) => {
    written += chunk;
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return { child, output: () => written, type: (line: string) => child.stdin?.write(`${line}\n`) };
}

/** Returns the variables of the `export` lines. */
const exported = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(/export (SLACK_\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));

test('a mention is answered in a thread, and so is a reply there', async () => {
  const chat = runChat(0);
  await expect.poll(chat.output, WITHIN).toContain('Then write a question here');
  chat.type('Too early?');
  await expect.poll(chat.output, WITHIN).toContain('No bridge is connected.');

  const data = await makeDataFolder();
  closers.push(() => data.remove());
  const parley = await runInside(data, exported(chat.output()));
  closers.push(() => parley.stop());
  await expect.poll(chat.output, WITHIN).toContain('The bridge is connected.');

  chat.type('How long is a visitor pass valid?');
  await expect.poll(chat.output, WITHIN).toMatch(/\nParley[\s\S]*one working day[\s\S]*Sources/);
  chat.type('> And for several days?');
  await expect.poll(chat.output, WITHIN).toMatch(/(?:For a workshop of several days[\s\S]*){2}/);
  chat.type('! whoami');
  await expect.poll(chat.output, WITHIN).toMatch(/\nParley.*: You are .*ada/);
}, 90_000);

test('a port that is taken ends it with the reason', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const chat = runChat(port);
  const code = await new Promise((resolve) => chat.child.once('close', resolve));
  expect([code, chat.output()]).toEqual([69, expect.stringMatching(/^Port \d+ is in use\. Choose another:/)]);
});

test('docs/slack.md shows the tokens of the fake', () => {
  const page = readPages().find(({ path }) => path === 'docs/slack.md')?.text ?? '';
  expect(exported(page)).toMatchObject({
    SLACK_API_URL: 'http://127.0.0.1:4010/api/',
    SLACK_APP_TOKEN: demoApp.appToken,
  });
});
