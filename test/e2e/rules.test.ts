/**
 * Tests the rules file at the wire: one bridge with the console, Slack and Teams. People who may not ask read why, and a
 * changed file applies to the running bridge.
 */

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runHere } from '../fakes/run-here.ts';
import {
  demoApp,
  type FakeSlack,
  type FakePerson as SlackPerson,
  startFakeSlack,
  visibleText,
} from '../fakes/slack/index.ts';
import { type FakeTeams, startFakeTeams, type FakePerson as TeamsPerson } from '../fakes/teams/index.ts';
import { ConsoleClient } from './house/console-client.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from './house/running-parley.ts';
import { shown } from './house/teams-stage.ts';

const ANSWERED_MS = 90_000;
const TEST_MS = 180_000;
const eventually = (look: () => unknown) => expect.poll(look, { timeout: ANSWERED_MS, interval: 100 });

let data: DataFolder;
let slack: FakeSlack;
let teams: FakeTeams;
let parley: RunningParley;
let people: ConsoleClient;
let file: string;
let visitors: { readonly slack: SlackPerson; readonly teams: TeamsPerson };

/** Three people may not ask `echo`; all other members may ask everything. */
const usual = () => `groups:
  visitors: [person:console/designer, person:slack/${visitors.slack.id}, person:teams/${visitors.teams.aadObjectId}]
rules:
  - { deny: ask, who: group:visitors, agent: echo }
  - { allow: [ask, share], who: member }
quotas:
  - { per: person, questions: 1, every: day, who: person:console/manager }
`;

beforeAll(async () => {
  data = await makeDataFolder();
  [slack, teams] = [await startFakeSlack(), await startFakeTeams()];
  const workspace = slack.workspace();
  visitors = {
    slack: workspace.person({ name: 'Visitor' }),
    teams: teams.tenant().person({ name: 'Visitor' }),
  };
  file = join(data.path, 'rules.yaml');
  writeFileSync(file, usual());
  const config = join(data.path, 'parley.yaml');
  const limits = { questionsPerMinute: 1_000 };
  writeFileSync(config, JSON.stringify({ rules: file, limits, teams: { services: teams.services } }));
  parley = await runParley(data, environmentOf(config, workspace.token));
  slack.deliverTo(`${parley.url}/slack/events`);
  teams.deliverTo(`${parley.url}/api/messages`);
  people = new ConsoleClient(parley.url);
}, TEST_MS);
afterAll(async () => {
  await parley?.terminate();
  await Promise.all([slack.close(), teams.close()]);
  await data.remove();
}, TEST_MS);

const environmentOf = (config: string, token: string) => ({
  PARLEY_CONFIG: config,
  SLACK_API_URL: slack.apiUrl,
  SLACK_BOT_TOKEN: token,
  SLACK_SIGNING_SECRET: demoApp.signingSecret,
  MICROSOFT_APP_ID: teams.app.id,
  MICROSOFT_APP_TENANT_ID: teams.tenant().id,
  MICROSOFT_APP_PASSWORD: [...teams.app.secrets][0] ?? '',
});

const noticesOf = async (text: string, as: string) => {
  const { reply } = await people.answer(await people.say(text, { as }));
  return reply.notices.map((notice) => notice.text).join('\n');
};
const REFUSAL = /You are not allowed to ask the agent echo here\. You can ask: /;

describe('a person who may not ask an agent reads why, and another one is answered', () => {
  test(
    'in the console',
    async () => {
      expect(await noticesOf('@echo hello', 'designer')).toMatch(REFUSAL);
      const { reply } = await people.answer(await people.say('@echo hello', { as: 'engineer' }));
      expect(reply).toMatchObject({ state: 'done', text: expect.stringContaining('hello') });
    },
    TEST_MS,
  );

  test(
    'in Slack',
    async () => {
      const workspace = slack.workspace();
      const room = workspace.channel({ name: 'rules' }).id;
      const texts = (ts: string) =>
        slack
          .thread(room, ts)
          .filter(({ app }) => app)
          .map(visibleText)
          .join('\n');
      const member = workspace.person({ name: 'Member' });
      const refused = visitors.slack.mentions(room, 'echo: hello visitor');
      await eventually(() => texts(refused.ts)).toMatch(REFUSAL);
      const asked = member.mentions(room, 'echo: hello member');
      await eventually(() => texts(asked.ts)).toContain('hello member');
    },
    TEST_MS,
  );

  test(
    'in Teams',
    async () => {
      const tenant = teams.tenant();
      const room = tenant.team().channel();
      const member = tenant.person({ name: 'Member' });
      const refused = visitors.teams.mentions(room, 'echo: hello visitor').message;
      await eventually(() => shown(teams, room, refused.id).join('\n')).toMatch(REFUSAL);
      const asked = member.mentions(room, 'echo: hello member').message;
      await eventually(() => shown(teams, room, asked.id).join('\n')).toContain('hello member');
    },
    TEST_MS,
  );
});

test(
  'a quota refuses with the limit',
  async () => {
    expect(await noticesOf('@echo first', 'manager')).toBe('');
    expect(await noticesOf('@echo second', 'manager')).toMatch(
      /^The limit is 1 question a day for each person\./,
    );
  },
  TEST_MS,
);

describe('the running bridge', () => {
  beforeEach(() => {
    writeFileSync(file, usual());
  });
  const logged = () => parley.output();
  /** Waits until the bridge has recorded that the present content of the rules file is in force. */
  const untilInForce = () => {
    const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
    return eventually(() => readFileSync(join(data.path, 'rules-in-force.json'), 'utf8')).toContain(digest);
  };
  const mayAsk = async (as: string) => (await noticesOf('@echo hello', as)) === '';

  test(
    'takes a changed file over, and finishes the answers that have begun',
    async () => {
      const running = await people.say('@slow-demo tell me', { as: 'engineer' });
      await people.replyTo(running, ({ text }) => text !== '');
      writeFileSync(file, 'rules:\n  - { deny: ask, who: person:console/engineer }\n  - { allow: ask }\n');
      await eventually(logged).toContain('the rules file was read again');
      expect(await mayAsk('engineer')).toBe(false);
      expect(await mayAsk('designer')).toBe(true);
      expect((await people.answer(running)).reply.state).toBe('done');
    },
    TEST_MS,
  );

  test(
    'keeps its rules if the new file has a fault, and logs it with its line',
    async () => {
      await untilInForce();
      writeFileSync(file, 'rules:\n  - { allow: aks, who: guest }\n');
      await eventually(logged).toContain('the rules file has faults, so the earlier rules stay in force');
      expect(logged()).toContain('rules.yaml:2:7: rules.0.allow is');
      expect(await mayAsk('engineer')).toBe(true);
      expect(await mayAsk('designer')).toBe(false);
    },
    TEST_MS,
  );

  test(
    'reads the file at SIGHUP, and parley rules reload waits for it',
    async () => {
      const count = () => logged().split('the rules file was read again').length;
      const { code, written } = await command('rules', 'reload');
      expect({ code, written }).toMatchObject({
        code: 0,
        written: expect.stringContaining('The running bridge uses'),
      });
      const before = count();
      process.kill(parley.pid ?? 0, 'SIGHUP');
      await eventually(count).toBeGreaterThan(before);
      expect(await mayAsk('engineer')).toBe(true);
    },
    TEST_MS,
  );
});

test(
  'the audit contains refusals with their rules, limits, and each reload',
  async () => {
    const { written } = await command('audit', 'export');
    const records = written
      .split('\n')
      .filter((line) => line.startsWith('{"at"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const refused = records.filter(({ outcome }) => outcome === 'refused');
    const persons = ['designer', visitors.slack.id, visitors.teams.aadObjectId];
    expect(refused.map(({ person }) => person)).toEqual(expect.arrayContaining(persons));
    expect(refused[0]).toMatchObject({ action: 'ask', agent: 'echo', rule: expect.stringMatching(/:4$/) });
    const reloads = records.filter(({ action }) => action === 'reload-rules');
    expect(reloads.length).toBeGreaterThanOrEqual(2);
    expect(reloads[0]).toMatchObject({ outcome: 'done', detail: file });
    expect(written).not.toContain('hello visitor');
  },
  TEST_MS,
);

async function command(...args: readonly string[]): Promise<{ code: number; written: string }> {
  const config = join(data.path, 'parley.yaml');
  const own = environmentOf(config, slack.workspace().token);
  const { code, out, err } = await runHere(args, { environment: { ...own, PARLEY_DATA: data.path } });
  return { code, written: out + err };
}
