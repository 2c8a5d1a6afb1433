/**
 * Two replicas on a real PostgreSQL with two Slack workspaces. The replica that owns both is stopped while it answers in
 * one of them. It hands the idle workspace over immediately, and the other workspace when its answer has ended.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePorts } from '../bench/free-ports.ts';
import { install, slackEnvironment } from '../fakes/history/house.ts';
import { startPlatform } from '../fakes/history/platform.ts';
import { type Asked, openScene, type Scene } from '../fakes/history/scene.ts';
import { missing, startPostgres } from '../fakes/postgres/server.ts';
import { startFakeSlack, visibleText } from '../fakes/slack/index.ts';
import { makeDataFolder, type RunningParley, runParley } from './house/running-parley.ts';

const TEST_MS = 180_000;
const KEY = 'a key of thirty-two characters or more';
/**
 * Duration of the answer that runs while the replica stops. It is shorter than the 20 s that a stopping replica gives
 * running answers.
 */
const ANSWER_MS = 12_000;

const eventually = (look: () => unknown, timeout = 60_000) => expect.poll(look, { timeout, interval: 50 });

const owned = async ({ url }: RunningParley): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^parley_owned_workspaces (.*)$/m.exec(metrics)?.[1]);
};

const read = (scene: Scene, asked: Asked): string => scene.replies(asked).map(visibleText).join('\n');
const endOf = ({ id }: Asked): string => `end of canary=${id}`;

describe.skipIf(missing !== undefined)('a replica that stops', () => {
  test(
    'hands an idle workspace over while it still answers in another workspace',
    async () => {
      await using opened = new AsyncDisposableStack();
      const postgres = opened.adopt(await startPostgres(), (it) => it.stop());
      const platform = opened.adopt(await startPlatform(), (it) => it.close());
      const slack = opened.adopt(
        await startFakeSlack({
          workspaces: [{}, {}].map(() => ({ installed: false })),
          limits: { off: true },
        }),
        (it) => it.close(),
      );
      const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
      const file = join(data.path, 'parley.yaml');
      await writeFile(
        file,
        `platform: { baseUrl: '${platform.url}' }
agents: { speaker: { interface: lite-key, credential: { kind: api-key, key: a-key-of-the-test } } }
`,
      );
      const address = await postgres.database();
      const [onePort, otherPort] = await freePorts();
      const begin = async (port: number) => {
        const url = `http://127.0.0.1:${port}`;
        const parley = await runParley(data, {
          ...slackEnvironment(slack, { port, url }),
          ...{ PARLEY_CONFIG: file, PARLEY_KEY: KEY, DATABASE_URL: address },
        });
        opened.defer(() => parley.kill());
        return parley;
      };
      const one = await begin(onePort);
      for (const { id } of slack.world.workspaces.values()) await install(slack, one.url, id);
      slack.deliverTo(`${one.url}/slack/events`);
      const [busy, idle] = [openScene({ slack }, 0), openScene({ slack }, 1)];
      for (const scene of [busy, idle]) {
        const first = scene.ask(scene.room(), { ms: 300 });
        await eventually(() => read(scene, first)).toContain(endOf(first));
      }
      expect(await owned(one)).toBe(2);
      const other = await begin(otherPort);
      expect(await owned(other)).toBe(0);

      const running = busy.ask(busy.room(), { ms: ANSWER_MS, everyMs: 100, chars: 3_000 });
      await busy.begun(running);
      slack.deliverTo(`${other.url}/slack/events`);
      const stopped = one.terminate();
      const next = idle.ask(idle.room(), { ms: 300 });
      const behind = busy.ask(running.room, { ms: 300 }, { thread: running.message.ts });
      await eventually(() => read(idle, next)).toContain(endOf(next));
      expect(await owned(other)).toBe(1);
      expect(read(busy, running)).not.toContain(endOf(running));

      await eventually(() => read(busy, running)).toContain(endOf(running));
      await eventually(() => read(busy, behind)).toContain(endOf(behind));
      expect(await stopped).toBe(0);
      expect(await owned(other)).toBe(2);
      for (const { id } of [running, next, behind])
        expect(platform.askings.filter((asking) => asking.id === id)).toHaveLength(1);
    },
    TEST_MS,
  );
});
