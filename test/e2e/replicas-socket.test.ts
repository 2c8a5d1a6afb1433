/**
 * Tests two replicas that receive Slack's events by Socket Mode. Slack sends each event over only one of their
 * connections.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedPlatform, startPlatform } from '../fakes/history/platform.ts';
import { openScene, type Scene } from '../fakes/history/scene.ts';
import { missing, type PostgresServer, startPostgres } from '../fakes/postgres/server.ts';
import { type FakeSlack, startFakeSlack, visibleText } from '../fakes/slack/index.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from './house/running-parley.ts';

const TEST_MS = 180_000;
/** Slack sends an event again if it is not acknowledged within 3 s. The pauses here are shorter than Slack's. */
const PATIENCE = { answerWithinMs: 3_000, retriesMs: [0, 1_000, 2_000, 4_000, 8_000] };

const eventually = (look: () => unknown) => expect.poll(look, { timeout: 60_000, interval: 100 });

describe.skipIf(missing !== undefined)('two replicas with Socket Mode', () => {
  const opened = new AsyncDisposableStack();
  let postgres: PostgresServer;
  let platform: ScriptedPlatform;
  let data: DataFolder;
  let slack: FakeSlack;
  let scene: Scene;
  let replicas: RunningParley[];
  let start: () => Promise<RunningParley>;

  beforeAll(async () => {
    postgres = opened.adopt(await startPostgres(), (it) => it.stop());
    platform = opened.adopt(await startPlatform(), (it) => it.close());
    data = opened.adopt(await makeDataFolder(), (it) => it.remove());
    const options = { limits: { off: true }, deliverTo: 'socket', patience: PATIENCE } as const;
    slack = opened.adopt(await startFakeSlack(options), (it) => it.close());
    scene = openScene({ slack }, 0);
    const file = join(data.path, 'parley.yaml');
    await writeFile(file, agentsOf(platform));
    const environment = {
      PARLEY_CONFIG: file,
      PARLEY_KEY: 'a key of thirty-two characters or more',
      DATABASE_URL: await postgres.database(),
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.workspace().token,
      SLACK_APP_TOKEN: slack.app.appToken,
    };
    start = async () => {
      const parley = await runParley(data, environment);
      opened.defer(() => parley.kill());
      return parley;
    };
    replicas = await Promise.all([start(), start()]);
  }, TEST_MS);
  afterAll(() => opened.disposeAsync(), TEST_MS);
  /** Resolves when two replicas run, with the older one. */
  const older = async (): Promise<RunningParley> => {
    if (replicas.length < 2) replicas.push(await start());
    await eventually(() => slack.socket.connections).toBe(2);
    const [one] = replicas.splice(0, 1);
    if (one === undefined) throw new Error('no replica runs');
    return one;
  };

  const text = (asked: ReturnType<Scene['ask']>) => scene.replies(asked).map(visibleText).join('\n');
  const askSome = (count: number) =>
    Array.from({ length: count }, () => scene.ask(scene.room(), { ms: 300, chars: 300 }));
  /** Resolves when each question has an answer. Fails if a question has two. */
  const answered = async (questions: readonly ReturnType<Scene['ask']>[]) => {
    for (const asked of questions) await eventually(() => text(asked)).toContain(`end of canary=${asked.id}`);
    for (const asked of questions) expect(scene.replies(asked)).toHaveLength(1);
    const ids = platform.askings.map(({ id }) => id);
    for (const { id } of questions) expect(ids.filter((each) => each === id)).toHaveLength(1);
  };

  test(
    'answer each question once, whichever of them receives it',
    async () => {
      await eventually(() => slack.socket.connections).toBe(2);
      await answered(askSome(6));
    },
    TEST_MS,
  );

  test(
    'an event that a killed replica did not acknowledge goes to the other one',
    async () => {
      const one = await older();
      process.kill(one.pid ?? 0, 'SIGSTOP');
      const before = slack.deliveries.length;
      // Slack uses the connections in turn. Once the other replica has received two events, the paused replica has
      // therefore received at least one. The questions are direct messages, because a direct message is one event. A
      // mention is two events: the other replica would receive one of them, and would answer the question anyway.
      const questions = Array.from({ length: 4 }, () => {
        const by = scene.workspace.person();
        return scene.ask(by.dm(), { ms: 300, chars: 300 }, { by });
      });
      const later = () => slack.deliveries.slice(before);
      const taken = () => later().filter(({ attempts }) => attempts.at(-1)?.status === 200);
      await eventually(() => taken().length).toBeGreaterThan(1);
      await one.kill();
      await answered(questions);
      const repeated = later().filter(({ attempts }) => attempts.length > 1);
      expect(repeated.length).toBeGreaterThan(0);
    },
    TEST_MS,
  );

  test(
    'one that stops closes its connection before its answers end, so that the other gets every event',
    async () => {
      const one = await older();
      const long = scene.ask(scene.room(), { ms: 8_000, everyMs: 100, chars: 1_200 });
      await scene.begun(long);
      const stopped = one.terminate();
      await eventually(() => slack.socket.connections).toBe(1);
      expect(text(long)).not.toContain(`end of canary=${long.id}`);
      const told = slack.deliveries.length;
      const questions = askSome(3);
      await answered([long, ...questions]);
      expect(slack.deliveries.slice(told).flatMap(({ attempts }) => attempts.slice(1))).toEqual([]);
      expect(await stopped).toBe(0);
    },
    TEST_MS,
  );
});

const agentsOf = ({ url }: ScriptedPlatform): string => `platform: { baseUrl: '${url}' }
agents: { speaker: { interface: lite-key, credential: { kind: api-key, key: a-key-of-the-test } } }
`;
