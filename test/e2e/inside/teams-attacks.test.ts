/**
 * Tests the whole bridge between a strict fake Teams and a hostile agent: the payloads that Teams receives, and the
 * logs.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exitCode } from '../../../src/errors.ts';
import type { HostilePlatform } from '../../fakes/hostile-platform.ts';
import { seeded } from '../../fakes/seeded.ts';
import { type Conversation, type FakeTeams, startFakeTeams } from '../../fakes/teams/index.ts';
import { addressesIn, examples, naughty } from '../../unit/reply/markdown/hostile.ts';
import { flood } from '../house/flood.ts';
import { startHostileAgent, together } from '../house/hostile-agent.ts';
import { type ParleyInside, refusalOf, runInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';

const WITHIN_MS = 90_000;
const KEY = 'api-key-canary-of-the-agent-9d41';

const eventually = (look: () => unknown) => expect.poll(look, { timeout: WITHIN_MS, interval: 50 });

const SEED = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
process.stdout.write(`teams-attacks: seed ${SEED}\n`);
const random = seeded(SEED);

interface Stage {
  readonly fake: FakeTeams;
  readonly parley: ParleyInside;
  readonly data: DataFolder;
  /** Returns a new personal chat with the app, or a chat with other people. */
  readonly chat: () => Conversation;
  close(): Promise<void>;
}

let platform: HostilePlatform;
/** The agent's answers, by the word in the question. */
let answers: Map<string, string>;
beforeAll(async () => {
  ({ platform, answers } = await startHostileAgent(random));
});
afterAll(() => platform.close());

async function open(teams: object = {}, environment: Record<string, string> = {}): Promise<Stage> {
  const fake = await startFakeTeams({ limits: { off: true } });
  const data = await makeDataFolder();
  const config = join(data.path, 'parley.yaml');
  const liar = {
    interface: 'lite-key',
    description: 'Knows <at>all</at> and [all](https://evil.example) ![](https://evil.example/a.png)',
    credential: { kind: 'api-key', key: KEY },
  };
  const settings = {
    agents: { liar },
    limits: { questionsPerMinute: 1_000_000 },
    console: { enabled: false },
    teams: { services: fake.services, ...teams },
    log: { level: 'info', format: 'json' },
  };
  // The YAML parser also accepts JSON.
  writeFileSync(config, JSON.stringify(settings));
  const [secret = ''] = fake.app.secrets;
  const parley = await runInside(data, {
    PARLEY_CONFIG: config,
    PLATFORM_BASE_URL: platform.url,
    MICROSOFT_APP_ID: fake.app.id,
    MICROSOFT_APP_TENANT_ID: fake.tenant().id,
    ...(environment.MICROSOFT_APP_PASSWORD_FILE === undefined && { MICROSOFT_APP_PASSWORD: secret }),
    ...environment,
  });
  fake.deliverTo(`${parley.url}/api/messages`);
  return {
    ...{ fake, parley, data },
    chat: () => fake.tenant().person().dm(),
    async close() {
      await parley.stop();
      await fake.close();
      await data.remove();
    },
  };
}

let stage: Stage;
const shown = (room: Conversation): string => JSON.stringify(stage.fake.screen(room));
const isOver = (room: Conversation): boolean => /parley\.(?:regenerate|retry)/.test(shown(room));

/**
 * Expects no HTML tags, mentions or images in the payloads that Teams received, and only links that lead to the host
 * they show.
 */
function expectNothingLive(): void {
  const sayings = ['send', 'stream', 'final', 'update'];
  for (const { asked } of stage.fake.log.calls.filter(({ method }) => sayings.includes(method))) {
    const said = JSON.stringify(asked).slice(0, 2_000);
    const { text = '', textFormat } = asked as { text?: string; textFormat?: string };
    if (textFormat !== 'plain') {
      expect(text, said).not.toContain('<');
      const { links, images } = addressesIn(text);
      expect(images, said).toEqual([]);
      expect(
        links.filter((link) => !/^(?:https?:\/\/|mailto:)/.test(link)),
        said,
      ).toEqual([]);
    }
    expect(JSON.stringify(asked), said).not.toMatch(/"type":"(?:mention|TextBlock|FactSet)"/);
    for (const [, url = ''] of JSON.stringify(asked).matchAll(/"url":"((?:[^"\\]|\\.)*)"/g))
      expect(url, said).toMatch(/^(?:https?:\/\/|data:image\/(?:png|jpeg|gif);base64,)/);
  }
  expect(stage.fake.log.violations).toEqual([]);
}

const wild = [
  '| foo | bar |\n| --- | --- |\n| <at>Everyone</at> | [good.example](https://evil.example) |',
  '| a | ![x](https://evil.example/a.png) |\n| --- | --- |\n| `<at>x</at>` | {{DATE(2017-02-14T06:08:39Z,LONG)}} |',
  '- [ ] <at id="0">all</at>\n- [x] [x](javascript:alert(1)) [y](data:text/html,x) [z](msteams:/l/chat)',
  '```json\n{"type":"AdaptiveCard","body":[{"type":"TextBlock","text":"<at>x</at>"}]}\n```',
  '{"type":"mention","mentioned":{"id":"29:1"},"text":"<at>x</at>"} \u202egnp.exe \u200b<\u200bat>',
  '~~<at>~~ <title> <img src=https://evil.example/i.png> <attachment id="1"></attachment>',
  `| ${'a | '.repeat(3_000)}\n| ${'- | '.repeat(3_000)}\n| ${'<at>b</at> | '.repeat(500)}`,
  `${'['.repeat(20_000)}${'](x)'.repeat(2_000)}`,
];

describe.each([
  ['by native streams', {}],
  ['by edits', { streaming: false }],
  ['in extended Markdown', { extendedMarkdown: true, streaming: false }],
])('S01 to S04: hostile answers %s', (_, settings) => {
  afterEach(() => stage?.close());

  test('in random pieces, complete or cut off anywhere, put no active content into any payload', async () => {
    stage = await open(settings);
    const texts = [...naughty, ...examples.map(({ markdown }) => markdown)].toSorted(() => random() - 0.5);
    const parts = [...together(texts, 2_000), ...wild];
    const asked = parts.map((text, nth) => {
      const torn = nth % 3 === 0;
      const name = `${torn ? 'torn' : 'whole'}-${nth}-`;
      answers.set(name, torn ? text.slice(0, Math.floor(random() * text.length)) : text);
      const person = stage.fake.tenant().person({ name: `<at>Engineer</at> ${nth}` });
      const room = person.dm();
      person.says(room, `${name} say it`);
      return room;
    });
    expect(parts.length).toBeGreaterThan(20);
    for (const room of asked) await eventually(() => isOver(room)).toBe(true);
    // An answer that does not fit into its stream is finished by an edit, so not every answer has a `final` call.
    const ended = stage.fake.log.of('streaming' in settings ? 'send' : 'final');
    expect(ended.length).toBeGreaterThan(parts.length / 2);
    if ('extendedMarkdown' in settings) expect(stage.fake.log.violations).toEqual([]);
    else expectNothingLive();
  });
});

describe('the bridge', () => {
  afterEach(() => stage?.close());

  test('S22: Teams is answered during floods of forged, slow and oversized requests', async () => {
    stage = await open();
    const { fake, parley } = stage;
    const address = `${parley.url}/api/messages`;
    const person = fake.tenant().person();
    const { delivery } = person.says(person.dm(), 'Hello');
    await delivery?.done;
    const activity = { ...delivery?.activity, type: 'typing' };
    const headers = { 'content-type': 'application/json', authorization: fake.inbound.authorize(activity) };
    const honest = async (): Promise<void> => {
      const response = await fetch(address, { method: 'POST', body: JSON.stringify(activity), headers });
      expect([response.status, await response.text()]).toEqual([200, '']);
    };
    const bad = ['foreign-key', 'unknown-kid', 'none', 'expired'] as const;
    const bodies = ['{}', '['.repeat(100_000), 'x'.repeat(5 * 1024 * 1024)];
    const dishonest = Array.from({ length: 16 }, (_, nth) => {
      const { authorization } = fake.inbound.bad(bad[nth % bad.length] ?? 'none', activity);
      const body = bodies[nth % bodies.length] ?? '';
      const proof = { ...(authorization !== undefined && { authorization }) };
      return () => fetch(address, { method: 'POST', body, headers: proof });
    });
    const beginning = 'POST /api/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 900000\r\nauthorization: Be';
    const heard = await flood({ honest, address, beginning, dishonest });
    expect([...heard].filter((each) => ![401, 'hung up'].includes(each))).toEqual([]);
    expect(heard).toContain(401);
  });

  test('S05, S20: no token reaches other hosts, and no secret or message text is in logs, metrics or errors', async () => {
    stage = await open();
    const { fake, parley, data } = stage;
    const canary = 'CANARY-question-4711';
    const away = fake.elsewhere.url;
    answers.set(canary, `CANARY-answer-4711 ![c](${away}/a.png) <img src="${away}/b.png"> [f](${away}/c)`);
    const tenant = fake.tenant();
    const person = tenant.person({ name: 'CANARY-name-4711' });
    const room = person.dm();
    fake.plant({ kind: 'html', method: 'send', count: 1 });
    fake.plant({ kind: 'status', method: 'typing', status: 500, count: 2 });
    person.says(room, canary, {
      pictures: [{ name: 'CANARY.png', odd: 'foreign' }, { odd: 'html' }],
      files: [{ name: 'CANARY-file.pdf', odd: 'redirect' }],
    });
    const guest = tenant.person({ name: 'CANARY-guest', role: 'guest' });
    guest.says(guest.dm(), canary);
    await eventually(() => isOver(room)).toBe(true);
    const unknown = tenant.person({ name: 'CANARY-unknown' });
    fake.plant({ kind: 'html', method: 'member', count: 1 });
    unknown.says(unknown.dm(), canary);
    await eventually(() => shown(unknown.dm())).toMatch(/who you are|CANARY-answer/);
    for (const token of fake.login.issued) token.revoked = true;
    const later = tenant.person();
    later.says(later.dm(), canary);
    await eventually(() => isOver(later.dm())).toBe(true);
    const broken = await fetch(`${parley.url}/api/messages`, {
      ...{ method: 'POST', body: '{"text":"CANARY-body' },
      headers: { authorization: fake.inbound.authorize({ serviceUrl: fake.serviceUrl() }) },
    });
    expect([broken.status, await broken.text()]).toEqual([400, '']);
    const metrics = await (await fetch(`${parley.url}/metrics`)).text();
    const written = parley.output() + metrics;
    expect(written).toContain('turn: settled');
    expect(written).not.toContain('CANARY');
    expect(written).not.toMatch(/Bearer [^*]|eyJ|Sign in to|<html/i);
    const kept = readdirSync(data.path)
      .filter((name) => name.startsWith('parley.sqlite'))
      .map((name) => readFileSync(join(data.path, name), 'latin1'))
      .join();
    const secrets = [...fake.app.secrets, ...fake.login.issued.map(({ value }) => value)];
    expect(secrets.length).toBeGreaterThan(1);
    for (const secret of secrets) expect(written + kept).not.toContain(secret);
    expect(written).not.toContain(KEY);
    expect(JSON.stringify(fake.elsewhere.requests)).not.toMatch(/authorization|api-key|cookie/i);
  });

  test('S21: no answer is lost when a secret is rotated under load', async () => {
    const folder = await makeDataFolder();
    const file = join(folder.path, 'secret');
    writeFileSync(file, 'wrong until the first is written');
    stage = await open({}, { MICROSOFT_APP_PASSWORD_FILE: file });
    const { fake } = stage;
    const [first = ''] = fake.app.secrets;
    writeFileSync(file, `${first}\n`);
    answers.set('rotated', 'Answered.');
    const rooms: Conversation[] = [];
    for (let nth = 0; nth < 12; nth++) {
      const person = fake.tenant().person();
      rooms.push(person.dm());
      person.says(person.dm(), `rotated ${nth}`);
      if (nth === 6) {
        fake.app.secrets.clear();
        fake.app.secrets.add('another secret');
        for (const token of fake.login.issued) token.revoked = true;
        writeFileSync(file, 'another secret\n');
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const room of rooms) await eventually(() => isOver(room)).toBe(true);
    for (const room of rooms)
      expect(fake.screen(room).filter(({ text }) => text === 'Answered.')).toHaveLength(1);
    expect(stage.parley.output()).not.toMatch(/another secret/);
    await folder.remove();
  });
});

const whole: Record<string, string> = {
  MICROSOFT_APP_ID: '11111111-2222-4333-8444-555555555555',
  MICROSOFT_APP_TENANT_ID: '22222222-2222-4333-8444-555555555555',
  MICROSOFT_APP_PASSWORD: 'canary of a password',
};
test.each(
  Object.keys(whole).flatMap((name) => ['', ' \t'].map((blank) => [name, blank] as const)),
)('S12: a start with %s = "%s" ends with exit code 78 and names it, without a secret', async (name, blank) => {
  const { code, message } = await refusalOf({ ...whole, [name]: blank });
  expect(exitCode(code), message).toBe(78);
  expect(message).toContain(name);
  expect(message).not.toContain('canary');
});
