/**
 * Tests single sign-on in Teams over HTTP: the bridge process with a strict fake Teams and the sandbox. People get
 * answers with their own rights, and the token of another person is refused.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningSandbox, sandboxCatalogue, startSandbox } from '../../../sandbox/index.ts';
import { systemClock } from '../../../src/clock.ts';
import { words } from '../../../src/core/words.ts';
import { api, createPlatform } from '../../../src/platform/api.ts';
import { Secret } from '../../../src/secret.ts';
import { freePorts } from '../../bench/free-ports.ts';
import { quiet } from '../../fakes/quiet.ts';
import {
  type Conversation,
  type FakePerson,
  type FakeTeams,
  type FakeTenant,
  signInCardIn,
  startFakeTeams,
} from '../../fakes/teams/index.ts';
import { openStage, type Stage } from '../house/teams-stage.ts';

const QUESTION = 'How long is a visitor pass valid?';
const eventually = (look: () => unknown) => expect.poll(look, { timeout: 60_000, interval: 100 });

let sandbox: RunningSandbox;
let fake: FakeTeams;
let tenant: FakeTenant;
let stage: Stage;
let ada: FakePerson;
let ben: FakePerson;

beforeAll(async () => {
  const options = {
    ...{ paceMs: 0, inspect: true, openTokenLifeMinutes: 0.05 },
    idpAccounts: { 'ada@example.org': 'member-one', 'ben@example.org': 'member-two' },
  };
  sandbox = await startSandbox({ port: 0, memory: true, options });
  await sandbox.indexed;
  fake = await startFakeTeams();
  const [port] = await freePorts();
  tenant = fake.tenant();
  const elsewhere = { kind: 'client-account', ...sandboxCatalogue.openClient, account: 'member-two' };
  const agent = (expertCode: string) => ({
    ...{ interface: 'open', expertCode, credential: { kind: 'asker', elsewhere } },
  });
  stage = await openStage(
    fake,
    { singleSignOn: { resource: fake.app.resource } },
    {
      agents: { knowledge: agent('knowledge'), 'slow-demo': agent('slow-demo') },
      identity: { unmapped: 'service' },
      log: { level: 'debug' },
      server: { publicUrl: `http://127.0.0.1:${port}` },
    },
    { PLATFORM_BASE_URL: sandbox.url, PORT: String(port) },
  );
  ada = tenant.person({ name: 'Ada', email: 'ada@example.org' });
  ben = tenant.person({ name: 'Ben', email: 'ben@example.org' });
});
afterAll(async () => {
  await stage?.close();
  await Promise.all([fake.close(), sandbox.close()]);
});

/** Returns everything that the app's messages contain: texts, cards and entities. */
const seenIn = (chat: Conversation) =>
  JSON.stringify(fake.screen(chat).filter(({ by, signIn }) => by === 'app' && signIn === undefined));

const exchangesOf = (person: FakePerson) =>
  fake.deliveries.filter(
    ({ activity }) =>
      activity.name === 'signin/tokenExchange' &&
      (activity.from as { aadObjectId?: string }).aadObjectId === person.aadObjectId,
  );

test('two people get sources with their own rights, and each is asked for a token once', async () => {
  ada.clients({ act: 'token', devices: 3 });
  for (const person of [ada, ben]) person.says(person.dm(), QUESTION);
  await eventually(() => seenIn(ada.dm())).toMatch(/visitor/i);
  await eventually(() => seenIn(ada.dm())).toContain('Badges');
  await eventually(() => fake.screen(ben.dm()).filter(({ by }) => by === 'app').length).toBeGreaterThan(0);
  await eventually(() => seenIn(ben.dm())).toMatch(/may not read|found nothing|do not find|nothing/i);
  expect(seenIn(ben.dm())).not.toContain('Badges');
  expect(exchangesOf(ada)).toHaveLength(3);
  expect(exchangesOf(ben)).toHaveLength(1);
  ada.says(ada.dm(), 'And where do I get one?');
  await eventually(
    () => fake.screen(ada.dm()).filter(({ by, text }) => by === 'app' && text !== '').length,
  ).toBe(2);
  expect(exchangesOf(ada)).toHaveLength(3);
  expect(fake.log.violations).toEqual([]);
});

test('a room gets the account of the room, although the asker has signed in', async () => {
  const room = tenant.team().channel();
  ada.mentions(room, QUESTION);
  await eventually(() => seenIn(room)).toMatch(/may not read|found nothing|do not find|nothing/i);
  expect(seenIn(room)).not.toContain('Badges');
  expect(fake.messages(room).some(({ shown }) => signInCardIn(shown) !== undefined)).toBe(false);
});

test('the token of another person is refused, and a person whom the platform does not know is told', async () => {
  const eve = tenant.person({ name: 'Eve', email: 'eve@example.org' });
  eve.clients({ act: 'token', token: () => ada.token() });
  eve.says(eve.dm(), QUESTION);
  await eventually(() => exchangesOf(eve)[0]?.attempts[0]?.status).toBe(412);
  await eventually(() => seenIn(eve.dm())).toContain(words.signIn.waiting);
  const card = fake.messages(eve.dm()).find(({ shown }) => signInCardIn(shown) !== undefined);
  if (card === undefined) throw new Error('There is no sign-in card.');
  await eve.exchanges(card, eve.token()).done;
  await eventually(() => seenIn(eve.dm())).toContain(words.accountRefused);
  expect(seenIn(eve.dm())).not.toContain('Badges');
});

test('a person who must consent signs in by hand, and the question goes on', async () => {
  const newcomer = tenant.person({ name: 'New Ada', email: 'ada@example.org' });
  fake.app.redirects.add(`${stage.parley.url}/teams/sign-in/done`);
  newcomer.clients({ act: 'consent' });
  newcomer.says(newcomer.dm(), QUESTION);
  const card = () => fake.messages(newcomer.dm()).find(({ signIn }) => signIn === 'shown');
  await eventually(card).toBeDefined();
  const message = card();
  if (message !== undefined) await newcomer.signsIn(message);
  await eventually(() => seenIn(newcomer.dm())).toContain('Badges');
  await eventually(() => fake.screen(newcomer.dm()).filter(({ signIn }) => signIn)).toEqual([]);
});

test('a restart while a question waits for the sign-in keeps the question', async () => {
  const late = tenant.person({ name: 'Late Ada', email: 'ada@example.org' });
  late.clients({ act: 'nothing' });
  late.says(late.dm(), QUESTION);
  await eventually(() => seenIn(late.dm())).toContain(words.signIn.waiting);
  late.clients({ act: 'token' });
  await stage.restart();
  await eventually(() => seenIn(late.dm())).toContain('Badges');
  const cards = fake.messages(late.dm()).filter(({ shown }) => signInCardIn(shown) !== undefined);
  expect(cards).toHaveLength(2);
  await eventually(() => cards.filter(({ deletedAt }) => deletedAt === undefined)).toEqual([]);
});

describe('an account that the platform disables', () => {
  const LONG = `slow-demo: ${'Please take your time. '.repeat(20)}`;

  test('loses its running answer and the next question, in the middle of a thread', async () => {
    ben.says(ben.dm(), LONG);
    await eventually(() => seenIn(ben.dm())).toContain('slowly');
    await disable('member-two');
    await eventually(() => seenIn(ben.dm())).toContain(words.lockedOut);
    ben.says(ben.dm(), QUESTION);
    await eventually(() => seenIn(ben.dm())).toContain(words.accountRefused);
  });
});

test('no token is in the log or readable in the data folder', () => {
  expect(exchangesOf(ada).length).toBeGreaterThan(0);
  expect(stage.output()).not.toContain('eyJ');
  for (const file of ['parley.sqlite', 'parley.sqlite-wal', 'parley.sqlite.pending']) {
    const bytes = readFileSync(join(stage.folder, file), { flag: 'a+' }).toString('latin1');
    expect(bytes).not.toContain(ada.token().slice(0, 30));
  }
});

async function disable(userCode: string): Promise<void> {
  const { client, secret } = sandboxCatalogue.openClient;
  const platform = createPlatform(
    { baseUrl: sandbox.url },
    { clock: systemClock, log: quiet, random: Math.random },
  );
  const open = { kind: 'client-account', client, secret: new Secret(secret), account: 'admin' } as const;
  await platform.client({ open }).call(api.disableUser, { userCode });
  await platform.close();
}
