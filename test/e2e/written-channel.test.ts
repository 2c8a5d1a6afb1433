/** Tests the example channel of docs/channels.md as the page describes it: written to files, configured, and asked. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fenced } from '../docs/pages.ts';
import { page, startChat, TOKEN, writeMyChat } from '../fakes/outside/my-chat.ts';
import { makeDataFolder, runParley } from './house/running-parley.ts';

const WITHIN = { timeout: 20_000, interval: 50 };

test('the channel of docs/channels.md answers in the chat, once for each message', async () => {
  const data = await makeDataFolder();
  const chat = await startChat();
  writeMyChat(data.path);
  const file = join(data.path, 'parley.yaml');
  writeFileSync(file, fenced(page, 'yaml parley.yaml').replace('https://chat.example', chat.url));
  const parley = await runParley(data, { PARLEY_CONFIG: file, MY_CHAT_TOKEN: TOKEN });
  const ask = (token: string, text: string) =>
    fetch(`${parley.url}/my-chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({ id: 'm1', thread: 't1', person: 'ada', text, sentAt: Date.now() }),
    });
  try {
    expect(parley.output()).toContain(`My Chat is on, for ${chat.url}`);
    expect((await ask('wrong', 'Hello')).status).toBe(401);
    for (let sent = 0; sent < 2; sent++)
      expect((await ask(TOKEN, 'How long is a visitor pass valid?')).status).toBe(200);
    const shown = () => [...chat.messages.values()];
    await expect.poll(shown, WITHIN).toEqual([expect.stringMatching(/one working day[\s\S]*\[1\] /)]);
  } finally {
    await parley.kill();
    await chat.close();
    await data.remove();
  }
}, 60_000);
