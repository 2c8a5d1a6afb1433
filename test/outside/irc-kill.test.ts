/** Tests that a bridge that was killed in the middle of an answer on IRC continues with exactly the next line. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import * as kit from '../../src/kit/argument.ts';
import { makeDataFolder, runParley } from '../e2e/house/running-parley.ts';
import { sendEvents } from '../fakes/hostile-platform.ts';
import { listen, type Route, readBody } from '../fakes/listen.ts';
import { modelChunk } from '../fakes/model-server.ts';

const hasServer = spawnSync('ngircd', ['--version']).status === 0;
const CHANNEL = new URL('irc', import.meta.url).pathname;
const { conform } = await import(new URL('irc/rig.js', import.meta.url).href);

const linesOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name} ${at + 1} of ${count}.`);
/** The first answer uses up the lines that the channel may send at once, so that the second one takes seconds. */
const FIRST = linesOf('First', 20);
const SECOND = linesOf('Second', 12);
const KILLED_AFTER = 5;
const BETWEEN_LINES_MS = 100;

const opened = new AsyncDisposableStack();
afterEach(() => opened.disposeAsync());

/** A model that answers in paragraphs. */
const model: Route = async (request, response) => {
  const asked = (await readBody(request)).toString();
  const content = (asked.includes('the second') ? SECOND : FIRST).join('\n\n');
  sendEvents(response, [modelChunk({ content }), modelChunk({}, 'stop')]);
};

test.skipIf(!hasServer)(
  'continues with exactly the next line after SIGKILL (skipped if ngircd is missing)',
  async () => {
    const data = opened.adopt(await makeDataFolder(), (it) => it.remove());
    const rig = opened.adopt(await conform(kit, { folder: data.path }), (it) => it.close());
    const settings = { ...rig.settings, rooms: ['#r0'] };
    const routes = new Map([['/v1/chat/completions', model]]);
    const { url } = opened.adopt(await listen(routes, 0), (it) => it.close());
    const local = { interface: 'openai', baseUrl: `${url}/v1`, model: 'small' };
    const file = join(data.path, 'parley.yaml');
    const channels = [{ module: CHANNEL, settings }];
    writeFileSync(file, JSON.stringify({ agents: { local }, defaultAgent: 'local', channels }));
    const start = async () => opened.adopt(await runParley(data, { PARLEY_CONFIG: file }), (it) => it.kill());
    const say = (text: string) => rig.say({ thread: 'one', person: 'ada', text });
    const shown = (): Promise<readonly string[]> => rig.shown({ thread: 'one' });
    const eventually = (look: () => unknown) => expect.poll(look, { timeout: 60_000, interval: 20 });

    // The channel joins the room when it starts, so the people must be there first.
    await shown();
    const killed = await start();
    await say('Tell me the first.');
    await eventually(shown).toEqual(FIRST);
    await say('Tell me the second.');
    await eventually(async () => (await shown()).length).toBeGreaterThanOrEqual(FIRST.length + KILLED_AFTER);
    // Kills the process between two lines, which are 250 ms apart. A kill during the call repeats that one line.
    await pause(BETWEEN_LINES_MS);
    await killed.kill();
    const before = await shown();
    expect(before).toEqual([...FIRST, ...SECOND].slice(0, before.length));
    expect(before.length).toBeLessThan(FIRST.length + SECOND.length);

    await start();
    await eventually(async () => (await shown()).length).toBeGreaterThanOrEqual(FIRST.length + SECOND.length);
    // A question after the answer shows that nothing follows it.
    await say('Tell me the second again.');
    await eventually(async () => (await shown()).length).toBeGreaterThanOrEqual(
      FIRST.length + 2 * SECOND.length,
    );
    expect(await shown()).toEqual([...FIRST, ...SECOND, ...SECOND]);
  },
  180_000,
);
