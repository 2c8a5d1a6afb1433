/**
 * Limits what one client can hold of the HTTP server: connections, bodies that never end, and responses that it does not
 * read (attacks S27, S28). Refuses requests that two servers could understand differently.
 */

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type express from 'express';
import { type Clock, within } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { clientOf, withoutPorts } from '../kit/client-address.ts';
import { createSeldom } from '../kit/seldom.ts';
import { createShares } from '../kit/shares.ts';

export interface ClientLimits {
  /**
   * Maximum connections of one address. Behind a trusted proxy, the maximum open requests of one address instead,
   * because all connections come from the proxy.
   */
  readonly share?: number | undefined;
  /** Addresses and networks of proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Milliseconds after which a response is ended if the client reads nothing of it. */
  readonly stalledMs?: number;
  /** Maximum bytes of all responses in memory that clients have not read yet. */
  readonly unreadBytes?: number;
}

/**
 * Usual share of one address: half of all connections. A smaller share would refuse people behind a proxy that is not in
 * `server.trustedProxies`.
 */
const SHARE = 2_500;
/** Half of the time that nginx waits (`send_timeout`, 60 s), because the browser reconnects or continues by itself. */
const STALLED_MS = 30_000;
/**
 * Milliseconds for which the rest of a body is read and dropped after the response, as nginx does (`lingering_timeout`,
 * 5 s). If the connection were closed at once, the client could lose the response.
 */
const LINGER_MS = 5_000;

/** Enough for six images of answers, which may have 20 MiB each, on slow connections. */
const UNREAD_BYTES = 128 * 1024 * 1024;
/** Minimum milliseconds between two counts of the unread bytes. */
const COUNT_EVERY_MS = 1_000;

/** Limits the connections of each address, and the open requests of each address behind a trusted proxy. */
export function shareConnections(
  server: Server,
  app: express.Express,
  { share = SHARE, clock, log }: ClientLimits & { readonly clock: Clock; readonly log: Log },
): void {
  const seldom = createSeldom(clock);
  const take = createShares(share);
  const trusts: (address: string, hop: number) => boolean = app.get('trust proxy fn');
  const isProxy = ({ remoteAddress = '' }: Socket) => trusts(remoteAddress, 0);
  const refused = (address: string | undefined) =>
    seldom('share', () =>
      log.warn(
        { address, share },
        'An address used its share of the connections, so further ones were refused. If it is a proxy, add it to server.trustedProxies; otherwise, server.connectionsPerAddress sets the share.',
      ),
    );
  server.on('connection', (socket) => {
    if (isProxy(socket)) return;
    const release = take(clientOf(socket.remoteAddress ?? ''));
    if (release !== undefined) return void socket.once('close', release);
    refused(socket.remoteAddress);
    socket.destroy();
  });
  app.use((request, response, next) => {
    if (!isProxy(request.socket)) return next();
    const forwarded = request.get('x-forwarded-for');
    if (forwarded !== undefined) request.headers['x-forwarded-for'] = withoutPorts(forwarded);
    const release = take(clientOf(request.ip ?? ''));
    if (release === undefined) {
      refused(request.ip);
      const message = 'Too many requests of your address are open. Please try again later.';
      return void response
        .status(429)
        .set({ 'retry-after': '10', connection: 'close' })
        .json({ error: { code: 'busy', message } });
    }
    response.once('close', release);
    next();
  });
}

/**
 * Returns a handler that refuses ambiguous requests. It closes the connection after a response that is sent before the
 * body has arrived, and ends a response whose client reads nothing for a while.
 */
export function limitRequests(
  handle: RequestListener,
  { stalledMs = STALLED_MS, unreadBytes = UNREAD_BYTES }: ClientLimits,
  clock: Clock,
): RequestListener {
  const limitUnread = createUnreadLimit(unreadBytes, clock);
  return (request, response) => {
    if (isAmbiguous(request)) return void response.writeHead(400, { connection: 'close' }).end();
    const { headers, socket } = request;
    if ((headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined)
      closeUnlessRead(request, response, clock);
    response.setTimeout(stalledMs, () => socket.writableLength > 0 && socket.destroy());
    limitUnread(socket, response);
    handle(request, response);
  };
}

/**
 * Returns a function that is called with each response. If all responses together have too many unread bytes, it closes
 * the connections with the most, so that clients that read get their responses.
 */
function createUnreadLimit(most: number, clock: Clock): (socket: Socket, response: ServerResponse) => void {
  const sockets = new Set<Socket>();
  let countedAt = Number.NEGATIVE_INFINITY;
  return (socket, response) => {
    sockets.add(socket);
    response.once('close', () => sockets.delete(socket));
    if (Math.abs(clock.now() - countedAt) < COUNT_EVERY_MS) return;
    countedAt = clock.now();
    let unread = 0;
    for (const each of [...sockets].sort((one, other) => one.writableLength - other.writableLength)) {
      unread += each.writableLength;
      if (unread > most) each.destroy();
    }
  };
}

/** Closes the connection after the response, unless the response is sent after the whole body has arrived. */
function closeUnlessRead(request: IncomingMessage, response: ServerResponse, clock: Clock): void {
  const { socket } = request;
  const { destroySoon } = socket;
  response.setHeader('connection', 'close');
  // Node calls this function after a response with `connection: close`.
  socket.destroySoon = () => void linger(socket, clock);
  request.once('end', () => {
    socket.destroySoon = destroySoon;
    if (!response.headersSent) response.removeHeader('connection');
  });
}

async function linger(socket: Socket, clock: Clock): Promise<void> {
  if (socket.destroyed) return;
  const closed = new Promise<void>((resolve) => socket.once('close', resolve));
  socket.end();
  await within(closed, LINGER_MS, clock);
  socket.destroy();
}

/** Headers of which Node keeps one value and drops or joins the others, while another server may keep a different one. */
const SINGLE = [
  'host',
  'authorization',
  'proxy-authorization',
  'content-type',
  'origin',
  'referer',
  'user-agent',
  'from',
  'if-modified-since',
  'if-unmodified-since',
  'if-range',
  'last-event-id',
  'max-forwards',
];
/** Matches a host name or address, with or without a port (RFC 9110, section 7.2). */
const HOST = /^(?:[\w.~%-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

const isAmbiguous = ({ headers, headersDistinct }: IncomingMessage): boolean =>
  SINGLE.some((name) => (headersDistinct[name]?.length ?? 0) > 1) || !HOST.test(headers.host ?? '');
