/**
 * Tests two replicas, each in its own process, on a real PostgreSQL, between a fake Slack and a scripted platform.
 * Covers a kill, an orderly stop, refused starts, and what operators see of the replicas.
 */

import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedPlatform, startPlatform } from '../fakes/history/platform.ts';
import { questionOf } from '../fakes/history/saying.ts';
import { nextId } from '../fakes/history/scene.ts';
import { teamsEnvironment, teamsSettings } from '../fakes/history/teams-house.ts';
import { openTeamsScene } from '../fakes/history/teams-scene.ts';
import { missing, type PostgresServer, startPostgres } from '../fakes/postgres/server.ts';
import { type FakeSlack, type Message, startFakeSlack, visibleText } from '../fakes/slack/index.ts';
import { startFakeTeams } from '../fakes/teams/index.ts';
import { controlOf } from '../unit/slack/controls.ts';
import {
  type DataFolder,
  makeDataFolder,
  type RunningParley,
  runParley,
  runToItsEnd,
} from './house/running-parley.ts';

const TEST_MS = 180_000;
const ENTRY = new URL('../../bin/parley.js', import.meta.url).pathname;
const KEY = 'a key of thirty-two characters or more';

const eventually = (look: () => unknown, timeout = 60_000) => expect.poll(look, { timeout, interval: 100 });

describe.skipIf(missing !== undefined)('two replicas', () => {
  const opened = new AsyncDisposableStack();
  let postgres: PostgresServer;
  let platform: ScriptedPlatform;
  let slack: FakeSlack;
  let data: DataFolder;
  let environment: Record<string, string>;

  beforeAll(async () => {
    postgres = opened.adopt(await startPostgres(), (it) => it.stop());
    platform = opened.adopt(await startPlatform(), (it) => it.close());
    slack = opened.adopt(await startFakeSlack({ workspaces: [{}], limits: { off: true } }), (it) =>
      it.close(),
    );
    data = opened.adopt(await makeDataFolder(), (it) => it.remove());
    const file = join(data.path, 'parley.yaml');
    await writeFile(file, agentsOf(platform));
    environment = {
      PARLEY_CONFIG: file,
      PARLEY_KEY: KEY,
      PARLEY_HOST: '0.0.0.0',
      DATABASE_URL: await postgres.database(),
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.workspace().token,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
    };
  }, TEST_MS);
  afterAll(() => opened.disposeAsync(), TEST_MS);

  const start = (more: Record<string, string> = {}): Promise<RunningParley> =>
    runParley(data, { ...environment, ...more });
  let startedOnce: Promise<unknown> | undefined;
  /**
   * Starts and ends one replica, once for all tests, so that the database has the tables and belongs to this
   * installation.
   */
  const installed = (): Promise<unknown> => {
    startedOnce ??= start().then((parley) => parley.terminate());
    return startedOnce;
  };
  const get = (parley: RunningParley, path: string) => fetch(`${localOf(parley)}${path}`);
  const metric = async (parley: RunningParley, name: string): Promise<number> => {
    const line = new RegExp(`^${name} (.*)$`, 'm').exec(await (await get(parley, '/metrics')).text());
    return Number(line?.[1]);
  };
  const command = async (...args: readonly string[]) => {
    const env = { ...process.env, ...environment, PARLEY_DATA: data.path };
    return (await promisify(execFile)(process.execPath, [ENTRY, ...args], { env })).stdout;
  };
  const thumbsUp = (reply: Message | undefined) => {
    const control = controlOf(reply?.blocks, 'reply:feedback');
    if (reply === undefined || control === undefined) throw new Error('the reply has no thumbs');
    const value = /"value":"([^"]* up)"/.exec(JSON.stringify(reply.blocks))?.[1];
    slack
      .workspace()
      .person()
      .presses(reply, { ...control, ...(value !== undefined && { value }) });
  };
  const ask = (saying: { readonly ms: number }, by = slack.workspace().person()) => {
    const room = slack.workspace().channel();
    const id = nextId();
    const words = questionOf({ id, everyMs: 50, chars: 1_200, ...saying });
    const { ts } = by.mentions(room, words);
    const replies = () =>
      slack.thread(room.id, ts).filter(({ app, onlyFor }) => app && onlyFor === undefined);
    return { id, replies, text: () => replies().map(visibleText).join('\n') };
  };

  test(
    'answer, show each other to operators, and survive the kill of the one that answers',
    async () => {
      const [one, other] = await Promise.all([start(), start()]);
      try {
        expect(await (await get(one, '/readyz')).json()).toMatchObject({ status: 'ready' });
        expect(one.output()).toMatch(/Console is off: with DATABASE_URL, it needs a setting of its own/);
        expect((await get(one, '/')).status).toBe(404);
        await eventually(() => metric(one, 'parley_replicas')).toBe(2);
        await eventually(() => metric(other, 'parley_replicas')).toBe(2);
        expect(await metric(one, 'parley_lease_seconds')).toBeGreaterThan(1);

        // The event reaches one replica. The test does not know yet which replica owns the workspace.
        slack.deliverTo(`${localOf(one)}/slack/events`);
        const first = ask({ ms: 500 });
        await eventually(first.text).toContain(`end of canary=${first.id}`);
        const owned = await Promise.all([one, other].map((each) => metric(each, 'parley_owned_workspaces')));
        expect(owned.toSorted()).toEqual([0, 1]);
        const [owner, heir] = owned[0] === 1 ? [one, other] : [other, one];
        const state = JSON.parse(await command('status', '--json'));
        expect(state).toMatchObject({
          waiting: 0,
          running: 0,
          workspaces: [{ channel: 'slack', waiting: 0 }],
        });
        expect(state.replicas.map((each: { workspaces: number }) => each.workspaces).toSorted()).toEqual([
          0, 1,
        ]);
        expect(await command('status')).toMatch(/replicas: 2\n/);

        expect(await command('feedback')).toBe('There is no feedback yet.\n');
        thumbsUp(first.replies().at(-1));
        await eventually(() => command('feedback')).toBe('speaker: 1 up, 0 down\n');
        expect(JSON.parse(await command('feedback', '--json'))).toMatchObject([
          {
            agent: 'speaker',
            verdict: 'up',
            channel: 'slack',
            at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          },
        ]);
        expect(await command('feedback', '--csv')).toMatch(/"speaker","up"/);

        slack.deliverTo(`${localOf(heir)}/slack/events`);
        const interrupted = ask({ ms: 6_000 });
        await eventually(interrupted.text).toContain(`canary=${interrupted.id}`);
        await owner.kill();
        const later = ask({ ms: 300 });
        await eventually(later.text).toContain(`end of canary=${later.id}`);
        await eventually(interrupted.text).toMatch(/interrupted|end of canary/);
        expect(interrupted.replies()).toHaveLength(1);
        await eventually(() => metric(heir, 'parley_replicas')).toBe(1);
        expect(await metric(heir, 'parley_owned_workspaces')).toBe(1);
        expect(await metric(heir, 'parley_takeovers')).toBe(1);
        expect(await heir.terminate()).toBe(0);
        expect(await command('status')).toMatch(/replicas: none\n/);
      } finally {
        await Promise.all([one.kill(), other.kill()]);
      }
      expect((await readdir(data.path)).toSorted()).toEqual(['parley.yaml']);
    },
    TEST_MS,
  );

  /** Resolves with every row of every table of the database, as text. */
  const dump = async (): Promise<readonly string[]> => {
    const admin = await postgres.connect(environment.DATABASE_URL ?? '');
    try {
      const tables = ['turns', 'answers', 'keyed', 'withdrawn', 'feedback', 'audit', 'forgetting'];
      const rows = await Promise.all(tables.map((table) => admin.query(`SELECT * FROM parley.${table}`)));
      return rows.flatMap((each) => each.rows.map((row: unknown) => JSON.stringify(row)));
    } finally {
      await admin.end();
    }
  };

  test(
    'export the audit, and forget a person whose answer is running in either of them',
    async () => {
      const [one, other] = await Promise.all([start(), start()]);
      try {
        slack.deliverTo(`${localOf(one)}/slack/events`);
        const person = slack.workspace().person();
        const [ended, running] = [ask({ ms: 300 }, person), ask({ ms: 30_000 }, person)];
        await eventually(ended.text).toContain(`end of canary=${ended.id}`);
        await eventually(running.text).toContain(`canary=${running.id}`);
        const { id } = person;
        await eventually(() => command('audit', 'export', '--person', `slack/${id}`)).toContain('"answered"');
        expect(await command('audit', 'export', '--format', 'csv')).toContain(`,"${id}","slack",`);
        const receipt = JSON.parse(await command('forget', 'person', `slack/${id}`, '--yes', '--json'));
        expect(receipt).toMatchObject({ outcome: 'done', kind: 'person', id: `slack/${id}` });
        expect(receipt.removed.turns).toBeGreaterThanOrEqual(2);
        expect(receipt.remaining.at(-1)).toMatchObject({ what: 'messages in the chat platform' });
        await eventually(running.text).toMatch(/[Ss]topped/);
        const told = [id, `canary=${ended.id}`, `canary=${running.id}`];
        const left = (await dump()).filter((row) => told.some((each) => row.includes(each)));
        expect(left).toEqual([]);
        expect(await command('forget', 'person', `slack/${id}`, '--yes')).toMatch(
          /^Nothing is stored about person/,
        );
        expect(await command('audit', 'export')).toContain(`"action":"forget"`);
      } finally {
        await Promise.all([one.kill(), other.kill()]);
      }
    },
    TEST_MS,
  );

  test(
    'hand their workspaces over when one is stopped',
    async () => {
      const [one, other] = await Promise.all([start(), start()]);
      try {
        slack.deliverTo(`${localOf(one)}/slack/events`);
        const first = ask({ ms: 300 });
        await eventually(first.text).toContain(`end of canary=${first.id}`);
        const [owner, heir] =
          (await metric(one, 'parley_owned_workspaces')) === 1 ? [one, other] : [other, one];
        slack.deliverTo(`${localOf(heir)}/slack/events`);
        const running = ask({ ms: 3_000 });
        await eventually(running.text).toContain(`canary=${running.id}`);
        expect(await owner.terminate()).toBe(0);
        expect(running.text()).toContain(`end of canary=${running.id}`);
        const later = ask({ ms: 300 });
        await eventually(later.text, 10_000).toContain(`end of canary=${later.id}`);
      } finally {
        await Promise.all([one.kill(), other.kill()]);
      }
    },
    TEST_MS,
  );

  test(
    'take the answers of a killed one over in Teams too',
    async () => {
      await using ended = new AsyncDisposableStack();
      const teams = ended.adopt(await startFakeTeams({ limits: { off: true } }), (it) => it.close());
      const folder = ended.adopt(await makeDataFolder(), (it) => it.remove());
      const file = join(folder.path, 'parley.yaml');
      const channel = teamsSettings(teams, { streaming: true, allMessages: false });
      await writeFile(file, `${agentsOf(platform)}${channel}\n`);
      const own = { PARLEY_CONFIG: file, PARLEY_KEY: KEY, DATABASE_URL: await postgres.database() };
      const begin = async () => {
        const parley = await runParley(folder, { ...own, ...teamsEnvironment(teams) });
        ended.defer(() => parley.kill());
        return parley;
      };
      const [one, other] = [await begin(), await begin()];
      const scene = openTeamsScene({ teams });
      const room = scene.team.channel();
      const text = (asked: ReturnType<typeof scene.ask>) => JSON.stringify(scene.replies(asked));
      teams.deliverTo(`${one.url}/api/messages`);
      const first = scene.ask(room, { ms: 300 });
      await eventually(() => text(first)).toContain(`end of canary=${first.id}`);
      const [owner, heir] =
        (await metric(one, 'parley_owned_workspaces')) === 1 ? [one, other] : [other, one];
      teams.deliverTo(`${heir.url}/api/messages`);
      const interrupted = scene.ask(room, { ms: 6_000 });
      await scene.begun(interrupted);
      await owner.kill();
      const later = scene.ask(scene.team.channel(), { ms: 300 });
      await eventually(() => text(later)).toContain(`end of canary=${later.id}`);
      await eventually(() => text(interrupted)).toMatch(/interrupted|end of canary/);
    },
    TEST_MS,
  );

  test(
    'are not ready while PostgreSQL is down, and ready again when it is back',
    async () => {
      const parley = await start();
      try {
        const readiness = async () => (await get(parley, '/readyz')).status;
        await postgres.kill();
        await eventually(readiness).toBe(503);
        expect(await (await get(parley, '/readyz')).json()).toMatchObject({
          reasons: [expect.stringMatching(/PostgreSQL did not carry out a read or a write/)],
        });
        expect(await metric(parley, 'parley_store_readable')).toBe(0);
        await postgres.restart();
        await eventually(readiness).toBe(200);
        await eventually(() => metric(parley, 'parley_replicas')).toBe(1);
      } finally {
        await parley.kill();
      }
    },
    TEST_MS,
  );

  test.each([
    ['another key', { PARLEY_KEY: 'another key of thirty-two characters' }, 78, /another PARLEY_KEY/],
    ['no key', { PARLEY_KEY: '' }, 78, /PARLEY_KEY: key is blank/],
    ['a wrong port', { DATABASE_URL: 'postgres://parley:hush-hush@127.0.0.1:9/x' }, 69, /does not answer/],
  ])(
    'refuse to start with %s, with the cure and without the password',
    async (_, more, code, says) => {
      await installed();
      const ended = await runToItsEnd({ ...environment, PARLEY_DATA: data.path, ...more });
      expect(ended.code).toBe(code);
      expect(ended.written).toMatch(says);
      expect(ended.written).not.toContain('hush-hush');
    },
    TEST_MS,
  );

  test(
    'are checked by doctor, which names the database, the key and the absence of a standby',
    async () => {
      await installed();
      const { findings } = JSON.parse(
        await command('doctor', '--json').catch((thrown: { stdout: string }) => thrown.stdout),
      );
      const byName = new Map(findings.map((each: { what: string; detail: string }) => [each.what, each]));
      expect(byName.get('database')).toMatchObject({ ok: true });
      expect(byName.get('database installation')).toMatchObject({ ok: true, detail: /PARLEY_KEY matches/ });
      expect(byName.get('database replication')).toMatchObject({ detail: /no standby/ });
      expect(byName.has('data folder')).toBe(false);
    },
    TEST_MS,
  );
});

const agentsOf = ({ url }: ScriptedPlatform): string => `platform: { baseUrl: '${url}' }
agents: { speaker: { interface: lite-key, credential: { kind: api-key, key: a-key-of-the-test } } }
`;

/** Returns a replica's address with 127.0.0.1 in place of `localhost`. The replica listens on all addresses. */
const localOf = ({ url }: RunningParley): string => url.replace('localhost', '127.0.0.1');
