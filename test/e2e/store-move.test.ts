/** Tests that a bridge answers its open questions on PostgreSQL after `parley store move`. */

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startPlatform } from '../fakes/history/platform.ts';
import { openScene } from '../fakes/history/scene.ts';
import { missing, startPostgres } from '../fakes/postgres/server.ts';
import { startFakeSlack, visibleText } from '../fakes/slack/index.ts';
import { ENTRY, makeDataFolder, type RunningParley, runParley, runToItsEnd } from './house/running-parley.ts';

const TEST_MS = 180_000;
const SOON = { timeout: 60_000, interval: 100 };

test.skipIf(missing !== undefined)(
  'questions that were open when the bridge was killed are answered after a move to PostgreSQL, once',
  async () => {
    await using opened = new AsyncDisposableStack();
    const postgres = opened.adopt(await startPostgres(), (it) => it.stop());
    const platform = opened.adopt(await startPlatform(), (it) => it.close());
    const slack = opened.adopt(await startFakeSlack({ workspaces: [{}], limits: { off: true } }), (it) =>
      it.close(),
    );
    const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
    const file = join(data.path, 'parley.yaml');
    await writeFile(
      file,
      `platform: { baseUrl: '${platform.url}' }
agents: { speaker: { interface: lite-key, credential: { kind: api-key, key: a-key-of-the-test } } }
`,
    );
    const alone = {
      PARLEY_CONFIG: file,
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.workspace().token,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
    };
    const shared = {
      ...alone,
      PARLEY_KEY: 'a key of thirty-two characters or more',
      DATABASE_URL: await postgres.database(),
    };
    const start = async (environment: Record<string, string>): Promise<RunningParley> => {
      const parley = opened.adopt(await runParley(data, environment), (it) => it.kill());
      slack.deliverTo(`${parley.url.replace('localhost', '127.0.0.1')}/slack/events`);
      return parley;
    };
    const before = await start(alone);
    const scene = openScene({ slack }, 0);
    const room = scene.room();
    const first = scene.ask(room, { ms: 60_000, everyMs: 50, chars: 20_000 });
    const text = () => scene.replies(first).map(visibleText).join('\n');
    await expect.poll(() => text().length, SOON).toBeGreaterThan(100);
    const second = scene.ask(room, { ms: 300 }, { thread: first.message.ts });
    const store = opened.adopt(
      new DatabaseSync(join(data.path, 'parley.sqlite'), { readOnly: true }),
      (it) => (it.isOpen ? it.close() : undefined),
    );
    const waiting = store.prepare("SELECT count(*) AS n FROM turns WHERE state = 'waiting'");
    await expect.poll(() => waiting.get()?.n, SOON).toBe(1);
    store.close();
    await before.kill();

    const env = { ...process.env, ...shared, PARLEY_DATA: data.path };
    const moved = await promisify(execFile)(
      process.execPath,
      [ENTRY, 'store', 'move', '--to', 'postgresql'],
      { env },
    );
    expect(moved.stdout).toContain('turns: 2 rows');
    const refused = await runToItsEnd({ ...alone, PARLEY_DATA: data.path });
    expect(refused).toMatchObject({ code: 78, written: expect.stringContaining('was moved to PostgreSQL') });

    await start(shared);
    await expect.poll(text, SOON).toContain(`end of canary=${second.id}`);
    expect(text()).toContain('The answer was interrupted');
    expect(platform.askings.map(({ id }) => id)).toEqual([first.id, second.id]);
  },
  TEST_MS,
);
