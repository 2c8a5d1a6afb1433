/** Tests the fake Slack as a separate process, through its control routes. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';

const children: { kill(): boolean }[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

test('starts, accepts control requests, and returns its log', async () => {
  const main = new URL('../../fakes/slack/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, '--latency', '0', '--limits', 'bucket'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const url = line.toString().trim();
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}/__fake/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const { workspaces } = (await ask('GET', 'state')) as { workspaces: { token: string }[] };
  const { channels, people } = (await ask('POST', 'rooms', { channels: 2, people: 1 })) as {
    channels: string[];
    people: string[];
  };
  const { ts } = await ask('POST', 'say', { channel: channels[0], person: people[0], text: 'What now?' });
  const headers = {
    authorization: `Bearer ${workspaces[0]?.token ?? ''}`,
    'content-type': 'application/json',
  };
  const post = { channel: channels[0], thread_ts: ts, text: 'This.' };
  await fetch(`${url}/api/chat.postMessage`, { method: 'POST', headers, body: JSON.stringify(post) });
  expect(await ask('GET', 'log')).toMatchObject({
    calls: [{ method: 'chat.postMessage', args: { text: 'This.' } }],
  });
  expect(await ask('GET', `messages?channel=${channels[0] ?? ''}`)).toMatchObject([
    { text: expect.stringContaining('What now?') },
    { visible: 'This.' },
  ]);
  expect(await ask('GET', 'violations')).toEqual([]);
  child.kill();
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
});
