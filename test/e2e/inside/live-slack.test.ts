/** Tests `parley doctor --live slack` against the fake Slack, whose person does what the check asks for. */

import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import {
  demoApp,
  type FakePerson,
  type FakeSlack,
  type Message,
  startFakeSlack,
} from '../../fakes/slack/index.ts';
import { controlOf } from '../../unit/slack/controls.ts';
import { type Deeds, outcomes, type Trial, type Tried, tryLive } from '../house/live-trial.ts';

const TEST_MS = 240_000;
/** Longest real pause; the check itself waits for seconds. */
const PAUSE_MS = 30;
const NAME = 'Canary Person';
const COMPANY = 'canary-channel';

const clock = {
  now: systemClock.now,
  wait: (ms: number, signal?: AbortSignal) => systemClock.wait(Math.min(ms, PAUSE_MS), signal),
};

let fake: FakeSlack | undefined;
afterEach(() => fake?.close());

interface Stage {
  readonly fake: FakeSlack;
  readonly person: FakePerson;
  readonly other: FakePerson;
  readonly room: string;
}

const newest = ({ fake, room }: Stage): Message => {
  const found = fake.messages(room).findLast(({ app, threadTs }) => app && threadTs !== undefined);
  if (found === undefined) throw new Error('there is no answer');
  return found;
};
const first = ({ fake, room }: Stage): string => fake.messages(room).find(({ app }) => !app)?.ts ?? '';
const own = ({ fake, room, person }: Stage): Message => {
  const found = fake.messages(room).findLast(({ user }) => user === person.id);
  if (found === undefined) throw new Error('the person wrote nothing');
  return found;
};
const direct = ({ fake, person }: Stage): string =>
  fake.messages(person.dm().id).findLast(({ user }) => user === person.id)?.ts ?? '';
/** Presses a control of the newest answer, as soon as Slack shows it. */
const press =
  (kind: string, more: object = {}) =>
  async (stage: Stage) => {
    await expect.poll(() => controlOf(newest(stage).blocks, kind), { timeout: 20_000 }).toBeDefined();
    const control = controlOf(newest(stage).blocks, kind);
    if (control !== undefined) stage.person.presses(newest(stage), { ...control, ...more });
  };
const picture = readFileSync(new URL('../house/red-dot.png', import.meta.url));
const withFile = (stage: Stage, name: string, bytes: Uint8Array | string, mimetype: string) => {
  const file = stage.fake.workspace().file({ name, bytes, mimetype });
  stage.person.mentions(stage.room, 'hello', { files: [file] });
};
const lastView = async ({ person }: Stage, callback: string) => {
  await expect
    .poll(() => JSON.stringify(person.views().at(-1)?.view), { timeout: 20_000 })
    .toContain(callback);
  const view = person.views().at(-1);
  if (view === undefined) throw new Error('no form');
  return view;
};

const deeds: Deeds<Stage> = {
  mention: [({ person, room }) => person.mentions(room, 'hello')],
  'follow-up': [(stage) => stage.person.says(stage.room, 'and again', { thread: first(stage) })],
  edit: [(stage) => stage.person.edits(own(stage), 'something else')],
  delete: [(stage) => stage.person.deletes(own(stage))],
  direct: [({ person }) => person.says(person.dm(), 'count')],
  'stop-stream': [
    ({ person }) => person.says(person.dm(), 'forever'),
    async (stage) => {
      const { fake, person } = stage;
      const streams = () =>
        fake.thread(person.dm().id, direct(stage)).some(({ stream }) => stream?.state === 'live');
      await expect.poll(streams, { timeout: 20_000 }).toBe(true);
      person.stops(person.dm().id, direct(stage));
    },
  ],
  'second-person': [(stage) => stage.other.mentions(stage.room, 'hello from me', { thread: first(stage) })],
  'image-in': [(stage) => withFile(stage, 'red.png', picture, 'image/png')],
  'file-in': [(stage) => withFile(stage, 'notes.txt', 'Some notes.', 'text/plain')],
  'stop-button': [press('reply:stop')],
  retry: [press('reply:retry')],
  regenerate: [press('reply:regenerate')],
  feedback: [
    async (stage) => {
      const blocks = () => JSON.stringify(newest(stage).blocks);
      await expect.poll(blocks, { timeout: 20_000 }).toContain('feedback_buttons');
      const [, value = ''] = /"positive_button":.*?"value":"((?:[^"\\]|\\.)*)"/.exec(blocks()) ?? [];
      stage.person.presses(newest(stage), {
        actionId: 'reply:feedback',
        value: JSON.parse(`"${value}"`) as string,
      });
    },
  ],
  suggestion: [press('reply:suggestion')],
  sources: [
    press('reply:sources'),
    async (stage) => {
      stage.person.presses(await lastView(stage, 'Passage'), 'sources:share:1');
      const form = await lastView(stage, '"callback_id":"share"');
      await stage.person.submits(form, {
        what: { what: { type: 'static_select', selected_option: { value: '1' } } },
      });
    },
  ],
  command: [({ person, room }) => person.types(room, '/ask hello in private')],
  shortcut: [
    (stage) => stage.person.uses('ask_about', own(stage)),
    async (stage) => {
      const form = await lastView(stage, '"callback_id":"ask"');
      await stage.person.submits(form, {
        question: { question: { type: 'plain_text_input', value: 'hello' } },
      });
    },
  ],
  home: [({ person }) => person.opensHome()],
};

async function tried(trial: Trial<Stage>): Promise<Tried> {
  fake = await startFakeSlack({
    deliverTo: 'socket',
    triggerMs: 60_000,
    // The check waits for these limits, but the waits of this test are shorter.
    limits: {
      rates: {
        'chat.update': { calls: 300, per: 60_000 },
        'conversations.replies': { calls: 10_000, per: 60_000 },
      },
      postsPerChannel: { rate: { calls: 100, per: 1_000 }, burst: 100 },
    },
  });
  const workspace = fake.workspace();
  const stage: Stage = {
    fake,
    person: workspace.person({ name: NAME }),
    other: workspace.person({ name: 'Other Canary' }),
    room: workspace.channel({ name: COMPANY }).id,
  };
  const slack = { botToken: workspace.token, appToken: demoApp.appToken, apiUrl: fake.apiUrl };
  const settings = { server: { port: 0 }, slack };
  return tryLive({ channel: 'slack', settings, deeds, stage, clock }, trial);
}

test(
  'all acts pass, and the evidence holds no token, name, id or text of the workspace',
  async () => {
    const trial = await tried({});
    expect(trial.said.join('\n')).not.toContain('the person failed');
    expect(outcomes(trial, 'failed')).toEqual([]);
    expect(outcomes(trial, 'skipped')).toEqual([]);
    expect(trial.evidence.acts.length).toBeGreaterThan(30);
    expect(trial.code).toBe(0);
    expect(fake?.log.violations).toEqual([]);
    const { id, token, botUser } = fake?.workspace() ?? {};
    for (const secret of [id, token, botUser, demoApp.appToken, NAME, COMPANY, 'hello', fake?.url])
      expect(trial.text).not.toContain(secret);
    expect(trial.text).not.toMatch(/\b[UCTBD]0?[A-Z0-9]{7,}\b|\d{10}\.\d{6}/);
    expect(trial.evidence.calls?.['chat.postMessage']?.calls).toBeGreaterThan(10);
  },
  TEST_MS,
);

/** Acts of which each proves something that the planted fault breaks, and no other act. */
const faults: Readonly<Record<string, Trial<Stage> & { readonly failed: string }>> = {
  'edits that Slack refuses': {
    only: ['growth', 'code'],
    plant: ({ fake }) =>
      fake.plant({ kind: 'error', method: 'chat.update', error: 'cant_update_message', count: 999 }),
    failed: 'growth: Slack refused chat.update: cant_update_message.',
  },
  'blocks that Slack refuses': {
    only: ['blocks'],
    plant: ({ fake }) => fake.workspace().state.unsupported.add('context_actions'),
    failed: 'blocks: Slack refuses',
  },
  'events that never come': {
    only: ['mention'],
    plant: ({ fake }) => fake.deliverTo('http://127.0.0.1:9/nowhere'),
    types: '',
    failed: 'mention: The chat platform delivered no event for it.',
  },
  'thumbs that nobody hears': {
    only: ['feedback', 'code'],
    deeds: { ...deeds, feedback: [] },
    types: '',
    failed: 'feedback: The chat platform delivered no event for it.',
  },
};

test.each(Object.entries(faults))(
  'one act fails because of %s, with a sentence that says why',
  async (_name, { failed, ...trial }) => {
    const ended = await tried(trial);
    expect(outcomes(ended, 'failed')).toEqual([expect.stringContaining(failed)]);
    expect(ended.code).toBe(1);
  },
  TEST_MS,
);

test(
  'a person who does nothing is told, and the acts of the person are skipped',
  async () => {
    const trial = await tried({ only: ['mention', 'code', 'setup'], deeds: {}, limits: { personMs: 300 } });
    expect(trial.said.join('\n')).toContain('skipped (');
    expect(outcomes(trial, 'skipped')).toEqual([
      'mention: nobody did it in time',
      'code: needs the act "mention", which did not pass',
    ]);
    expect(outcomes(trial, 'passed')).toEqual(['setup: ']);
    expect(trial.code).toBe(0);
  },
  TEST_MS,
);

test(
  'a person can skip an act, and Ctrl-C writes what there is',
  async () => {
    const trial = await tried({
      only: ['home', 'follow-up', 'mention'],
      deeds: { ...deeds, home: [] },
      interruptAt: 'follow-up',
    });
    expect(outcomes(trial, 'passed')).toEqual(['mention: ']);
    expect(outcomes(trial, 'skipped')).toEqual(['follow-up: interrupted', 'home: interrupted']);
    expect(trial.code).toBe(130);
    const skipping = await tried({ only: ['home'], deeds: {}, types: 's' });
    expect(outcomes(skipping, 'skipped')).toEqual(['home: skipped by the person']);
  },
  TEST_MS,
);
