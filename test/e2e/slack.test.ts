/** The whole bridge with the embedded sandbox and a small Slack beside it. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { callback, openSmallSlack, SECRET, type SmallSlack, signed } from '../unit/slack/small-slack.ts';
import { type DataFolder, makeDataFolder, type RunningParley, runParley } from './house/running-parley.ts';

let slack: SmallSlack;
let data: DataFolder;
let parley: RunningParley;

beforeAll(async () => {
  slack = await openSmallSlack();
  data = await makeDataFolder();
  parley = await runParley(data, {
    SLACK_BOT_TOKEN: 'xoxb-1',
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_API_URL: slack.apiUrl,
  });
});

afterAll(async () => {
  await parley?.terminate();
  await slack?.close();
  await data?.remove();
});

async function send(event: object): Promise<number> {
  const body = JSON.stringify(callback(event));
  const response = await fetch(`${parley.url}/slack/events`, { method: 'POST', headers: signed(body), body });
  return response.status;
}

test('a signed mention is kept, acknowledged, and answered in its thread', async () => {
  const status = await send({
    type: 'app_mention',
    user: 'U1',
    ts: '1793491200.000100',
    channel: 'C1',
    text: '<@U0BOT> what is the data retention policy?',
  });
  expect(status).toBe(200);
  await expect.poll(() => slack.called('chat.stopStream').length, { timeout: 20_000 }).toBe(1);
  const streamed = [...slack.called('chat.startStream'), ...slack.called('chat.appendStream')];
  expect(JSON.stringify(streamed)).toContain('how it is deleted');
  expect(streamed[0]?.args).toMatchObject({ channel: 'C1', thread_ts: '1793491200.000100' });
  expect(slack.called('chat.postMessage')).toEqual([]);
}, 40_000);
