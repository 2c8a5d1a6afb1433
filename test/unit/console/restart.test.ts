import { afterEach, expect, it } from 'vitest';
import type { ConsoleState, RoomPage, RoomView, ThreadPage } from '../../../adapters/console/wire.ts';
import type { Screen } from '../../../src/kit/ladder.ts';
import { BridgeError } from '../../../src/kit.ts';
import { documentOf, follow, json, openRig, type Rig, show, turnOf } from './rig.ts';

let rig: Rig;
afterEach(() => rig.close());

it('shows the same rooms, messages and replies after a restart', async () => {
  rig = await openRig();
  const room = await rig.post<RoomView>('/console/rooms', { as: 'engineer', name: 'launch' });
  const file = await rig.call('/console/files?name=note.txt', { method: 'POST', body: 'hello' });
  const { id } = (await file.json()) as { id: string };
  await rig.say(room.id, { text: 'here', files: [id] });
  await rig.say('direct~engineer~vision', { text: 'hi' });
  const before = await rig.get<RoomPage>(`/console/rooms/${room.id}`);
  const state = await rig.get<ConsoleState>('/console/state');
  rig = await rig.restart();
  expect(await rig.get<RoomPage>(`/console/rooms/${room.id}`)).toEqual(before);
  const again = await rig.get<ConsoleState>('/console/state');
  expect(again.rooms).toEqual(state.rooms);
  expect(again.seq).toBeGreaterThan(state.seq);
  expect(await (await rig.call(`/console/files/${id}`)).text()).toBe('hello');
});

it('offers a stored message once more if the bridge had not accepted it', async () => {
  rig = await openRig();
  rig.host.answer = () => {
    throw new BridgeError('store-unavailable', 'the inbox cannot write');
  };
  const said = { as: 'engineer', text: '@knowledge hi', files: [], nonce: 'one' };
  const refused = await rig.call('/console/rooms/general/messages', json(said));
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ error: { code: 'store-unavailable' } });
  rig = await rig.crash();
  const page = await rig.get<RoomPage>('/console/rooms/general');
  expect(rig.host.taken).toMatchObject([
    { kind: 'ask', origin: { key: page.messages[0]?.id }, message: { text: 'hi', agent: 'knowledge' } },
  ]);
  rig = await rig.restart();
  expect(rig.host.taken).toEqual([]);
  await rig.say('general', said);
  expect(rig.host.taken).toEqual([]);
});

it('continues a growing reply after its process was killed', async () => {
  rig = await openRig();
  const root = await rig.say('general', { text: '@knowledge hi' });
  const turn = turnOf(rig.host.taken[0], 't1');
  const texts = ['', 'H', 'Half', 'Half of', 'Half of it'];
  const shown = await show(
    rig,
    turn,
    texts.map((text, index) => documentOf(turn, { version: index, state: 'writing', text })),
  );
  rig = await rig.crash();
  const page = () => rig.get<ThreadPage>(`/console/rooms/general/threads/${root.id}`);
  // The text of the last second was only in memory, so the killed process lost it.
  expect((await page()).messages[1]?.reply).toMatchObject({ state: 'writing', text: '' });
  const state = 'partial';
  await show(rig, shown, [documentOf(turn, { version: 1, state, text: 'Half of it', retry: true })]);
  expect((await page()).messages).toHaveLength(2);
  expect((await page()).messages[1]?.reply).toMatchObject({ state, text: 'Half of it' });
  rig = await rig.crash();
  expect((await page()).messages[1]?.reply).toMatchObject({ state, text: 'Half of it' });
});

it('asks for the whole reply if the message holds less text than the screen records', async () => {
  rig = await openRig();
  const root = await rig.say('general', { text: '@knowledge hi' });
  const turn = turnOf(rig.host.taken[0], 't1');
  const { screen } = await show(rig, turn, [documentOf(turn, { text: 'Hello', state: 'writing' })]);
  const [part] = screen?.parts ?? [];
  if (!part) throw new Error('nothing was shown');
  const writer = rig.adapter.writer(turn);
  const believing = { ...part, shown: { version: 5, rewrites: 0, length: 9 } };
  let wrong: Screen = { ...writer.blank(), parts: [believing] };
  const last = documentOf(turn, { version: 6, text: 'Hello there, all', state: 'done' });
  const outcomes: string[] = [];
  const { signal } = new AbortController();
  for (let [move] = writer.next(wrong, last, 0); move; [move] = writer.next(wrong, last, 0)) {
    const outcome = await writer.perform(move, signal);
    outcomes.push(outcome.kind);
    wrong = writer.after(wrong, move, outcome, 0);
  }
  expect(outcomes).toEqual(['unknown', 'done']);
  const page = await rig.get<ThreadPage>(`/console/rooms/general/threads/${root.id}`);
  expect(page.messages[1]?.reply?.text).toBe('Hello there, all');
});

it('refuses a reply whose question no longer exists', async () => {
  rig = await openRig();
  await rig.say('general', { text: '@knowledge hi' });
  const turn = turnOf(rig.host.taken[0], 't1');
  const lost = { ...turn, message: { ...turn.message, id: 'unknown' } };
  const writer = rig.adapter.writer(lost);
  const [move] = writer.next(writer.blank(), documentOf(lost), 0);
  if (!move) throw new Error('no move');
  const { signal } = new AbortController();
  expect(await writer.perform(move, signal)).toEqual({ kind: 'refused', why: 'gone' });
});

it('tells a browser that followed an earlier run to reload everything', async () => {
  rig = await openRig();
  await rig.say('general', { text: 'one' });
  const { seq } = await rig.get<ConsoleState>('/console/state');
  rig = await rig.restart();
  const stream = await follow(rig, seq);
  expect(await stream.until(() => true)).toMatchObject({ type: 'reload' });
  stream.close();
});
