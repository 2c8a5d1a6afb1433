/**
 * Tests corrections of answers in a running bridge with its sandbox: the corrected pair is stored once on the platform,
 * and the same question then gets the corrected answer.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CorrectionView } from '../../../adapters/console/wire.ts';
import {
  type FakeSlack,
  type FakePerson as SlackPerson,
  startFakeSlack,
  visibleText,
} from '../../fakes/slack/index.ts';
import { type FakeTeams, startFakeTeams, type FakePerson as TeamsPerson } from '../../fakes/teams/index.ts';
import { controlOf } from '../../unit/slack/controls.ts';
import { ConsoleClient } from '../house/console-client.ts';
import type { ParleyInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';
import { shown } from '../house/teams-stage.ts';
import { runWithChats } from '../house/with-chats.ts';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 90_000, interval: 100 });

let data: DataFolder;
let slack: FakeSlack;
let teams: FakeTeams;
let editors: { readonly slack: SlackPerson; readonly teams: TeamsPerson };
let parley: ParleyInside;
let people: ConsoleClient;

beforeAll(async () => {
  data = await makeDataFolder();
  [slack, teams] = [await startFakeSlack({ triggerMs: 60_000 }), await startFakeTeams()];
  const workspace = slack.workspace();
  editors = {
    slack: workspace.person({ name: 'Editor' }),
    teams: teams.tenant().person({ name: 'Editor' }),
  };
  const config = join(data.path, 'parley.yaml');
  writeFileSync(config, configuration());
  parley = await runWithChats(
    data,
    { slack, teams },
    {
      PARLEY_CONFIG: config,
    },
  );
  people = new ConsoleClient(parley.url);
});
afterAll(async () => {
  await parley?.stop();
  await Promise.all([slack?.close(), teams?.close()]);
  await data.remove();
});

/** One person in each channel may correct the answers of one agent. */
function configuration(): string {
  const ids = [`slack/${editors.slack.id}`, `teams/${editors.teams.aadObjectId}`, 'console/engineer'];
  const rules = join(data.path, 'rules.yaml');
  writeFileSync(
    rules,
    `groups:
  editors: [${ids.map((id) => `person:${id}`).join(', ')}]
rules:
  - { allow: [ask, share], who: member }
  - { allow: correct, who: group:editors, agent: knowledge }
`,
  );
  const rooms = ['console', 'slack', 'teams'].map((channel) => ({
    ...{ channel, kind: 'room', workspace: 'handbook' },
  }));
  return JSON.stringify({ rules, rooms, teams: { services: teams.services } });
}

async function post(path: string, body: object): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${parley.url}/console/replies/${path}`, sent);
  return { status: response.status, text: await response.text() };
}

const answerTo = async (question: string, as = 'engineer') =>
  (await people.answer(await people.say(`@knowledge ${question}`, { as }))).reply;
const STORED = 'Your correction is stored in “handbook”';

describe('in the console', () => {
  test('a corrected answer is stored once, and is the answer to the same question', async () => {
    const question = 'What is the hotel limit abroad?';
    const answer = 'The hotel limit abroad is **200 EUR** since May.';
    const first = await answerTo(question);
    expect(first).toMatchObject({ text: expect.stringContaining('180 EUR'), correctable: true });
    const open = async (): Promise<CorrectionView> =>
      JSON.parse((await post(`${first.turn}/correction`, { as: 'engineer' })).text);
    // The form leaves out the numbers of sources. The sources may be stored after the answer has ended, so poll.
    await expect.poll(async () => (await open()).answer).not.toContain('[1]');
    const form = await open();
    expect(form).toMatchObject({ question, answer: expect.stringContaining('180 EUR') });
    expect(form.told.join(' ')).toContain('“handbook”');
    const wording = { as: 'engineer', question, answer };
    const both = await Promise.all([1, 2].map(() => post(`${first.turn}/correct`, wording)));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both.map(({ text }) => text).join()).toContain(STORED);
    const again = await post(`${first.turn}/correct`, wording);
    expect(again.text).toContain('is stored in “handbook” already');
    expect((await answerTo(question)).text).toBe(answer);
    expect(parley.output()).toContain('an answer was corrected');
    expect(parley.output()).not.toContain('200 EUR');
  });

  test('a person whom the rules do not allow it is refused', async () => {
    const { turn } = await answerTo('How long are server logs kept?', 'designer');
    for (const path of ['correction', 'correct']) {
      const refused = await post(`${turn}/${path}`, { as: 'designer', question: 'q', answer: 'a' });
      expect(refused.status).toBe(403);
      expect(refused.text).toContain('You are not allowed to correct answers here.');
    }
  });

  test('the answers of an agent that nobody may correct have no such button', async () => {
    const { reply } = await people.answer(await people.say('@echo hello'));
    expect(reply.correctable).toBeUndefined();
  });
});

test('in Slack, a corrected answer is the answer to the same question', async () => {
  const question = 'where is the kitchen?';
  const room = slack.workspace().channel({ name: 'office' }).id;
  const repliesTo = (ts: string) => slack.thread(room, ts).filter(({ app }) => app);
  const textOf = (ts: string) => repliesTo(ts).map(visibleText).join('\n');
  const asked = editors.slack.mentions(room, `knowledge: ${question}`);
  const control = () => controlOf(repliesTo(asked.ts).at(-1)?.blocks, 'reply:correct');
  await eventually(control).toBeDefined();
  const [reply, pressed] = [repliesTo(asked.ts).at(-1), control()];
  if (reply === undefined || pressed === undefined) throw new Error('there is no Correct');
  editors.slack.presses(reply, pressed);
  const view = () => JSON.stringify(editors.slack.views().at(-1)?.view ?? {});
  await eventually(view).toContain(`"initial_value":"${question}"`);
  const form = editors.slack.views().at(-1);
  if (form === undefined) throw new Error('there is no form');
  const value = (text: string) => ({ type: 'plain_text_input', value: text });
  await editors.slack.submits(form, {
    question: { question: value(question) },
    answer: { answer: value('The kitchen moved to the second floor.') },
  });
  await eventually(view).toContain(STORED);
  const again = editors.slack.mentions(room, `knowledge: ${question}`);
  await eventually(() => textOf(again.ts)).toContain('moved to the second floor');
});

test('in Teams, a corrected answer is the answer to the same question', async () => {
  const question = 'how long are server logs kept?';
  const room = teams.tenant().team().channel();
  const { message } = editors.teams.mentions(room, `knowledge: ${question}`);
  const found = () =>
    teams
      .messages(room)
      .find((each) => each.root === message.id && editors.teams.offers(each).includes('Correct'));
  await eventually(found).toBeDefined();
  const reply = found();
  if (reply === undefined) throw new Error('there is no Correct');
  await editors.teams.presses(reply, 'Correct').answer;
  const card = () => JSON.stringify(editors.teams.cards(reply));
  expect(card()).toContain(`"value":"${question}"`);
  const inputs = { correctedQuestion: question, correctedAnswer: 'Logs are kept for 45 days.' };
  await editors.teams.presses(reply, 'Store', inputs).answer;
  expect(card()).toContain(STORED);
  const again = editors.teams.mentions(room, `knowledge: ${question}`).message;
  await eventually(() => shown(teams, room, again.id).join('\n')).toContain('kept for 45 days');
});
