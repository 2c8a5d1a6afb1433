/** Tests messages in a strict fake Slack, with the whole bridge and the embedded sandbox. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { words } from '../../../src/core/words.ts';
import { freePorts } from '../../bench/free-ports.ts';
import {
  demoApp,
  type FakePerson,
  type FakeSlack,
  sign,
  startFakeSlack,
  visibleText,
} from '../../fakes/slack/index.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const QUESTION = 'what is the data retention policy?';
const ANSWER = 'how it is deleted';
const ANSWERED_MS = 90_000;

interface Stage {
  readonly fake: FakeSlack;
  readonly parley: ParleyInside;
  close(): Promise<void>;
}

async function open(fake: FakeSlack, environment: Record<string, string>): Promise<Stage> {
  const data: DataFolder = await makeDataFolder();
  const parley = await runInside(data, { SLACK_API_URL: fake.apiUrl, ...environment });
  return {
    fake,
    parley,
    async close() {
      await parley.stop();
      await fake.close();
      await data.remove();
    },
  };
}

/** Returns the texts of the app's messages in a thread. */
const shown = (fake: FakeSlack, channel: string, ts: string): readonly string[] =>
  fake
    .thread(channel, ts)
    .filter(({ app, onlyFor }) => app && onlyFor === undefined)
    .map(visibleText);

const eventually = (look: () => unknown) => expect.poll(look, { timeout: ANSWERED_MS, interval: 100 });

describe('over HTTP, in one workspace', () => {
  let stage: Stage;
  let fake: FakeSlack;
  let room: string;
  let engineer: FakePerson;

  beforeAll(async () => {
    fake = await startFakeSlack();
    const workspace = fake.workspace();
    stage = await open(fake, {
      SLACK_BOT_TOKEN: workspace.token,
      SLACK_SIGNING_SECRET: demoApp.signingSecret,
    });
    fake.deliverTo(`${stage.parley.url}/slack/events`);
    room = workspace.channel({ name: 'field' }).id;
    engineer = workspace.person({ name: 'Engineer' });
  });
  afterAll(() => stage?.close());

  const ours = (ts: string) => shown(fake, room, ts);

  test('a mention is answered once in its thread, and a follow-up without one', async () => {
    const { ts } = engineer.mentions(room, QUESTION);
    await eventually(() => ours(ts).join()).toContain(ANSWER);
    expect(ours(ts)).toHaveLength(1);
    await eventually(() => ours(ts)[0]).toContain(words.sandboxAnswers);
    expect(stage.parley.output()).toContain('People in Slack get answers of the sandbox');
    engineer.says(room, 'And how long is a visitor pass valid?', { thread: ts });
    await eventually(() => ours(ts).length).toBe(2);
    await eventually(() => ours(ts)[1]).toMatch(/day/);
  });

  test('messages between people are not answered', async () => {
    const { ts } = engineer.says(room, QUESTION);
    const other = engineer.mentions(room, QUESTION);
    await eventually(() => ours(other.ts).join()).toContain(ANSWER);
    expect(ours(ts)).toEqual([]);
  });

  test('a direct message is answered without a mention', async () => {
    const dm = engineer.dm();
    const { ts } = engineer.says(dm, QUESTION);
    await eventually(() => shown(fake, dm.id, ts).join()).toContain(ANSWER);
  });

  test('an image reaches the agent, with the token and by its content', async () => {
    const bytes = readFileSync(new URL('../house/red-dot.png', import.meta.url));
    const file = fake.workspace().file({ name: 'red.png', bytes, mimetype: 'image/png' });
    const { ts } = engineer.mentions(room, 'image-demo: what is this?', { files: [file] });
    await eventually(() => ours(ts).join()).toContain('red.png');
  });

  test('the native Stop ends the answer and keeps the text so far', async () => {
    const dm = engineer.dm();
    const { ts } = engineer.says(dm, 'slow-demo: tell me everything at length, please');
    await eventually(() => fake.thread(dm.id, ts).some(({ stream }) => stream !== undefined)).toBe(true);
    await eventually(() => shown(fake, dm.id, ts).join().length).toBeGreaterThan(5);
    engineer.stops(dm.id, ts);
    await eventually(() => shown(fake, dm.id, ts).join()).toMatch(/stopped/i);
  });

  test('an edited question is asked again in the same reply, and a deleted one removes its reply', async () => {
    const question = engineer.mentions(room, 'how long is a visitor pass valid?');
    await eventually(() => ours(question.ts).join()).toMatch(/day/);
    engineer.edits(question, `<@${fake.workspace().botUser}> ${QUESTION}`);
    await eventually(() => ours(question.ts).join()).toContain(ANSWER);
    expect(ours(question.ts)).toHaveLength(1);
    engineer.deletes(question);
    await eventually(() => ours(question.ts)).toEqual([]);
  });

  test('a guest and an outsider are refused visibly, without buttons, and the agent is not asked', async () => {
    const guest = fake.workspace().person({ name: 'Visitor', guest: 'single-channel' });
    const stranger = fake.workspace().person({ name: 'Stranger', team: 'T0OTHER' });
    for (const person of [guest, stranger]) {
      const { ts } = person.mentions(room, QUESTION);
      await eventually(() => ours(ts).join()).toContain('cannot use this here');
      expect(ours(ts).join()).not.toContain(ANSWER);
      expect(ours(ts).join()).not.toMatch(/\[(?:Ask|Regenerate|Retry|Good)/);
    }
  });

  test('every call is valid for Slack', () => {
    expect(fake.log.violations).toEqual([]);
  });
});

test('three workspaces install the app and are answered concurrently, and one that leaves is forgotten', async () => {
  const fake = await startFakeSlack({
    workspaces: [{ installed: false }, { installed: false }, { installed: false }],
  });
  // The port is chosen in advance, because the bridge's settings contain its own address.
  const [port] = await freePorts();
  const address = `http://127.0.0.1:${port}`;
  const stage = await open(fake, {
    SLACK_SIGNING_SECRET: demoApp.signingSecret,
    SLACK_CLIENT_ID: demoApp.clientId,
    SLACK_CLIENT_SECRET: demoApp.clientSecret,
    SLACK_STATE_SECRET: 'a state secret of the test',
    PARLEY_KEY: 'a key of thirty-two characters or more',
    PARLEY_PUBLIC_URL: address,
    PORT: String(port),
  });
  fake.deliverTo(`${address}/slack/events`);
  const all = [0, 1, 2].map((which) => fake.workspace(which));
  for (const workspace of all) {
    fake.oauth.consent.team = workspace.id;
    await install(address);
  }
  const asked = all.map((workspace) => {
    const room = workspace.channel().id;
    return { room, ts: workspace.person().mentions(room, QUESTION).ts };
  });
  for (const { room, ts } of asked) await eventually(() => shown(fake, room, ts).join()).toContain(ANSWER);
  all[0]?.removeApp();
  await eventually(() => stage.parley.output()).toContain('everything stored for a workspace was deleted');
  await stage.close();
});

test('an event that is repeated, immediately and after a restart, is answered once', async () => {
  const fake = await startFakeSlack();
  const workspace = fake.workspace();
  const data = await makeDataFolder();
  const environment = {
    SLACK_API_URL: fake.apiUrl,
    SLACK_BOT_TOKEN: workspace.token,
    SLACK_SIGNING_SECRET: demoApp.signingSecret,
  };
  const before = await runInside(data, environment);
  const room = workspace.channel().id;
  const { ts } = workspace.person().mentions(room, QUESTION);
  const events = fake.deliveries.map(({ payload }) => JSON.stringify(payload));
  const send = (url: string, body: string) =>
    fetch(`${url}/slack/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...sign(demoApp.signingSecret, body, Date.now()) },
      body,
    }).then(({ status }) => status);
  expect(events.length).toBeGreaterThan(1);
  const statuses = await Promise.all([...events, ...events, ...events].map((body) => send(before.url, body)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  // Waits for the complete answer, because a reply that is killed halfway would stay partial.
  await eventually(() => shown(fake, room, ts).join()).toContain(ANSWER);
  await before.stop();
  const after = await runInside(data, environment);
  for (const body of events) expect(await send(after.url, body)).toBe(200);
  await eventually(() => shown(fake, room, ts).join()).toContain(ANSWER);
  const { ts: last } = workspace.person().mentions(room, QUESTION);
  for (const { payload } of fake.deliveries.slice(events.length))
    await send(after.url, JSON.stringify(payload));
  await eventually(() => shown(fake, room, last).join()).toContain(ANSWER);
  expect(shown(fake, room, ts)).toHaveLength(1);
  await after.stop();
  await fake.close();
  await data.remove();
});

/** Installs the app as a browser does: opens the bridge's page, then Slack's, and returns with the cookie. */
async function install(address: string): Promise<void> {
  const begun = await fetch(`${address}/slack/install`, { redirect: 'manual' });
  const cookie = begun.headers.get('set-cookie')?.split(';')[0] ?? '';
  const agreed = await fetch(begun.headers.get('location') ?? '', { redirect: 'manual' });
  const back = new URL(agreed.headers.get('location') ?? '');
  const done = await fetch(`${address}${back.pathname}${back.search}`, { headers: { cookie } });
  expect(done.status, await done.text()).toBe(200);
}
