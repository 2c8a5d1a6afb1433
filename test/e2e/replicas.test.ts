/**
 * Tests replicas, each in its own process, on a real PostgreSQL, between a fake Slack, a fake Teams and a scripted
 * platform. The tests follow one another: three replicas are started, of which one is stopped and one is killed. Covers
 * also refused starts, and what operators see of the replicas.
 */

import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../bench/free-ports.ts';
import { install, slackEnvironment } from '../fakes/history/house.ts';
import { type ScriptedPlatform, startPlatform } from '../fakes/history/platform.ts';
import { type Asked, openScene, type Scene, until } from '../fakes/history/scene.ts';
import { teamsEnvironment, teamsSettings } from '../fakes/history/teams-house.ts';
import { openTeamsScene, type TeamsAsked, type TeamsScene } from '../fakes/history/teams-scene.ts';
import { missing, type PostgresServer, startPostgres } from '../fakes/postgres/server.ts';
import { runHere } from '../fakes/run-here.ts';
import { type FakeSlack, startFakeSlack, visibleText } from '../fakes/slack/index.ts';
import { type FakeTeams, startFakeTeams } from '../fakes/teams/index.ts';
import { controlOf } from '../unit/slack/controls.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from './house/running-parley.ts';

const TEST_MS = 180_000;
const eventually = (look: () => unknown) => expect.poll(look, { timeout: 60_000, interval: 100 });
const endOf = ({ id }: { readonly id: string }): string => `end of canary=${id}`;
const beginningOf = ({ id }: { readonly id: string }): string => `canary=${id}`;

interface Replica extends RunningParley {
  /** The address with 127.0.0.1; the replica listens on all addresses. */
  readonly at: string;
}

const metric = async ({ at }: Replica, name: string): Promise<number> => {
  const line = new RegExp(`^${name} (.*)$`, 'm').exec(await (await fetch(`${at}/metrics`)).text());
  return Number(line?.[1]);
};
const owned = (replica: Replica): Promise<number> => metric(replica, 'parley_owned_workspaces');
const read = (scene: Scene, asked: Asked): string => scene.replies(asked).map(visibleText).join('\n');

describe.skipIf(missing !== undefined)('replicas', () => {
  const opened = new AsyncDisposableStack();
  let postgres: PostgresServer;
  let platform: ScriptedPlatform;
  let slack: FakeSlack;
  let teams: FakeTeams;
  let data: DataFolder;
  let ports: readonly number[];
  let busy: Scene;
  let idle: Scene;
  let inTeams: TeamsScene;
  const replicas: Replica[] = [];
  const replica = (nth: number): Replica => {
    const found = replicas[nth];
    if (found === undefined) throw new Error(`replica ${nth} was not started`);
    return found;
  };

  const start = async (): Promise<Replica> => {
    const port = ports[replicas.length] ?? 0;
    const at = `http://127.0.0.1:${port}`;
    const parley = await runParley(data, {
      ...slackEnvironment(slack, { port, url: at }),
      PARLEY_CONFIG: process.env.PARLEY_CONFIG ?? '',
    });
    opened.defer(() => parley.kill());
    const started = { ...parley, at };
    replicas.push(started);
    return started;
  };
  const deliverTo = ({ at }: Replica): void => {
    slack.deliverTo(`${at}/slack/events`);
    teams.deliverTo(`${at}/api/messages`);
  };
  const readInTeams = (asked: TeamsAsked): string => JSON.stringify(inTeams.replies(asked));
  const command = async (...args: readonly string[]): Promise<string> => (await runHere(args)).out;

  beforeAll(async () => {
    postgres = opened.adopt(await startPostgres(), (it) => it.stop());
    platform = opened.adopt(await startPlatform(), (it) => it.close());
    const workspaces = [{}, {}].map(() => ({ installed: false }));
    slack = opened.adopt(await startFakeSlack({ workspaces, limits: { off: true } }), (it) => it.close());
    teams = opened.adopt(await startFakeTeams({ limits: { off: true } }), (it) => it.close());
    data = opened.adopt(await makeDataFolder(), (it) => it.remove());
    [busy, idle, inTeams] = [openScene({ slack }, 0), openScene({ slack }, 1), openTeamsScene({ teams })];
    ports = [...(await freePorts()), ...(await freePorts())];
    const file = join(data.path, 'parley.yaml');
    await writeFile(
      file,
      `platform: { baseUrl: '${platform.url}' }
agents: { speaker: { interface: lite-key, credential: { kind: api-key, key: a-key-of-the-test } } }
${teamsSettings(teams, { streaming: true, allMessages: false })}
`,
    );
    // The commands run in this process, and need the same environment.
    Object.assign(process.env, {
      ...slackEnvironment(slack, { port: 0, url: 'http://127.0.0.1:9' }),
      ...teamsEnvironment(teams),
      PARLEY_CONFIG: file,
      PARLEY_KEY: 'a key of thirty-two characters or more',
      PARLEY_HOST: '0.0.0.0',
      PARLEY_DATA: data.path,
      DATABASE_URL: await postgres.database(),
    });
    // The first replica owns the workspaces, because it is alone when people first ask there.
    const one = await start();
    for (const { id } of slack.world.workspaces.values()) await install(slack, one.at, id);
    deliverTo(one);
    const first = [busy, idle].map((scene) => ({ scene, asked: scene.ask(scene.room(), { ms: 300 }) }));
    const elsewhere = inTeams.ask(inTeams.team.channel(), { ms: 300 });
    await until('all are answered', () =>
      [readInTeams(elsewhere), ...first.map(({ scene, asked }) => read(scene, asked))].every((text) =>
        text.includes('end of canary='),
      ),
    );
    await start();
  }, TEST_MS);
  afterAll(() => opened.disposeAsync(), TEST_MS);

  test(
    'answer, and show each other to operators',
    async () => {
      const [one, other] = [replica(0), replica(1)];
      expect(await (await fetch(`${one.at}/readyz`)).json()).toMatchObject({ status: 'ready' });
      expect(one.output()).toMatch(/Console is off: with DATABASE_URL, it needs a setting of its own/);
      expect((await fetch(`${one.at}/`)).status).toBe(404);
      for (const each of [one, other]) await eventually(() => metric(each, 'parley_replicas')).toBe(2);
      expect(await metric(one, 'parley_lease_seconds')).toBeGreaterThan(1);
      expect([await owned(one), await owned(other)]).toEqual([3, 0]);
      const state = JSON.parse(await command('status', '--json'));
      expect(state).toMatchObject({ waiting: 0, running: 0 });
      expect(state.workspaces.map((each: { channel: string }) => each.channel).toSorted()).toEqual([
        'slack',
        'slack',
        'teams',
      ]);
      expect(state.replicas.map((each: { workspaces: number }) => each.workspaces).toSorted()).toEqual([
        0, 3,
      ]);
      expect(await command('status')).toMatch(/replicas: 2\n/);

      expect(await command('feedback')).toBe('There is no feedback yet.\n');
      const rated = busy.ask(busy.room(), { ms: 300 });
      await eventually(() => read(busy, rated)).toContain(endOf(rated));
      const reply = busy.replies(rated).at(-1);
      const control = controlOf(reply?.blocks, 'reply:feedback');
      if (reply === undefined || control === undefined) throw new Error('the reply has no thumbs');
      const value = /"value":"([^"]* up)"/.exec(JSON.stringify(reply.blocks))?.[1];
      busy.person.presses(reply, { ...control, ...(value !== undefined && { value }) });
      await eventually(() => command('feedback')).toBe('speaker: 1 up, 0 down\n');
      const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
      expect(JSON.parse(await command('feedback', '--json'))).toMatchObject([
        { agent: 'speaker', verdict: 'up', channel: 'slack', at },
      ]);
      expect(await command('feedback', '--csv')).toMatch(/"speaker","up"/);
    },
    TEST_MS,
  );

  /** Resolves with every row of every table of the database, as text. */
  const dump = async (): Promise<readonly string[]> => {
    const admin = await postgres.connect(process.env.DATABASE_URL ?? '');
    try {
      const tables = ['turns', 'answers', 'keyed', 'withdrawn', 'feedback', 'audit', 'forgetting'];
      const rows = await Promise.all(tables.map((table) => admin.query(`SELECT * FROM parley.${table}`)));
      return rows.flatMap((each) => each.rows.map((row: unknown) => JSON.stringify(row)));
    } finally {
      await admin.end();
    }
  };

  test(
    'export the audit, and forget a person whose answer is running in another one',
    async () => {
      deliverTo(replica(1));
      const by = busy.workspace.person();
      const [ended, running] = [300, 30_000].map((ms) => busy.ask(busy.room(), { ms }, { by }));
      if (ended === undefined || running === undefined) throw new Error('nothing was asked');
      await eventually(() => read(busy, ended)).toContain(endOf(ended));
      await eventually(() => read(busy, running)).toContain(beginningOf(running));
      const person = `slack/${by.id}`;
      await eventually(() => command('audit', 'export', '--person', person)).toContain('"answered"');
      expect(await command('audit', 'export', '--format', 'csv')).toContain(`,"${by.id}","slack",`);
      const receipt = JSON.parse(await command('forget', 'person', person, '--yes', '--json'));
      expect(receipt).toMatchObject({ outcome: 'done', kind: 'person', id: person });
      expect(receipt.removed.turns).toBeGreaterThanOrEqual(2);
      expect(receipt.remaining.at(-1)).toMatchObject({ what: 'messages in the chat platform' });
      await eventually(() => read(busy, running)).toMatch(/[Ss]topped/);
      const told = [by.id, beginningOf(ended), beginningOf(running)];
      const left = (await dump()).filter((row) => told.some((each) => row.includes(each)));
      expect(left).toEqual([]);
      expect(await command('forget', 'person', person, '--yes')).toMatch(/^Nothing is stored about person/);
      expect(await command('audit', 'export')).toContain(`"action":"forget"`);
    },
    TEST_MS,
  );

  test.each([
    ['another key', { PARLEY_KEY: 'another key of thirty-two characters' }, 78, /another PARLEY_KEY/],
    ['no key', { PARLEY_KEY: '' }, 78, /PARLEY_KEY: key is blank/],
    ['a wrong port', { DATABASE_URL: 'postgres://parley:hush-hush@127.0.0.1:9/x' }, 69, /does not answer/],
  ])(
    'refuse to start with %s, with the cure and without the password',
    async (_, environment: Record<string, string>, code, says) => {
      const ended = await runHere(['start'], { environment });
      expect(ended.code).toBe(code);
      expect(ended.out + ended.err).toMatch(says);
      expect(ended.out + ended.err).not.toContain('hush-hush');
    },
    TEST_MS,
  );

  test(
    'are checked by doctor, which names the database, the key and the absence of a standby',
    async () => {
      const { findings } = JSON.parse(await command('doctor', '--json'));
      const byName = new Map(findings.map((each: { what: string; detail: string }) => [each.what, each]));
      expect(byName.get('database')).toMatchObject({ ok: true });
      expect(byName.get('database installation')).toMatchObject({ ok: true, detail: /PARLEY_KEY matches/ });
      expect(byName.get('database replication')).toMatchObject({ detail: /no standby/ });
      expect(byName.has('data folder')).toBe(false);
    },
    TEST_MS,
  );

  test(
    'hand idle workspaces over while the one that stops still answers in another workspace',
    async () => {
      const [one, other] = [replica(0), replica(1)];
      const running = busy.ask(busy.room(), { ms: 300, chars: 3_000, held: true });
      await busy.begun(running);
      deliverTo(other);
      const stopped = one.terminate();
      const next = idle.ask(idle.room(), { ms: 300 });
      const behind = busy.ask(running.room, { ms: 300 }, { thread: running.message.ts });
      await eventually(() => read(idle, next)).toContain(endOf(next));
      await eventually(() => owned(other)).toBe(2);
      expect(read(busy, running)).not.toContain(endOf(running));

      platform.release(running.id);
      await eventually(() => read(busy, running)).toContain(endOf(running));
      await eventually(() => read(busy, behind)).toContain(endOf(behind));
      expect(await stopped).toBe(0);
      expect(await owned(other)).toBe(3);
      for (const { id } of [running, next, behind])
        expect(platform.askings.filter((asking) => asking.id === id)).toHaveLength(1);
    },
    TEST_MS,
  );

  test(
    'take the answers of a killed one over, in Slack and in Teams',
    async () => {
      const owner = replica(1);
      const heir = await start();
      deliverTo(heir);
      const interrupted = busy.ask(busy.room(), { ms: 30_000 });
      const cut = inTeams.ask(inTeams.team.channel(), { ms: 30_000 });
      await Promise.all([busy.begun(interrupted), inTeams.begun(cut)]);
      await owner.kill();
      const later = busy.ask(busy.room(), { ms: 300 });
      const alsoLater = inTeams.ask(inTeams.team.channel(), { ms: 300 });
      await eventually(() => read(busy, later)).toContain(endOf(later));
      await eventually(() => readInTeams(alsoLater)).toContain(endOf(alsoLater));
      await eventually(() => read(busy, interrupted)).toMatch(/interrupted|end of canary/);
      expect(busy.replies(interrupted)).toHaveLength(1);
      await eventually(() => readInTeams(cut)).toMatch(/interrupted|end of canary/);
      await eventually(() => metric(heir, 'parley_replicas')).toBe(1);
      await eventually(() => owned(heir)).toBe(3);
      expect(await metric(heir, 'parley_takeovers')).toBe(3);
    },
    TEST_MS,
  );

  test(
    'are not ready while PostgreSQL is down, and ready again when it is back',
    async () => {
      const last = replica(2);
      const readiness = async () => (await fetch(`${last.at}/readyz`)).status;
      await postgres.kill();
      await eventually(readiness).toBe(503);
      expect(await (await fetch(`${last.at}/readyz`)).json()).toMatchObject({
        reasons: [expect.stringMatching(/PostgreSQL did not carry out a read or a write/)],
      });
      expect(await metric(last, 'parley_store_readable')).toBe(0);
      await postgres.restart();
      await eventually(readiness).toBe(200);
      await eventually(() => metric(last, 'parley_replicas')).toBe(1);
    },
    TEST_MS,
  );

  test(
    'leave nothing behind on their machines, and the last one leaves no replica in the database',
    async () => {
      expect(await replica(2).terminate()).toBe(0);
      expect(await command('status')).toMatch(/replicas: none\n/);
      expect((await readdir(data.path)).toSorted()).toEqual(['parley.yaml']);
    },
    TEST_MS,
  );
});
