/** Tests unread messages and read positions at the wire, and attacks on them. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteChat } from '../../../adapters/console/chat/sqlite.ts';
import type { Acted, MessageView, RoomView, UnreadView } from '../../../adapters/console/wire.ts';
import { documentOf, follow, json, openRig, type Rig, show, turnOf } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
  // Everything before a person's first visit counts as read.
  for (const as of ['engineer', 'designer', 'manager']) await unread(as);
});
afterEach(() => rig.close());

const unread = async (as: string) =>
  (await rig.post<UnreadView>('/console/unread', { as })).messages.map(({ id, mention }) =>
    mention ? `${id} @` : id,
  );
const read = async (as: string, { room, id }: MessageView, thread?: string) =>
  (await rig.post<Acted>('/console/read', { as, room, message: id, ...(thread && { thread }) })).done;
const direct = 'direct~engineer~knowledge';

describe('unread messages', () => {
  it('are those of others since the person last read, in rooms that the person may read, also after a restart', async () => {
    const one = await rig.say('general', { text: 'one' });
    const two = await rig.say('general', { text: 'two, @Designer', thread: one.id });
    await rig.say(direct, { text: 'private' });
    const own = await rig.say('support', { as: 'designer', text: 'mine' });
    expect(await unread('designer')).toEqual([one.id, `${two.id} @`]);
    expect(await unread('manager')).toEqual([one.id, two.id, own.id]);
    expect(await unread('engineer')).toEqual([own.id]);
    expect(await read('designer', one)).toBe(true);
    rig = await rig.restart();
    expect(await unread('designer')).toEqual([`${two.id} @`]);
    expect(await read('designer', two)).toBe(true);
    expect(await read('designer', one)).toBe(false);
    expect(await unread('designer')).toEqual([]);
    expect(await unread('newcomer')).toEqual([]);
  });

  it('of a private room are those since the person was invited, also if they were a member before', async () => {
    const { id } = await rig.post<RoomView>('/console/rooms', {
      as: 'engineer',
      name: 'plan',
      private: true,
    });
    const change = (act: 'invite' | 'remove') =>
      rig.post(`/console/rooms/${id}/${act}`, { as: 'engineer', person: 'designer' });
    const root = await rig.say(id, { text: 'before' });
    await rig.say(id, { text: 'before', thread: root.id });
    await change('invite');
    expect(await unread('designer')).toEqual([]);
    const after = await rig.say(id, { text: 'after', thread: root.id });
    // Inviting a member again changes nothing.
    await change('invite');
    expect(await unread('designer')).toEqual([after.id]);
    await change('remove');
    await rig.say(id, { text: 'meanwhile' });
    await change('invite');
    expect(await unread('designer')).toEqual([]);
  });

  it('of one thread can be read apart from its room', async () => {
    const root = await rig.say('general', { text: 'root' });
    const other = await rig.say('general', { text: 'other' });
    const reply = await rig.say('general', { text: 'reply', thread: root.id });
    expect(await read('designer', reply, root.id)).toBe(true);
    expect(await unread('designer')).toEqual([other.id]);
    const later = await rig.say('general', { text: 'later', thread: root.id });
    expect(await unread('designer')).toEqual([other.id, later.id]);
    await read('designer', later);
    expect(await unread('designer')).toEqual([]);
    expect(await read('designer', reply, root.id)).toBe(false);
  });

  it('include an answer once it ends, and again once another version ends', async () => {
    const stream = await follow(rig);
    const question = await rig.say('general', { text: '@knowledge how?' });
    const turn = turnOf(rig.host.taken[0], 'turn-1');
    const shown = await show(rig, turn, [documentOf(turn, { state: 'writing', text: 'So' })]);
    expect(await unread('engineer')).toEqual([]);
    await show(rig, shown, [documentOf(turn, { state: 'done', text: 'So.', version: 2 })]);
    const [answer = ''] = await unread('engineer');
    expect(await unread('designer')).toEqual([question.id, answer]);
    const arrived = await stream.until(
      (one) => one.type === 'message' && one.message.reply?.state === 'done',
    );
    expect(arrived).toMatchObject({ arrived: true, message: { id: answer } });
    const arrivals = stream.events.filter((one) => one.type === 'message' && one.arrived);
    expect(arrivals).toHaveLength(2);
    stream.close();
    await rig.post('/console/read', { as: 'engineer', room: 'general', message: answer });
    expect(await unread('engineer')).toEqual([]);
    const next = { ...turn, id: 'turn-2' as typeof turn.id, reply: turn.id };
    const again = await show(rig, next, [documentOf(next, { state: 'writing', text: 'A' })]);
    expect(await unread('engineer')).toEqual([]);
    await show(rig, again, [documentOf(next, { state: 'done', text: 'A.', version: 2 })]);
    expect(await unread('engineer')).toEqual([answer]);
  });

  it('are fewer once messages are deleted or forgotten', async () => {
    const root = await rig.say('general', { text: 'root' });
    const reply = await rig.say('general', { as: 'manager', text: 'reply', thread: root.id });
    const gone = await rig.say('general', { as: 'manager', text: 'gone' });
    await rig.post(`/console/messages/${gone.id}/delete`, { as: 'manager' });
    expect(await unread('designer')).toEqual([root.id, reply.id]);
    await rig.post(`/console/messages/${root.id}/delete`, { as: 'engineer' });
    expect(await unread('designer')).toEqual([reply.id]);
    await rig.adapter.forget?.({ kind: 'person', person: 'manager', channel: 'console', tenant: 'console' });
    expect(await unread('designer')).toEqual([]);
  });
});

describe('a forged read position', () => {
  it.each([
    ['of another’s private room', { room: 'direct~manager~knowledge' }, 403],
    ['of an unknown room', { room: 'nowhere' }, 404],
    ['at a message of another room', { room: 'support' }, 200],
    ['in another thread', { thread: 'other' }, 200],
    ['in the future', { message: 'ffffffff-ffff-4fff-bfff-ffffffffffff' }, 200],
    ['that is negative', { message: '-1' }, 200],
    ['that is a number', { message: 9e15 }, 400],
    ['of an unknown person', { as: 'nobody' }, 400],
    ['without a message', { message: undefined }, 400],
    ['with SQL', { message: "' OR 1=1 --" }, 200],
  ])('%s changes nothing', async (_, forged, status) => {
    const real = await rig.say('general', { text: 'real' });
    const position = { as: 'designer', room: 'general', message: real.id, ...forged };
    const response = await rig.call('/console/read', json(position));
    expect(response.status).toBe(status);
    if (status === 200) expect(await response.json()).toEqual({ done: false });
    expect(await unread('designer')).toEqual([real.id]);
  });

  it('repeated is stored and published once', async () => {
    const real = await rig.say('general', { text: 'real' });
    const stream = await follow(rig);
    const done = [];
    for (let nth = 0; nth < 100; nth += 1) done.push(await read('designer', real));
    expect(done.filter(Boolean)).toHaveLength(1);
    await rig.say('general', { text: 'last' });
    await stream.until((one) => one.type === 'message');
    expect(stream.events.filter(({ type }) => type === 'read')).toEqual([
      { type: 'read', seq: expect.any(Number), person: 'designer', room: 'general', message: real.id },
    ]);
    stream.close();
  });

  it('repeated 10,000 times, or for each of many threads, leaves one row', async () => {
    const roots = await Promise.all(Array.from({ length: 20 }, () => rig.say('general', { text: 'root' })));
    const store = new SqliteChat(join(rig.folder, 'console.sqlite'));
    const position = { person: 'designer', room: 'general' };
    for (let nth = 0; nth < 10_000; nth += 1)
      for (const { id } of roots.slice(nth % 20, (nth % 20) + 1))
        await store.rows.read({ ...position, thread: id, message: id });
    await store.rows.read({ ...position, message: roots.at(-1)?.id ?? '' });
    await store.close();
    const file = new DatabaseSync(join(rig.folder, 'console.sqlite'));
    expect(file.prepare("SELECT count(*) AS rows FROM reads WHERE person = 'designer'").get()).toEqual({
      rows: 2,
    });
    file.close();
  });
});
