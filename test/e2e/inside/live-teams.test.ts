/** Tests `parley doctor --live teams` against the fake Teams, whose person does what the check asks for. */

import { readFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { freePorts } from '../../bench/free-ports.ts';
import {
  type Conversation,
  type FakePerson,
  type FakeTeams,
  type Message,
  startFakeTeams,
} from '../../fakes/teams/index.ts';
import { appPackage } from '../../fakes/teams-app.ts';
import { type Deeds, outcomes, type Trial, type Tried, tryLive } from '../house/live-trial.ts';

const TEST_MS = 240_000;
/** Longest real pause for a wait below one second. */
const PAUSE_MS = 250;
const SECOND_MS = 1_000;
const NAME = 'Canary Person';
const COMPANY = 'canary-channel';

/** Returns a clock that jumps over waits of a second and more. The fake has the same time, so that its limits count. */
function jumping() {
  let ahead = 0;
  return {
    now: () => systemClock.now() + ahead,
    wait: (ms: number, signal?: AbortSignal) => {
      if (ms >= SECOND_MS) ahead += ms;
      return systemClock.wait(ms >= SECOND_MS ? 10 : Math.min(ms, PAUSE_MS), signal);
    },
  };
}

let fake: FakeTeams | undefined;
afterEach(() => fake?.close());

interface Stage {
  readonly fake: FakeTeams;
  readonly person: FakePerson;
  readonly other: FakePerson;
  readonly room: Conversation;
  readonly group: Conversation;
}

const EVENTUALLY = { timeout: 20_000, interval: 50 };
const found = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('there is no such message');
  return value;
};
const first = ({ room }: Stage): string => room.messages.find(({ person }) => person !== undefined)?.id ?? '';
const own = ({ room, person }: Stage): Message =>
  found(room.messages.findLast((each) => each.person === person.aadObjectId));
/** The newest message of the app that fits. */
const newest = ({ room }: Stage, fits: (message: Message) => boolean): Message =>
  found(room.messages.findLast((each) => each.person === undefined && !each.deletedAt && fits(each)));
/** Presses a button of the newest card, as soon as Teams shows it. */
const press = (verb: string) => async (stage: Stage) => {
  const offers = (message: Message) => JSON.stringify(message.shown.attachments).includes(`"${verb}"`);
  await expect.poll(() => newest(stage, offers), EVENTUALLY).toBeDefined();
  stage.person.presses(newest(stage, offers), verb);
};
const picture = readFileSync(new URL('../house/red-dot.png', import.meta.url));
const judged = (message: Message) => message.thumbs !== undefined;

const deeds: Deeds<Stage> = {
  mention: [({ person, room }) => person.mentions(room, 'hello')],
  'follow-up': [(stage) => stage.person.mentions(stage.room, 'and again', { thread: first(stage) })],
  'second-person': [(stage) => stage.other.mentions(stage.room, 'hello from me', { thread: first(stage) })],
  edit: [(stage) => stage.person.edits(own(stage), '<at>Parley</at> something else')],
  delete: [(stage) => stage.person.deletes(own(stage))],
  direct: [({ person }) => person.says(person.dm(), 'count')],
  'stop-stream': [
    ({ person }) => person.says(person.dm(), 'forever'),
    async ({ person }) => {
      await expect.poll(() => person.stops(person.dm()), EVENTUALLY).toHaveLength(1);
    },
  ],
  'image-in': [({ person }) => person.says(person.dm(), 'hello', { pictures: [{ bytes: picture }] })],
  'file-in': [
    ({ person }) =>
      person.says(person.dm(), 'hello', {
        files: [{ name: 'notes.txt', bytes: Buffer.from('Some notes.') }],
      }),
  ],
  group: [({ person, group }) => person.mentions(group, 'count')],
  quote: [
    ({ person }) => {
      const chat = person.dm();
      person.says(chat, 'hello', {
        quoting: found(chat.messages.findLast((each) => each.shown.text !== '')),
      });
    },
  ],
  'file-in-room': [({ person, room }) => person.mentions(room, 'hello', { files: [{ name: 'plan.pdf' }] })],
  private: [({ person, room }) => person.says(room, 'hello', { targeted: true })],
  feedback: [
    async (stage) => {
      await expect.poll(() => newest(stage, judged), EVENTUALLY).toBeDefined();
      stage.person.rates(newest(stage, judged), {
        reaction: 'dislike',
        inputs: { reasons: '0', note: 'too short' },
      });
    },
  ],
  reaction: [(stage) => stage.person.reacts(newest(stage, judged), 'like')],
  sources: [
    async (stage) => {
      const { person } = stage;
      await press('parley.sources')(stage);
      const card = newest(stage, (each) => JSON.stringify(each.shown.attachments).includes('parley.sources'));
      const offers = () => JSON.stringify(person.cards(card));
      await expect.poll(offers, EVENTUALLY).toContain('parley.shareSource');
      person.presses(card, 'parley.shareSource');
      await expect.poll(offers, EVENTUALLY).toContain('"where"');
      person.presses(card, 'parley.shareSource', { where: 'here' });
    },
  ],
  shortcut: [(stage) => stage.person.opens(own(stage), 'askAbout').sends({ question: 'hello' })],
  'stop-button': [press('parley.stop')],
  retry: [press('parley.retry')],
  regenerate: [press('parley.regenerate')],
  suggestion: [press('parley.suggestion')],
};

async function tried({
  targeted = false,
  ...trial
}: Trial<Stage> & { readonly targeted?: boolean }): Promise<Tried> {
  const clock = jumping();
  fake = await startFakeTeams({ clock: { now: clock.now, wait: systemClock.wait } });
  fake.upload(appPackage(fake.app.id, { targeted }));
  const [port = 0] = await freePorts();
  const publicUrl = `http://127.0.0.1:${port}`;
  fake.deliverTo(`${publicUrl}/api/messages`);
  const tenant = fake.tenant();
  const stage: Stage = {
    fake,
    person: tenant.person({ name: NAME }),
    other: tenant.person({ name: 'Other Canary' }),
    room: tenant.team().channel({ name: COMPANY }),
    group: tenant.chat(),
  };
  const teams = {
    appId: fake.app.id,
    tenant: tenant.id,
    password: [...fake.app.secrets][0],
    services: fake.services,
    targeted,
  };
  const settings = { server: { port, publicUrl }, teams };
  return tryLive({ channel: 'teams', settings, deeds, stage, clock }, trial);
}

test(
  'all acts pass, and the evidence holds no secret, name, id or text of the organization',
  async () => {
    const trial = await tried({ targeted: true });
    expect(trial.said.join('\n')).not.toContain('the person failed');
    // A real app needs an https address, which this test does not have.
    expect(outcomes(trial, 'failed')).toEqual([expect.stringMatching(/^setup: Not in order: Teams app\.$/)]);
    expect(trial.said.join('\n')).toContain('Teams accepts no other');
    expect(outcomes(trial, 'skipped')).toEqual([]);
    expect(trial.evidence.acts.length).toBeGreaterThan(35);
    expect(trial.code).toBe(1);
    expect(fake?.log.violations).toEqual([]);
    const { app, url } = fake ?? {};
    const [secret] = app?.secrets ?? [];
    for (const known of [app?.id, secret, fake?.tenant().id, NAME, COMPANY, 'hello', 'too short', url])
      expect(trial.text).not.toContain(known);
    expect(trial.text).not.toMatch(/29:|28:|19:|a:1|[0-9a-f]{8}-[0-9a-f]{4}|\d{13}/);
    expect(trial.evidence.calls?.send?.calls).toBeGreaterThan(10);
  },
  TEST_MS,
);

/** Acts with a planted fault. The sentences say why the act failed, and what to do. */
const faults: Readonly<
  Record<string, Trial<Stage> & { readonly failed: readonly string[]; readonly warned?: string }>
> = {
  'edits that come too fast': {
    only: ['growth', 'code', 'rates'],
    plant: ({ fake }) => fake.plant({ kind: 'rate', method: 'update', only: 'w0004', retryAfter: 1 }),
    failed: ['growth: Teams refused update: 429 ', 'rates: Teams refused 1 calls for their rate: update.'],
  },
  'another organization': {
    only: ['mention'],
    deeds: {
      mention: [
        ({ fake }) => {
          const tenant = fake.addTenant();
          tenant.person().mentions(tenant.team().channel(), 'hello');
        },
      ],
    },
    types: '',
    failed: ['mention: The chat platform delivered no event for it. Check that the messaging endpoint'],
    warned: 'it comes from another organization than MICROSOFT_APP_TENANT_ID',
  },
  'an app that is not in the team': {
    only: ['mention'],
    plant: ({ fake, room }) => {
      const team = fake.tenant().state.teams.get(room.team ?? '');
      if (team !== undefined) team.installed = false;
    },
    types: '',
    failed: ['mention: The chat platform delivered no event for it. Check that the messaging endpoint'],
  },
  'an organization that forbids files': {
    only: ['file-in'],
    deeds: { 'file-in': [({ person }) => person.says(person.dm(), 'hello')] },
    limits: { toolMs: 2_000 },
    failed: [
      'file-in: The messages of the answer in Teams are not as expected. Choose the file on your computer. If your organization forbids files',
    ],
  },
  'a stream that Teams ends early': {
    only: ['stream-life'],
    plant: ({ fake }) =>
      fake.plant({
        kind: 'status',
        method: 'stream',
        only: 'words',
        after: 3,
        status: 403,
        code: 'ContentStreamNotAllowed',
        message: 'Content stream finished due to exceeded streaming time.',
      }),
    failed: [
      'stream-life: Teams accepted 3 appends and refused the next one (403 ContentStreamNotAllowed); Parley assumes 19.',
    ],
  },
};

test.each(Object.entries(faults))(
  'an act fails because of %s, with a sentence that says why',
  async (_name, { failed, warned, ...trial }) => {
    const ended = await tried(trial);
    expect(outcomes(ended, 'failed')).toEqual(failed.map((each) => expect.stringContaining(each)));
    expect(ended.code).toBe(1);
    if (warned !== undefined) expect(ended.said.join('\n')).toContain(warned);
  },
  TEST_MS,
);

test(
  'a person who walks away is not waited for without end, and Ctrl-C writes what there is',
  async () => {
    const away = await tried({ only: ['code'], deeds: {}, limits: { personMs: 300 } });
    expect(outcomes(away, 'skipped')).toEqual([
      'mention: nobody did it in time',
      'code: needs the act "mention", which did not pass',
    ]);
    await fake?.close();
    const ended = await tried({ only: ['follow-up', 'code'], interruptAt: 'follow-up' });
    expect(outcomes(ended, 'passed')).toEqual(['mention: ']);
    expect(outcomes(ended, 'skipped')).toEqual(['follow-up: interrupted', 'code: interrupted']);
    expect(ended.code).toBe(130);
  },
  TEST_MS,
);
