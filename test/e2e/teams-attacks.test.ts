/** The whole bridge between a strict Teams and an agent that means no good: what comes through, and what is written down. */

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHAT, type HostilePlatform, startHostilePlatform } from '../fakes/hostile-platform.ts';
import { type Conversation, type FakeTeams, startFakeTeams } from '../fakes/teams/index.ts';
import { addressesIn, examples, naughty } from '../unit/render/hostile.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from './house/running-parley.ts';

const TEST_MS = 90_000;
const WITHIN_MS = 60_000;
const KEY = 'api-key-canary-of-the-agent-9d41';
const ENTRY = new URL('../../bin/parley.js', import.meta.url).pathname;

const eventually = (look: () => unknown) => expect.poll(look, { timeout: WITHIN_MS, interval: 50 });

/** A pseudo-random number generator whose seed is printed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const SEED = Date.now() % 1_000_000;
process.stdout.write(`teams-attacks: seed ${SEED}\n`);
const random = seeded(SEED);

/** What the agent says to the question that holds this word. */
const answers = new Map<string, string>();

/** In pieces cut anywhere, inside characters too; cut off without an end where it says so. */
function answer(body: string, response: ServerResponse): void {
  const name = [...answers.keys()].reduce(
    (last, each) => (body.lastIndexOf(each) > body.lastIndexOf(last) ? each : last),
    'none of them',
  );
  const text = answers.get(name) ?? 'Nothing.';
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() ** 3 * 900);
    const content = text.slice(at, at + size);
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    at += size;
  }
  if (name.startsWith('torn')) setImmediate(() => response.destroy());
  else response.end('data: [DONE]\n\n');
}

interface Stage {
  readonly fake: FakeTeams;
  readonly parley: RunningParley;
  readonly data: DataFolder;
  /** A conversation of somebody alone with the app, or with others. */
  readonly chat: () => Conversation;
  close(): Promise<void>;
}

let platform: HostilePlatform;
beforeAll(async () => {
  platform = await startHostilePlatform();
  platform.on(CHAT, ({ body }, response) => answer(body, response));
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
  // JSON is YAML.
  writeFileSync(config, JSON.stringify(settings));
  const [secret = ''] = fake.app.secrets;
  const parley = await runParley(data, {
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
      await parley.terminate();
      await fake.close();
      await data.remove();
    },
  };
}

let stage: Stage;
const shown = (room: Conversation): string => JSON.stringify(stage.fake.screen(room));
const isOver = (room: Conversation): boolean => /parley\.(?:regenerate|retry)/.test(shown(room));

/** Every payload that Teams got: no tag of HTML and no mention, links lead where they say, images are none. */
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

/** Texts together, as long as answers are. */
function together(texts: readonly string[], chars: number): readonly string[] {
  const all: string[] = [];
  let said = '';
  for (const text of texts) {
    if (said.length + text.length > chars) {
      all.push(said);
      said = '';
    }
    said += `${text}\n\n`;
  }
  return [...all, said];
}

describe.each([
  ['by native streams', {}],
  ['by edits', { streaming: false }],
  ['in extended Markdown', { extendedMarkdown: true, streaming: false }],
])('S01 to S04: hostile answers %s', (_, settings) => {
  afterEach(() => stage?.close(), TEST_MS);

  test(
    'in random pieces, whole and torn off anywhere, bring nothing to life in any payload',
    async () => {
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
      expect(stage.fake.log.of('streaming' in settings ? 'send' : 'final').length).toBeGreaterThan(20);
      if ('extendedMarkdown' in settings) expect(stage.fake.log.violations).toEqual([]);
      else expectNothingLive();
    },
    TEST_MS,
  );
});

/** What 100 ms are on a quiet machine, where a request takes 2 ms; on a busy one all takes longer. */
const BUSY_MACHINE = 50;

/** The middle of how long each of so many took, in milliseconds: the machine itself may be busy now and then. */
async function middleOf(count: number, work: () => Promise<void>): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const begun = performance.now();
    await work();
    took.push(performance.now() - begun);
  }
  return took.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? Number.NaN;
}

describe('beside a stage', () => {
  afterEach(() => stage?.close(), TEST_MS);

  test(
    'S22: while requests of anybody flood in, trickle and are far too large, Teams is answered in 100 ms',
    async () => {
      stage = await open();
      const { fake, parley } = stage;
      const address = `${parley.url}/api/messages`;
      const person = fake.tenant().person();
      const { delivery } = person.says(person.dm(), 'Hello');
      await delivery?.done;
      const activity = { ...delivery?.activity, type: 'typing' };
      const headers = { 'content-type': 'application/json', authorization: fake.inbound.authorize(activity) };
      const ask = async (): Promise<void> => {
        const response = await fetch(address, { method: 'POST', body: JSON.stringify(activity), headers });
        expect([response.status, await response.text()]).toEqual([200, '']);
      };
      const quiet = await middleOf(20, ask);
      const slow: Socket[] = [];
      for (let nth = 0; nth < 200; nth++) {
        const socket = connect(Number(new URL(address).port), '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write('POST /api/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 900000\r\nauthorization: Be');
        slow.push(socket);
      }
      const bad = ['foreign-key', 'unknown-kid', 'none', 'expired'] as const;
      const bodies = ['{}', '['.repeat(100_000), 'x'.repeat(5 * 1024 * 1024)];
      let going = true;
      const statuses = new Set<number | string>();
      const flood = async (nth: number): Promise<void> => {
        const { authorization } = fake.inbound.bad(bad[nth % bad.length] ?? 'none', activity);
        const body = bodies[nth % bodies.length] ?? '';
        while (going) {
          const answered = fetch(address, {
            ...{ method: 'POST', body },
            headers: { ...(authorization !== undefined && { authorization }) },
          });
          statuses.add(
            await answered.then(
              async (response) => {
                await response.arrayBuffer().catch(() => undefined);
                return response.status;
              },
              () => 'hung up',
            ),
          );
        }
      };
      const floods = Array.from({ length: 16 }, (_, nth) => flood(nth));
      const flooded = await middleOf(40, ask);
      going = false;
      await Promise.all(floods);
      for (const socket of slow) socket.destroy();
      expect(flooded).toBeLessThan(Math.max(100, BUSY_MACHINE * quiet));
      expect([...statuses].filter((status) => ![401, 'hung up'].includes(status))).toEqual([]);
      expect(statuses).toContain(401);
    },
    TEST_MS,
  );

  test(
    'S05, S20: no token goes elsewhere, and no secret or word of a message is in the log, metrics or a failure',
    async () => {
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
    },
    TEST_MS,
  );

  test(
    'S21: a secret that is rotated under load costs no answer',
    async () => {
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
    },
    TEST_MS,
  );
});

test(
  'S12: what is blank ends the start with 78, is named, and no secret is printed',
  async () => {
    const whole: Record<string, string> = {
      MICROSOFT_APP_ID: '11111111-2222-4333-8444-555555555555',
      MICROSOFT_APP_TENANT_ID: '22222222-2222-4333-8444-555555555555',
      MICROSOFT_APP_PASSWORD: 'canary of a password',
    };
    const data = await makeDataFolder();
    const ends = await Promise.all(
      Object.keys(whole).flatMap((name) =>
        ['', ' \t'].map(async (blank) => ({
          name,
          ...(await ended({ PARLEY_DATA: data.path, ...whole, [name]: blank })),
        })),
      ),
    );
    await data.remove();
    for (const { name, code, written } of ends) {
      expect(code, `${name}: ${written}`).toBe(78);
      expect(written).toContain(name);
      expect(written).not.toContain('canary');
    }
  },
  TEST_MS,
);

function ended(environment: Record<string, string>): Promise<{ code: number | null; written: string }> {
  const child = spawn(process.execPath, [ENTRY, 'start'], {
    env: { ...process.env, PORT: '0', PARLEY_SANDBOX_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  child.stdout.on('data', (chunk: Buffer) => {
    written += chunk;
    if (written.includes('Parley is ready')) child.kill('SIGKILL');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, written })));
}
