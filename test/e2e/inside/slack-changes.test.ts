/**
 * Tests what Slack changes or sends wrongly while the bridge runs: installations, tokens, rooms and connections. The real
 * bridge runs against the fake Slack.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../bench/free-ports.ts';
import {
  CHAT,
  type HostilePlatform,
  sendEvents,
  startHostilePlatform,
} from '../../fakes/hostile-platform.ts';
import { demoApp, type FakeSlack, startFakeSlack, visibleText } from '../../fakes/slack/index.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const TEST_MS = 120_000;
const eventually = (look: () => unknown) => expect.poll(look, { timeout: 60_000, interval: 50 });

let platform: HostilePlatform;
let answers = 0;
/** Called before the second half of a slow answer. */
let halfway = async () => undefined as unknown;

beforeAll(async () => {
  platform = await startHostilePlatform();
  platform.on(CHAT, async ({ body }, response) => {
    answers += 1;
    const chunk = (content: string) => ({ choices: [{ delta: { content } }] });
    if (!body.includes('slowly')) return sendEvents(response, [chunk(`answer ${answers}`)]);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${JSON.stringify(chunk('The first half. '))}\n\n`);
    await halfway();
    response.end(`data: ${JSON.stringify(chunk('The second half.'))}\n\ndata: [DONE]\n\n`);
  });
});
afterAll(() => platform?.close());

interface Stage {
  readonly fake: FakeSlack;
  readonly data: DataFolder;
  readonly parley: ParleyInside;
}

async function open(fake: FakeSlack, settings: Readonly<Record<string, string>>): Promise<Stage> {
  const data = await makeDataFolder();
  const config = join(data.path, 'parley.yaml');
  await writeFile(
    config,
    `platform: { baseUrl: '${platform.url}' }
agents: { clerk: { interface: lite-key, description: Knows, credential: { kind: api-key, key: a-key } } }
console: { enabled: false }
log: { level: info, format: json }
`,
  );
  const parley = await runInside(data, { PARLEY_CONFIG: config, SLACK_API_URL: fake.apiUrl, ...settings });
  return { fake, data, parley };
}

async function close(stage: Stage | undefined): Promise<void> {
  await stage?.parley.stop();
  await stage?.fake.close();
  await stage?.data.remove();
}

const shown = ({ fake }: Stage, channel: string, ts: string) =>
  fake.thread(channel, ts).map(visibleText).join('\n');
const answersIn = (stage: Stage, channel: string, ts: string) =>
  shown(stage, channel, ts).match(/answer \d+/g)?.length ?? 0;

/** Asks in a room of the workspace, and resolves once the answer is there. */
async function answered(stage: Stage, which: number) {
  const workspace = stage.fake.workspace(which);
  const channel = workspace.channel();
  const person = workspace.person();
  const { ts } = person.mentions(channel, 'how long?');
  await eventually(() => answersIn(stage, channel.id, ts)).toBe(1);
  return { workspace, channel, person, ts };
}

describe('an app that workspaces and organizations install', () => {
  let stage: Stage;
  let address: string;

  beforeAll(async () => {
    const apart = { installed: false };
    const inside = { installed: false, enterprise: 'E0000ORG1' };
    const fake = await startFakeSlack({ limits: { off: true }, workspaces: [apart, inside, inside, inside] });
    const [port] = await freePorts();
    address = `http://127.0.0.1:${port}`;
    stage = await open(fake, {
      SLACK_SIGNING_SECRET: demoApp.signingSecret,
      SLACK_CLIENT_ID: demoApp.clientId,
      SLACK_CLIENT_SECRET: demoApp.clientSecret,
      SLACK_STATE_SECRET: 'a-state-secret-of-the-test',
      PARLEY_KEY: 'a key of thirty-two characters or more',
      PARLEY_PUBLIC_URL: address,
      PORT: String(port),
    });
    fake.deliverTo(`${address}/slack/events`);
  }, TEST_MS);
  afterAll(() => close(stage), TEST_MS);

  async function install(place: { team?: string; enterprise?: string }): Promise<void> {
    const { consent } = stage.fake.oauth;
    delete consent.enterprise;
    Object.assign(consent, place);
    const begun = await fetch(`${address}/slack/install`, { redirect: 'manual' });
    const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
    const agreed = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
    const back = new URL(agreed.headers.get('location') ?? '');
    const done = await fetch(`${address}/slack/oauth_redirect${back.search}`, { headers: { cookie } });
    expect(done.status, await done.text()).toBe(200);
  }

  test('stays installed when Slack repeats the removal of an earlier installation', {
    timeout: TEST_MS,
  }, async () => {
    const workspace = stage.fake.workspace(0);
    await install({ team: workspace.id });
    await answered(stage, 0);
    workspace.removeApp();
    await eventually(() => stage.parley.output()).toContain('the app was removed from these workspaces');
    await install({ team: workspace.id });
    for (const secondsAgo of [60, 3_600]) expect(await workspace.lateRemoval(secondsAgo)).toEqual([200, 200]);
    await answered(stage, 0);
  });

  test('survives a single refusal of its token', { timeout: TEST_MS }, async () => {
    for (const method of ['users.info', 'chat.*']) {
      stage.fake.plant({ kind: 'error', method, error: 'account_inactive', count: 1 });
      await answered(stage, 0);
    }
  });

  describe('for an organization', () => {
    beforeAll(() => install({ enterprise: 'E0000ORG1' }), TEST_MS);

    // Each workspace has people of its own, and people whose home is another workspace.
    test.each([
      [1, 1, 'home'],
      [2, 1, 'home'],
      [2, 2, 'organization'],
      [3, 1, 'home'],
      [3, 2, 'organization'],
    ] as const)(
      'answers in workspace %i a person of workspace %i, also after a press that names the %s',
      {
        timeout: TEST_MS,
      },
      async (which, home, named) => {
        const { fake } = stage;
        const workspace = fake.workspace(which);
        const person = workspace.person({ team: fake.workspace(home).id });
        fake.pressersAreOf(named);
        const channel = workspace.channel();
        const { ts } = person.mentions(channel, 'how long?');
        await eventually(() => answersIn(stage, channel.id, ts)).toBe(1);
        const first = shown(stage, channel.id, ts);
        const reply = fake.thread(channel.id, ts).at(-1);
        if (reply === undefined) throw new Error('no answer');
        await eventually(() => JSON.stringify(reply)).toContain('reply:regenerate');
        person.presses(reply, { actionId: 'reply:regenerate' });
        await eventually(() => shown(stage, channel.id, ts)).not.toBe(first);
        await eventually(() => answersIn(stage, channel.id, ts)).toBeGreaterThan(0);
      },
    );
  });
});

async function openSocketStage(): Promise<Stage> {
  const fake = await startFakeSlack({ limits: { off: true } });
  const { token } = fake.workspace();
  const stage = await open(fake, { SLACK_BOT_TOKEN: token, SLACK_APP_TOKEN: demoApp.appToken });
  fake.deliverTo('socket');
  return stage;
}

describe('an app with Socket Mode', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openSocketStage();
  }, TEST_MS);
  afterAll(() => close(stage), TEST_MS);

  test.each([
    null,
    7,
    { type: 'events_api', envelope_id: 'e1' },
    { type: 'events_api', envelope_id: 'e1', payload: null },
    { type: 'events_api', envelope_id: 'e1', payload: { type: 'event_callback', event: null } },
    { type: 'interactive', envelope_id: 'e1', payload: { type: 'block_actions', team: null, user: null } },
  ])('answers the next question after the frame %j', { timeout: TEST_MS }, async (frame) => {
    const { opened } = stage.fake.socket;
    stage.fake.socket.frame(frame);
    await answered(stage, 0);
    expect(stage.fake.socket.opened).toBe(opened);
  });

  test('continues a thread under the new id of its room', { timeout: TEST_MS }, async () => {
    const { workspace, channel, person, ts } = await answered(stage, 0);
    const { channel: moved, announce } = workspace.moves(channel);
    announce();
    person.mentions(moved, 'and then?', { thread: ts });
    await eventually(() => answersIn(stage, moved.id, ts)).toBe(2);
  });

  test('finishes a running answer whose room gets a new id', { timeout: TEST_MS }, async () => {
    const workspace = stage.fake.workspace();
    const channel = workspace.channel();
    const { ts } = workspace.person().mentions(channel, 'tell it slowly');
    const seen = Promise.withResolvers<void>();
    halfway = () => seen.promise;
    await eventually(() => shown(stage, channel.id, ts)).toContain('first half');
    const { channel: moved, announce } = workspace.moves(channel);
    const refusals = () =>
      stage.fake.log.calls.filter(({ answer }) => answer?.error === 'channel_not_found').length;
    const before = refusals();
    seen.resolve();
    await eventually(refusals).toBeGreaterThan(before);
    announce();
    await eventually(() => shown(stage, moved.id, ts)).toContain('The second half.');
  });

  test.each([
    ['too_many_websockets', 'before hello', '10 connections'],
    ['too_many_websockets', 'after hello', '10 connections'],
    ['link_disabled', 'after hello', 'Switch Socket Mode on'],
  ] as const)(
    'pauses when Slack ends each connection with %s %s, and connects again',
    { timeout: TEST_MS },
    async (reason, when, cure) => {
      // The pauses of an earlier test would last up to 30 s.
      const fresh = await openSocketStage();
      const { socket } = fresh.fake;
      socket.ending = { reason, when };
      const { opened } = socket;
      socket.drop();
      await eventually(() => socket.opened).toBe(opened + 2);
      expect(fresh.parley.output()).toContain(reason);
      expect(fresh.parley.output()).toContain(cure);
      expect(fresh.parley.output()).toContain('the next attempt is in 2 s');
      socket.ending = undefined;
      await eventually(() => socket.connections).toBe(1);
      await answered(fresh, 0);
      await close(fresh);
    },
  );
});
