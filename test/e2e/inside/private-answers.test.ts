/**
 * Tests that in Slack and Teams, a private answer reaches only the person who asked (attack S17): one bridge with a
 * scripted agent. Other people send every press and form that they could forge, and every message that the chat
 * platform receives is searched for the words of the answer.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actions, isActionName } from '../../../src/kit.ts';
import type { HostilePlatform } from '../../fakes/hostile-platform.ts';
import { seeded } from '../../fakes/seeded.ts';
import {
  type FakePerson,
  type FakeSlack,
  sign,
  startFakeSlack,
  visibleText,
} from '../../fakes/slack/index.ts';
import { newResponseUrl } from '../../fakes/slack/interact/triggers.ts';
import {
  type Conversation,
  type FakeTeams,
  startFakeTeams,
  type FakePerson as TeamsPerson,
} from '../../fakes/teams/index.ts';
import { startHostileAgent } from '../house/hostile-agent.ts';
import type { ParleyInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';
import { shown } from '../house/teams-stage.ts';
import { runWithChats } from '../house/with-chats.ts';

const CANARY = 'CANARY-of-the-private-answer';
const OWN = 'CANARY-of-the-person-who-pressed';
const eventually = (look: () => unknown) => expect.poll(look, { timeout: 90_000, interval: 50 });
/** The actions of the press table. A new action must be added here, so that the presses below forge it too. */
const ACTIONS = [
  ...[
    'agent',
    'correct',
    'feedback',
    'instead',
    'mine',
    'regenerate',
    'retry',
    'share',
    'shareSource',
    'show',
    'sources',
  ],
  ...['stop', 'suggestion'],
];
/** Names that are not actions. Some are ids of a channel's buttons and menus; a person could invent the others. */
const OTHERS = ['choice', 'more', 'personalData', 'private'];
const FORMS = ['share', 'feedback', 'ask', 'correct', 'sources', 'mine'];
/** Forged presses and forms, as docs/reference/attacks.md counts them. */
const FORGED = { slack: 261, teams: 153 };

let platform: HostilePlatform;
let answers: Map<string, string>;
let slack: FakeSlack;
let teams: FakeTeams;
let data: DataFolder;
let parley: ParleyInside;

beforeAll(async () => {
  ({ platform, answers } = await startHostileAgent(seeded(1)));
  [slack, teams] = [
    await startFakeSlack({ limits: { off: true } }),
    await startFakeTeams({ limits: { off: true } }),
  ];
  data = await makeDataFolder();
  const config = join(data.path, 'parley.yaml');
  const credential = { kind: 'api-key', key: 'api-key-canary-of-the-agent-9d41' };
  const settings = {
    agents: { liar: { interface: 'lite-key', credential } },
    limits: { questionsPerMinute: 1_000_000 },
    console: { enabled: false },
    teams: { services: teams.services, targeted: true },
  };
  writeFileSync(config, JSON.stringify(settings));
  parley = await runWithChats(
    data,
    { slack, teams },
    {
      PARLEY_CONFIG: config,
      PLATFORM_BASE_URL: platform.url,
    },
  );
});
afterAll(async () => {
  await parley?.stop();
  await Promise.all([slack?.close(), teams?.close(), platform?.close()]);
  await data?.remove();
});

/** Sends a signed payload, as Slack does for presses and forms. */
async function send(payload: object): Promise<string> {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    ...sign(slack.app.signingSecret, body, Date.now()),
  };
  const response = await fetch(`${parley.url}/slack/events`, { method: 'POST', headers, body });
  expect(response.status).toBe(200);
  return response.text();
}

let times = 0;
const around = (person: FakePerson) => {
  times += 1;
  const { id } = slack.workspace();
  return {
    api_app_id: slack.app.id,
    team: { id, domain: 'somewhere' },
    user: { id: person.id, name: person.name, team_id: id },
    trigger_id: `${times}.2.3`,
  };
};

/** Returns a press of a button with this value, in a room that may differ from the answer's room. */
const pressOf = (person: FakePerson, room: string, action: object) => ({
  type: 'block_actions',
  ...around(person),
  container: { type: 'message', message_ts: `1793491300.${100_000 + times}`, channel_id: room },
  channel: { id: room, name: 'somewhere' },
  state: { values: {} },
  response_url: newResponseUrl(slack.world, slack.url, {
    ...{ team: slack.workspace().id, channel: room, user: person.id },
  }),
  actions: [{ type: 'button', block_id: 'b', action_ts: `1793491300.${200_000 + times}`, ...action }],
});

const formOf = (person: FakePerson, callback: string, metadata: string) => ({
  type: 'view_submission',
  ...around(person),
  view: {
    ...{ id: `V${times}`, callback_id: callback, private_metadata: metadata },
    state: {
      values: {
        what: { what: { type: 'radio_buttons', selected_option: { value: 'answer' } } },
        where: { where: { type: 'conversations_select', selected_conversation: person.dm().id } },
        question: { question: { type: 'plain_text_input', value: 'harmless' } },
        answer: { answer: { type: 'plain_text_input', value: 'x' } },
        note: { note: { type: 'plain_text_input', value: 'x' } },
      },
    },
  },
  response_urls: [],
});

/** Returns the calls to Slack whose arguments contain the words, except calls to allowed rooms, people and methods. */
const leaks = (words: string, ...allowed: readonly string[]) =>
  slack.log.calls
    .filter(({ args }) => JSON.stringify(args).includes(words))
    .filter(
      ({ method, args }) => !allowed.includes(String(args.user ?? args.channel ?? args.channel_id ?? method)),
    )
    .map(({ method, args }) => `${method} ${JSON.stringify(args)}`);

/** Returns how often the agent was asked the private question again. */
const askedSince = (asked: number): number =>
  platform.received.slice(asked).filter(({ body }) => body.includes('my-secret')).length;

const saidIn = (room: string, ts: string) => slack.thread(room, ts).map(visibleText).join();
/** Returns the value that the buttons of an answer have. */
const buttonValue = (room: string, ts: string): string => {
  const blocks = JSON.stringify(slack.thread(room, ts).map((each) => each.blocks));
  return /"value":"([0-9a-f-]{36} (?:direct|room) [^"]+)"/.exec(blocks)?.[1] ?? '';
};

test('the presses below forge every action of the press table', () => {
  // `personalData` is not an action of its own: the bridge reads it from the detail of `suggestion`.
  const table = Object.keys(actions).filter((action) => action !== 'personalData');
  expect(ACTIONS).toEqual(table.toSorted());
  expect(ACTIONS.filter((action) => !isActionName(action))).toEqual([]);
  expect(OTHERS.filter(isActionName)).toEqual([]);
  const page = readFileSync(new URL('../../../docs/reference/attacks.md', import.meta.url), 'utf8').replace(
    /\s+/g,
    ' ',
  );
  expect(page).toContain(`sends ${FORGED.slack} forged presses and forms to the bridge in Slack`);
  expect(page).toContain(`${FORGED.teams} in Teams`);
});

test('S17: in Slack, no press or form of another person shows, shares or repeats a private answer', async () => {
  answers.set('my-secret', `${CANARY} is the answer.`);
  answers.set('harmless', 'Nothing to hide.');
  const workspace = slack.workspace();
  const room = workspace.channel({ name: 'field' }).id;
  const [ada, thief] = [workspace.person({ name: 'Ada' }), workspace.person({ name: 'Thief' })];
  const secret = ada.says(ada.dm(), `my-secret ${CANARY}`);
  await eventually(() => saidIn(ada.dm().id, secret.ts)).toContain(`${CANARY} is`);
  await eventually(() => buttonValue(ada.dm().id, secret.ts)).not.toBe('');
  const value = buttonValue(ada.dm().id, secret.ts);
  const asked = platform.received.length;
  let sent = 0;
  for (const place of [room, thief.dm().id, ada.dm().id]) {
    const moved = value
      .replace(ada.dm().id, place)
      .replace(' direct ', place === room ? ' room ' : ' direct ');
    for (const each of new Set([value, moved]))
      for (const action of [...ACTIONS, ...OTHERS]) {
        const menu = { type: 'overflow', selected_option: { value: `${action} 1` } };
        const forged = [
          { action_id: `reply:${action}`, value: `${each}1` },
          { action_id: `reply:${action}:0`, value: each },
          { action_id: `reply:more:${each}`, ...menu },
        ];
        const told = await Promise.all(forged.map((press) => send(pressOf(thief, place, press))));
        expect(told.join()).not.toContain(CANARY);
        sent += told.length;
      }
  }
  for (const callback of FORMS) {
    expect(await send(formOf(thief, callback, value))).not.toContain(CANARY);
    sent += 1;
  }
  expect(sent).toBe(FORGED.slack);
  expect(askedSince(asked)).toBe(0);
  for (const text of ['why', 'search private answer', 'sources', 'files']) thief.says(thief.dm(), text);
  const last = thief.mentions(room, 'harmless');
  await eventually(() => saidIn(room, last.ts)).toContain('Nothing to hide.');
  expect(leaks(CANARY, ada.dm().id, ada.id)).toEqual([]);
  // The same press works for the person whom the answer belongs to.
  await send(pressOf(ada, ada.dm().id, { action_id: 'reply:regenerate', value }));
  await eventually(() => askedSince(asked)).toBe(1);
  expect(parley.output()).not.toContain(CANARY);
});

test('in Slack, the answer of "Ask as me" goes to the person who pressed, not to the author of the question', async () => {
  const workspace = slack.workspace();
  const room = workspace.channel({ name: 'deputies' }).id;
  const [author, keeper] = [workspace.person({ name: 'Author' }), workspace.person({ name: 'Keeper' })];
  answers.set('show-me-salaries', 'The room may not see that.');
  const { ts } = author.mentions(room, 'show-me-salaries');
  await eventually(() => buttonValue(room, ts)).not.toBe('');
  answers.set('show-me-salaries', `${OWN} as the keeper.`);
  await send(pressOf(keeper, room, { action_id: 'reply:mine', value: buttonValue(room, ts) }));
  await eventually(() => JSON.stringify(slack.log.calls.map(({ args }) => args))).toContain(OWN);
  answers.set('harmless', 'Nothing to hide.');
  author.mentions(room, 'harmless', { thread: ts });
  await eventually(() => saidIn(room, ts)).toContain('Nothing to hide.');
  const seen = slack.messages(room).filter((each) => JSON.stringify(each).includes(OWN));
  expect(seen.map(({ onlyFor }) => onlyFor)).toEqual(seen.map(() => keeper.id));
  expect(leaks(OWN, keeper.dm().id, keeper.id, 'response_url')).toEqual([]);
  expect(platform.received.filter(({ body }) => body.includes(OWN))).toEqual([]);
});

/** Presses a button with the data of another answer. Resolves with everything that the bridge responds. */
async function pressInTeams(person: TeamsPerson, place: Conversation, forged: object): Promise<string> {
  times += 1;
  const delivery = person.sends(place, {
    ...{ type: 'invoke', name: 'adaptiveCard/action', id: `f:${times}`, replyToId: '1' },
    value: { action: { type: 'Action.Execute', ...forged } },
  });
  return (await delivery.done)?.body ?? '';
}

test('S17: in Teams, no press or form of another person shows, shares or repeats a private answer', async () => {
  answers.set('my-secret', `${CANARY} is the answer.`);
  answers.set('harmless', 'Nothing to hide.');
  const tenant = teams.tenant();
  const [ada, thief] = [tenant.person({ name: 'Ada' }), tenant.person({ name: 'Thief' })];
  const room = tenant.team().channel();
  const own = ada.dm();
  ada.says(own, `my-secret ${CANARY}`);
  const dataOf = () =>
    JSON.stringify(teams.messages(own).map((each) => each.shown)).match(/\{"parley":1[^}]*\}/)?.[0];
  await eventually(() => shown(teams, own).join()).toContain(`${CANARY} is`);
  await eventually(dataOf).toBeDefined();
  const known = JSON.parse(dataOf() ?? '{}') as Record<string, unknown>;
  const asked = platform.received.length;
  let sent = 0;
  for (const place of [room, thief.dm(), own])
    for (const kind of [...ACTIONS, ...OTHERS])
      for (const moved of [{}, { room: place.id }, { room: place.id, place: 'room' }]) {
        const forged = { ...known, ...moved, kind, detail: '1', agent: 'liar', where: 'here', answer: 'x' };
        expect(await pressInTeams(thief, place, { verb: `parley.${kind}`, data: forged })).not.toContain(
          CANARY,
        );
        sent += 1;
      }
  expect(sent).toBe(FORGED.teams);
  expect(askedSince(asked)).toBe(0);
  for (const text of ['why', 'search private answer', 'sources', 'files']) thief.says(thief.dm(), text);
  const { message } = thief.mentions(room, 'harmless');
  await eventually(() => shown(teams, room, message.id).join()).toContain('Nothing to hide.');
  // The same press works for the person whom the answer belongs to.
  await pressInTeams(ada, own, { verb: 'parley.regenerate', data: { ...known, kind: 'regenerate' } });
  await eventually(() => askedSince(asked)).toBe(1);
  const seen = [room, thief.dm()].map((place) => JSON.stringify(teams.messages(place))).join();
  expect(seen).not.toContain(CANARY);
  expect(parley.output()).not.toContain(CANARY);
});
