import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RequestBodies } from '../../adapters/console/bodies.ts';
import type {
  Acted,
  ConsoleEvent,
  ConsoleState,
  FileView,
  MessageView,
  RoomView,
  SearchView,
  SignInView,
  UnreadView,
} from '../../adapters/console/wire.ts';
import { servePage } from './console-page-files.ts';
import {
  agents,
  authorOf,
  botName,
  type ConsoleServerOptions,
  createWorld,
  people,
  postMessage,
  type ReplyHand,
  type World,
} from './console-world.ts';

export type ConsoleServer = Awaited<ReturnType<typeof startConsoleServer>>;

/** Starts a server that implements `wire.ts` in memory, for tests of the page. */
export async function startConsoleServer(options: ConsoleServerOptions) {
  const world = createWorld(options);
  const server = createServer((request, response) => {
    handle(world, request, response).catch((cause: unknown) => {
      refuse(response, 500, cause instanceof Error ? cause.message : 'It broke.');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { world, address: `http://127.0.0.1:${port}`, ...controls(world, server) };
}

function controls(world: World, server: Server) {
  return {
    /** Closes all event streams, so that a test sees the page reconnect. */
    cutStreams: () => {
      for (const stream of world.streams) stream.destroy();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handle(world: World, request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const url = new URL(request.url ?? '/', 'http://local');
  const body = await read(request);
  if (url.pathname === '/console/sign-in' && request.method === 'GET')
    return json(response, { kind: 'token' } satisfies SignInView);
  if (url.pathname === '/console/sign-in') return signIn(world, body, response);
  if (!url.pathname.startsWith('/console/') || !isWire(url))
    return servePage(world.options.page, url.pathname, response);
  if (world.options.token && request.headers.cookie !== 'parley=in')
    return refuse(response, 401, 'Sign in first.');
  if (url.pathname === '/console/events') return stream(world, url, response);
  return route(world, { method: request.method ?? 'GET', url, body, response });
}

function isWire(url: URL): boolean {
  return /^\/console\/(state|unread|read|search|rooms|files|replies|messages|shares|events|media)(\/|$)/.test(
    url.pathname,
  );
}

function signIn(world: World, body: Buffer, response: ServerResponse): unknown {
  if (JSON.parse(body.toString()).token !== world.options.token)
    return refuse(response, 401, 'That token is wrong.');
  return response.writeHead(204, { 'set-cookie': 'parley=in; HttpOnly; SameSite=Strict; Path=/' }).end();
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function json(response: ServerResponse, body: unknown): unknown {
  return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, message: string): unknown {
  response.writeHead(status, { 'content-type': 'application/json' });
  return response.end(JSON.stringify({ error: { code: 'refused', message } }));
}

function stream(world: World, url: URL, response: ServerResponse): unknown {
  if (world.deaf) return refuse(response, 503, 'Not now.');
  const since = Number(url.searchParams.get('since'));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const send = (event: ConsoleEvent) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  const gone = (world.events[0]?.seq ?? 0) > since + 1;
  send({ type: gone ? 'reload' : 'hello', seq: world.seq });
  if (!gone) for (const event of world.events) if (event.seq > since) send(event);
  world.streams.add(response);
  return response.on('close', () => world.streams.delete(response));
}

interface Call {
  readonly method: string;
  readonly url: URL;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

function route(world: World, call: Call): unknown {
  const { method, url, response } = call;
  const [, , what, id = '', more, last = ''] = url.pathname.split('/').map(decodeURIComponent);
  if (what === 'state') return json(response, stateOf(world));
  if (what === 'unread') return json(response, { messages: [], seq: world.seq } satisfies UnreadView);
  if (what === 'read') return json(response, { done: true } satisfies Acted);
  if (what === 'search') return json(response, { hits: [] } satisfies SearchView);
  if (what === 'media') return sendImage(response, dotImage);
  if (what === 'files') return files(world, call, id);
  if (method === 'POST' && world.refusal) return refuse(response, 503, world.refusal);
  if (what === 'rooms' && method === 'POST') return postRoomOrMessage(world, call, id);
  if (what === 'rooms') return page(world, call, id, more === 'threads' ? last : undefined);
  if (what === 'shares') return postShare(world, call);
  if (what === 'replies' && more === 'receipt')
    return json(response, { turn: id, entries: world.options.receipt ?? [] });
  if (what === 'messages') return changeMessage(world, call, id, more);
  if (what === 'replies') return act(world, call, id, more);
  return refuse(response, 404, 'There is nothing here.');
}

function stateOf(world: World): ConsoleState {
  return {
    people,
    rooms: world.rooms,
    agents,
    botName,
    defaultAgent: 'knowledge',
    limits: { textChars: 100_000, files: 6, fileBytes: 5_000_000 },
    seq: world.seq,
  };
}

/** Number of messages on a page, as on the real server. */
const PAGE_MESSAGES = 200;

function page(world: World, { url, response }: Call, room: string, thread: string | undefined): unknown {
  const view = world.rooms.find((one) => one.id === room);
  if (!view) return refuse(response, 404, 'This room is not here any more.');
  const here = world.messages.filter(
    (one) =>
      one.room === room &&
      (thread ? one.thread === thread : one.thread === one.id || one.thread === 'direct'),
  );
  if (thread && thread !== 'direct' && here.length === 0)
    return refuse(response, 404, 'There is no such thread here.');
  const before = url.searchParams.get('before');
  const end = before ? here.findIndex((one) => one.id === before) : here.length;
  const messages = here.slice(Math.max(end - PAGE_MESSAGES, 0), end);
  return json(response, { room: view, ...(thread ? { thread } : {}), messages });
}

function files(world: World, { method, url, body, response }: Call, id: string): unknown {
  if (method === 'GET') {
    const file = world.files.get(id);
    if (!file) return refuse(response, 404, 'This file is not here.');
    return sendImage(response, file.bytes);
  }
  const name = url.searchParams.get('name') ?? 'file';
  const image = body.subarray(0, 4).toString('latin1') === '\x89PNG';
  const type = image ? 'image/png' : 'application/octet-stream';
  const view: FileView = { id: world.fresh('file'), name, type, bytes: body.length, image };
  world.files.set(view.id, { view, bytes: body });
  return json(response, view);
}

function sendImage(response: ServerResponse, bytes: Buffer): unknown {
  const type = bytes.subarray(0, 4).toString('latin1') === '\x89PNG' ? 'image/png' : 'image/svg+xml';
  return response.writeHead(200, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(bytes);
}

function postRoomOrMessage(world: World, { body, response }: Call, id: string): unknown {
  if (id !== '')
    return json(
      response,
      postMessage(world, id, JSON.parse(body.toString()) as RequestBodies['/rooms/:id/messages']),
    );
  const { name, topic = '' } = JSON.parse(body.toString()) as RequestBodies['/rooms'];
  const room: RoomView = { id: world.fresh('room'), name, topic, kind: 'room' };
  world.rooms = [...world.rooms, room];
  world.emit({ type: 'room', seq: ++world.seq, room });
  return json(response, room);
}

function changeMessage(
  world: World,
  { body, response }: Call,
  id: string,
  what: string | undefined,
): unknown {
  const message = world.find(id);
  if (!message) return refuse(response, 404, 'That message no longer exists.');
  if (what === 'edit') {
    const { text } = JSON.parse(body.toString()) as RequestBodies['/messages/:id/edit'];
    return json(response, world.keep({ ...message, text, edited: true }));
  }
  for (const { id: gone, room, thread } of world.messages.filter(
    (one) => one.id === id || one.reply?.question === id,
  )) {
    world.messages = world.messages.filter((one) => one.id !== gone);
    world.emit({ type: 'removed', seq: ++world.seq, id: gone, room, thread });
  }
  return json(response, { done: true });
}

function act(world: World, { body, response }: Call, turn: string, what: string | undefined): unknown {
  const hand = world.hands.get(turn);
  if (!hand) return json(response, { done: false, reason: 'This reply is over already.' });
  world.acts.push({ turn, what: what ?? '', body: JSON.parse(body.toString()) });
  if (what === 'ask-me')
    return json(
      response,
      askAsMe(world, hand, JSON.parse(body.toString()) as RequestBodies['/replies/:id/ask-me']),
    );
  if (what === 'suggest') {
    const { text, ...said } = JSON.parse(body.toString()) as RequestBodies['/replies/:id/suggest'];
    const { room, thread } = hand.message;
    return json(response, postMessage(world, room, { ...said, text, thread, files: [] }));
  }
  if (what === 'feedback') {
    const { as, verdict } = JSON.parse(body.toString()) as RequestBodies['/replies/:id/feedback'];
    hand.set({ thumbs: verdict === 'none' ? {} : { [as]: verdict } });
  }
  if (what !== 'retry' && what !== 'stop') return json(response, { done: true });
  if (what === 'retry') {
    world.options.onRetry?.(hand);
    return json(response, { done: true });
  }
  world.stops.add(turn);
  hand.set({ state: 'stopped', retry: true });
  return json(response, { done: true });
}

function askAsMe(
  world: World,
  hand: ReplyHand,
  { as, nonce }: RequestBodies['/replies/:id/ask-me'],
): MessageView {
  const room = `dm-${as}-${hand.message.author.name}`;
  return postMessage(world, room, { as, text: hand.question.text, files: [], nonce });
}

function postShare(world: World, { body, response }: Call): unknown {
  const wanted = JSON.parse(body.toString()) as RequestBodies['/shares'];
  const origin = world.messages.find((one) => one.reply?.turn === wanted.turn);
  const source = origin?.reply?.sources.find((one) => one.key === wanted.source);
  if (!origin || (wanted.source && !source))
    return refuse(response, 404, 'This source is not here any more.');
  const answer = { text: origin.reply?.text ?? '', sources: origin.reply?.sources ?? [] };
  const id = world.fresh('message');
  const question = world.find(origin.reply?.question ?? '')?.text ?? '';
  const from = { room: origin.room, thread: origin.thread, agent: origin.author.name, question };
  const message = world.keep({
    ...{ id, room: wanted.room, thread: wanted.thread ?? id, at: ++world.at, author: authorOf(wanted.as) },
    ...{ text: '', files: [], shared: { ...(source ? { source } : { answer }), from } },
  });
  return json(response, message);
}

/** The image at `/console/media/…`: a small drawing. */
const dotImage = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="560" height="240" viewBox="0 0 560 240">' +
    '<rect width="560" height="240" fill="#e7efe9"/><path d="M40 190C120 190 130 60 220 70s80 90 150 70 90-90 150-95" ' +
    'fill="none" stroke="#0b5f54" stroke-width="5"/><path d="M40 200h480M40 200V30" stroke="#8b9a90" stroke-width="2"/></svg>',
);
