/** Tests the command line as a separate process, with the embedded sandbox. */

import { type ChildProcess, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPublicAccess } from '../../../adapters/console/doctor.ts';
import { freePorts } from '../../bench/free-ports.ts';
import { CHAT, startHostilePlatform } from '../../fakes/hostile-platform.ts';
import { outputOf, type Ran } from '../house/output.ts';
import { type DataFolder, makeDataFolder, runParley } from '../house/running-parley.ts';

const entry = fileURLToPath(new URL('../../../bin/parley.js', import.meta.url));
const picture = fileURLToPath(new URL('../house/red-dot.png', import.meta.url));

let data: DataFolder;
beforeAll(async () => {
  data = await makeDataFolder();
});
afterAll(() => data.remove());

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran>;
}

function begin(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...process.env, PORT: '0', PARLEY_SANDBOX_PORT: '0', PARLEY_DATA: data.path, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return { child, ended: outputOf(child) };
}

/** Sends one piece of a streamed answer. */
function sendPart(response: ServerResponse, content: string): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
}

const run = (args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<Ran> =>
  begin(args, environment).ended;

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
    const { child, ended } = begin(['ask', 'What comes?'], { PARLEY_CONFIG: config });
    child.stdout?.on('data', (chunk) => String(chunk).includes('first') && seen());
    expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining('come later.') });
    await platform.close();
  });

  it('continues a thread, so that a follow-up has the conversation', async () => {
    await run(['ask', '--thread', 'visit', 'How long is a visitor pass valid?']);
    const { out } = await run(['ask', '--thread', 'visit', 'And where must it be given back?']);
    expect(out).toMatch(/desk|reception/i);
  });

  it('prints the whole answer as JSON, with images in files', async () => {
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
    const bytes = await readFile(fileURLToPath(answer.media[0].at));
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
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
    const { child, ended } = begin(['ask', '--agent', 'echo', '-']);
    child.stdin?.end('a question\nof two lines\n');
    expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining('of two lines') });
  });

  it('asks the default agent, whichever agent a chat chose', async () => {
    const { child, ended } = begin(['chat']);
    child.stdin?.end('use echo\n');
    expect((await ended).out).toContain('echo');
    const { out } = await run(['ask', '--json', 'How long is a visitor pass valid?']);
    expect(JSON.parse(out)).toMatchObject({
      agent: 'knowledge',
      endedWithoutMarker: false,
      chatRecordId: expect.stringMatching(/^\d{19}$/),
    });
  });

  it('shows the command that works in a clone', async () => {
    const { err } = await run(['ask']);
    expect(err).toContain('Try: npm run -s parley -- ask --help');
    const { out } = await run(['ask', '--help']);
    expect(out).toContain('Usage: npm run -s parley -- ask ');
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
    const { child, ended } = begin(['chat']);
    child.stdin?.end('use echo\nsay this again\nwhoami\n');
    const { code, out } = await ended;
    expect(code).toBe(0);
    expect(out).toMatch(/\becho\b(?!\*)/);
    expect(out).not.toContain('**');
    expect(out).toContain('say this again');
    expect(out).toMatch(/Terminal/);
  });
});

describe('start', () => {
  it('prints one line, is ready, works beside ask, and ends with 0', async () => {
    const parley = await runParley(data, { OPENAI_API_KEY: 'sk-made-up' });
    const ready = await fetch(`${parley.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', reasons: [], answeredBy: 'sandbox' },
    ]);
    expect(parley.output()).toContain('The sandbox answers, a demonstration platform');
    expect(parley.output()).toContain('OPENAI_API_KEY not used: docs/sandbox.md#a-model says how');
    expect(parley.output()).not.toMatch(/sk-made-up|get answers of the sandbox/);
    expect((await run(['ask', '--agent', 'echo', 'side by side'])).out).toContain('side by side');
    expect(parley.output().match(/Parley is ready: http:\S+/g)).toHaveLength(1);
    expect(parley.output().match(/Slack is off\b/g)).toHaveLength(1);
    expect(await parley.terminate()).toBe(0);
  });

  it('ends its sandbox, even when it is killed', async () => {
    const [sandboxPort] = await freePorts();
    const parley = await runParley(data, { PARLEY_SANDBOX_PORT: String(sandboxPort) });
    expect(await answers(sandboxPort)).toBe(true);
    await parley.kill();
    await expect.poll(() => answers(sandboxPort)).toBe(false);
    const again = await runParley(data, { PARLEY_SANDBOX_PORT: String(sandboxPort) });
    expect(await again.terminate()).toBe(0);
    expect(await answers(sandboxPort)).toBe(false);
  });

  it('names the next free port if its own is in use', async () => {
    const parley = await runParley(data);
    const port = new URL(parley.url).port;
    const other = await makeDataFolder();
    const { code, err, out } = await run(['start'], { PORT: port, PARLEY_DATA: other.path });
    await parley.terminate();
    await other.remove();
    expect(code).toBe(69);
    expect(out).toBe('');
    expect(err).toMatch(new RegExp(`Port ${port} on 127.0.0.1 is in use.*PORT=\\d+ npm start`));
  });

  it('refuses each wrong setting with its exit code and cure (attack S12)', async () => {
    const config = join(data.path, 'broken.yaml');
    await writeFile(config, 'server:\n  port: [1\n');
    const refusals: readonly (readonly [Record<string, string>, number, RegExp])[] = [
      [{ PARLEY_HOST: '0.0.0.0' }, 78, /PARLEY_CONSOLE_TOKEN/],
      [{ PARLEY_CONFIG: config }, 78, /broken\.yaml:\d+:\d+: the line opens a list/],
      [{ PARLEY_CONSOLE_TOKEN: ' ' }, 78, /console\.token is blank/],
      [{ PARLEY_DATA: '/dev/null/data' }, 73, /PARLEY_DATA/],
      [{ PARLEY_KEY: 'short' }, 78, /PARLEY_KEY: key has only 5 characters/],
      [{ SLACK_BOT_TOKEN: 'xapp-1', SLACK_APP_TOKEN: 'xoxb-1' }, 78, /app-level token[\s\S]*bot token/],
    ];
    for (const [environment, exit, says] of refusals) {
      const { code, err, out } = await run(['start'], environment);
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

  it('reports a tunnel that opens the console to everyone, unless the console asks for its token', async () => {
    const open = await runParley(data);
    const found = await checkPublicAccess(`${open.url}/`);
    await open.terminate();
    expect(found).toMatchObject({ ok: false, detail: expect.stringContaining('Set PARLEY_CONSOLE_TOKEN') });
    const guarded = await runParley(data, { PARLEY_CONSOLE_TOKEN: 'a long word of ours' });
    expect(await checkPublicAccess(guarded.url)).toMatchObject({
      ok: true,
      detail: `asks for a sign-in at ${guarded.url}`,
    });
    await guarded.terminate();
    expect((await checkPublicAccess(guarded.url)).detail).toContain(
      'Start the bridge, then run this check again',
    );
  });

  it('checks the console from outside only if a public address is set', async () => {
    const { out } = await run(['doctor'], { PARLEY_PUBLIC_URL: 'https://parley.invalid' });
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
