/**
 * Tests at the wire that a person whom the rules bar from an agent cannot act on its answers (attack S26): only this
 * person reads why, other people see no change, the audit records each refusal, and a permitted person's press works.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runHere } from '../../fakes/run-here.ts';
import { demoApp, type FakeSlack, type Message, startFakeSlack } from '../../fakes/slack/index.ts';
import type { Press } from '../../fakes/slack/interact/acts.ts';
import { type FakeTeams, startFakeTeams } from '../../fakes/teams/index.ts';
import { appPackage } from '../../fakes/teams-app.ts';
import { controlOf } from '../../unit/slack/controls.ts';
import { ConsoleClient } from '../house/console-client.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 20_000, interval: 50 });

/** Resolves with what `look` finds, as soon as it finds something. */
async function until<Found>(look: () => Promise<Found | undefined> | Found | undefined): Promise<Found> {
  let found: Found | undefined;
  await eventually(async () => {
    found = await look();
    return found;
  }).toBeDefined();
  if (found === undefined) throw new Error('Nothing was found.');
  return found;
}

/** The agent repeats this question at 50 ms per character, so the answer takes half a minute unless it is stopped. */
const SLOW = `slow-demo: tell me everything at length, please${'. Take your time'.repeat(25)}`;
/** A suggestion of the agent `media-demo`. */
const SUGGESTION = 'Show me another picture';
const QUESTION = 'what is the data retention policy?';
/** Matches an answer that has ended, and so can be replaced. */
const DONE = /"state":"done","steps"|reply:regenerate|"Regenerate"/;
const REFUSAL = /You cannot act on this answer, because you are not allowed to ask the agent \S+ here\./g;

type Who = 'member' | 'barred';

interface Chat {
  /** Writes to the bot, and resolves with the thread. */
  say(who: Who, text: string, thread?: string): Promise<string>;
  /** Presses a control of the newest message that has it, as soon as there is one. */
  press(who: Who, control: string, thread: string): Promise<unknown>;
  /** Returns what only the barred person has read so far. */
  told(): string;
  /** Returns what everyone sees of the bot in the thread. */
  seen(thread: string): Promise<string>;
  /** Matches an answer that changes no more: its sources or images come after its text. */
  readonly whole: RegExp;
  readonly stop: string;
  readonly instead: string;
  readonly retry: string;
  readonly regenerate: string;
  readonly show: string;
  readonly suggestion: string;
  /** Further controls of a finished answer with two versions. */
  readonly more: readonly string[];
}

let data: DataFolder;
let slack: FakeSlack;
let teams: FakeTeams;
let parley: ParleyInside;
let environment: Readonly<Record<string, string>>;
const chats: Partial<Record<string, Chat>> = {};

beforeAll(async () => {
  data = await makeDataFolder();
  [slack, teams] = [await startFakeSlack({ triggerMs: 60_000 }), await startFakeTeams()];
  teams.upload(appPackage(teams.app.id, { targeted: true }));
  const inSlack = chatInSlack();
  const inTeams = chatInTeams();
  const rules = join(data.path, 'rules.yaml');
  writeFileSync(
    rules,
    `groups:
  barred: [person:console/designer, person:slack/${inSlack.barred}, person:teams/${inTeams.barred}]
rules:
  - { allow: ask, who: group:barred, agent: echo }
  - { deny: [ask, share], who: group:barred }
  - { allow: [ask, share], who: member }
`,
  );
  const config = join(data.path, 'parley.yaml');
  const own = { services: teams.services, targeted: true };
  writeFileSync(config, JSON.stringify({ rules, limits: { questionsPerMinute: 1_000 }, teams: own }));
  environment = {
    PARLEY_CONFIG: config,
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: slack.workspace().token,
    SLACK_SIGNING_SECRET: demoApp.signingSecret,
    MICROSOFT_APP_ID: teams.app.id,
    MICROSOFT_APP_TENANT_ID: teams.tenant().id,
    MICROSOFT_APP_PASSWORD: [...teams.app.secrets][0] ?? '',
  };
  parley = await runInside(data, environment);
  slack.deliverTo(`${parley.url}/slack/events`);
  teams.deliverTo(`${parley.url}/api/messages`);
  Object.assign(chats, { console: chatInConsole(), slack: inSlack.chat, teams: inTeams.chat });
});
afterAll(async () => {
  await parley?.stop();
  await Promise.all([slack?.close(), teams?.close()]);
  await data?.remove();
});

function chatInConsole(): Chat {
  const people = new ConsoleClient(parley.url);
  const roots = new Map<string, Awaited<ReturnType<ConsoleClient['say']>>>();
  const told: string[] = [];
  const as = { member: 'engineer', barred: 'designer' } as const;
  const post = async (who: Who, path: string, body: object) => {
    const answer = await fetch(`${parley.url}/console/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ as: as[who], nonce: crypto.randomUUID(), ...body }),
    });
    const text = await answer.text();
    if (who === 'barred') told.push(text);
    return JSON.parse(text);
  };
  const repliesIn = async (thread: string) => {
    const root = roots.get(thread);
    return root === undefined ? [] : people.replies(root);
  };
  const bodies: Partial<Record<string, object>> = {
    show: { edition: 1 },
    feedback: { verdict: 'up' },
    suggest: { text: SUGGESTION },
    ask: { agent: 'echo' },
  };
  return {
    async say(who, text, thread) {
      const said = await post(who, 'rooms/general/messages', {
        text: `@parley ${text}`,
        files: [],
        ...(thread !== undefined && { thread }),
      });
      if (thread === undefined) roots.set(said.thread, said);
      return thread ?? said.thread;
    },
    async press(who, control, thread) {
      // The barred person's own question waits behind the first one.
      const { reply } = await until(async () => (await repliesIn(thread))[control === 'instead' ? 1 : 0]);
      if (control === 'shares') return post(who, 'shares', { turn: reply.turn, room: 'support' });
      return post(who, `replies/${reply.turn}/${control}`, bodies[control] ?? {});
    },
    told: () => told.join('\n'),
    async seen(thread) {
      const root = roots.get(thread);
      const messages = root === undefined ? [] : await people.thread(root);
      return JSON.stringify(messages.filter(({ author }) => author.kind !== 'person'));
    },
    whole: /"sources":\[\{/,
    ...{ stop: 'stop', instead: 'instead', retry: 'retry', regenerate: 'regenerate', show: 'show' },
    suggestion: 'suggest',
    more: ['feedback', 'ask', 'ask-me', 'shares'],
  };
}

function chatInSlack(): { readonly chat: Chat; readonly barred: string } {
  const workspace = slack.workspace();
  const room = workspace.channel({ name: 'field' }).id;
  const people = {
    member: workspace.person({ name: 'Member' }),
    barred: workspace.person({ name: 'Barred' }),
  };
  for (const person of Object.values(people)) person.says(room, 'Good morning.');
  const ours = (thread: string) => slack.thread(room, thread).filter(({ app }) => app);
  const shown = (thread: string) => ours(thread).filter(({ onlyFor }) => onlyFor === undefined);
  const chat: Chat = {
    say: async (who, text, thread) => {
      const { ts } = people[who].mentions(room, text, thread === undefined ? {} : { thread });
      return thread ?? ts;
    },
    async press(who, control, thread) {
      const [message, found] = await until(() =>
        ours(thread)
          .filter(({ onlyFor }) => onlyFor === undefined || onlyFor === people[who].id)
          .map((each) => [each, controlOf(each.blocks, control)] as const)
          .findLast((each): each is readonly [Message, Press] => each[1] !== undefined),
      );
      const value = /"value":"([^"]* up)"/.exec(JSON.stringify(message.blocks))?.[1];
      const isRating = control === 'reply:feedback' && value !== undefined;
      return people[who].presses(message, isRating ? { ...found, value } : found).done;
    },
    told: () =>
      [
        ...slack.messages(room).filter(({ onlyFor }) => onlyFor === people.barred.id),
        ...people.barred.views(),
      ]
        .map((each) => ('view' in each ? JSON.stringify(each.view) : each.text))
        .join('\n'),
    seen: async (thread) => JSON.stringify(shown(thread).map(({ text, blocks }) => [text, blocks])),
    whole: /"slack_file"/,
    ...{ stop: 'reply:stop', instead: 'reply:instead', retry: 'reply:retry' },
    ...{ regenerate: 'reply:regenerate', show: 'reply:show' },
    suggestion: 'reply:suggestion',
    more: ['reply:feedback', 'reply:agent', 'reply:mine', 'reply:sources'],
  };
  return { chat, barred: people.barred.id };
}

function chatInTeams(): { readonly chat: Chat; readonly barred: string } {
  const tenant = teams.tenant();
  const room = tenant.team().channel();
  const people = { member: tenant.person({ name: 'Member' }), barred: tenant.person({ name: 'Barred' }) };
  for (const person of Object.values(people)) {
    person.says(room, 'Good morning.');
    person.dm();
  }
  const told: string[] = [];
  const ours = (thread: string) =>
    teams
      .messages(room)
      .filter(
        ({ person, deletedAt, root }) => person === undefined && deletedAt === undefined && root === thread,
      );
  const chat: Chat = {
    say: async (who, text, thread) => {
      const { message } = people[who].mentions(room, text, thread === undefined ? {} : { thread });
      return thread ?? message.id;
    },
    async press(who, control, thread) {
      const person = people[who];
      if (control === 'rate') {
        const [said] = ours(thread);
        if (said !== undefined)
          told.push(JSON.stringify(await person.rates(said, { reaction: 'like' }).form));
        return;
      }
      const [message, title] = await until(() =>
        ours(thread)
          .flatMap((each) => person.offers(each).map((offered) => [each, offered] as const))
          .findLast(([, offered]) => offered.startsWith(control)),
      );
      const answer = await person.presses(message, title, control === 'Ask' ? { agent: 'echo' } : {}).answer;
      if (who === 'barred') told.push(JSON.stringify(answer));
    },
    told: () =>
      [
        ...told,
        ...teams
          .messages(room)
          .filter(({ onlyFor }) => onlyFor === people.barred.aadObjectId)
          .map(({ shown }) => shown.text),
      ].join('\n'),
    seen: async (thread) =>
      JSON.stringify(
        ours(thread)
          .filter(({ onlyFor }) => onlyFor === undefined)
          .map(({ shown: { text, attachments } }) => [text, attachments]),
      ),
    whole: /"Regenerate"/,
    ...{ stop: 'Stop', instead: 'Ask this instead', retry: 'Retry', regenerate: 'Regenerate', show: '‹' },
    suggestion: SUGGESTION,
    more: ['rate', 'Ask', 'Ask as me', 'Sources'],
  };
  return { chat, barred: people.barred.aadObjectId };
}

const count = (text: string): number => text.match(REFUSAL)?.length ?? 0;

describe.each(['console', 'slack', 'teams'])('in %s, a person barred from the agent (attack S26)', (name) => {
  const chat = (): Chat => {
    const found = chats[name];
    if (found === undefined) throw new Error(`${name} is not open.`);
    return found;
  };
  /** Checks that the act is answered with one more refusal, which nobody else sees. */
  async function refused(thread: string, act: (chat: Chat) => Promise<unknown>): Promise<void> {
    const before = count(chat().told());
    await act(chat());
    await eventually(() => count(chat().told())).toBe(before + 1);
    expect(count(await chat().seen(thread))).toBe(0);
  }
  const pressed = (control: string, thread: string) => chat().press('member', control, thread);

  test('stops no running answer', async () => {
    const thread = await chat().say('member', SLOW);
    const seen = () => chat().seen(thread);
    await eventually(seen).toContain('I write slowly');
    await refused(thread, ({ press, stop }) => press('barred', stop, thread));
    await refused(thread, ({ say }) => say('barred', 'stop', thread));
    await chat().say('barred', 'echo: mine', thread);
    await refused(thread, ({ press, instead }) => press('barred', instead, thread));
    await refused(thread, ({ say }) => say('barred', 'instead', thread));
    const { length } = await seen();
    await eventually(async () => (await seen()).length).toBeGreaterThan(length + 10);
    expect(await seen()).not.toMatch(/stopped/i);
    await pressed(chat().stop, thread);
    await eventually(seen).toMatch(/stopped/i);
  });

  test('changes no finished answer', async () => {
    const thread = await chat().say('member', QUESTION);
    const seen = () => chat().seen(thread);
    await eventually(seen).toContain('how it is deleted');
    await eventually(seen).toMatch(DONE);
    await pressed(chat().regenerate, thread);
    await eventually(seen).toMatch(/Version 2 of 2|"shown":2/);
    await eventually(seen).toMatch(DONE);
    await eventually(seen).toMatch(chat().whole);
    const before = await seen();
    for (const control of [chat().regenerate, chat().show, ...chat().more])
      await refused(thread, ({ press }) => press('barred', control, thread));
    await refused(thread, ({ say }) => say('barred', 'sources', thread));
    expect(await seen()).toBe(before);
    await pressed(chat().show, thread);
    await eventually(seen).toMatch(/Version 1 of 2|"shown":1/);
  });

  test.each([
    ['fail-demo: fail in the middle', 'retry', /"retry":true|reply:retry|"Retry"/],
    ['media-demo: show me', 'suggestion', new RegExp(SUGGESTION)],
  ] as const)('after “%s” cannot press %s', async (question, control, isOffered) => {
    const thread = await chat().say('member', question);
    await eventually(() => chat().seen(thread)).toMatch(isOffered);
    const before = await chat().seen(thread);
    await refused(thread, ({ press, [control]: button }) => press('barred', button, thread));
    expect(await chat().seen(thread)).toBe(before);
    await pressed(chat()[control], thread);
    if (control === 'retry') await eventually(() => chat().seen(thread)).not.toBe(before);
  });

  test('is named in the audit for each refusal', async () => {
    const own = { PARLEY_DATA: data.path, ...environment };
    const { out } = await runHere(['audit', 'export'], { environment: own });
    const records = out
      .split('\n')
      .filter((line) => line.includes(`"channel":"${name}"`) && line.includes('"outcome":"refused"'));
    expect(records).toHaveLength(count(chat().told()));
    for (const record of records) expect(record).toMatch(/rules\.yaml:5/);
  });
});
