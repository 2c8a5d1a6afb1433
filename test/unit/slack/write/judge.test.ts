/**
 * Compares the arguments that Parley sends to Slack with those that Slack's own clients (`@slack/web-api`,
 * `@slack/bolt`) send for the same act, on the fake Slack. Each difference is written down with its source.
 */

import { createRespond } from '@slack/bolt/dist/context/create-respond.js';
import { createSay } from '@slack/bolt/dist/context/create-say.js';
import { ConsoleLogger, LogLevel } from '@slack/logger';
import { WebClient } from '@slack/web-api';
import { ChatStreamer } from '@slack/web-api/dist/chat-stream.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { respond } from '../../../../adapters/slack/api/post.ts';
import type { Turn } from '../../../../src/kit.ts';
import { smallServer } from '../../../fakes/small-server.ts';
import { playIn } from './play.ts';
import { openRig, type Rig } from './rig.ts';

let rig: Rig;
let client: WebClient;
beforeEach(async () => {
  rig = await openRig();
  const { token } = rig.fake.workspace();
  client = new WebClient(token, { slackApiUrl: rig.fake.apiUrl, logLevel: LogLevel.ERROR });
});
afterEach(() => rig.close());

/** The methods with the names of their arguments, in the order of the calls. */
const called = async (act: () => Promise<unknown>): Promise<[string, string[]][]> => {
  rig.fake.log.clear();
  await act();
  const calls = rig.fake.log.calls.filter(({ method }) => method.startsWith('chat.'));
  expect(calls.filter(({ answer }) => answer?.ok !== true)).toEqual([]);
  return calls.map(({ method, args }) => [method, Object.keys(args).sort()]);
};

/** Returns the arguments of the first calls that the second ones lack, by method. */
const beyond = (some: [string, string[]][], others: [string, string[]][]) =>
  some.map(([method, names], at) => [method, names.filter((name) => !others[at]?.[1].includes(name))]);

test('a stream and its end', async () => {
  const ours = await called(async () => {
    const play = playIn(rig);
    await play.show({ state: 'writing', text: 'One' });
    await play.show({ state: 'writing', text: 'One two' });
    await play.show({ state: 'done', text: 'One two three' });
  });
  const { thread, sender } = rig.ask().message;
  const theirs = await called(async () => {
    const place = {
      channel: thread.room,
      thread_ts: thread.key,
      recipient_team_id: thread.tenant,
      recipient_user_id: sender.id,
    };
    const streamer = new ChatStreamer(client, new ConsoleLogger(), place, { buffer_size: 1 });
    await streamer.append({ markdown_text: 'One' });
    await streamer.append({ markdown_text: ' two' });
    await streamer.stop({ markdown_text: ' three' });
  });
  expect(ours.map(([method]) => method)).toEqual(theirs.map(([method]) => method));
  expect(beyond(theirs, ours).flatMap(([, names]) => names)).toEqual([]);
  // docs.slack.dev, "chat.startStream" and "chat.stopStream": each of them is optional.
  expect(beyond(ours, theirs)).toEqual([
    ['chat.startStream', ['task_display_mode']],
    ['chat.appendStream', []],
    ['chat.stopStream', ['blocks', 'metadata', 'session_status']],
  ]);
});

test('a message in a thread and its edit', async () => {
  const plainRig = { ...rig, writer: (turn: Turn) => rig.writer(turn, 'never') };
  const ours = await called(async () => {
    const play = playIn(plainRig);
    await play.show({ state: 'writing', text: 'One' });
    await play.show({ state: 'done', text: 'One two' });
  });
  const { thread } = rig.ask().message;
  const theirs = await called(async () => {
    const say = createSay(client, thread.room);
    const { ts = '' } = await say({ text: 'One', thread_ts: thread.key });
    await client.chat.update({ channel: thread.room, ts, text: 'One two' });
  });
  expect(ours.map(([method]) => method)).toEqual(theirs.map(([method]) => method));
  expect(beyond(theirs, ours).flatMap(([, names]) => names)).toEqual([]);
  // docs.slack.dev, "chat.postMessage" and "chat.update": each of them is optional.
  const optional = ['blocks', 'link_names', 'metadata', 'parse'];
  expect(beyond(ours, theirs)).toEqual([
    ['chat.postMessage', [...optional, 'unfurl_links', 'unfurl_media']],
    ['chat.update', optional],
  ]);
});

// The clients pass the arguments of `views.open` and `chat.postEphemeral` on unchanged. The fake Slack checks these
// arguments against Slack's own types in every test.
test('a response', async () => {
  const server = await smallServer('/response/1', (body): unknown => JSON.parse(body));
  const message = { text: 'Hello', response_type: 'ephemeral', replace_original: false } as const;
  await respond(server.url, { text: 'Hello' }, server.url, new AbortController().signal);
  await createRespond(fetch, server.url)(message);
  await server.close();
  expect(server.received.map(({ body, headers }) => [headers['content-type'], body])).toEqual([
    ['application/json; charset=utf-8', message],
    ['application/json', message],
  ]);
});
