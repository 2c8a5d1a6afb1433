import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ConsoleState, RoomPage, RoomView, ThreadPage } from '../../../adapters/console/wire.ts';
import { turnId } from '../../../src/kit.ts';
import { documentOf, follow, json, openRig, type Rig, show, turnOf } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await openRig();
});
afterEach(() => rig.close());

const direct = 'direct~engineer~vision';

describe('the console’s rooms', () => {
  it('are three at first, and a direct room for each person and agent', async () => {
    const state = await rig.get<ConsoleState>('/console/state');
    const rooms = state.rooms.filter((room) => room.kind === 'room');
    expect(rooms.map((room) => room.id)).toEqual(['general', 'support', 'random']);
    expect(state.rooms.filter((room) => room.kind === 'direct')).toHaveLength(
      state.people.length * state.agents.length,
    );
    expect(state.limits).toEqual({ textChars: 100_000, files: 10, fileBytes: 10_485_760 });
  });

  it('can be added for everyone, each name once', async () => {
    const stream = await follow(rig);
    const body = { as: 'engineer', name: ' Launch\u202e  plan ', topic: 'soon' };
    const room = await rig.post<RoomView>('/console/rooms', body);
    expect(room).toMatchObject({ name: 'Launch plan', topic: 'soon', kind: 'room' });
    expect(await rig.post<RoomView>('/console/rooms', body)).toEqual(room);
    const event = await stream.until((one) => one.type === 'room');
    expect(event).toMatchObject({ room });
    stream.close();
  });

  it('keep a message without a mention as chat', async () => {
    const message = await rig.say('general', { text: 'good morning' });
    expect(message).toMatchObject({ thread: message.id, text: 'good morning', author: { id: 'engineer' } });
    expect(rig.host.taken).toEqual([]);
    const page = await rig.get<RoomPage>('/console/rooms/general');
    expect(page.messages).toEqual([message]);
  });

  it('pass a question to the bridge without its mention', async () => {
    const message = await rig.say('general', { text: 'Hello @knowledge, what is a lane?' });
    expect(rig.host.taken).toEqual([
      {
        kind: 'ask',
        origin: { kind: 'message', key: message.id, revision: 0 },
        message: expect.objectContaining({
          text: 'Hello what is a lane?',
          agent: 'knowledge',
          thread: { channel: 'console', tenant: 'console', room: 'general', key: message.id, kind: 'room' },
          sender: { id: 'engineer', name: 'Engineer', standing: 'member' },
        }),
      },
    ]);
  });

  it('pass on follow-ups without a mention, with quotes of the messages that the agent has not seen', async () => {
    const root = await rig.say('general', { text: 'the build is slow' });
    await rig.say('general', { as: 'designer', text: 'since Tuesday', thread: root.id });
    await rig.say('general', { text: '@parley why?', thread: root.id });
    await rig.say('general', { text: 'and since when?', thread: root.id });
    await rig.say('general', { text: '@Designer do you know?', thread: root.id });
    const asked = rig.host.taken.flatMap((event) => (event.kind === 'ask' ? [event.message] : []));
    expect(asked.map((message) => message.text)).toEqual(['why?', 'and since when?']);
    expect(asked[0]?.quoted).toEqual([
      { author: 'Engineer', text: 'the build is slow', kind: 'earlier' },
      { author: 'Designer', text: 'since Tuesday', kind: 'earlier' },
    ]);
    expect(asked[1]?.quoted).toEqual([]);
    expect(asked[1]?.agent).toBeUndefined();
  });

  it('ask the agent of a direct room, and admit no other person', async () => {
    await rig.say(direct, { text: 'hi' });
    expect(rig.host.taken[0]).toMatchObject({
      message: { text: 'hi', roomAgent: 'vision', thread: { key: 'direct', kind: 'direct' } },
    });
    const other = { as: 'manager', text: 'hi', files: [], nonce: 'x' };
    const refused = await rig.call(`/console/rooms/${direct}/messages`, json(other));
    expect(refused.status).toBe(403);
  });

  it('post a message with a repeated nonce only once', async () => {
    const first = await rig.say('general', { text: '@parley hi', nonce: 'same' });
    const second = await rig.say('general', { text: '@parley hi', nonce: 'same' });
    expect(second).toEqual(first);
    expect(rig.host.taken).toHaveLength(1);
    const other = await rig.say('general', { as: 'designer', text: 'hi', nonce: 'same' });
    expect(other.id).not.toBe(first.id);
  });

  it('show in the thread why a question was refused', async () => {
    rig.host.answer = () => ({ kind: 'refused', tellUser: 'Many questions wait.' });
    const root = await rig.say('general', { text: '@parley hi' });
    const page = await rig.get<ThreadPage>(`/console/rooms/general/threads/${root.id}`);
    expect(page.messages[1]).toMatchObject({ text: 'Many questions wait.', author: { kind: 'agent' } });
  });

  it('return earlier messages page by page', async () => {
    for (let count = 0; count < 203; count += 1) await rig.say('random', { text: `m${count}` });
    const newest = await rig.get<RoomPage>('/console/rooms/random');
    expect(newest.messages).toHaveLength(200);
    const older = await rig.get<RoomPage>(`/console/rooms/random?before=${newest.messages[0]?.id}`);
    expect(older.messages.map((message) => message.text)).toEqual(['m0', 'm1', 'm2']);
  });
});

describe('acts on a reply', () => {
  it('stop a turn, and end the reply of one that waits', async () => {
    const root = await rig.say('general', { text: '@parley hi' });
    const turn = turnOf(rig.host.taken[0], 't1');
    await rig.adapter.abilities.waiting?.say(turn, 2);
    const page = () => rig.get<ThreadPage>(`/console/rooms/general/threads/${root.id}`);
    expect((await page()).messages[1]?.reply).toMatchObject({ state: 'waiting', ahead: 2, turn: 't1' });
    rig.host.answer = () => ({ kind: 'stopped' });
    expect(await rig.post('/console/replies/t1/stop', { as: 'designer' })).toEqual({ done: true });
    expect(rig.host.taken.at(-1)).toMatchObject({ kind: 'stop', turn: 't1', by: { id: 'designer' } });
    expect((await page()).messages[1]?.reply).toMatchObject({ state: 'stopped', retry: true });
    rig.host.answer = () => ({ kind: 'nothing-to-stop' });
    expect(await rig.post('/console/replies/t1/stop', { as: 'designer' })).toMatchObject({ done: false });
  });

  it('end a waiting reply when a person types "stop"', async () => {
    const root = await rig.say('general', { text: '@parley hi' });
    await rig.adapter.abilities.waiting?.say(turnOf(rig.host.taken[0], 't1'), 0);
    rig.host.answer = () => ({ kind: 'stopped' });
    await rig.say('general', { text: 'stop', thread: root.id });
    const page = await rig.get<ThreadPage>(`/console/rooms/general/threads/${root.id}`);
    expect(page.messages[1]?.reply).toMatchObject({ turn: 't1', state: 'stopped', retry: true });
  });

  it('ask the question again and continue in the same message', async () => {
    const root = await rig.say('general', { text: '@knowledge hi' });
    const turn = turnOf(rig.host.taken[0], 't1');
    const failed = documentOf(turn, { version: 9, state: 'failed', text: 'Hal', retry: true });
    const ended = await show(rig, turn, [documentOf(turn), failed]);
    expect(await rig.post('/console/replies/t1/retry', { as: 'manager' })).toEqual({ done: true });
    expect(rig.host.taken[1]).toMatchObject({
      origin: { kind: 'retry', of: 't1', by: 'manager' },
      message: { id: root.id, text: 'hi', agent: 'knowledge', sender: { id: 'manager' } },
    });
    const retry = turnOf(rig.host.taken[1], 't2');
    const again = ended.screen ? { ...retry, screen: ended.screen } : retry;
    await show(rig, again, [documentOf(again, { version: 3, state: 'done', text: 'Hello' })]);
    const page = await rig.get<ThreadPage>(`/console/rooms/general/threads/${root.id}`);
    expect(page.messages).toHaveLength(2);
    expect(page.messages[1]?.reply).toMatchObject({ turn: 't2', text: 'Hello', state: 'done' });
    expect((await rig.call('/console/replies/t1/retry', json({ as: 'manager' }))).status).toBe(404);
  });

  it('share a source of an answer with its origin', async () => {
    const root = await rig.say('general', { text: '@knowledge what is a lane?' });
    const turn = turnOf(rig.host.taken[0], 't1');
    const sources = [
      { key: 'a', title: 'Other', kind: 'document', mark: 1, fragments: [] },
      { key: 'b', title: 'Lanes', kind: 'document', mark: 2, fragments: [{ text: 'A lane is a queue.' }] },
    ] as const;
    await show(rig, turn, [documentOf(turn, { state: 'done', text: 'A queue [2].', sources })]);
    const shared = await rig.post('/console/shares', {
      as: 'designer',
      turn: 't1',
      source: 'b',
      room: 'support',
    });
    expect(shared).toMatchObject({
      room: 'support',
      author: { name: 'Designer' },
      shared: {
        source: { key: 'b', number: 1, mark: 2, title: 'Lanes' },
        from: { room: 'general', thread: root.id, agent: 'knowledge', question: 'what is a lane?' },
      },
    });
    const unknown = await rig.call(
      '/console/shares',
      json({ as: 'designer', turn: 't1', source: 'zz', room: 'support' }),
    );
    expect(unknown.status).toBe(404);
  });

  it('share a private answer only once it has ended, and only if its person chooses to (attack S17)', async () => {
    const direct = 'direct~designer~knowledge';
    await rig.say(direct, { as: 'designer', text: 'what may I see?' });
    const turn = turnOf(rig.host.taken[0], 't1');
    const shareAs = (as: string, room = 'support') =>
      rig.call('/console/shares', json({ as, turn: 't1', room }));
    const growing = await show(rig, turn, [documentOf(turn, { state: 'writing', text: 'Rows' })]);
    expect((await shareAs('designer')).status).toBe(400);
    await show(rig, growing, [documentOf(turn, { version: 2, state: 'done', text: 'Rows 1 to 9.' })]);
    expect((await shareAs('manager')).status).toBe(403);
    expect((await shareAs('designer', 'direct~manager~knowledge')).status).toBe(403);
    expect(await (await shareAs('designer')).json()).toMatchObject({
      room: 'support',
      author: { name: 'Designer' },
      shared: {
        answer: { text: 'Rows 1 to 9.', sources: [] },
        from: { room: direct, thread: 'direct', agent: 'knowledge', question: 'what may I see?' },
      },
    });
  });

  it('return the timeline of a reply', async () => {
    expect(await rig.get('/console/replies/t1/receipt')).toEqual({
      turn: turnId('t1'),
      entries: [{ at: 1, name: 'kept', detail: { ahead: 0 } }],
    });
  });

  it('give images of an answer a signed address, and files none', async () => {
    const root = await rig.say('general', { text: '@knowledge show me' });
    const turn = turnOf(rig.host.taken[0], 't1');
    const ref = { kind: 'file-id', id: '9' } as const;
    const media = [
      { id: 'm1', kind: 'image', name: 'a.png', ref },
      { id: 'm2', kind: 'file', name: 'b.pdf', ref, link: 'https://platform.example/b' },
    ] as const;
    await show(rig, turn, [documentOf(turn, { state: 'done', text: 'x', media })]);
    const page = await rig.get<ThreadPage>(`/console/rooms/general/threads/${root.id}`);
    expect(page.messages[1]?.reply?.media).toEqual([
      { id: 'm1', kind: 'image', name: 'a.png', address: '/media/t1/m1?signed' },
      { id: 'm2', kind: 'file', name: 'b.pdf', link: 'https://platform.example/b' },
    ]);
  });
});
