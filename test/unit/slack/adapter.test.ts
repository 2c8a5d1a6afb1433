/** Tests the running adapter: how it handles events while the store, Slack or the bridge fails or stops. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { actionId, actionValue } from '../../../adapters/slack/render/actions.ts';
import { BridgeError } from '../../../src/errors.ts';
import type { IntakeResult } from '../../../src/kit/ladder.ts';
import { type Turn, turnId } from '../../../src/kit.ts';
import { createVirtualClock, type VirtualClock } from '../../fakes/virtual-clock.ts';
import { type Rig, secret, startRig } from './rig.ts';
import { callback, openSmallSlack, type SmallSlack } from './small-slack.ts';

let slack: SmallSlack;
let clock: VirtualClock;
let rig: Rig;
const start = () =>
  startRig({ botToken: secret('xoxb-1'), apiUrl: slack.apiUrl }, { clock, state: rig?.state });

beforeEach(async () => {
  slack = await openSmallSlack();
  clock = createVirtualClock();
  rig = await start();
});
afterEach(async () => {
  await rig.close();
  await slack.close();
});

const mention = callback({
  type: 'app_mention',
  user: 'U1',
  ts: '1.000001',
  channel: 'C1',
  text: '<@U0BOT> how long?',
});
const followUp = callback(
  {
    type: 'message',
    user: 'U1',
    ts: '1.000002',
    thread_ts: '1.000001',
    channel: 'C1',
    channel_type: 'channel',
    text: 'and then?',
  },
  { event_id: 'Ev2' },
);
const stopped = callback(
  {
    type: 'agent_session_stopped',
    user: 'U1',
    channel: 'C1',
    thread_ts: '1.000001',
    streaming_message_ts: [],
  },
  { event_id: 'Ev3' },
);

test.each([
  ['behind an answer', 1, undefined, true],
  ['for another reason', 0, undefined, false],
  ['for a reason of its own', 1, 'The platform is down.', false],
])('the note on a question that waits %s offers Ask this instead only if there is an answer to stop', async (...given) => {
  const [, ahead, text, isOffered] = given;
  const thread = { channel: 'slack', tenant: 'T1', room: 'C1', key: '1.000001', kind: 'room' } as const;
  const turn = { id: turnId('t1'), message: { id: 'C1:1.000002', thread, sender: { id: 'U1' } } } as Turn;
  await rig.adapter.abilities.waiting?.say(turn, ahead, text);
  const [note] = slack.called('chat.postEphemeral');
  expect(note?.args).toMatchObject({ channel: 'C1', user: 'U1', thread_ts: '1.000001' });
  expect(JSON.stringify(note?.args).includes('reply:instead')).toBe(isOffered);
});

test('a thread stays engaged after a restart', async () => {
  await rig.send(mention);
  await rig.close();
  rig = await start();
  expect(await rig.send(followUp)).toBe(200);
  expect(rig.taken).toMatchObject([{ kind: 'ask', message: { text: 'and then?' } }]);
});

test('a repeated Stop stops an answer only once, even after a restart', async () => {
  await rig.send(stopped);
  await rig.send(stopped);
  expect(rig.taken).toHaveLength(1);
  await rig.close();
  rig = await start();
  expect(await rig.send(stopped)).toBe(200);
  expect(rig.taken).toEqual([]);
});

// For one message, Slack once sent up to 11 events with different ids (https://github.com/slackapi/node-slack-sdk/issues/2141).
test('a typed "stop" stops an answer once, although it arrives as two events, and again later', async () => {
  const typed = { user: 'U1', ts: '1.000003', thread_ts: '1.000001', channel: 'C1', text: '<@U0BOT> stop' };
  const twin = { ...typed, type: 'message', channel_type: 'channel' };
  rig.kept = () => ({ kind: 'stopped' });
  expect(await rig.send(callback({ ...typed, type: 'app_mention' }, { event_id: 'Ev4' }))).toBe(200);
  expect(await rig.send(callback(twin, { event_id: 'Ev5' }))).toBe(200);
  expect(rig.taken).toHaveLength(1);
  await rig.close();
  rig = await start();
  expect(await rig.send(callback(twin, { event_id: 'Ev6' }))).toBe(200);
  expect(rig.taken).toEqual([]);
  const next = callback({ ...twin, ts: '1.000004' }, { event_id: 'Ev7' });
  expect(await rig.send(next)).toBe(200);
  expect(rig.taken).toHaveLength(1);
});

test('a typed "stop" that the store refused is taken when it arrives again', async () => {
  const { kept } = rig;
  rig.kept = () => Promise.reject(new BridgeError('store-unavailable', 'The disk is full.'));
  const typed = callback({ ...mention.event, text: '<@U0BOT> stop' });
  expect(await rig.send(typed)).toBe(503);
  rig.kept = kept;
  expect(await rig.send(typed)).toBe(200);
});

test('a Stop that is repeated under another event id stops an answer once', async () => {
  const at = { ...stopped.event, event_ts: '1.000005' };
  await rig.send(callback(at, { event_id: 'Ev8' }));
  await rig.send(callback(at, { event_id: 'Ev9' }));
  expect(rig.taken).toHaveLength(1);
  await rig.send(callback({ ...at, event_ts: '1.000006' }, { event_id: 'Ev10' }));
  expect(rig.taken).toHaveLength(2);
});

test('while the store is down, an event is answered 503, and its repetition is accepted', async () => {
  const { kept } = rig;
  rig.kept = () => Promise.reject(new BridgeError('store-unavailable', 'The disk is full.'));
  expect(await rig.send(mention)).toBe(503);
  rig.kept = kept;
  expect(await rig.send(mention)).toBe(200);
});

test('while the store is slow, an event is answered 503 before Slack gives up', async () => {
  rig.kept = () => new Promise(() => undefined);
  const answered = rig.send(mention);
  await expect.poll(() => rig.taken.length).toBe(1);
  await clock.pass(2_500);
  expect(await answered).toBe(503);
});

test('a press that takes long is acknowledged before Slack gives up, although the store is slow', async () => {
  const stopped = Promise.withResolvers<IntakeResult>();
  rig.kept = () => stopped.promise;
  rig.changeMs = 500;
  const pressed = rig.send({
    ...{ type: 'block_actions', team: { id: 'T1' }, user: { id: 'U1' }, channel: { id: 'C1' } },
    message: { ts: '1.000002', thread_ts: '1.000001' },
    actions: [
      {
        action_id: actionId('instead'),
        action_ts: '1.000003',
        value: actionValue({
          turn: turnId('t1'),
          question: 'C1/1.000001',
          room: 'C1',
          key: '1.000001',
          kind: 'room',
        }),
      },
    ],
  });
  await expect.poll(() => rig.taken.length).toBe(1);
  // Slack waits 3 s, and the bridge gives up after 2.5 s.
  for (let passed = 0; passed < 2_500; passed += 100) await clock.pass(100);
  expect(await pressed).toBe(200);
  rig.changeMs = 0;
  stopped.resolve({ kind: 'stopped' });
});

test('an event is acknowledged without a call of Slack', async () => {
  const before = slack.calls.length;
  await rig.send(mention);
  await rig.send(followUp);
  expect(slack.calls.length).toBe(before);
});

test('while the bridge stops, events are refused, so that Slack sends them to the next process', async () => {
  rig.closing = true;
  expect(await rig.send(mention)).toBe(503);
  expect(rig.taken).toEqual([]);
});

test('a refusal is shown only to the person, and once although a mention arrives as two events', async () => {
  rig.kept = () => ({ kind: 'refused', tellUser: 'That is too long, <!here>.' });
  await rig.send(mention);
  const twin = { ...mention.event, type: 'message', channel_type: 'channel' };
  await rig.send(callback(twin, { event_id: 'Ev4' }));
  expect(rig.taken).toHaveLength(2);
  await expect
    .poll(() => slack.called('chat.postEphemeral').map(({ args }) => args))
    .toMatchObject([{ channel: 'C1', user: 'U1', text: 'That is too long, &lt;!here&gt;.' }]);
  expect(rig.left).toEqual([{ tenant: 'T1', room: 'C1', family: 'chat.postEphemeral' }]);
  // Stopping waits for all pending work, so a second note would have been sent by then.
  await rig.adapter.stop();
  expect(slack.called('chat.postEphemeral')).toHaveLength(1);
});

test('events of another workspace are acknowledged and dropped', async () => {
  const foreign = { ...mention, team_id: 'T9', authorizations: [{ team_id: 'T9', enterprise_id: null }] };
  expect(await rig.send(foreign)).toBe(200);
  expect(rig.taken).toEqual([]);
});

test('a token that Slack refuses fails the start, and the error names the setting', async () => {
  slack.answers['auth.test'] = () => ({ ok: false, error: 'invalid_auth' });
  await expect(start()).rejects.toMatchObject({
    code: 'config-invalid',
    message: expect.stringContaining('SLACK_BOT_TOKEN'),
  });
});

test('if Slack cannot be reached at the start, the adapter tries again, and Slack keeps the events until then', async () => {
  await rig.close();
  slack.answers['auth.test'] = () => ({ ok: false, error: 'unreachable' });
  rig = await start();
  expect(await rig.send(mention)).toBe(503);
  slack.answers['auth.test'] = () => ({ ok: true, team_id: 'T1', user_id: 'U0BOT', bot_id: 'B0BOT' });
  await clock.pass(10_000);
  await expect.poll(() => rig.send(mention)).toBe(200);
});

test('the removal of the app switches the workspace off', async () => {
  await rig.send(mention);
  slack.answers['auth.test'] = () => ({ ok: false, error: 'account_inactive' });
  expect(await rig.send(callback({ type: 'app_uninstalled' }, { event_id: 'Ev9' }))).toBe(200);
  expect(rig.forgotten).toEqual(['T1']);
  await rig.send(followUp);
  expect(rig.taken).toHaveLength(1);
});

test.each([
  'app_uninstalled',
  'tokens_revoked',
])('%s of an earlier installation changes nothing while Slack accepts the token', async (type) => {
  await rig.send(mention);
  expect(await rig.send(callback({ type, tokens: { bot: ['U0BOT'] } }, { event_id: 'Ev9' }))).toBe(200);
  expect(rig.forgotten).toEqual([]);
  await rig.send(followUp);
  expect(rig.taken).toHaveLength(2);
});

test('a removal is reported again while Slack does not say whether the token works', async () => {
  slack.answers['auth.test'] = () => ({ ok: false, error: 'internal_error' });
  expect(await rig.send(callback({ type: 'app_uninstalled' }, { event_id: 'Ev9' }))).toBe(503);
  expect(rig.forgotten).toEqual([]);
});

test('one stray refusal of the token silences nothing', async () => {
  let refusals = 1;
  slack.answers['users.info'] = ({ args }) =>
    refusals-- > 0
      ? { ok: false, error: 'account_inactive' }
      : { ok: true, user: { id: args.user, team_id: 'T1', real_name: 'Ada' } };
  await rig.send(mention);
  const [event] = rig.taken;
  const message = event?.kind === 'ask' ? event.message : undefined;
  const { lookup } = rig.adapter.abilities;
  const found = message && (await lookup?.complete(message, new AbortController().signal));
  expect(found?.sender.name).toBe('Ada');
  expect(slack.called('auth.test')).toHaveLength(2);
});
