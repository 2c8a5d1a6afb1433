/**
 * Tests attack S21 for every channel: while the rules file and the files of all secrets change every 100 ms, and the
 * bridge is told to read its rules again, each question gets one answer, and a secret that is no longer valid is no
 * longer used.
 */

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAT, type HostilePlatform, startHostilePlatform } from '../../fakes/hostile-platform.ts';
import { type FakeSlack, startFakeSlack, visibleText } from '../../fakes/slack/index.ts';
import { type FakeTeams, startFakeTeams } from '../../fakes/teams/index.ts';
import { ConsoleClient } from '../house/console-client.ts';
import { type ParleyInside, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';
import { shown } from '../house/teams-stage.ts';

const CHANGE_EVERY_MS = 100;
/** Time for which the files are blank before each change, in milliseconds, as while a slow tool writes them. */
const BLANK_MS = 20;
/** Number of questions in each channel, and milliseconds between them. */
const QUESTIONS = 40;
const ASK_EVERY_MS = 150;
/**
 * A secret becomes invalid once the bridge has used a secret that is more than this many changes newer. A limit in
 * milliseconds would depend on the speed of the machine.
 */
const OVERLAP = 20;
const eventually = (look: () => unknown, message = '') =>
  expect.poll(look, { timeout: 90_000, interval: 50, message });

let platform: HostilePlatform;
let slack: FakeSlack;
let teams: FakeTeams;
let data: DataFolder;
let parley: ParleyInside;
const keys = new Set(['key-0-of-the-agent']);
let refusedKeys = 0;
/** Number of the newest key that the bridge has used. */
let used = 0;

const path = (name: string): string => join(data.path, name);
/** Replaces a file in one step, as tools that manage secrets do. */
function replace(name: string, text: string): void {
  writeFileSync(path(`${name}.new`), text);
  renameSync(path(`${name}.new`), path(name));
}

/** Each version allows all questions. */
const rules = (version: number): string =>
  `rules:
  - { deny: ask, who: "person:console/nobody-${version}" }
  - { allow: [ask, share] }
`;
const FAULTS = [
  'rules:\n  - { allow: aks }\n',
  'rules: [',
  '',
  'groups: { a: [claim:B] }\nrules:\n  - { deny: ',
];

beforeAll(async () => {
  platform = await startHostilePlatform();
  platform.on(CHAT, ({ headers }, response) => {
    const key = String(headers['api-key'] ?? headers.authorization ?? '').replace(/^Bearer /, '');
    if (!keys.has(key)) {
      refusedKeys += 1;
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"msg":"invalid key"}');
      return;
    }
    used = Math.max(used, Number(/\d+/.exec(key)?.[0]));
    const piece = { choices: [{ delta: { content: 'Answered.' } }] };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(piece)}\n\ndata: [DONE]\n\n`);
  });
  [slack, teams] = [
    await startFakeSlack({ limits: { off: true } }),
    await startFakeTeams({ limits: { off: true } }),
  ];
  data = await makeDataFolder();
  replace('rules.yaml', rules(0));
  replace('agent-key', [...keys].join());
  replace('slack-secret', slack.app.signingSecret);
  replace('slack-token', slack.workspace().token);
  replace('teams-secret', [...teams.app.secrets].join());
  const agent = { interface: 'lite-key', credential: { kind: 'api-key', key: { file: path('agent-key') } } };
  const settings = {
    agents: { speaker: agent },
    limits: { questionsPerMinute: 1_000_000 },
    rules: path('rules.yaml'),
    teams: { services: teams.services },
  };
  writeFileSync(path('parley.yaml'), JSON.stringify(settings));
  parley = await runInside(data, {
    PARLEY_CONFIG: path('parley.yaml'),
    PLATFORM_BASE_URL: platform.url,
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN_FILE: path('slack-token'),
    SLACK_SIGNING_SECRET_FILE: path('slack-secret'),
    MICROSOFT_APP_ID: teams.app.id,
    MICROSOFT_APP_TENANT_ID: teams.tenant().id,
    MICROSOFT_APP_PASSWORD_FILE: path('teams-secret'),
  });
  slack.deliverTo(`${parley.url}/slack/events`);
  teams.deliverTo(`${parley.url}/api/messages`);
});
afterAll(async () => {
  await parley?.stop();
  await Promise.all([slack?.close(), teams?.close(), platform?.close()]);
  await data?.remove();
});

/** The secrets of one change, and the Teams tokens that were issued before it. */
interface Secrets {
  readonly nth: number;
  readonly key: string;
  readonly secret: string;
  readonly tokens: readonly { revoked: boolean }[];
}

const older: Secrets[] = [];

/** Makes new secrets valid. Revokes the older secrets that the bridge must no longer use. */
function rotate(nth: number): void {
  const [key, secret] = [`key-${nth}-of-the-agent`, `secret-${nth}~of-the-app.0123456789`];
  older.push({
    nth: nth - 1,
    key: [...keys].at(-1) ?? '',
    secret: [...teams.app.secrets].at(-1) ?? '',
    tokens: [...teams.login.issued],
  });
  keys.add(key);
  teams.app.secrets.add(secret);
  replace('agent-key', `${key}\n`);
  replace('teams-secret', secret);
  while ((older[0]?.nth ?? Number.POSITIVE_INFINITY) < used - OVERLAP) {
    const ended = older.shift();
    if (ended === undefined) return;
    keys.delete(ended.key);
    teams.app.secrets.delete(ended.secret);
    for (const token of ended.tokens) token.revoked = true;
  }
}

/**
 * Changes all files until the signal aborts. The content is whole, blank, cut off or faulty; it is written in place or
 * as a new file.
 */
async function change(signal: AbortSignal): Promise<number> {
  let nth = 1;
  for (; !signal.aborted; nth += 1) {
    writeFileSync(path('rules.yaml'), nth % 3 === 0 ? (FAULTS[nth % FAULTS.length] ?? '') : rules(nth));
    parley.reload();
    for (const name of ['slack-secret', 'slack-token', 'agent-key', 'teams-secret'])
      writeFileSync(path(name), '');
    await pause(BLANK_MS);
    writeFileSync(path('slack-secret'), `${slack.app.signingSecret}${'\n'.repeat(nth % 2)}`);
    replace('slack-token', `${' '.repeat(nth % 3)}${slack.workspace().token}\n`);
    rotate(nth);
    await pause(CHANGE_EVERY_MS - BLANK_MS);
  }
  return nth;
}

test('S21: no question is lost while the rules and all secrets change every 100 ms', async () => {
  const people = new ConsoleClient(parley.url);
  const [workspace, tenant] = [slack.workspace(), teams.tenant()];
  const over = new AbortController();
  const changing = change(over.signal);
  const asked: { readonly what: string; read(): Promise<readonly string[]> }[] = [];
  for (let nth = 0; nth < QUESTIONS; nth += 1) {
    const person = workspace.person();
    const { ts } = person.says(person.dm(), `question ${nth}`);
    asked.push({
      what: `Slack, question ${nth}`,
      read: async () =>
        slack
          .thread(person.dm().id, ts)
          .filter(({ app }) => app)
          .map(visibleText),
    });
    const colleague = tenant.person();
    colleague.says(colleague.dm(), `question ${nth}`);
    asked.push({ what: `Teams, question ${nth}`, read: async () => shown(teams, colleague.dm()) });
    const question = await people.say(`@speaker question ${nth}`);
    asked.push({
      what: `the console, question ${nth}`,
      read: async () =>
        (await people.replies(question)).map(
          ({ reply }) => `${reply.text} ${reply.notices.map(({ text }) => text)}`,
        ),
    });
    await pause(ASK_EVERY_MS);
  }
  try {
    for (const { what, read } of asked)
      await eventually(async () => (await read()).join('|'), what).toContain('Answered.');
  } catch (failed) {
    throw new Error(`The log ends with:\n${parley.output().slice(-8_000)}`, { cause: failed });
  } finally {
    over.abort();
  }
  expect(await changing).toBeGreaterThan((QUESTIONS * ASK_EVERY_MS) / CHANGE_EVERY_MS / 4);
  for (const { read } of asked) {
    const texts = await read();
    expect(texts.filter((text) => text.includes('Answered.'))).toHaveLength(1);
    expect(texts.join()).not.toMatch(/Retry|incomplete|not allowed|wrong|could not/i);
  }
  expect(refusedKeys).toBe(0);
  // The first key is no longer valid, and no key was refused, so the bridge has read newer keys.
  expect(keys.has('key-0-of-the-agent')).toBe(false);
  const written = parley.output();
  expect(written).toContain('the rules file was read again');
  expect(written).toContain('the rules file has faults, so the earlier rules stay in force');
  expect(written).not.toMatch(/key-\d+-of|secret-\d+~of/);
});

test('S21: after the changes, the last rules apply', async () => {
  replace('rules.yaml', 'rules:\n  - { deny: ask, who: person:console/designer }\n  - { allow: ask }\n');
  const people = new ConsoleClient(parley.url);
  const noticesOf = async (as: string) => {
    const { reply } = await people.answer(await people.say('@speaker hello', { as }));
    return reply.notices.map(({ text }) => text).join();
  };
  await eventually(() => noticesOf('designer')).toMatch(/You are not allowed to ask/);
  expect(await noticesOf('engineer')).toBe('');
});
