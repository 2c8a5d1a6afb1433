/** Rooms whose id Slack changes (`channel_id_changed`): the conversation goes on under the new id. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMovedRooms, inMovedRooms } from '../../../adapters/slack/api/moved-rooms.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { memoryKeyed } from './keyed.ts';
import { type Rig, secret, startRig } from './rig.ts';
import { callback, openSmallSlack, type SmallSlack } from './small-slack.ts';

let slack: SmallSlack;
let clock: VirtualClock;
let rig: Rig;
const start = () =>
  startRig({ botToken: secret('xoxb-1'), apiUrl: slack.apiUrl }, { clock, state: rig?.state ?? new Map() });

beforeEach(async () => {
  slack = await openSmallSlack();
  clock = createVirtualClock();
  rig = await start();
});
afterEach(async () => {
  await rig.close();
  await slack.close();
});

const said = (channel: string, ts: string, over: object = {}) =>
  callback(
    {
      type: 'message',
      channel_type: 'group',
      user: 'U1',
      channel,
      ts,
      thread_ts: '1.000001',
      text: 'and then?',
      ...over,
    },
    { event_id: `Ev${channel}${ts}` },
  );
const mention = said('G1', '1.000001', { type: 'app_mention', text: '<@U0BOT> how long?' });
const moved = (from: string, to: string, at: string) =>
  callback(
    { type: 'channel_id_changed', old_channel_id: from, new_channel_id: to, event_ts: at },
    { event_id: `Ev${at}` },
  );
const threads = () => rig.taken.map((event) => (event.kind === 'ask' ? event.message.thread : undefined));
const first = { tenant: 'T1', room: 'G1', key: '1.000001' };

test('a follow-up in the new room continues the thread, also after a restart', async () => {
  await rig.send(mention);
  expect(await rig.send(moved('G1', 'C9', '2.000000'))).toBe(200);
  await rig.send(said('C9', '3.000000'));
  expect(threads()).toMatchObject([first, first]);
  await rig.close();
  rig = await start();
  await rig.send(said('C9', '4.000000'));
  expect(threads()).toMatchObject([first]);
});

test('a follow-up in another room, or another workspace’s room of this id, continues nothing', async () => {
  await rig.send(mention);
  await rig.send(moved('G1', 'C9', '2.000000'));
  await rig.send(said('C8', '3.000000'));
  expect(threads()).toHaveLength(1);
});

test('calls use the new id, although an answer began under the old one', async () => {
  await rig.send(mention);
  slack.answers['conversations.replies'] = ({ args }) =>
    args.channel === 'C9' ? { ok: true, messages: [] } : { ok: false, error: 'channel_not_found' };
  await rig.send(moved('G1', 'C9', '2.000000'));
  const [event] = rig.taken;
  const message = event?.kind === 'ask' ? { ...event.message, id: 'G1/5.000000' } : undefined;
  const { lookup } = rig.adapter.abilities;
  if (message !== undefined)
    await lookup?.history?.(message, undefined as never, new AbortController().signal);
  if (message !== undefined) await lookup?.complete(message, new AbortController().signal);
  const channels = slack.called('conversations.replies').map(({ args }) => args.channel);
  expect(channels.at(-1)).toBe('C9');
});

test.each([
  [
    'in order',
    [
      ['G1', 'C2', '2'],
      ['C2', 'C3', '3'],
    ],
  ],
  [
    'repeated',
    [
      ['G1', 'C2', '2'],
      ['C2', 'C3', '3'],
      ['G1', 'C2', '2'],
      ['C2', 'C3', '3'],
    ],
  ],
  [
    'the first one repeated late',
    [
      ['G1', 'C2', '2'],
      ['C2', 'C3', '3'],
      ['G1', 'C2', '2'],
    ],
  ],
  [
    'back to the first id',
    [
      ['G1', 'C3', '2'],
      ['C3', 'G1', '3'],
      ['G1', 'C3', '4'],
    ],
  ],
] as const)('several moves, %s, lead from every id to the first, and to the newest', async (_, moves) => {
  const state = memoryKeyed();
  const rooms = createMovedRooms(state);
  for (const [from, to, at] of moves) await rooms.move('T1', { from, to, at });
  const later = createMovedRooms(state);
  for (const each of [rooms, later]) {
    for (const room of ['G1', 'C3']) expect(await each.firstId('T1', room)).toBe('G1');
    const args = { channel: 'G1', text: 'x' };
    const known = each.current('T1', args);
    expect((await each.newer('T1', args)) ?? known).toEqual({ channel: 'C3', text: 'x' });
    expect(each.current('T1', { channel_id: 'G1' })).toEqual({ channel_id: 'C3' });
    expect(each.current('T2', args)).toEqual(args);
    expect(await each.firstId('T2', 'C3')).toBe('C3');
  }
});

test('direct messages are not looked up', async () => {
  const rooms = createMovedRooms({ ...memoryKeyed(), get: () => Promise.reject(new Error('read')) });
  expect(await rooms.firstId('T1', 'D1')).toBe('D1');
});

/** A sender of Slack's calls in which the room G1 does not exist any more. */
async function sending(method: string, movesAfterMs?: number) {
  const state = memoryKeyed();
  const rooms = createMovedRooms(state);
  const times: number[] = [];
  const start = clock.now();
  const sender = inMovedRooms(
    {
      async call(_, __, { channel }) {
        times.push(clock.now() - start);
        if (channel === 'G1') return { kind: 'refused', why: 'gone', error: 'channel_not_found' };
        return { kind: 'done', body: {} };
      },
    },
    rooms,
    clock,
  );
  const answer = sender.call('T1', method, { channel: 'G1' }, new AbortController().signal);
  for (let ms = 0; ms <= 5_000; ms += 500) {
    if (ms === movesAfterMs) await rooms.move('T1', { from: 'G1', to: 'C9', at: '2.000000' });
    await clock.pass(500);
  }
  return { answer: await answer, times };
}

test.each([
  'chat.update',
  'chat.appendStream',
  'chat.stopStream',
])('%s waits for the event of a move, up to 4 s', async (method) => {
  expect(await sending(method, 500)).toMatchObject({ answer: { kind: 'done' } });
  expect(await sending(method, 3_000)).toMatchObject({ answer: { kind: 'done' } });
  expect((await sending(method)).answer.kind).toBe('refused');
});

test('other calls do not wait', async () => {
  expect(await sending('chat.postMessage', 500)).toMatchObject({ answer: { kind: 'refused' }, times: [0] });
});
