/**
 * The console of two replicas, each in its own process, on a real PostgreSQL. People reach one or the other: they see
 * each other's answers grow, press buttons, and lose no text that they saw when the replica that answers is killed.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReplyView, SearchView } from '../../adapters/console/wire.ts';
import { type ScriptedPlatform, startPlatform } from '../fakes/history/platform.ts';
import { questionOf } from '../fakes/history/saying.ts';
import { nextId } from '../fakes/history/scene.ts';
import { missing, type PostgresServer, startPostgres } from '../fakes/postgres/server.ts';
import { ConsoleClient } from './house/console-client.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from './house/running-parley.ts';

const TEST_MS = 180_000;
const KEY = 'a key of thirty-two characters or more';

describe.skipIf(missing !== undefined)('the console of two replicas', () => {
  const opened = new AsyncDisposableStack();
  let postgres: PostgresServer;
  let platform: ScriptedPlatform;
  let data: DataFolder;
  let address: string;
  beforeAll(async () => {
    postgres = opened.adopt(await startPostgres(), (it) => it.stop());
    platform = opened.adopt(await startPlatform(), (it) => it.close());
    data = opened.adopt(await makeDataFolder(), (it) => it.remove());
    await writeFile(
      join(data.path, 'parley.yaml'),
      `platform: { baseUrl: '${platform.url}' }
agents: { speaker: { interface: lite-key, credential: { kind: api-key, key: a-key-of-the-test } } }
console: { enabled: true }
`,
    );
    address = await postgres.database();
  }, TEST_MS);
  afterAll(() => opened.disposeAsync(), TEST_MS);

  const start = async (): Promise<RunningParley> => {
    const parley = await runParley(data, {
      PARLEY_CONFIG: join(data.path, 'parley.yaml'),
      PARLEY_KEY: KEY,
      DATABASE_URL: address,
    });
    opened.defer(() => parley.kill());
    return parley;
  };
  const question = (ms: number) => {
    const id = nextId();
    return { id, text: `@speaker ${questionOf({ id, ms, everyMs: 50, chars: 2_000 })}` };
  };
  const owns = async ({ url }: RunningParley): Promise<boolean> => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return /^parley_owned_workspaces 1$/m.exec(metrics) !== null;
  };
  const isWriting = ({ state, text }: ReplyView) => state === 'writing' && text.length > 100;

  test(
    'answer, stop and finish answers together',
    async () => {
      const [one, other] = await Promise.all([start(), start()]);
      const [a, b] = [new ConsoleClient(one.url), new ConsoleClient(other.url)];

      const first = question(1_000);
      const asked = await a.say(first.text);
      expect((await b.answer(asked)).reply.text).toContain(`end of canary=${first.id}`);

      // The stop is pressed where the answer does not run.
      const isOwner = await owns(one);
      const [owner, away] = isOwner ? [one, b] : [other, a];
      const long = await away.say(question(60_000).text);
      const { reply } = await away.replyTo(long, isWriting);
      expect(await away.stop(reply.turn)).toEqual({ done: true });
      expect((await away.answer(long)).reply.state).toBe('stopped');

      // The replica that answers is killed. The other one ends the answer with the text that people saw.
      const last = question(15_000);
      const held = await away.say(last.text);
      const { reply: half } = await away.replyTo(held, isWriting);
      await owner.kill();
      const cut = await away.answer(held);
      expect(cut.reply).toMatchObject({ turn: half.turn, state: 'partial', retry: true });
      expect(cut.reply.text.startsWith(half.text)).toBe(true);
      expect(await away.retry(cut.reply.turn)).toEqual({ done: true });
      const whole = await away.replyTo(held, ({ state }) => state === 'done');
      expect(whole.reply.text).toContain(`end of canary=${last.id}`);
      expect(await away.replies(held)).toHaveLength(1);

      const found = await fetch(`${away.url}/console/search`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ as: 'designer', text: last.id }),
      });
      const { hits } = (await found.json()) as SearchView;
      expect(hits.map(({ id }) => id).toSorted()).toEqual([held.id, whole.id].toSorted());
    },
    TEST_MS,
  );
});
