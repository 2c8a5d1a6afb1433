/**
 * Tests a bridge on PostgreSQL while the database server is down and questions arrive. The bridge must answer them soon
 * after the server is back: before Slack, after a minute, repeats the refused events.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startPlatform } from '../../fakes/history/platform.ts';
import { openScene } from '../../fakes/history/scene.ts';
import { missing, startPostgres } from '../../fakes/postgres/server.ts';
import { startFakeSlack, visibleText } from '../../fakes/slack/index.ts';
import { runInside } from '../house/parley-inside.ts';
import { makeDataFolder } from '../house/running-parley.ts';

/** Less than the minute after which Slack repeats an event. */
const SOON = { timeout: 30_000, interval: 100 };

test.skipIf(missing !== undefined)(
  'questions that arrive while PostgreSQL is down are answered in order as soon as it is back',
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
log: { level: info, format: json }
`,
    );
    const parley = opened.adopt(
      await runInside(data, {
        PARLEY_CONFIG: file,
        PARLEY_KEY: 'a key of thirty-two characters or more',
        DATABASE_URL: await postgres.database(),
        SLACK_API_URL: slack.apiUrl,
        SLACK_BOT_TOKEN: slack.workspace().token,
        SLACK_SIGNING_SECRET: slack.app.signingSecret,
      }),
      (it) => it.stop(),
    );
    slack.deliverTo(`${parley.url.replace('localhost', '127.0.0.1')}/slack/events`);
    const scene = openScene({ slack }, 0);
    const room = scene.room();
    const first = scene.ask(room, { ms: 300 });
    const text = () => scene.replies(first).map(visibleText).join('\n');
    await expect.poll(text, SOON).toContain(`end of canary=${first.id}`);

    await postgres.kill();
    const thread = { thread: first.message.ts };
    const asked = [scene.ask(room, { ms: 300 }, thread), scene.ask(room, { ms: 300 }, thread)];
    // Slack delivers each mention as two events. If the bridge refuses an event, Slack repeats the event immediately,
    // and then after a minute.
    const refused = () =>
      slack.deliveries.filter(({ attempts }) => attempts.filter(({ status }) => status === 503).length === 2);
    await expect.poll(() => refused().length, SOON).toBe(4);
    await postgres.restart();
    for (const { id } of asked) await expect.poll(text, SOON).toContain(`end of canary=${id}`);
    expect(platform.askings.map(({ id }) => id)).toEqual([first, ...asked].map(({ id }) => id));
  },
);
