/** Tests what people do with rooms and conversations: private rooms, names, archives, deletions and exports. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MessageRecord } from '../../../adapters/console/chat/records.ts';
import { openingOf } from '../../../adapters/console/chat/rooms.ts';
import type { ConsoleState, FileView, RoomPage, RoomView } from '../../../adapters/console/wire.ts';
import { permissionsOf } from '../../fakes/permissions.ts';
import { documentOf, follow, json, openRig, type Rig, show, turnOf } from './rig.ts';

let rig: Rig;
const forgotten: string[] = [];
beforeEach(async () => {
  forgotten.length = 0;
  const adapter = () => rig.adapter;
  rig = await openRig({
    host: (host) =>
      Object.assign(host, {
        forgetRoom: async (tenant: string, room: string) => {
          forgotten.push(room);
          await adapter().forget?.({ kind: 'tenant', channel: 'console', tenant, room });
        },
      }),
  });
});
afterEach(() => rig.close());

const first = 'direct~engineer~knowledge';
const add = (body: object) => rig.post<RoomView>('/console/rooms', { as: 'engineer', ...body });
const act = (room: string, what: string, body: object) =>
  rig.post<RoomView>(`/console/rooms/${encodeURIComponent(room)}/${what}`, { as: 'engineer', ...body });
const refused = async (room: string, what: string, body: object) =>
  (await rig.call(`/console/rooms/${encodeURIComponent(room)}/${what}`, json({ as: 'engineer', ...body })))
    .status;
const converse = (as = 'engineer') =>
  rig.post<RoomView>('/console/conversations', { as, agent: 'knowledge' });
const roomsOf = async () => (await rig.get<ConsoleState>('/console/state')).rooms;
const find = async (id: string) => (await roomsOf()).find((room) => room.id === id);
const page = (room: string) => rig.get<RoomPage>(`/console/rooms/${encodeURIComponent(room)}`);

describe('a private room', () => {
  it('belongs to the person who makes it, then to the member who joined first, and ends with the last', async () => {
    const room = await add({ name: 'plans', private: true });
    expect(room).toMatchObject({ owner: 'engineer', members: ['engineer'] });
    for (const person of ['designer', 'manager']) await act(room.id, 'invite', { person });
    expect(await refused(room.id, 'change', { as: 'manager', name: 'mine' })).toBe(403);
    expect(await refused(room.id, 'remove', { as: 'manager', person: 'designer' })).toBe(403);
    expect(await refused(room.id, 'invite', { as: 'newcomer', person: 'newcomer' })).toBe(404);
    await act(room.id, 'remove', { person: 'engineer' });
    expect(await find(room.id)).toMatchObject({ owner: 'designer', members: ['designer', 'manager'] });
    await act(room.id, 'remove', { as: 'designer', person: 'manager' });
    await rig.say(room.id, { as: 'designer', text: 'alone' });
    rig = await rig.restart();
    expect(await find(room.id)).toMatchObject({ owner: 'designer', members: ['designer'] });
    await act(room.id, 'remove', { as: 'designer', person: 'designer' });
    expect([forgotten, await find(room.id)]).toEqual([[room.id], undefined]);
    rig = await rig.restart();
    expect(await find(room.id)).toBeUndefined();
  });

  it('may have the name of another room, and its name has no characters that hide or reorder text', async () => {
    const names = ['plans', 'plans', 'general', ' a\u202eb\u200bc ', '<img src=x onerror=alert(1)>'];
    const rooms = await Promise.all(names.map((name) => add({ name, private: true })));
    expect(new Set(rooms.map(({ id }) => id)).size).toBe(names.length);
    expect(rooms.map(({ name }) => name).slice(3)).toEqual(['a b c', '<img src=x onerror=alert(1)>']);
    const open = await Promise.all([1, 2, 3].map(() => add({ name: 'Plans' })));
    expect(new Set(open.map(({ id }) => id)).size).toBe(1);
    expect(await refused('general', 'change', { name: 'plans' })).toBe(403);
    expect(await refused(open[0]?.id ?? '', 'change', { name: 'General' })).toBe(400);
  });

  it('loses no change of many at the same time', async () => {
    const { id } = await add({ name: 'busy', private: true });
    await act(id, 'invite', { person: 'designer' });
    await Promise.all([
      act(id, 'invite', { person: 'manager' }),
      act(id, 'remove', { person: 'designer' }),
      act(id, 'invite', { person: 'newcomer' }),
      act(id, 'change', { name: 'calm' }),
    ]);
    expect(await find(id)).toMatchObject({ name: 'calm', members: ['engineer', 'manager', 'newcomer'] });
  });

  it('cannot be read by an earlier version of the console', async () => {
    const { id } = await add({ name: 'plans', private: true });
    const database = new DatabaseSync(join(rig.folder, 'console.sqlite'), { readOnly: true });
    expect(database.prepare('SELECT count(*) AS n FROM rooms WHERE id = ?').get(id)).toEqual({ n: 0 });
    database.close();
  });

  it('is forgotten with its only member; another room loses only the member', async () => {
    const [own, other] = [await add({ name: 'own', private: true }), await add({ name: 'x', private: true })];
    await act(other.id, 'invite', { person: 'designer' });
    await act(own.id, 'invite', { person: 'designer' });
    await rig.say(own.id, { as: 'designer', text: 'left behind' });
    await act(own.id, 'remove', { as: 'designer', person: 'designer' });
    const target = { kind: 'person', channel: 'console', person: 'engineer' } as const;
    const counted = await rig.adapter.stored?.(target);
    expect(await rig.adapter.forget?.(target)).toEqual(counted);
    expect(counted).toMatchObject({ rooms: 1, messages: 1 });
    expect(await find(own.id)).toBeUndefined();
    expect(await find(other.id)).toMatchObject({ owner: 'designer', members: ['designer'] });
    const database = new DatabaseSync(join(rig.folder, 'console.sqlite'), { readOnly: true });
    expect(database.prepare('SELECT person FROM room_members').all()).toEqual([{ person: 'designer' }]);
    database.close();
  });
});

describe('making rooms', () => {
  it('needs the right make-rooms, which members have and guests do not', async () => {
    const people = [
      { id: 'm', name: 'M', title: '' },
      { id: 'g', name: 'G', title: '', standing: 'guest' },
    ] as const;
    await rig.close();
    const { refusal } = permissionsOf({ guests: true }, ['knowledge']);
    rig = await openRig({ config: { people }, host: (host) => Object.assign(host, { refusal }) });
    for (const isPrivate of [false, true]) {
      const body = { name: 'x', private: isPrivate };
      expect((await rig.call('/console/rooms', json({ as: 'm', ...body }))).status).toBe(200);
      expect((await rig.call('/console/rooms', json({ as: 'g', ...body }))).status).toBe(403);
    }
  });

  it('ends at 200 public rooms and 200 private rooms of each person; 1,000 are listed at once', async () => {
    const database = new DatabaseSync(join(rig.folder, 'console.sqlite'));
    const room = database.prepare('INSERT INTO private_rooms (id, body) VALUES (?, ?)');
    const open = database.prepare('INSERT INTO rooms (id, body) VALUES (?, ?)');
    const member = database.prepare('INSERT INTO room_members (room, person) VALUES (?, ?)');
    database.exec('BEGIN');
    for (const owner of ['engineer', 'designer', 'manager', 'newcomer'])
      for (let at = 0; at < 200; at += 1) {
        const id = `${owner}-${at}`;
        room.run(id, JSON.stringify({ id, name: 'same', topic: '', kind: 'room', owner }));
        member.run(id, owner);
      }
    for (let at = 3; at < 200; at += 1)
      open.run(`open-${at}`, JSON.stringify({ id: `open-${at}`, name: `n${at}`, topic: '', kind: 'room' }));
    database.exec('COMMIT');
    database.close();
    rig = await rig.restart();
    for (const isPrivate of [false, true]) {
      const body = { as: 'engineer', name: 'one more', private: isPrivate };
      expect((await rig.call('/console/rooms', json(body))).status).toBe(400);
    }
    expect((await roomsOf()).filter(({ kind }) => kind === 'room')).toHaveLength(1_000);
  });
});

describe('an archived room', () => {
  it('takes no new messages or answers, lets a running answer end, and can be opened again', async () => {
    const { id } = await add({ name: 'old' });
    const root = await rig.say(id, { text: '@knowledge hello' });
    const turn = turnOf(rig.host.taken.at(-1), 't1');
    const growing = await show(rig, turn, [documentOf(turn, { state: 'writing', text: 'He' })]);
    expect(await refused(id, 'change', { as: 'designer', archived: true })).toBe(403);
    expect(await act(id, 'change', { archived: true })).toMatchObject({ archived: true });
    const said = { as: 'engineer', text: 'x', files: [], nonce: 'late', thread: root.id };
    const shared = { as: 'engineer', turn: 't1', room: id };
    const tries = [
      [`rooms/${id}/messages`, said],
      [`messages/${root.id}/edit`, { as: 'engineer', text: '@knowledge again' }],
      ['replies/t1/regenerate', { as: 'engineer' }],
      ['replies/t1/ask', { as: 'engineer', agent: 'vision', nonce: 'a' }],
    ] as const;
    for (const [path, body] of tries)
      expect([path, (await rig.call(`/console/${path}`, json(body))).status]).toEqual([path, 409]);
    await show(rig, growing, [documentOf(turn, { version: 2, state: 'done', text: 'Hello.' })]);
    expect((await rig.call('/console/shares', json(shared))).status).toBe(409);
    const thread = await rig.get<RoomPage>(`/console/rooms/${id}/threads/${root.id}`);
    expect(thread.messages[1]?.reply).toMatchObject({ state: 'done', text: 'Hello.' });
    rig = await rig.restart();
    expect((await find(id))?.archived).toBe(true);
    await act(id, 'change', { archived: false });
    await rig.post(`/console/rooms/${id}/messages`, said);
  });
});

describe('a conversation', () => {
  it('is titled by its first words, also of an earlier version’s file, and can get another title', async () => {
    const stream = await follow(rig);
    const message = await rig.say(first, { text: '  what is\na lane?  ' });
    expect(await find(first)).toMatchObject({ name: 'knowledge', opening: 'what is a lane?' });
    await stream.until((event) => event.type === 'room' && event.room.opening === 'what is a lane?');
    stream.close();
    // An earlier version stored neither the time nor the title of a conversation.
    const database = new DatabaseSync(join(rig.folder, 'console.sqlite'));
    database.prepare("UPDATE rooms SET body = json_remove(body, '$.at') WHERE id = ?").run(first);
    database.close();
    rig = await rig.restart();
    expect((await page(first)).messages).toHaveLength(1);
    expect(await find(first)).toMatchObject({ opening: 'what is a lane?' });
    await rig.post(`/console/messages/${message.id}/edit`, { as: 'engineer', text: 'what is a queue?' });
    expect((await find(first))?.opening).toBe('what is a queue?');
    await act(first, 'change', { name: 'Lanes' });
    await rig.post(`/console/messages/${message.id}/delete`, { as: 'engineer' });
    rig = await rig.restart();
    const { title, opening } = (await find(first)) ?? {};
    expect([title, opening]).toEqual(['Lanes', undefined]);
  });

  it('is a session of its own; one without messages is used again', async () => {
    expect((await converse()).id).toBe(first);
    await rig.say(first, { text: 'one' });
    const second = await converse();
    expect((await converse()).id).toBe(second.id);
    await rig.say(second.id, { text: 'two' });
    const threads = rig.host.taken.flatMap((event) => (event.kind === 'ask' ? [event.message.thread] : []));
    expect(threads.map(({ room, kind }) => [room, kind])).toEqual([
      [first, 'direct'],
      [second.id, 'direct'],
    ]);
    expect((await converse('designer')).id).toBe('direct~designer~knowledge');
    expect((await find(second.id))?.at).toBeGreaterThanOrEqual((await find(first))?.at ?? 0);
    for (const [what, body] of [
      ['change', { name: 'x' }],
      ['delete', {}],
    ] as const)
      expect(await refused(second.id, what, { as: 'designer', ...body })).toBe(404);
    const forged = await rig.call(
      `/console/rooms/${encodeURIComponent(second.id)}/messages`,
      json({ as: 'designer', text: 'x', files: [], nonce: 'f' }),
    );
    expect(await forged.text()).toBe('{"error":{"code":"not-found","message":"There is no such room."}}');
  });

  it('is deleted with its messages, files and running answer, and no other is', async () => {
    await rig.say(first, { text: 'kept' });
    const { id } = await converse();
    const upload = { method: 'POST', body: 'secret' };
    const file = (await (await rig.call('/console/files?name=a.txt&as=engineer', upload)).json()) as FileView;
    const asked = await rig.say(id, { text: 'gone', files: [file.id] });
    const turn = turnOf(rig.host.taken.at(-1), 't1');
    await show(rig, turn, [documentOf(turn, { state: 'writing', text: 'So' })]);
    const stream = await follow(rig);
    await act(id, 'delete', {});
    expect(rig.host.taken.at(-1)).toMatchObject({ kind: 'delete', message: asked.id });
    await stream.until((event) => event.type === 'left' && event.room === id);
    stream.close();
    expect([forgotten, await find(id)]).toEqual([[id], undefined]);
    expect((await rig.call(`/console/files/${file.id}`)).status).toBe(404);
    expect((await rig.call(`/console/rooms/${encodeURIComponent(id)}`)).status).toBe(404);
    expect((await page(first)).messages.map(({ text }) => text)).toEqual(['kept']);
    await act(first, 'delete', {});
    expect((await page(first)).messages).toEqual([]);
    const database = new DatabaseSync(join(rig.folder, 'console.sqlite'), { readOnly: true });
    expect(database.prepare('SELECT count(*) AS n FROM messages').get()).toEqual({ n: 0 });
    database.close();
  });

  it('is exported as Markdown with names, times and numbered sources, in a safely named file', async () => {
    await rig.say(first, { text: 'what is "<b>" / \u202ea lane?' });
    const turn = turnOf(rig.host.taken.at(-1), 't1');
    const sources = [
      { key: 'a', title: 'Other', kind: 'document', mark: 1, fragments: [] },
      {
        key: 'b',
        title: 'Lanes [1] <x>',
        kind: 'document',
        mark: 2,
        link: 'https://x.example/a',
        fragments: [],
      },
    ] as const;
    await show(rig, turn, [documentOf(turn, { state: 'done', text: 'A queue [2], `a<b>` <i>', sources })]);
    const answer = await rig.call(`/console/rooms/${encodeURIComponent(first)}/export`);
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename*=UTF-8''${encodeURIComponent('what is b a lane.md')}`,
    );
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const text = (await answer.text()).replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME');
    expect(text).toBe(`# what is "\\<b\\>" / a lane?

Conversation with knowledge, exported TIME UTC

## Engineer, TIME UTC

what is "\\<b>" / \u202ea lane?

## knowledge, TIME UTC

A queue [1], \`a<b>\` \\<i>

Sources:

1. [Lanes \\[1\\] \\<x\\>](<https://x.example/a>)
2. Other
`);
    expect((await rig.call('/console/rooms/general/export')).status).toBe(404);
  });
});

it.each([
  ['', undefined],
  ['a\u202e b\u0000\n\nc', 'a b c'],
  ['word '.repeat(20), `${'word '.repeat(11)}word…`],
  ['x'.repeat(80), `${'x'.repeat(60)}…`],
])('the title of %j is %j', (text, title) => {
  const message = { author: { kind: 'person' }, text, files: [] } as unknown as MessageRecord;
  expect(openingOf([message])).toBe(title);
});
