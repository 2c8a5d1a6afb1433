/**
 * Tests the file of accounts with the whole bridge, the sandbox, the console and a fake Slack. People get the account
 * that their line in the file names, and lose it when the line is removed or the account is disabled, also in the
 * middle of a thread.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { words } from '../../src/core/words.ts';
import { runHere } from '../fakes/run-here.ts';
import {
  demoApp,
  type FakePerson,
  type FakeSlack,
  scopesWithEmail,
  startFakeSlack,
  visibleText,
} from '../fakes/slack/index.ts';
import { ConsoleClient } from './house/console-client.ts';
import {
  type DataFolder,
  makeDataFolder,
  type RunningParley,
  runParley,
  runToItsEnd,
} from './house/running-parley.ts';

const ANSWERED_MS = 90_000;
const TEST_MS = 180_000;
const eventually = (look: () => unknown) => expect.poll(look, { timeout: ANSWERED_MS, interval: 100 });

let data: DataFolder;
let slack: FakeSlack;
let parley: RunningParley;
let people: ConsoleClient;
let ada: FakePerson;
let file: string;
let config: string;

const HEADER = 'account,channel,tenant,person,email\n';
const ENGINEER = 'member-one,console,,engineer,\n';
const DISABLED = 'disabled,console,,manager,\n';
const ADA = 'member-two,slack,,,ada@example.org\n';

beforeAll(async () => {
  data = await makeDataFolder();
  slack = await startFakeSlack({ workspaces: [{ scopes: scopesWithEmail }] });
  const workspace = slack.workspace();
  ada = workspace.person({ name: 'Ada', email: 'Ada@Example.org' });
  file = join(data.path, 'accounts.csv');
  config = join(data.path, 'parley.yaml');
  writeFileSync(file, HEADER + ENGINEER + DISABLED + ADA);
  const limits = { questionsPerMinute: 1_000 };
  writeFileSync(config, JSON.stringify({ identity: { file, unmapped: 'refuse', linkDays: 30 }, limits }));
  parley = await runParley(data, {
    PARLEY_CONFIG: config,
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: workspace.token,
    SLACK_SIGNING_SECRET: demoApp.signingSecret,
  });
  slack.deliverTo(`${parley.url}/slack/events`);
  people = new ConsoleClient(parley.url);
}, TEST_MS);
afterAll(async () => {
  await parley?.terminate();
  await slack.close();
  await data.remove();
}, TEST_MS);

const shownTo = async (text: string, as: string) => {
  const { reply } = await people.answer(await people.say(text, { as }));
  return [reply.text, ...reply.notices.map((notice) => notice.text)].join('\n').trim();
};

test(
  'a line admits its person; people without a line and disabled accounts read a kind sentence',
  async () => {
    expect(await shownTo('@echo hello', 'engineer')).toContain('hello');
    expect(await shownTo('@echo hello', 'designer')).toContain(words.unmappedCanLink);
    expect(await shownTo('@echo hello', 'manager')).toContain(words.accountRefused);
  },
  TEST_MS,
);

test(
  'a person taken out of the file is refused in the same thread of Slack; a faulty file changes nothing',
  async () => {
    const room = slack.workspace().channel({ name: 'accounts' }).id;
    const texts = (ts: string) =>
      slack
        .thread(room, ts)
        .filter(({ app }) => app)
        .map(visibleText)
        .join('\n');
    const asked = ada.mentions(room, 'echo: hello ada');
    await eventually(() => texts(asked.ts)).toContain('hello ada');

    writeFileSync(file, `${HEADER}${ENGINEER}ghost,,,,\n`);
    await eventually(() => parley.output()).toContain('accounts.csv:3: the line names no person');
    ada.mentions(room, 'echo: still here', { thread: asked.ts });
    await eventually(() => texts(asked.ts)).toContain('still here');

    writeFileSync(file, HEADER + ENGINEER);
    await eventually(() => parley.output()).toContain('the accounts file was read again');
    ada.mentions(room, 'echo: after that', { thread: asked.ts });
    await eventually(() => texts(asked.ts)).toContain(words.unmappedCanLink);
    expect(texts(asked.ts)).not.toContain('after that');
  },
  TEST_MS,
);

test(
  'a start with a faulty file ends with the line and exit code 78',
  async () => {
    const bad = join(data.path, 'bad.csv');
    writeFileSync(bad, 'acount,email\nada,ada@example.org\n');
    const other = join(data.path, 'bad.yaml');
    writeFileSync(other, JSON.stringify({ identity: { file: bad } }));
    const ended = await runToItsEnd({ PARLEY_CONFIG: other, PARLEY_DATA: join(data.path, 'other') });
    expect(ended.code).toBe(78);
    expect(ended.written).toContain(
      'bad.csv:1: "acount" is not a column of this file. Did you mean "account"?',
    );
  },
  TEST_MS,
);

/** Adds a person. `said` sends their direct message, and waits until the answer matches. */
function personInSlack(name: string) {
  const added = slack.workspace().person({ name, email: `${name.toLowerCase()}@example.org` });
  const dm = added.dm();
  const said = async (text: string, expected: RegExp) => {
    const { ts } = added.says(dm, text);
    const read = () =>
      slack
        .thread(dm.id, ts)
        .filter(({ app }) => app)
        .map(visibleText)
        .join('\n');
    await eventually(read).toMatch(expected);
    return read();
  };
  return { person: added, said };
}

const inConsole = (text: string, as: string) =>
  people
    .say(text, { as, room: `direct~${as}~knowledge` })
    .then((question) => people.answer(question))
    .then(({ reply }) => [reply.text, ...reply.notices.map((notice) => notice.text)].join('\n'));

const codeIn = (text: string): string => /link ([A-Z2-9-]{14})/.exec(text)?.[1] ?? '';

test(
  'a person in Slack links themselves with a code that they confirm in the console',
  async () => {
    const { person: bo, said } = personInSlack('Bo');

    await said('echo: may I ask', /Send `?link`? to me in a private message/);
    const code = codeIn(await said('link', /link [A-Z2-9]{4}-/));

    expect(await inConsole(`link ${code}`, 'designer')).toContain('so you cannot confirm a code');
    expect(await inConsole(`link ${code} confirm`, 'engineer')).toContain('This code does not work');
    expect(await inConsole(`link ${code}`, 'engineer')).toMatch(
      new RegExp(`Bo.*${bo.id}.*in Slack.*with your account \\*\\*member-one`),
    );
    expect(await inConsole(`link ${code} confirm`, 'engineer')).toContain('is now connected to the account');
    expect(await inConsole(`link ${code} confirm`, 'engineer')).toContain('This code does not work');

    await said('whoami', /member-one/);
    await said('echo: now I may', /now I may/);
    await said('unlink', /You are no longer connected/);
    await said('echo: once more', /I do not know your account/);
    expect(parley.output()).not.toContain(code);
  },
  TEST_MS,
);

/** Runs a command beside the bridge, and resolves with the JSON that it prints. */
async function command(...args: readonly string[]): Promise<unknown> {
  const environment = { PARLEY_CONFIG: config, PARLEY_DATA: data.path };
  const { code, out } = await runHere([...args, '--json'], { environment });
  expect(code).toBe(0);
  return JSON.parse(out);
}

test(
  'an operator lists and ends a link of the running bridge, and a forgotten person leaves none',
  async () => {
    const { person: cy, said } = personInSlack('Cy');
    const link = async () => {
      const code = codeIn(await said('link', /link [A-Z2-9]{4}-/));
      await inConsole(`link ${code}`, 'engineer');
      expect(await inConsole(`link ${code} confirm`, 'engineer')).toContain('is now connected');
    };
    const theirs = async () =>
      (await command('accounts', 'list').then((all) => [all].flat())).filter(
        (entry) => typeof entry === 'object' && entry !== null && 'person' in entry && entry.person === cy.id,
      );
    await link();
    const [older, newer] = ['allow', 'deny'].map((effect) => {
      const rules = join(data.path, `${effect}.yaml`);
      writeFileSync(rules, `rules:\n  - { ${effect}: ask, who: everyone }\n`);
      return rules;
    });
    const changes = await command('rules', 'diff', older ?? '', newer ?? '');
    expect(changes).toContainEqual(expect.objectContaining({ person: ada.id, name: 'Ada', action: 'ask' }));
    expect(await theirs()).toMatchObject([{ account: 'member-one', way: 'link', confirmedIn: 'console' }]);
    const answer = said(`slow-demo: ${'Please take your time. '.repeat(20)}`, new RegExp(words.lockedOut));
    await eventually(() => JSON.stringify(slack.messages(cy.dm().id))).toContain('I write slowly');
    await command('accounts', 'unlink', `slack/${cy.id}`);
    await answer;
    await said('echo: may I ask', /I do not know your account/);

    await link();
    await said('echo: now I may', /now I may/);
    expect(await command('forget', 'person', `slack/${cy.id}`, '--yes')).toMatchObject({
      removed: { links: 1 },
    });
    expect(await theirs()).toEqual([]);
    await said('echo: may I ask again', /I do not know your account/);
  },
  TEST_MS,
);
