/**
 * Tests that a running answer ends in every channel when the platform disables the asker's account: one bridge, the
 * sandbox with tokens of 3 s, the console, Slack and Teams.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningSandbox, sandboxCatalogue, startSandbox } from '../../../sandbox/index.ts';
import { systemClock } from '../../../src/clock.ts';
import { words } from '../../../src/core/words.ts';
import { api, createPlatform } from '../../../src/platform/api.ts';
import { Secret } from '../../../src/secret.ts';
import { quiet } from '../../fakes/quiet.ts';
import { type FakeSlack, scopesWithEmail, startFakeSlack, visibleText } from '../../fakes/slack/index.ts';
import { type FakeTeams, startFakeTeams } from '../../fakes/teams/index.ts';
import { ConsoleClient } from '../house/console-client.ts';
import type { ParleyInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';
import { runWithChats } from '../house/with-chats.ts';

const ANSWERED_MS = 90_000;
const TOKEN_MINUTES = 0.05;
/** The agent repeats the question, one character in 50 ms, so the answer takes 30 s. */
const QUESTION = `slow-demo: ${'Please take your time. '.repeat(20)}`;
const LAST_WORDS = 'great patience';
const eventually = (look: () => unknown) => expect.poll(look, { timeout: ANSWERED_MS, interval: 100 });

let sandbox: RunningSandbox;
let data: DataFolder;
let slack: FakeSlack;
let teams: FakeTeams;
let parley: ParleyInside;

beforeAll(async () => {
  const options = { openTokenLifeMinutes: TOKEN_MINUTES };
  sandbox = await startSandbox({ port: 0, memory: true, knowledge: [], options });
  data = await makeDataFolder();
  [slack, teams] = await Promise.all([
    startFakeSlack({ workspaces: [{ scopes: scopesWithEmail }] }),
    startFakeTeams(),
  ]);
  const config = join(data.path, 'parley.yaml');
  const credential = { kind: 'client-account', ...sandboxCatalogue.openClient };
  const settings = {
    agents: { 'slow-demo': { interface: 'open', expertCode: 'slow-demo', credential } },
    identity: { table: ['console', 'slack', 'teams'].map((channel) => personOf(channel)) },
    teams: { services: teams.services },
  };
  writeFileSync(config, JSON.stringify(settings));
  parley = await runWithChats(
    data,
    { slack, teams },
    {
      PARLEY_CONFIG: config,
      PLATFORM_BASE_URL: sandbox.url,
    },
  );
});
afterAll(async () => {
  await parley?.stop();
  await Promise.all([slack.close(), teams.close(), sandbox.close()]);
  await data.remove();
});

/** People of all channels have the same account, so disabling it reaches all of them at once. */
const personOf = (channel: string) => ({ channel, account: 'member-two', ...idOf(channel) });
const idOf = (channel: string) =>
  channel === 'console' ? { person: 'designer' } : { email: 'ada@example.org' };

async function disable(userCode: string): Promise<void> {
  const { client, secret } = sandboxCatalogue.openClient;
  const clock = systemClock;
  const platform = createPlatform({ baseUrl: sandbox.url }, { clock, log: quiet, random: Math.random });
  const open = { kind: 'client-account', client, secret: new Secret(secret), account: 'admin' } as const;
  await platform.client({ open }).call(api.disableUser, { userCode });
  await platform.close();
}

/** Asks in the console, in private and in a room of Slack, and in private in Teams. Returns what each of them shows. */
async function askEverywhere(): Promise<Readonly<Record<string, () => Promise<string>>>> {
  const people = new ConsoleClient(parley.url);
  const inConsole = await people.say(QUESTION, { as: 'designer', room: 'direct~designer~slow-demo' });
  const ada = slack.workspace().person({ name: 'Ada', email: 'ada@example.org' });
  const inRoom = slack.workspace().channel({ name: 'general' }).id;
  const asked = { private: ada.says(ada.dm(), QUESTION), room: ada.mentions(inRoom, QUESTION) };
  const inSlack = async (channel: string, ts: string) => {
    const ours = slack.thread(channel, ts).filter(({ app, onlyFor }) => app && onlyFor === undefined);
    return ours.map(visibleText).join('\n');
  };
  const adaOfTeams = teams.tenant().person({ name: 'Ada', email: 'ada@example.org' });
  adaOfTeams.says(adaOfTeams.dm(), QUESTION);
  return {
    console: async () => {
      const [{ reply } = { reply: undefined }] = await people.replies(inConsole);
      return [reply?.text ?? '', ...(reply?.notices ?? []).map(({ text }) => text)].join('\n');
    },
    'Slack in private': () => inSlack(ada.dm().id, asked.private.ts),
    'a room of Slack': () => inSlack(inRoom, asked.room.ts),
    Teams: async () => JSON.stringify(teams.screen(adaOfTeams.dm()).filter(({ by }) => by === 'app')),
  };
}

test('a disabled account ends its running answers in the console, Slack and Teams, and the next question is refused', async () => {
  const channels = Object.entries(await askEverywhere());
  for (const [, read] of channels) await eventually(read).toContain('slowly');
  await disable('member-two');
  for (const [name, read] of channels) {
    await eventually(async () => `${name}: ${await read()}`).toContain(words.lockedOut);
    expect(await read(), name).toContain('I write slowly');
    expect(await read(), name).not.toContain(LAST_WORDS);
  }
  const people = new ConsoleClient(parley.url);
  const again = await people.answer(await people.say('@slow-demo once more', { as: 'designer' }));
  expect(again.reply.notices[0]?.text).toContain(words.accountRefused);
});
