/** Tests the fake Teams as a separate process, through its control routes. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';

const children: { kill(): boolean }[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});

test('starts, accepts actions, and returns its log', async () => {
  const main = new URL('../../fakes/teams/main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main, '--latency', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
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
  const { app, tenants } = (await ask('GET', 'state')) as {
    app: { id: string; secrets: string[] };
    tenants: { id: string; serviceUrl: string }[];
  };
  const { channels, people } = (await ask('POST', 'rooms', { channels: 2, people: 1 })) as {
    channels: string[];
    people: string[];
  };
  const [conversation = ''] = channels;
  const said = { conversation, person: people[0], text: 'What now?' };
  const { id } = await ask('POST', 'say', said);
  const form = {
    grant_type: 'client_credentials',
    client_id: app.id,
    client_secret: app.secrets[0] ?? '',
    scope: 'https://api.botframework.com/.default',
  };
  const login = `${url}/${tenants[0]?.id ?? ''}/oauth2/v2.0/token`;
  const token = await fetch(login, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token: bearer } = (await token.json()) as { access_token: string };
  const place = encodeURIComponent(`${conversation};messageid=${String(id)}`);
  await fetch(`${tenants[0]?.serviceUrl ?? ''}v3/conversations/${place}/activities`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}` },
    body: JSON.stringify({ type: 'message', text: 'This.' }),
  });
  expect(await ask('GET', 'log')).toMatchObject({
    calls: [
      { method: 'token' },
      { method: 'send', conversation, root: id, status: 201, asked: { text: 'This.' } },
    ],
  });
  expect(await ask('GET', `screen?conversation=${encodeURIComponent(conversation)}`)).toMatchObject([
    { visible: expect.stringContaining('What now?') },
    { by: 'app', root: id, visible: 'This.' },
  ]);
  expect(await ask('GET', 'violations')).toEqual([]);
  child.kill();
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
});
