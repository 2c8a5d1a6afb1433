import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { openSocket, type Socket } from '../../../../adapters/slack/receive/socket.ts';
import type { Plain } from '../../../../src/kit/json.ts';
import { quiet } from '../../../fakes/quiet.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { secret } from '../rig.ts';

let clock: ReturnType<typeof createVirtualClock>;
let server: Server;
let sockets: WebSocketServer;
let socket: Socket;
let opened: number;
let stopping: boolean;
let refusal: string | undefined;
let acks: Plain[];
let delivered: Plain[];
let deliver: (body: Plain) => Promise<object | undefined>;

beforeEach(async () => {
  clock = createVirtualClock();
  [opened, refusal, acks, delivered] = [0, undefined, [], []];
  deliver = async () => undefined;
  stopping = false;
  server = createServer((request, response) => {
    opened += 1;
    const { port } = server.address() as AddressInfo;
    const answer =
      refusal === undefined ? { ok: true, url: `ws://127.0.0.1:${port}/` } : { ok: false, error: refusal };
    expect(request.headers.authorization).toBe('Bearer xapp-1');
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  sockets = new WebSocketServer({ server });
  sockets.on('connection', (connection) => {
    connection.send(JSON.stringify({ type: 'hello', num_connections: 1 }));
    connection.on('message', (data) => acks.push(JSON.parse(String(data)) as Plain));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});

afterEach(async () => {
  await socket.stop();
  sockets.close();
  server.closeAllConnections();
  server.close();
});

function open(): void {
  const { port } = server.address() as AddressInfo;
  socket = openSocket({
    token: secret('xapp-1'),
    apiUrl: `http://127.0.0.1:${port}/api/`,
    dispatcher: {
      deliver(body) {
        delivered.push(body);
        return deliver(body);
      },
    },
    clock,
    log: quiet,
    reach: { failed: () => undefined, reached: () => undefined },
    stopping: () => stopping,
  });
}

const connection = async (): Promise<WebSocket> => {
  await expect.poll(() => sockets.clients.size).toBe(1);
  return [...sockets.clients][0] as WebSocket;
};
const envelope = (id: string, payload: object, type = 'events_api') =>
  JSON.stringify({ envelope_id: id, type, payload, accepts_response_payload: true });

test('an event is stored, then acknowledged', async () => {
  let keep: (() => void) | undefined;
  deliver = () => new Promise((resolve) => (keep = () => resolve(undefined)));
  open();
  (await connection()).send(envelope('e1', { event: { type: 'app_mention' } }));
  await expect.poll(() => delivered.length).toBe(1);
  expect(acks).toEqual([]);
  keep?.();
  await expect.poll(() => acks).toEqual([{ envelope_id: 'e1', payload: {} }]);
});

test('an event that cannot be stored is not acknowledged, so that Slack sends it again', async () => {
  deliver = () => Promise.reject(new Error('down'));
  open();
  const to = await connection();
  to.send(envelope('e1', { event: { type: 'app_mention' } }));
  await expect.poll(() => delivered.length).toBe(1);
  deliver = async () => ({ response_action: 'clear' });
  to.send(envelope('e2', { type: 'view_submission' }, 'interactive'));
  await expect.poll(() => acks).toEqual([{ envelope_id: 'e2', payload: { response_action: 'clear' } }]);
});

test('a connection that Slack renews is opened again at once', async () => {
  open();
  (await connection()).send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
  await expect.poll(() => opened).toBe(2);
  (await connection()).send(envelope('e1', { event: { type: 'app_mention' } }));
  await expect.poll(() => acks.length).toBe(1);
});

test('a refused connection is tried again with growing pauses', async () => {
  refusal = 'invalid_auth';
  open();
  await expect.poll(() => opened).toBe(1);
  await expect.poll(() => clock.waiting).toBe(2);
  await clock.pass(2_000);
  await expect.poll(() => opened).toBe(2);
  await expect.poll(() => clock.waiting).toBe(2);
  await clock.pass(3_999);
  expect(opened).toBe(2);
  refusal = undefined;
  await clock.pass(1);
  await connection();
});

test('while the bridge stops, events are not acknowledged, so that the next process receives them', async () => {
  open();
  const to = await connection();
  stopping = true;
  to.send(envelope('e1', { event: { type: 'app_mention' } }));
  to.send(JSON.stringify({ type: 'disconnect' }));
  await expect.poll(() => opened).toBe(2);
  expect(delivered).toEqual([]);
  expect(acks).toEqual([]);
});

test('stopping closes the connection', async () => {
  open();
  await connection();
  await socket.stop();
  await expect.poll(() => sockets.clients.size).toBe(0);
  expect(opened).toBe(1);
});

test('a bridge that stops closes the connection before its running answers end', async () => {
  open();
  await connection();
  stopping = true;
  await clock.pass(1_000);
  await expect.poll(() => sockets.clients.size).toBe(0);
  await clock.pass(60_000);
  expect(opened).toBe(1);
});
