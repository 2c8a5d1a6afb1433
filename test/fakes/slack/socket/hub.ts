/** Socket Mode: https://docs.slack.dev/apis/events-api/using-socket-mode */

import type { Server as HttpServer } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { isJson, text } from '../args.ts';
import type { Attempt, Delivery, Kind, Transport } from '../events/deliver.ts';
import { refuse } from '../refusal.ts';
import type { Json } from '../shapes.ts';
import type { World } from '../world.ts';

/** Maximum number of connections: "An app may have up to 10 open WebSocket connections" (page on Socket Mode). */
const CONNECTIONS = 10;
/** Lifetime in seconds that Slack announces for a connection. */
const LASTS = 3_600;

const tickets = new WeakMap<World, Set<string>>();
const open = new WeakMap<World, Set<WebSocket>>();

const ticketsOf = (world: World): Set<string> => setIn(tickets, world);
const socketsOf = (world: World): Set<WebSocket> => setIn(open, world);
/** Returns the connections that get events; one that Slack is closing gets none. */
const openOf = (world: World): readonly WebSocket[] =>
  [...socketsOf(world)].filter((client) => client.readyState === client.OPEN);

function setIn<Item>(map: WeakMap<World, Set<Item>>, world: World): Set<Item> {
  const known = map.get(world) ?? new Set<Item>();
  map.set(world, known);
  return known;
}

/** Returns the address in the response of apps.connections.open, which is valid for one connection. */
export function addressOf(world: World, url: string): string {
  if (openOf(world).length >= CONNECTIONS) refuse('too_many_websockets');
  const ticket = world.newId('ticket');
  ticketsOf(world).add(ticket);
  return `${url.replace('http', 'ws')}/link/?ticket=${ticket}&app_id=${world.app.id}`;
}

export interface SocketHub {
  readonly transport: Transport;
  readonly connections: number;
  /** Asks the app to reconnect: `warning` allows ten seconds, `refresh_requested` closes at once. */
  disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled'): void;
  /**
   * If set, ends each new connection at once, before or after `hello`, with the reason
   * (slackapi/bolt-js#2238: `too_many_websockets`; the page on Socket Mode: `link_disabled`).
   */
  ending: { readonly reason: string; readonly when: 'before hello' | 'after hello' } | undefined;
  /** Number of connections that were opened. */
  readonly opened: number;
  /** Sends a frame that Slack does not document: slackapi/node-slack-sdk#1499. */
  frame(sent: unknown): void;
  /** Drops every connection without a message before it. */
  drop(): void;
  close(): void;
}

export function createHub(world: World, http: HttpServer): SocketHub {
  const server = new WebSocketServer({ noServer: true });
  const waiting = new Map<string, (payload: unknown) => void>();
  let turn = 0;
  let opened = 0;
  http.on('upgrade', (request, socket, head) => {
    const ticket = new URL(request.url ?? '/', 'http://fake').searchParams.get('ticket') ?? '';
    if (!ticketsOf(world).delete(ticket)) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
    opened += 1;
    server.handleUpgrade(request, socket, head, (client) => {
      if (hub.ending?.when !== 'before hello') greet(world, client, waiting);
      if (hub.ending !== undefined) end(client, hub.ending.reason);
    });
  });
  /** Returns the open connection that gets the next envelope; the connections take turns. */
  const next = (): WebSocket | undefined => {
    const all = openOf(world);
    turn += 1;
    return all[turn % Math.max(1, all.length)];
  };
  const hub: SocketHub = {
    ending: undefined,
    get opened() {
      return opened;
    },
    frame: (sent) => {
      for (const client of openOf(world)) client.send(JSON.stringify(sent));
    },
    get connections() {
      return openOf(world).length;
    },
    transport: async (delivery, attempt, signal) => {
      const client = next();
      if (client === undefined) throw new Error('no connection');
      const id = `envelope-${delivery.id}-${attempt.retry}`;
      const answered = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, resolve);
        signal.addEventListener('abort', () => reject(new Error('not acknowledged')), { once: true });
      });
      client.send(JSON.stringify(envelopeOf(delivery, attempt, id)));
      attempt.body = JSON.stringify((await answered.finally(() => waiting.delete(id))) ?? '');
      attempt.status = 200;
    },
    disconnect: (reason) => {
      for (const client of openOf(world)) {
        client.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'fake' } }));
        if (reason !== 'warning') client.close();
      }
    },
    drop: () => {
      for (const client of socketsOf(world)) client.terminate();
    },
    close: () => {
      for (const client of socketsOf(world)) client.terminate();
      server.close();
    },
  };
  return hub;
}

function end(client: WebSocket, reason: string): void {
  client.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'fake' } }));
  client.close();
}

function greet(world: World, client: WebSocket, waiting: Map<string, (payload: unknown) => void>): void {
  const sockets = socketsOf(world);
  sockets.add(client);
  client.on('close', () => sockets.delete(client));
  client.on('error', () => undefined);
  client.on('message', (data) => {
    const said: unknown = parse(String(data));
    if (isJson(said)) waiting.get(text(said, 'envelope_id') ?? '')?.(said.payload);
  });
  const hello = {
    type: 'hello',
    num_connections: sockets.size,
    connection_info: { app_id: world.app.id },
    debug_info: { host: 'fake', build_number: 1, approximate_connection_time: LASTS },
  };
  client.send(JSON.stringify(hello));
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

const TYPES: Readonly<Record<Kind, string>> = {
  event: 'events_api',
  interactive: 'interactive',
  options: 'interactive',
  command: 'slash_commands',
  other: 'events_api',
};

function envelopeOf({ kind, payload }: Omit<Delivery, 'done'>, attempt: Attempt, id: string): Json {
  return {
    type: TYPES[kind],
    envelope_id: id,
    payload,
    accepts_response_payload: kind !== 'event',
    ...(kind === 'event' ? { retry_attempt: attempt.retry, retry_reason: attempt.reason ?? '' } : {}),
  };
}
