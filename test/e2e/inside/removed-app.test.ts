/**
 * Tests that the data of a workspace is deleted within a minute after the workspace removed the app, while an answer runs
 * there: for Slack and Teams, in the data folder and in PostgreSQL.
 */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ScriptedPlatform, startPlatform } from '../../fakes/history/platform.ts';
import { questionOf } from '../../fakes/history/saying.ts';
import { nextId } from '../../fakes/history/scene.ts';
import { missing, type PostgresServer, startPostgres } from '../../fakes/postgres/server.ts';
import { type FakeSlack, startFakeSlack, visibleText } from '../../fakes/slack/index.ts';
import { type FakeTeams, startFakeTeams } from '../../fakes/teams/index.ts';
import type { ParleyInside } from '../house/parley-inside.ts';
import { type DataFolder, makeDataFolder } from '../house/running-parley.ts';
import { shown } from '../house/teams-stage.ts';
import { runWithChats } from '../house/with-chats.ts';

const TABLES = ['turns', 'answers', 'keyed', 'withdrawn', 'feedback', 'audit', 'forgetting'];
const eventually = (look: () => unknown) => expect.poll(look, { timeout: 60_000, interval: 100 });

describe.each(['SQLite', 'PostgreSQL'] as const)('with %s', (engine) => {
  describe.skipIf(engine === 'PostgreSQL' && missing !== undefined)('a removed app', () => {
    const opened = new AsyncDisposableStack();
    let postgres: PostgresServer | undefined;
    let address: string | undefined;
    let platform: ScriptedPlatform;
    let slack: FakeSlack;
    let teams: FakeTeams;
    let data: DataFolder;
    let parley: ParleyInside;

    beforeAll(async () => {
      if (engine === 'PostgreSQL') postgres = opened.adopt(await startPostgres(), (it) => it.stop());
      address = await postgres?.database();
      platform = opened.adopt(await startPlatform(), (it) => it.close());
      slack = opened.adopt(await startFakeSlack({ workspaces: [{}], limits: { off: true } }), (it) =>
        it.close(),
      );
      teams = opened.adopt(await startFakeTeams(), (it) => it.close());
      data = opened.adopt(await makeDataFolder(), (it) => it.remove());
      const file = join(data.path, 'parley.yaml');
      const agents =
        '{ speaker: { interface: lite-key, credential: { kind: api-key, key: a-key-of-the-test } } }';
      const lines = [
        `platform: { baseUrl: '${platform.url}' }`,
        `agents: ${agents}`,
        `teams: { services: ${JSON.stringify(teams.services)} }`,
      ];
      await writeFile(file, lines.join('\n'));
      parley = await runWithChats(
        data,
        { slack, teams },
        {
          PARLEY_CONFIG: file,
          PARLEY_KEY: 'a key of thirty-two characters or more',
          ...(address !== undefined && { DATABASE_URL: address }),
        },
      );
    });
    afterAll(async () => {
      await parley?.stop();
      await opened.disposeAsync();
    });

    const saying = (ms: number) => {
      const id = nextId();
      return { id, text: questionOf({ id, ms, everyMs: 50, chars: 600 }) };
    };
    /** Resolves with every row of every table, as text. */
    const rows = async (): Promise<readonly string[]> => {
      if (postgres === undefined || address === undefined) {
        const database = new DatabaseSync(join(data.path, 'parley.sqlite'), { readOnly: true });
        const all = TABLES.flatMap((table) => database.prepare(`SELECT * FROM ${table}`).all());
        database.close();
        return all.map((row) => JSON.stringify(row));
      }
      const admin = await postgres.connect(address);
      const all: string[] = [];
      for (const table of TABLES) {
        const found = await admin.query(`SELECT * FROM parley.${table}`);
        all.push(...found.rows.map((row: unknown) => JSON.stringify(row)));
      }
      await admin.end();
      return all;
    };
    const rowsWith = async (...words: readonly string[]) =>
      (await rows()).filter((row) => words.some((word) => row.includes(word)));
    /** The bridge counts its calls of the last minute by workspace. */
    const isKept = (row: string) => !/"namespace":"(?:calls|limits)"/.test(row);

    test('from Slack', async () => {
      const workspace = slack.workspace();
      const [ended, running] = [saying(300), saying(20_000)];
      const person = workspace.person();
      const asked = [ended, running].map(({ text }) => {
        const room = workspace.channel().id;
        return { room, ts: person.mentions(room, text).ts };
      });
      const shownIn = (nth: number) =>
        slack
          .thread(asked[nth]?.room ?? '', asked[nth]?.ts ?? '')
          .map(visibleText)
          .join();
      await eventually(() => shownIn(0)).toContain(`end of canary=${ended.id}`);
      await eventually(() => shownIn(1)).toContain(`canary=${running.id}`);
      await eventually(async () => (await rowsWith(workspace.id)).length).toBeGreaterThan(5);
      workspace.removeApp();
      await eventually(() => rowsWith(workspace.id, person.id).then((left) => left.filter(isKept))).toEqual(
        [],
      );
    });

    test('from a chat of Teams', async () => {
      const person = teams.tenant().person({ name: 'Leaver' });
      const chat = person.dm();
      const ended = saying(300);
      person.says(chat, ended.text);
      await eventually(() => shown(teams, chat).join()).toContain(`end of canary=${ended.id}`);
      await eventually(async () => (await rowsWith(chat.id)).length).toBeGreaterThan(3);
      person.says(chat, saying(20_000).text);
      await eventually(async () => (await rowsWith('"state":"running"')).length).toBe(1);
      person.removes(chat);
      await eventually(() => rowsWith(chat.id, person.aadObjectId)).toEqual([]);
    });
  });
});
