/**
 * Tests a bridge with two agent platforms: agents of both answer in one console, an outage of one platform delays only
 * its own agents, and no credential, session or document reaches the other platform. Each platform is a sandbox behind
 * a server that records every request.
 */

import { writeFile } from 'node:fs/promises';
import { createServer, request as forward, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandbox } from '../../../sandbox/index.ts';
import { words } from '../../../src/core/words.ts';
import { closed, taken } from '../../fakes/listen.ts';
import { runHere } from '../../fakes/run-here.ts';
import { ConsoleClient } from '../house/console-client.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const TEST_MS = 240_000;
const SOON = { timeout: 60_000, interval: 100 };

interface RecordedPlatform {
  readonly url: string;
  /** The requests, each as one text with its headers and body. */
  readonly requests: string[];
  /** The values of the header `authorization`. */
  readonly tokens: Set<string>;
  isUp: boolean;
  close(): Promise<void>;
}

async function startRecorded(): Promise<RecordedPlatform> {
  const sandbox = await startSandbox({ port: 0, memory: true, options: { paceMs: 0 } });
  const server = createServer(async (incoming, response) => {
    const body = await bodyOf(incoming);
    const { method = 'GET', url = '/', headers } = incoming;
    recorded.requests.push(`${method} ${url}\n${JSON.stringify(headers)}\n${body.toString('utf8')}`);
    if (headers.authorization !== undefined)
      recorded.tokens.add(headers.authorization.split(' ').at(-1) ?? '');
    const passed = forward(sandbox.url + url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    passed.end(body);
  });
  const port = await taken(server, 0);
  const recorded: RecordedPlatform = {
    url: `http://127.0.0.1:${port}`,
    requests: [],
    tokens: new Set(),
    isUp: true,
    async close() {
      await Promise.all([closed(server), sandbox.close()]);
    },
  };
  server.on('connection', (socket) => {
    if (!recorded.isUp) socket.destroy();
  });
  server.on('request', ({ socket }) => {
    if (!recorded.isUp) socket.destroy();
  });
  await sandbox.indexed;
  return recorded;
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

let main: RecordedPlatform;
let lab: RecordedPlatform;
let data: DataFolder;
let parley: ParleyInside;
let people: ConsoleClient;

beforeAll(async () => {
  [main, lab, data] = await Promise.all([startRecorded(), startRecorded(), makeDataFolder()]);
  await start();
}, TEST_MS);
afterAll(async () => {
  await parley?.stop();
  await Promise.all([main?.close(), lab?.close()]);
  await data?.remove();
}, TEST_MS);

const openAgent = (account: string, platform: 'main' | 'lab') => ({
  ...{ interface: 'open', expertCode: 'echo', platform, workspace: 'handbook' },
  credential: {
    kind: 'client-account',
    client: 'sandbox-open-client',
    secret: 'sandbox-open-secret',
    account,
  },
});
const keyAgent = (name: string) => ({
  ...{ interface: 'lite-key', credential: { kind: 'api-key', key: `sandbox-key-${name}` } },
});
const file = () => join(data.path, 'parley.yaml');

/** @param desk the platform on which the agent `desk` runs */
async function start(desk: 'main' | 'lab' = 'main'): Promise<void> {
  const rules = join(data.path, 'rules.yaml');
  await writeFile(rules, 'rules: [{ allow: [ask, share, search, save-files, correct], who: member }]\n');
  const settings = {
    platforms: { main: { baseUrl: main.url }, lab: { baseUrl: lab.url } },
    agents: {
      desk: openAgent('admin', desk),
      painter: openAgent('member-one', 'lab'),
      keyed: keyAgent('echo'),
      other: { ...keyAgent('kb-demo'), platform: 'lab' },
    },
    // The person of the console has an account on main only.
    identity: { table: [{ person: 'engineer', account: 'member-two' }], rooms: 'asker' },
    rooms: [
      { room: 'support', workspaceIds: ['41', '42'], layoutMode: 'retrieval', agent: 'other' },
      { kind: 'room', workspace: 'handbook' },
    ],
    rules,
  };
  await writeFile(file(), JSON.stringify(settings));
  parley = await runInside(data, { PARLEY_CONFIG: file() });
  people = new ConsoleClient(parley.url);
}

const ask = async (text: string, thread?: string, files: readonly string[] = []) => {
  const place = thread === undefined ? { files } : { thread, files };
  const question = await people.say(text, place);
  return { question, reply: (await people.answer(question)).reply };
};
const reached = (platform: RecordedPlatform, part: string) =>
  platform.requests.filter((request) => request.includes(part)).length;
const sessionsAt = ({ requests }: RecordedPlatform) =>
  new Set(requests.flatMap((request) => /"sessionId":"([^"]+)"/.exec(request)?.[1] ?? []));

const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>) =>
  [...one].filter((each) => other.has(each));

const cli = (...args: readonly string[]) =>
  runHere(args, { environment: { PORT: '0', PARLEY_DATA: data.path, PARLEY_CONFIG: file() } });

test(
  'agents of both platforms answer in one thread, and each credential and session stays on its platform',
  async () => {
    const { question, reply } = await ask('@desk one');
    expect(reply).toMatchObject({ agent: 'desk', text: expect.stringContaining('one') });
    for (const text of ['@painter two', '@painter three', '@desk four', '@keyed five', '@other six'])
      expect((await ask(text, question.thread)).reply).toMatchObject({
        ...{ agent: text.slice(1).split(' ')[0], state: 'done' },
      });
    expect([reached(main, 'sandbox-key-echo'), reached(lab, 'sandbox-key-kb-demo')]).not.toContain(0);
    expect([reached(main, 'sandbox-key-kb-demo'), reached(lab, 'sandbox-key-echo')]).toEqual([0, 0]);
    expect([reached(lab, 'admin'), reached(lab, 'member-two')]).toEqual([0, 0]);
    expect(reached(main, 'member-two')).toBeGreaterThan(0);
    expect(reached(main, 'member-one')).toBe(0);
    expect([main.tokens.size, lab.tokens.size]).not.toContain(0);
    expect(shared(main.tokens, lab.tokens)).toEqual([]);
    expect([sessionsAt(main).size, sessionsAt(lab).size]).toEqual([1, 1]);
    expect(shared(sessionsAt(main), sessionsAt(lab))).toEqual([]);
  },
  TEST_MS,
);

test(
  'a room limits the workspaces of its agents, and shows passages in place of an answer',
  async () => {
    const asked = lab.requests.length;
    const answers = await Promise.all(
      ['support', 'general'].map(async (room) => {
        const question = await people.say('@other How long is the warranty?', { room });
        return (await people.answer(question)).reply.state;
      }),
    );
    expect(answers).toEqual(['done', 'done']);
    const chats = lab.requests.slice(asked).filter((request) => request.includes('How long is the warranty'));
    const limited = chats.filter((request) => /"workspace_id":\["41","42"\].*"layout_mode":1/.test(request));
    const unlimited = chats.filter((request) => !/workspace_id|layout_mode/.test(request));
    expect([limited.length, unlimited.length, chats.length]).toEqual([1, 1, 2]);
  },
  TEST_MS,
);

test(
  'a document, undo and a correction reach the platform of the agent that is asked',
  async () => {
    const atMain = main.requests.length;
    const { id } = await people.upload(
      'plan.txt',
      'text/plain',
      new TextEncoder().encode('The plan of the lab.'),
    );
    const { question, reply } = await ask('@painter what is the plan?', undefined, [id]);
    expect(reply.notices.map(({ text }) => text).join()).toContain('plan.txt');
    expect(reached(lab, 'The plan of the lab.')).toBeGreaterThan(0);
    const body = { as: 'engineer', question: 'Where is the lab?', answer: 'Upstairs.' };
    const corrected = await fetch(`${parley.url}/console/replies/${reply.turn}/correct`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    });
    expect(await corrected.text()).toContain('is stored in “handbook”');
    expect(reached(lab, 'Upstairs.')).toBe(1);
    // The thread's agent is on main now, but the document is on lab.
    await ask('use desk', question.thread);
    expect((await ask('undo', question.thread)).reply.text).toContain('plan.txt');
    expect(lab.requests.filter((each) => each.startsWith('DELETE'))).toHaveLength(1);
    const since = main.requests.slice(atMain);
    expect(since.filter((each) => /The plan of the lab|Upstairs|^DELETE/.test(each))).toEqual([]);
  },
  TEST_MS,
);

test(
  'while one platform is down, its questions wait, and the agents of the other answer promptly',
  async () => {
    lab.isUp = false;
    const waiting = await people.say('@painter are you there?');
    const notice = await people.replyTo(waiting, ({ meanwhile }) => meanwhile === words.platformDown);
    expect(notice.reply.state).toBe('thinking');
    const { reply } = await ask('@desk and you?');
    expect(reply).toMatchObject({ state: 'done', text: expect.stringContaining('and you?') });
    const gauges = async () =>
      (await (await fetch(`${parley.url}/metrics`)).text()).match(/^parley_platform_up\{.*/gm);
    const up = ['main', 'lab'].map(
      (name) => `parley_platform_up{platform="${name === 'main' ? main.url : lab.url}",name="${name}"}`,
    );
    await expect.poll(gauges, SOON).toEqual([`${up[0]} 1`, `${up[1]} 0`]);
    const ready = await fetch(`${parley.url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { answeredBy: 'platform' }]);
    expect(parley.output()).toMatch(
      /agent platform is down.*"?name"?[=:] ?"?lab|name"?[=:] ?"?lab.*agent platform is down/s,
    );
    const doctor = await cli('doctor', '--json');
    const { findings } = JSON.parse(doctor.out) as { findings: { what: string; ok: boolean }[] };
    const about = findings.filter(({ what }) => /^(platform|agent) /.test(what));
    expect(about).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ what: 'platform main', ok: true, detail: `${main.url} answers` }),
        expect.objectContaining({ what: 'platform main, clock', ok: true }),
        expect.objectContaining({ what: 'platform lab', ok: false }),
        expect.objectContaining({ what: expect.stringMatching(/^agent desk, /), ok: true }),
      ]),
    );
    expect(about.map(({ what }) => what).join()).not.toMatch(/painter|other/);
    lab.isUp = true;
    expect((await people.answer(waiting)).reply.text).toContain('are you there?');
    await expect.poll(gauges, SOON).toEqual([`${up[0]} 1`, `${up[1]} 1`]);
  },
  TEST_MS,
);

test(
  'the commands name each platform, and take its credentials',
  async () => {
    const checked = await cli('config', 'check');
    for (const line of [`Platform main: ${main.url}`, `Platform lab: ${lab.url}`])
      expect(checked.out).toContain(line);
    expect(JSON.parse((await cli('config', 'check', '--json')).out)).toMatchObject({
      ...{ platform: main.url, platforms: { main: main.url, lab: lab.url } },
    });
    const both = await cli('platform', 'check');
    for (const text of [`platform main, base address`, `platform lab, reachable`])
      expect(both.out).toContain(text);
    const atMain = main.requests.length;
    const listed = await cli('platform', 'workspaces', 'list', '--agent', 'painter', '--json');
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('handbook')]);
    expect(main.requests).toHaveLength(atMain);
    const wrong = await cli('platform', 'workspaces', 'list', '--agent', 'painter', '--platform', 'main');
    expect([wrong.code, wrong.err]).toEqual([64, expect.stringContaining('no agent "painter"')]);
    const unknown = await cli('platform', 'check', '--platform', 'attic');
    expect([unknown.code, unknown.err]).toEqual([64, expect.stringContaining('Known platforms: main, lab')]);
    const none = await cli('platform', 'workspaces', 'list', '--platform', 'lab');
    expect(none.err).toContain('platforms.lab.credentials.open');
    const token = await cli('platform', 'auth', 'token', '--platform', 'lab');
    expect([token.code, token.err]).toEqual([78, expect.stringContaining('platforms.lab.credentials.open')]);
  },
  TEST_MS,
);

test(
  'an agent that moves to another platform starts a new session there, and finds its old one when it moves back',
  async () => {
    const { question, reply } = await ask('@desk seven');
    expect(reply.state).toBe('done');
    await ask('@desk eight', question.thread);
    const old = sessionsAt(main);
    await parley.stop();
    await start('lab');
    expect((await ask('@desk nine', question.thread)).reply.state).toBe('done');
    expect((await ask('@desk ten', question.thread)).reply.state).toBe('done');
    expect(shared(sessionsAt(lab), old)).toEqual([]);
    await parley.stop();
    await start('main');
    expect((await ask('@desk eleven', question.thread)).reply.state).toBe('done');
    expect(sessionsAt(main)).toEqual(old);
    expect(shared(main.tokens, lab.tokens)).toEqual([]);
  },
  TEST_MS,
);
