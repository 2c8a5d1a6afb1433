import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Tokens } from '../../../../adapters/teams/api/caller.ts';
import { createHttp } from '../../../../adapters/teams/api/http.ts';
import { json, openSmallConnector } from './small-connector.ts';

type Small = Awaited<ReturnType<typeof openSmallConnector>>;
let small: Small | undefined;
afterEach(() => small?.close());

async function opened(listener: RequestListener, tokens?: Tokens): Promise<Small> {
  small = await openSmallConnector(listener, tokens);
  return small;
}

const live = new AbortController().signal;
const activity = { type: 'message', text: 'words of an answer' };

describe('messages', () => {
  it('are sent to the percent-encoded conversation, with the token and no further header', async () => {
    const { connector, where, seen } = await opened(json({ id: '1729' }, 201));
    expect(await connector.send(where, activity, live)).toEqual({ kind: 'done', id: '1729' });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        path: '/emea/v3/conversations/19%3Aabc%40thread.tacv2%3Bmessageid%3D17/activities',
        headers: { authorization: 'Bearer token-for-connector', 'user-agent': 'parley' },
        body: JSON.stringify(activity),
      },
    ]);
    expect(Object.keys(seen[0]?.headers ?? {}).toSorted()).toEqual([
      ...['accept', 'accept-encoding', 'authorization', 'connection', 'content-length', 'content-type'],
      ...['host', 'user-agent'],
    ]);
  });

  it('are edited and deleted by id, and marked as targeted', async () => {
    const { connector, where, seen } = await opened(json({}));
    await connector.update({ ...where, id: '17/9' }, activity, live);
    await connector.delete({ ...where, id: '1', targeted: true }, live);
    await connector.send({ ...where, targeted: true }, activity, live);
    const at = '/emea/v3/conversations/19%3Aabc%40thread.tacv2%3Bmessageid%3D17/activities';
    expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `PUT ${at}/17%2F9`,
      `DELETE ${at}/1?isTargetedActivity=true`,
      `POST ${at}?isTargetedActivity=true`,
    ]);
  });

  it('count as deleted if they do not exist', async () => {
    const { connector, where } = await opened(
      json({ error: { code: 'ActivityNotFoundInConversation' } }, 404),
    );
    expect(await connector.delete({ ...where, id: '1' }, live)).toEqual({ kind: 'done' });
  });

  it.each([
    'ServiceError',
    'ConversationNotFound',
  ])('do not count as deleted after a 404 %s', async (code) => {
    const { connector, where } = await opened(json({ error: { code } }, 404));
    const sent = await connector.delete({ ...where, id: '1' }, live);
    expect(sent).toMatchObject({ kind: 'refused', meaning: 'denied' });
  });
});

describe('people', () => {
  it('are read by id, and get a chat', async () => {
    const { connector, where, seen } = await opened(
      json({ id: 'a:1', objectId: 'd', name: 'engineer', email: 'e@h.example', userRole: 'guest' }),
    );
    expect(await connector.member(where, '29:a/b', live)).toEqual({
      kind: 'got',
      value: { id: 'a:1', directoryId: 'd', name: 'engineer', email: 'e@h.example', role: 'guest' },
    });
    const place = { ...where, bot: '28:bot', tenant: 't' };
    expect(await connector.openChat(place, '29:a', live)).toEqual({ kind: 'got', value: 'a:1' });
    expect(seen[0]?.path).toMatch(/\/members\/29%3Aa%2Fb$/);
    expect(JSON.parse(seen[1]?.body ?? '')).toEqual({
      bot: { id: '28:bot' },
      members: [{ id: '29:a' }],
      isGroup: false,
      tenantId: 't',
      channelData: { tenant: { id: 't' } },
    });
  });

  it('and teams are unknown if the response cannot be read', async () => {
    const { connector, where } = await opened((_, response) => void response.end('<html>'));
    expect(await connector.member(where, '29:a', live)).toEqual({ kind: 'unknown', reason: 'unreadable' });
    expect(await connector.teamGroup(where.serviceUrl, '19:t', live)).toMatchObject({ kind: 'unknown' });
  });
});

describe('a response', () => {
  it.each<[string, RequestListener, object]>([
    ['an empty response', (_, response) => void response.writeHead(202).end(), { kind: 'done' }],
    ['a page', (_, response) => void response.end('<html>'), { kind: 'done' }],
    [
      'a redirect',
      json({}, 302, { location: 'https://h.example/' }),
      { kind: 'refused', meaning: 'invalid' },
    ],
    ['a closed connection', (request) => void request.socket.destroy(), { kind: 'unknown' }],
    [
      'half an answer',
      (_, response) => {
        response.writeHead(201, { 'content-length': '100' }).write('{');
        response.destroy();
      },
      { kind: 'unknown' },
    ],
    [
      'an endless answer',
      (_, response) => {
        const more = () => void response.write('x'.repeat(1_000_000), () => response.destroyed || more());
        more();
      },
      { kind: 'unknown', reason: 'too-large' },
    ],
    [
      'a rate',
      json({}, 429, { 'retry-after': '7' }),
      { kind: 'refused', meaning: 'rate', retryAfterMs: 7_000 },
    ],
  ])('%s, after one request', async (_, listener, expected) => {
    const { connector, where, seen } = await opened(listener);
    expect(await connector.send(where, activity, live)).toMatchObject(expected);
    expect(seen).toHaveLength(1);
  });

  it('is not awaited after the caller aborted', async () => {
    const { connector, where } = await opened(() => undefined);
    const gone = new AbortController();
    const sending = connector.send(where, activity, gone.signal);
    gone.abort(new Error('over'));
    await expect(sending).rejects.toThrow('over');
    await expect(connector.send(where, activity, gone.signal)).rejects.toThrow('over');
  });
});

describe('a token', () => {
  it('is renewed once if it is refused', async () => {
    const tokens: Tokens = {
      get: async (_, __, refused) => (refused === undefined ? 'old' : `after ${refused}`),
    };
    const { connector, where, seen } = await opened(
      (request, response) =>
        json({ id: '1' }, request.headers.authorization === 'Bearer old' ? 401 : 201)(request, response),
      tokens,
    );
    expect(await connector.send(where, activity, live)).toEqual({ kind: 'done', id: '1' });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer after old']);
  });

  it('makes the call fail if it is refused twice, or missing', async () => {
    const { connector, where, seen } = await opened(json({ error: { code: 'BotNotRegistered' } }, 401), {
      get: async (_, __, refused) => (refused === undefined ? 'old' : 'new'),
    });
    const refused = { kind: 'refused', status: 401, code: 'BotNotRegistered', meaning: 'busy' };
    expect(await connector.send(where, activity, live)).toEqual(refused);
    expect(seen).toHaveLength(2);
    await small?.close();
    const without = await opened(json({}), { get: () => Promise.reject(new Error('no secret')) });
    expect(await without.connector.send(without.where, activity, live)).toEqual({
      kind: 'unsent',
      reason: 'no-token',
    });
    expect(without.seen).toHaveLength(0);
  });

  it('is sent to the connector only: to no foreign host, file or redirect', async () => {
    const { connector, where, seen, host, said } = await opened(json({}));
    for (const serviceUrl of [
      'https://smba.trafficmanager.net/emea/',
      `http://user:pass@${host}/`,
      `http://${host}.evil.example/`,
      `http://evil.example/?${host}`,
      `ftp://${host}/`,
      'file:///etc/passwd',
      'nonsense',
    ]) {
      expect(await connector.send({ ...where, serviceUrl }, activity, live)).toEqual({
        kind: 'unsent',
        reason: 'foreign-address',
      });
    }
    expect(seen).toHaveLength(0);
    await connector.file(`http://${host.replace('127.0.0.1', 'localhost')}/file`, 10, live);
    await connector.file(`http://${host}/v3/attachments/1`, 10, live);
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      'Bearer token-for-connector',
    ]);
    expect(said.join('\n')).not.toContain('token-for');
  });
});

describe('a file', () => {
  it('is read whole, and refused above the limit', async () => {
    const { connector, host } = await opened((_, response) => void response.end('0123456789'));
    const url = `http://${host}/v3/attachments/1/views/original`;
    expect(await connector.file(url, 10, live)).toEqual({
      kind: 'got',
      value: new TextEncoder().encode('0123456789'),
    });
    expect(await connector.file(url, 9, live)).toEqual({ kind: 'unknown', reason: 'too-large' });
  });
});

describe('a failed call', () => {
  const request = { method: 'POST' as const, headers: {}, body: 'x', limit: 100, withinMs: 500 };
  const http = createHttp();
  const to = (url: string) => http.send({ ...request, url }, live);

  async function sockets(take: (socket: Socket) => void) {
    const server = createServer(take);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  }

  it('is unsent if the port is closed or the host is unknown', async () => {
    const closed = await sockets(() => undefined);
    closed.close();
    expect(await to(`http://127.0.0.1:${closed.port}/`)).toEqual({ kind: 'unsent', reason: 'ECONNREFUSED' });
    expect(await to('http://name.invalid/')).toMatchObject({ kind: 'unsent' });
  });

  it('is unsent if TLS fails', async () => {
    const plainly = await sockets((socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n'));
    expect(await to(`https://127.0.0.1:${plainly.port}/`)).toMatchObject({ kind: 'unsent' });
    plainly.close();
  });

  it('is unknown if the server closes the connection unread, or never responds', async () => {
    const resets = await sockets((socket) => void socket.once('data', () => socket.resetAndDestroy()));
    expect(await to(`http://127.0.0.1:${resets.port}/`)).toMatchObject({ kind: 'unknown' });
    resets.close();
    const silent = await sockets(() => undefined);
    expect(await to(`http://127.0.0.1:${silent.port}/`)).toEqual({ kind: 'unknown', reason: 'late' });
    silent.close();
  });

  it('is unsent if the time ends before a connection exists', async () => {
    const silent = await sockets(() => undefined);
    const url = `http://127.0.0.1:${silent.port}/`;
    const waits = Array.from({ length: 64 }, () => to(url));
    const answers = await Promise.all([1, 2].map(() => http.send({ ...request, url, withinMs: 100 }, live)));
    expect(answers).toEqual(answers.map(() => ({ kind: 'unsent', reason: 'late' })));
    expect(new Set((await Promise.all(waits)).map(({ kind }) => kind))).toEqual(new Set(['unknown']));
    silent.close();
  });
});
