import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createCaller, createSender } from '../../../../adapters/slack/api/sender.ts';
import type { Workspace, Workspaces } from '../../../../adapters/slack/api/workspace.ts';

const said: string[] = [];
const log = Object.fromEntries(
  (['debug', 'info', 'warn', 'error'] as const).map((level) => [
    level,
    (facts: unknown, text: string) => void said.push(`${level} ${JSON.stringify(facts)} ${text}`),
  ]),
) as unknown as Parameters<typeof createCaller>[1];

const workspace: Workspace = { tenant: 'T1', botUser: 'U0', token: 'xoxb-secret-token' };
let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  said.length = 0;
});

async function senderTo(listener: RequestListener, callMs = 2_000, ofTenant?: Workspaces['ofTenant']) {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done));
  const apiUrl = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/api/`;
  const removed: Workspace[] = [];
  const workspaces: Workspaces = {
    find: async () => workspace,
    ofTenant:
      ofTenant ?? (async (tenant) => (tenant === 'T1' && removed.length === 0 ? workspace : undefined)),
    disable: (each) => void removed.push(each),
    remove: async () => [],
  };
  return { sender: createSender(createCaller(apiUrl, log, callMs), workspaces), removed };
}

const live = new AbortController().signal;
const args = { channel: 'C1', text: 'words of an answer' };
const json =
  (body: object, status = 200, headers = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

it.each<[string, RequestListener, object]>([
  ['what was done', json({ ok: true, ts: '1.2' }), { kind: 'done', body: { ts: '1.2' } }],
  [
    'a refusal',
    json({ ok: false, error: 'is_archived' }),
    { kind: 'refused', why: 'closed', error: 'is_archived' },
  ],
  [
    'a rate',
    json({ ok: false, error: 'ratelimited' }, 429, { 'retry-after': '7' }),
    { kind: 'refused', why: 'rate', retryAfterMs: 7_000 },
  ],
  [
    'a rate without a time',
    json({ ok: false }, 429, { 'retry-after': 'soon' }),
    { kind: 'refused', why: 'rate', retryAfterMs: 2_000 },
  ],
  ['a server that fails', json({}, 503), { kind: 'unknown', error: 'http_503' }],
  ['no such address', json({}, 404), { kind: 'refused', why: 'unsupported', error: 'http_404' }],
  ['a page instead of an answer', (_, response) => void response.end('<html>'), { kind: 'unknown' }],
  [
    'a connection that breaks',
    (request) => void request.socket.destroy(),
    { kind: 'unknown', error: 'unreachable' },
  ],
])('reports %s after one request', async (_, listener, expected) => {
  let requests = 0;
  const { sender } = await senderTo((request, response) => {
    requests += 1;
    listener(request, response);
  });
  expect(await sender.call('T1', 'chat.postMessage', args, live)).toMatchObject(expected);
  expect(requests).toBe(1);
  expect(said.join('\n')).not.toMatch(/secret-token|words of an answer/);
});

it('ends a call at its deadline, or when it is aborted', async () => {
  const { sender } = await senderTo(() => undefined, 50);
  expect(await sender.call('T1', 'chat.update', args, live)).toMatchObject({ kind: 'unknown' });
  const leaving = new AbortController();
  const slow = await senderTo(() => undefined, 60_000);
  const call = slow.sender.call('T1', 'chat.update', args, leaving.signal);
  leaving.abort(new Error('lost'));
  await expect(call).rejects.toThrow('lost');
});

it('does not delay a call because another call exceeded its rate limit', async () => {
  let requests = 0;
  const { sender } = await senderTo((request, response) => {
    requests += 1;
    const first = requests === 1;
    json(first ? { ok: false } : { ok: true }, first ? 429 : 200, { 'retry-after': '30' })(request, response);
  });
  await sender.call('T1', 'chat.update', args, live);
  expect(await sender.call('T1', 'chat.postMessage', args, live)).toMatchObject({ kind: 'done' });
});

it('answers `unknown` while the workspace cannot be looked up, so that the call can be repeated', async () => {
  const { sender } = await senderTo(json({ ok: true }), 2_000, () =>
    Promise.reject(new Error('the store is down')),
  );
  expect(await sender.call('T1', 'chat.update', args, live)).toEqual({
    kind: 'unknown',
    error: 'workspace_unknown',
  });
});

it('switches a workspace off if its token was revoked', async () => {
  const { sender, removed } = await senderTo(json({ ok: false, error: 'token_revoked' }));
  const gone = { kind: 'refused', why: 'gone', error: 'not_installed' };
  expect(await sender.call('T1', 'chat.update', args, live)).toEqual(gone);
  expect(await sender.call('T1', 'chat.update', args, live)).toEqual(gone);
  expect(removed).toEqual([workspace]);
});

it.each([
  'missing_scope',
  'ratelimited',
  'internal_error',
  'channel_not_found',
])('does not check the token after %s', async (error) => {
  const { sender, removed } = await senderTo(json({ ok: false, error }));
  expect(await sender.call('T1', 'users.info', args, live)).toMatchObject({ error });
  expect(removed).toEqual([]);
});
