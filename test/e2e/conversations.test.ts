/** Tests two conversations with one agent in the whole bridge: they are answered at the same time, and one is deleted. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { RoomView } from '../../adapters/console/wire.ts';
import { json } from '../unit/console/rig.ts';
import { eachWithBridge, eachWithHalfAgent } from './house/bridge-rig.ts';

const TEST_MS = 180_000;
const half = eachWithHalfAgent();
const bridge = eachWithBridge(half.environmentIn);

/** Returns how many stored values of the bridge belong to the room. */
function storedOf(room: string): number {
  const database = new DatabaseSync(join(bridge.folder, 'parley.sqlite'), { readOnly: true });
  const row = database.prepare('SELECT count(*) AS n FROM keyed WHERE instr(key, ?) > 0').get(room);
  database.close();
  return Number(row?.n);
}

test(
  'two conversations are answered at the same time; deleting one stops its answer and forgets its session only',
  async () => {
    const client = await bridge.start();
    const post = async (path: string, body: object = {}) =>
      fetch(`${client.url}/console/${path}`, json({ as: 'engineer', ...body }));
    const converse = async () =>
      ((await (await post('conversations', { agent: 'half' })).json()) as RoomView).id;
    const begin = async () => {
      const question = await client.say(half.question(), { room: await converse() });
      await client.replyTo(question, ({ state }) => state === 'writing');
      return question;
    };
    const [one, two] = [await begin(), await begin()];
    expect(one.room).not.toBe(two.room);
    expect((await client.replies(one))[0]?.reply.state).toBe('writing');
    half.release();
    for (const question of [one, two]) await client.answer(question);
    await expect.poll(() => [storedOf(one.room), storedOf(two.room)].every((count) => count > 0)).toBe(true);

    const running = await client.say(half.question(), { room: two.room });
    await client.replyTo(running, ({ state }) => state === 'writing');
    expect((await post(`rooms/${two.room}/delete`)).status).toBe(200);
    expect((await fetch(`${client.url}/console/rooms/${two.room}`)).status).toBe(404);
    expect(storedOf(one.room)).toBeGreaterThan(0);
    await expect.poll(() => storedOf(two.room), { timeout: 30_000 }).toBe(0);
    half.release();

    const after = await client.say(half.question(), { room: one.room });
    half.release();
    expect((await client.answer(after)).reply.state).toBe('done');
  },
  TEST_MS,
);
