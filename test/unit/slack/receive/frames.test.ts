/** Frames of Socket Mode that are not what Slack documents, and connections that Slack ends at once. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createReach } from '../../../../adapters/slack/receive/reach.ts';
import { openSocket, type Socket } from '../../../../adapters/slack/receive/socket.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import { createVirtualClock, type VirtualClock } from '../../../fakes/virtual-clock.ts';
import { secret } from '../rig.ts';

let clock: VirtualClock;
let server: Server;
let sockets: WebSocketServer;
let socket: Socket;
let opened: number;
let greet: (connection: WebSocket) => void;
let acks: Plain[];
let delivered: Plain[];
let logged: string[];

const line = (level: string) => (facts: object, text: string) =>
  void logged.push(`${level} ${text} ${JSON.stringify(facts)}`);
const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
const hello = (connection: WebSocket) => connection.send(JSON.stringify({ type: 'hello' }));

beforeEach(async () => {
  clock = createVirtualClock();
  [opened, acks, delivered, logged, greet] = [0, [], [], [], hello];
  server = createServer((_, response) => {
    opened += 1;
    const { port } = server.address() as AddressInfo;
    const answer = { ok: true, url: `ws://127.0.0.1:${port}/` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  sockets = new WebSocketServer({ server });
  sockets.on('connection', (connection) => {
    connection.on('message', (data) => acks.push(JSON.parse(String(data)) as Plain));
    greet(connection);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  socket = openSocket({
    token: secret('xapp-1'),
    apiUrl: `http://127.0.0.1:${port}/api/`,
    dispatcher: { deliver: async (body) => void delivered.push(body) },
    clock,
    log,
    reach: createReach(log),
    stopping: () => false,
  });
});

afterEach(async () => {
  await socket.stop();
  sockets.close();
  server.closeAllConnections();
  server.close();
});

const connection = async (): Promise<WebSocket> => {
  await expect.poll(() => sockets.clients.size).toBe(1);
  return [...sockets.clients][0] as WebSocket;
};

const envelope = (id: string, more: object = {}) => ({
  type: 'events_api',
  envelope_id: id,
  payload: { type: 'event_callback', event: { type: 'app_mention' } },
  ...more,
});

describe('a frame', () => {
  const inner = (type: unknown) => envelope('e1', { payload: { type: 'event_callback', event: { type } } });
  const unreadable: Readonly<Record<string, unknown>> = {
    null: null,
    'a number': 7,
    'a list': [1, { type: 'hello' }],
    'a text': 'hello',
    true: true,
    'an empty object': {},
    'an object without a type': { envelope_id: 'e1' },
    'a type that is an object': { type: { a: 1 }, envelope_id: 'e1' },
    'an event without a payload': { type: 'events_api', envelope_id: 'e1' },
    'a payload that is null': envelope('e1', { payload: null }),
    'a payload that is a list': envelope('e1', { payload: [] }),
    'an interaction without an id': { type: 'interactive', payload: {} },
    'an id that is an object': { type: 'interactive', envelope_id: { a: 1 }, payload: {} },
    'a name of the SDK': { type: 'close', envelope_id: 'e1' },
  };
  test.each(
    Object.entries(unreadable),
  )('%s is ignored, and the next event is acknowledged', async (_, sent) => {
    const to = await connection();
    to.send(JSON.stringify(sent));
    to.send(JSON.stringify(envelope('next')));
    await expect.poll(() => acks).toEqual([{ envelope_id: 'next', payload: {} }]);
    expect(opened).toBe(1);
    expect(logged.filter((each) => each.includes('cannot be read'))).toHaveLength(1);
  });

  test.each([
    ['not JSON', '{"type":'],
    ['empty', ''],
    ['binary', Buffer.from('{"type":"hello"}')],
    ['1 MB', JSON.stringify({ type: 'x'.repeat(1_000_000) })],
    ['nested 100,000 deep', '['.repeat(100_000)],
  ])('that is %s is ignored, and its content is not logged', async (_, sent) => {
    const to = await connection();
    to.send(sent);
    to.send(JSON.stringify(envelope('next')));
    await expect.poll(() => acks).toEqual([{ envelope_id: 'next', payload: {} }]);
    expect(logged.every((each) => each.length < 300)).toBe(true);
  });

  const odd: readonly (readonly [string, object])[] = [
    ['an event that is null', envelope('e1', { payload: { type: 'event_callback', event: null } })],
    ['an event without a name', envelope('e1', { payload: { type: 'event_callback', event: {} } })],
    ...['close', 'error', 'disconnected', 'ws_message', 'connected'].flatMap((name) => [
      [`an event named ${name}`, inner(name)] as const,
      [`a type named ${name}`, envelope('e1', { type: name })] as const,
    ]),
  ];
  test.each(odd)('with %s is acknowledged, and the connection stays', async (_, sent) => {
    const to = await connection();
    to.send(JSON.stringify(sent));
    to.send(JSON.stringify(envelope('next')));
    await expect.poll(() => acks.map((ack) => ack.envelope_id)).toEqual(['e1', 'next']);
    expect([opened, delivered.length]).toEqual([1, 2]);
  });
});

describe('a connection that Slack ends', () => {
  const ended =
    (reason: string | undefined, greeting = hello) =>
    (to: WebSocket) => {
      greeting(to);
      if (reason !== undefined) to.send(JSON.stringify({ type: 'disconnect', reason }));
      to.close();
    };
  /** The number is that of the connections before the first pause, with the one that lived. */
  const causes: readonly [string, (to: WebSocket) => void, RegExp, number][] = [
    [
      'for too many connections, after hello',
      ended('too_many_websockets'),
      /too_many_websockets.*10 connections/,
      2,
    ],
    [
      'for too many connections, at once',
      ended('too_many_websockets', () => undefined),
      /too_many_websockets.*SLACK_APP_TOKEN/,
      2,
    ],
    [
      'because Socket Mode was switched off',
      ended('link_disabled'),
      /link_disabled.*Switch Socket Mode on/,
      2,
    ],
    // Slack may renew one new connection at once.
    ['without a reason, after hello', ended(undefined), /cannot be reached/, 3],
    ['to renew it, each time', ended('refresh_requested'), /refresh_requested/, 3],
  ];
  const paused = (seconds: number) => logged.filter((each) => each.includes(`attempt is in ${seconds} s`));
  const connected = () => logged.filter((each) => each.includes('connected to Slack')).length;
  /** Resolves once the open connection has lived so long that its end is no failure. */
  const lived = async (): Promise<void> => {
    await expect.poll(connected).toBe(1);
    await clock.pass(5_000);
  };
  const drop = () => {
    for (const each of sockets.clients) each.terminate();
  };
  test.each(
    causes,
  )('%s is opened again with growing pauses, and the reason is named once', async (_, end, told, first) => {
    await lived();
    greet = end;
    drop();
    await expect.poll(() => paused(2).length).toBe(1);
    expect(paused(2)[0]).toMatch(told);
    const before = opened;
    expect(before).toBe(first);
    await clock.pass(1_999);
    expect(opened).toBe(before);
    await clock.pass(1);
    await expect.poll(() => paused(4).length).toBe(1);
    await clock.pass(3_999);
    expect(opened).toBe(before + 1);
    expect(logged.filter((each) => each.startsWith('warn') && told.test(each))).toHaveLength(1);
  });

  test('after one that lived, pauses begin at 2 s again', async () => {
    await lived();
    greet = ended('link_disabled');
    drop();
    await expect.poll(() => paused(2).length).toBe(1);
    await clock.pass(2_000);
    await expect.poll(() => paused(4).length).toBe(1);
    greet = hello;
    await clock.pass(4_000);
    await expect.poll(() => sockets.clients.size).toBe(1);
    await expect.poll(connected).toBe(4);
    await clock.pass(5_000);
    greet = ended('link_disabled');
    drop();
    await expect.poll(() => paused(2).length).toBe(2);
    expect(paused(8)).toEqual([]);
  });

  test('without a hello is closed after 30 s', async () => {
    await lived();
    greet = () => undefined;
    drop();
    await expect.poll(() => sockets.clients.size).toBe(1);
    await expect.poll(() => opened).toBe(2);
    await clock.pass(30_000);
    await expect.poll(() => paused(2).length).toBe(1);
  });
});
