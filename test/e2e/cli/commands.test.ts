/**
 * Tests the command line with the sandbox. Commands run in the test's process, unless the test is about the process: its
 * signals, its exit, or the sandbox that it starts.
 */

import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPublicAccess } from '../../../adapters/console/doctor.ts';
import { type RunningSandbox, startSandbox } from '../../../sandbox/index.ts';
import { freePorts } from '../../bench/free-ports.ts';
import { CHAT, startHostilePlatform } from '../../fakes/hostile-platform.ts';
import { type Outcome, runHere } from '../../fakes/run-here.ts';
import { outputOf } from '../house/output.ts';
import { giveDocuments } from '../house/read-documents.ts';
import { type DataFolder, ENTRY, makeDataFolder, runParley } from '../house/running-parley.ts';

const picture = fileURLToPath(new URL('../house/red-dot.png', import.meta.url));

let data: DataFolder;
let sandbox: RunningSandbox;
let environment: Readonly<Record<string, string>>;
beforeAll(async () => {
  data = await makeDataFolder();
  sandbox = await startSandbox({ port: 0, memory: true, options: { paceMs: 0 } });
  await sandbox.indexed;
  environment = { PORT: '0', PARLEY_SANDBOX_PORT: String(sandbox.port), PARLEY_DATA: data.path };
});
afterAll(async () => {
  await sandbox.close();
  await data.remove();
});

/** Starts a command as a process of its own. */
function begin(args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    env: { ...process.env, ...environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, ended: outputOf(child) };
}

const run = (
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
  input = '',
): Promise<Outcome> => runHere(args, { environment: { ...environment, ...more }, input });

/** Sends one piece of a streamed answer. */
function sendPart(response: ServerResponse, content: string): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
}

it('ends without an error when the reader closes its output', async () => {
  const { child, ended } = begin(['platform', 'users', '--help']);
  child.stdout?.destroy();
  expect(await ended).toMatchObject({ code: 0, err: '' });
});

describe('ask', () => {
  it('prints the answer, then its sources', async () => {
    const { code, out } = await run(['ask', 'How long is a visitor pass valid?']);
    expect(code).toBe(0);
    expect(out).toContain('one working day');
    expect(out).toMatch(/Sources:\n {2}\[1\](?:\[\d\])* \S/);
  });

  it('prints an answer while it grows', async () => {
    const platform = await startHostilePlatform();
    const { promise: printed, resolve: seen } = Promise.withResolvers<void>();
    platform.on(CHAT, (_request, response) => {
      sendPart(response, 'The first words come at once. ');
      void printed.then(() => {
        sendPart(response, 'The last ones come later.');
        response.end('data: [DONE]\n\n');
      });
    });
    const config = join(data.path, 'growing.yaml');
    const agent = '{ interface: lite-key, credential: { kind: api-key, key: a-key-of-the-test } }';
    await writeFile(config, `platform: { baseUrl: '${platform.url}' }\nagents: { clerk: ${agent} }\n`);
    const heard = (text: string) => text.includes('first') && seen();
    const ran = await runHere(['ask', 'What comes?', '--config', config], { environment, heard });
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('come later.') });
    await platform.close();
  });

  it('continues a thread, so that a follow-up has the conversation', async () => {
    await run(['ask', '--thread', 'visit', 'How long is a visitor pass valid?']);
    const { out } = await run(['ask', '--thread', 'visit', 'And where must it be given back?']);
    expect(out).toMatch(/desk|reception/i);
  });

  it('prints the whole answer as JSON', async () => {
    const { code, out } = await run([
      'ask',
      '--json',
      '--agent',
      'image-demo',
      '--image',
      picture,
      'What is this?',
    ]);
    expect(code).toBe(0);
    const answer = JSON.parse(out);
    expect(Object.keys(answer)).toEqual(
      expect.arrayContaining(['state', 'text', 'session', 'sources', 'media', 'suggestions', 'steps']),
    );
    expect(answer).toMatchObject({ state: 'done', agent: 'image-demo' });
    expect(answer.text).toContain('red-dot.png');
  });

  it('saves images of a sandbox that ends with it, and prints no link to them', async () => {
    await giveDocuments(data.path);
    const { out } = await run(['ask', '--agent', 'media-demo', '--json', 'hello'], {
      PARLEY_SANDBOX_PORT: '0',
    });
    expect(out).not.toContain('"http');
    const bytes = await readFile(fileURLToPath(JSON.parse(out).media[0].at));
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  it('prints no link to a section in a sandbox that ends with it', async () => {
    await giveDocuments(data.path);
    const { code, out } = await run(['ask', '--agent', 'guide', 'Do I need a backup?'], {
      PARLEY_SANDBOX_PORT: '0',
    });
    expect(code).toBe(0);
    expect(out).toContain('1. Backup (Operating) [1]');
    expect(out).not.toContain('http');
  });

  it('reports a failure on standard error and ends with its exit code', async () => {
    const middle = await run(['ask', '--agent', 'fail-demo', 'fail in the middle']);
    expect(middle.out).toContain('begins well');
    expect(middle.err).toMatch(/The answer was interrupted because .* The text so far is kept/);
    expect(middle.err).not.toContain('refused the question');
    expect(middle.err).not.toContain('    at ');
    expect(`${middle.out}`).not.toContain('was interrupted');
    expect(middle.code).toBe(65);
    const unreachable = await run(['ask', 'Anything?'], { PLATFORM_BASE_URL: 'http://127.0.0.1:1' });
    expect(unreachable).toMatchObject({ code: 69, out: '' });
    expect(unreachable.err).toContain('could not be reached');
  });

  it('reads the question from standard input', async () => {
    expect(await run(['ask', '--agent', 'echo', '-'], {}, 'a question\nof two lines\n')).toMatchObject({
      code: 0,
      out: expect.stringContaining('of two lines'),
    });
  });

  it('shows the command that works in a clone', async () => {
    const { err } = await run(['ask']);
    expect(err).toContain('Try: npm run -s parley -- ask --help');
    const { out } = await run(['ask', '--help']);
    expect(out).toContain('Usage: npm run -s parley -- ask ');
    for (const words of [
      ['config', 'check'],
      ['platform', 'users', 'list'],
    ]) {
      const wrong = await run([...words, '--nope']);
      expect(wrong.code).toBe(64);
      expect(wrong.err).toContain(`Try: npm run -s parley -- ${words.join(' ')} --help`);
    }
  });

  it('keeps the text so far when it is interrupted', async () => {
    const { child, ended } = begin(['ask', '--agent', 'slow-demo', 'a long story, please '.repeat(20)]);
    child.stdout?.once('data', () => child.kill('SIGINT'));
    const { code, out } = await ended;
    expect(code).toBe(1);
    expect(out).toContain('Stopped');
  });

  it('names an image file that does not exist', async () => {
    const { code, err } = await run(['ask', '--image', '/nowhere.png', 'What is this?']);
    expect(code).toBe(64);
    expect(err).toContain('/nowhere.png');
  });
});

describe('chat', () => {
  it('answers line by line in one conversation, and accepts the commands of the bridge', async () => {
    const { code, out } = await run(['chat'], {}, 'use echo\nsay this again\nwhoami\n');
    expect(code).toBe(0);
    expect(out).toMatch(/\becho\b(?!\*)/);
    expect(out).not.toContain('**');
    expect(out).toContain('say this again');
    expect(out).toMatch(/Terminal/);
    // The agent that a chat chose is not the default agent.
    const asked = await run(['ask', '--json', 'How long is a visitor pass valid?']);
    expect(JSON.parse(asked.out)).toMatchObject({
      agent: 'knowledge',
      endedWithoutMarker: false,
      chatRecordId: expect.stringMatching(/^\d{19}$/),
    });
  });

  it('ends at once without input', async () => {
    expect((await run(['chat'])).code).toBe(0);
  });

  it('names the agents, if an agent is unknown', async () => {
    const { code, err } = await run(['chat', '--agent', 'nosuch']);
    expect(code).toBe(64);
    expect(err).toMatch(/"nosuch" here\. Known agents: knowledge, guide/);
  });

  it('reads a folder of documents, and keeps the pages of the guide beside it', async () => {
    const own = join(data.path, 'reader');
    const documents = join(own, 'documents');
    await mkdir(documents, { recursive: true });
    await writeFile(join(documents, 'bikes.md'), '# Bikes\n\nThe bike shed opens at 07:00.\n');
    await writeFile(join(own, 'good.yaml'), `sandbox: { knowledge: ${documents} }\n`);
    const { out } = await run(
      ['chat', '--config', join(own, 'good.yaml')],
      { PARLEY_DATA: own, PARLEY_SANDBOX_PORT: '0' },
      'When does the bike shed open?\nuse guide\nHow do I connect Slack?\n',
    );
    expect(out).toMatch(/07:00[\s\S]*Sources:\n {2}\[1\]\[2\] Slack/);
  });
});

describe('start', () => {
  it('prints one line, is ready, and works beside ask; its sandbox ends with it, even if it is killed', async () => {
    const [sandboxPort] = await freePorts();
    const own = { PARLEY_SANDBOX_PORT: String(sandboxPort), OPENAI_API_KEY: 'sk-made-up' };
    const parley = await runParley(data, own);
    const ready = await fetch(`${parley.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', reasons: [], answeredBy: 'sandbox' },
    ]);
    expect(parley.output()).toContain('The sandbox answers, a demonstration platform');
    expect(parley.output()).toContain('OPENAI_API_KEY not used: docs/sandbox.md#a-model says how');
    expect(parley.output()).not.toMatch(/sk-made-up|get answers of the sandbox/);
    const beside = await run(['ask', '--agent', 'echo', 'side by side'], own);
    expect(beside.out).toContain('side by side');
    expect(parley.output().match(/Parley is ready: http:\S+/g)).toHaveLength(1);
    expect(parley.output().match(/Slack is off\b/g)).toHaveLength(1);
    expect(await checkPublicAccess(`${parley.url}/`)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('Set PARLEY_CONSOLE_TOKEN'),
    });
    await refusesThePortOf(parley.url);
    await parley.kill();
    await expect.poll(() => answers(sandboxPort)).toBe(false);

    const again = await runParley(data, { ...own, PARLEY_CONSOLE_TOKEN: 'a long word of ours' });
    expect(await answers(sandboxPort)).toBe(true);
    expect(await checkPublicAccess(again.url)).toMatchObject({
      ok: true,
      detail: `asks for a sign-in at ${again.url}`,
    });
    expect(await again.terminate()).toBe(0);
    expect(await answers(sandboxPort)).toBe(false);
    const { detail } = await checkPublicAccess(again.url);
    expect(detail).toContain('Start the bridge, then run this check again');
  });

  async function refusesThePortOf(url: string): Promise<void> {
    const { port } = new URL(url);
    const other = await makeDataFolder();
    const { code, err, out } = await begin(['start'], { PORT: port, PARLEY_DATA: other.path }).ended;
    await other.remove();
    expect(code).toBe(69);
    expect(out).toBe('');
    expect(err).toMatch(new RegExp(`Port ${port} on 127.0.0.1 is in use.*PORT=\\d+ npm start`));
  }

  it('refuses each wrong setting with its exit code and cure (attack S12)', async () => {
    const config = join(data.path, 'broken.yaml');
    await writeFile(config, 'server:\n  port: [1\n');
    const refusals: readonly (readonly [Record<string, string>, number, RegExp])[] = [
      [{ PARLEY_HOST: '0.0.0.0' }, 78, /PARLEY_CONSOLE_TOKEN/],
      [{ PARLEY_CONFIG: config }, 78, /broken\.yaml:\d+:\d+: the line opens a list/],
      [{ PARLEY_CONSOLE_TOKEN: ' ' }, 78, /console\.token is blank/],
      [{ PARLEY_DATA: '/dev/null/data', PARLEY_SANDBOX_PORT: '0' }, 73, /PARLEY_DATA/],
      [{ PARLEY_KEY: 'short' }, 78, /PARLEY_KEY: key has only 5 characters/],
      [{ SLACK_BOT_TOKEN: 'xapp-1', SLACK_APP_TOKEN: 'xoxb-1' }, 78, /app-level token[\s\S]*bot token/],
    ];
    for (const [setting, exit, says] of refusals) {
      const { code, err, out } = await run(['start'], setting);
      expect({ code, out }, err).toEqual({ code: exit, out: '' });
      expect(err).toMatch(says);
      expect(err).not.toContain('    at ');
    }
  });
});

describe('config check', () => {
  it('prints whether Slack is on, and how', async () => {
    const one = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };
    expect((await run(['config', 'check'])).out).toMatch(/^Slack: off\b/m);
    expect((await run(['config', 'check'], one)).out).toMatch(/^Slack: on .* Socket Mode/m);
  });

  it('says what is not possible with the lite interface alone', async () => {
    expect((await run(['config', 'check'])).out).not.toContain('Documents of');
    const lite = join(data.path, 'lite.yaml');
    await writeFile(
      lite,
      'platform: { baseUrl: http://127.0.0.1:9 }\nagents: { a: { interface: lite-key, credential: { kind: api-key, key: k } } }\n',
    );
    const { out } = await run(['config', 'check', '--config', lite]);
    expect(out).toMatch(/^Documents of platform main: not possible .*platform\.credentials\.open/m);
  });

  it('refuses tokens in each other’s place', async () => {
    const swapped = { SLACK_BOT_TOKEN: 'xapp-1', SLACK_APP_TOKEN: 'xoxb-1' };
    const { code, err } = await run(['config', 'check'], swapped);
    expect(code).toBe(78);
    expect(err).toMatch(/SLACK_BOT_TOKEN: .*app-level token/);
    expect(err).toMatch(/SLACK_APP_TOKEN: .*bot token/);
  });
});

it('tells its version', async () => {
  expect(await run(['--version'])).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
});

describe('doctor', () => {
  it('refuses tokens in each other’s place', async () => {
    const { code, out } = await run(['doctor'], { SLACK_BOT_TOKEN: 'xapp-1', SLACK_APP_TOKEN: 'xoxb-1' });
    expect(code).toBe(1);
    expect(out).toMatch(/FAULT {2}configuration:[\s\S]*SLACK_BOT_TOKEN: .*app-level token/);
  });

  it('reports success, also as JSON', async () => {
    const { code, out } = await run(['doctor', '--json']);
    const { ok, findings } = JSON.parse(out);
    expect(findings.filter((finding: { ok: boolean }) => !finding.ok)).toEqual([]);
    expect([ok, code]).toEqual([true, 0]);
    const { detail } = findings.find(({ what }: { what: string }) => what === 'answers');
    expect(detail).toContain('come from the sandbox');
  });

  it('checks the console from outside only if a public address is set', async () => {
    // A process of its own, because the test's process refuses every connection to another machine.
    const { out } = await begin(['doctor'], { PARLEY_PUBLIC_URL: 'https://parley.invalid' }).ended;
    expect(out).toMatch(/FAULT {2}console from outside: [^\n]*https:\/\/parley\.invalid cannot be resolved/);
    expect((await run(['doctor'])).out).not.toContain('console from outside');
  });

  it('says that no channel is on', async () => {
    const config = join(data.path, 'silent.yaml');
    await writeFile(config, 'console: { enabled: false }');
    expect((await run(['doctor'], { PARLEY_CONFIG: config })).out).toContain('--   channels: none is on');
    expect((await run(['doctor'])).out).not.toContain('channels: none');
  });

  it('names a platform that cannot be reached', async () => {
    const { code, out } = await run(['doctor'], { PLATFORM_BASE_URL: 'http://127.0.0.1:9' });
    expect(code).toBe(1);
    expect(out).toMatch(/FAULT {2}platform main: http:\/\/127\.0\.0\.1:9 cannot be reached/);
    expect(out).not.toContain('sandbox');
  });
});

function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}
