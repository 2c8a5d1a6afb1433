/** Tests the log entries while Slack cannot be reached. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { createCaller } from '../../../../adapters/slack/api/sender.ts';
import { createMembers } from '../../../../adapters/slack/receive/members.ts';
import { oneWorkspace } from '../../../../adapters/slack/receive/one-workspace.ts';
import { createReach, type Reach } from '../../../../adapters/slack/receive/reach.ts';
import { openSocket, type Socket } from '../../../../adapters/slack/receive/socket.ts';
import { createVirtualClock } from '../../../fakes/virtual-clock.ts';
import { memoryKeyed } from '../keyed.ts';
import { secret } from '../rig.ts';

let clock: ReturnType<typeof createVirtualClock>;
let server: Server;
let sockets: WebSocketServer;
let down: boolean;
let silent: boolean;
let refusal: string | undefined;
let asked: number;
let ended: AbortController;
let socket: Socket | undefined;
let logged: string[];
let reach: Reach;

const write = (level: string) => (facts: object, text: string) =>
  void logged.push(`${level} ${text} ${JSON.stringify(facts)}`);
const log = { debug: () => undefined, info: write('info'), warn: write('warn'), error: write('error') };

beforeEach(async () => {
  clock = createVirtualClock();
  [down, silent, refusal, asked, logged, socket] = [true, false, undefined, 0, [], undefined];
  ended = new AbortController();
  reach = createReach(log);
  server = createServer((request, response) => {
    asked += 1;
    if (silent) return;
    if (down) return void request.socket.destroy();
    const { port } = server.address() as AddressInfo;
    const good = { ok: true, url: `ws://127.0.0.1:${port}/`, team_id: 'T1', user_id: 'U1' };
    const answer = refusal === undefined ? good : { ok: false, error: refusal };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  sockets = new WebSocketServer({ server });
  sockets.on('connection', (connection) => connection.send(JSON.stringify({ type: 'hello' })));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});

afterEach(async () => {
  ended.abort();
  await socket?.stop();
  sockets.close();
  server.closeAllConnections();
  server.close();
});

const apiUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;

async function begin() {
  const found = oneWorkspace({
    token: secret('xoxb-1'),
    call: createCaller(apiUrl(), log),
    clock,
    reach,
    members: createMembers(memoryKeyed()),
    signal: ended.signal,
  });
  await elapse(1);
  return found;
}

/** Advances the time in small steps until Slack has received this many further calls, so that pending work can end. */
async function elapse(calls: number): Promise<void> {
  const until = asked + calls;
  const passed = async () => {
    await clock.pass(1_000);
    return asked;
  };
  await expect.poll(passed).toBeGreaterThanOrEqual(until);
  await expect.poll(() => clock.waiting).toBeGreaterThan(0);
}

function connect(): void {
  const dispatcher = { deliver: async () => undefined };
  socket = openSocket({
    token: secret('xapp-1'),
    apiUrl: apiUrl(),
    dispatcher,
    clock,
    log,
    reach,
    stopping: () => false,
  });
}

test('an outage is logged once, with the reason and the time of the next attempt, without a stack', async () => {
  await begin();
  connect();
  await elapse(8);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/^warn Slack cannot be reached \(.+\); the next attempt is in 10 s/);
  expect(logged[0]).not.toMatch(/refused|stack|\bat /);
});

test('an outage is logged again only after Slack was reached, which is logged too', async () => {
  const workspaces = await begin();
  down = false;
  await clock.pass(10_000);
  await expect.poll(() => logged.length).toBe(2);
  expect(logged[1]).toMatch(/^info Slack can be reached again/);
  expect((await workspaces.ofTenant('T1'))?.botUser).toBe('U1');
  connect();
  await expect.poll(() => logged.length).toBe(3);
  expect(logged[2]).toMatch(/^info connected to Slack by Socket Mode/);
});

test('a stop logs no further attempt, neither between two attempts nor during one', async () => {
  await begin();
  connect();
  await elapse(1);
  silent = true;
  await elapse(1);
  ended.abort();
  server.closeAllConnections();
  await socket?.stop();
  await clock.pass(60_000);
  expect(logged).toHaveLength(1);
});

test('a refusal is logged once as a refusal, with the cure', async () => {
  [down, refusal] = [false, 'invalid_auth'];
  connect();
  await elapse(3);
  expect(logged).toHaveLength(1);
  expect(logged[0]).toMatch(/^warn Slack refuses Socket Mode \(invalid_auth\).*SLACK_APP_TOKEN/);
});

test('a token that is refused after an outage is logged once', async () => {
  await begin();
  [down, refusal] = [false, 'token_revoked'];
  await elapse(3);
  expect(logged).toHaveLength(2);
  expect(logged[1]).toMatch(/^warn Slack refuses SLACK_BOT_TOKEN \(token_revoked\)/);
});
