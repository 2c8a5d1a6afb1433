import type { IncomingHttpHeaders } from 'node:http';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import { createSeldom, withoutPorts } from '../../../src/kit/ladder.ts';
import { type AdapterHost, BridgeError, turnId } from '../../../src/kit.ts';
import { claimsImage, encodeName, readContent } from '../chat/content.ts';
import type { FileBytes } from '../chat/file-folder.ts';
import { toPerson } from '../chat/inbound.ts';
import { DIRECT_THREAD } from '../chat/records.ts';
import type { ConsoleConfig, ConsolePerson } from '../config.ts';
import { FILE_BYTES, FILES, MAX_CONCURRENT_UPLOADS, MAX_WAITING_UPLOADS, TEXT_CHARS } from '../limits.ts';
import { findFileFor, findReplyFor, findRoomFor } from '../lookups.ts';
import { asRefusal, badRequest, forbidden, HttpRefusal, notFound } from '../refusal.ts';
import { rightsOf } from '../room-acts.ts';
import type { ConsoleState, FileView, ReceiptView, RoomPage, SignInView, ThreadPage } from '../wire.ts';
import { addActs, type Served } from './acts.ts';
import { createPermits, readBody } from './body.ts';
import { addExport } from './export.ts';
import { checkSpeaker } from './gate.ts';
import { addConnecting, addLinking, connectable, PLACE } from './linking.ts';
import { addOperations, mayOperate } from './operate.ts';

/** Maximum time until a file has arrived, in milliseconds. */
const FILE_MS = 120_000;
/**
 * Bytes of a file per read. Node frees large buffers only after it has collected 64 MiB of them, so small reads keep the
 * memory low.
 */
const READ_BYTES = 16 * 1024;

/** Creates the routes below `/console`; `wire.ts` lists them. */
export function createRoutes(served: Served): express.Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'simple');
  // If no proxy is trusted, the address of a client comes from the connection and never from its headers.
  app.set('trust proxy', [...(served.config.trustedProxies ?? [])]);
  app.use(removePorts);
  app.use(guardSource(served.config));
  app.use(afterOthers(served));
  app.get('/sign-in', (_request, response) => {
    response.json({ kind: served.gate.kind } satisfies SignInView);
  });
  served.gate.addRoutes(app);
  app.use(async ({ headers }, _response, next) => {
    served.gate.viewer(headers);
    await served.gate.lease(headers).confirm?.();
    next();
  });
  addReads(app, served);
  addActs(app, served);
  addExport(app, served);
  addFiles(app, served);
  addLinking(app, served);
  addConnecting(app, served);
  addOperations(app, served);
  app.use(() => {
    throw notFound('There is nothing at this address.');
  });
  app.use(answerError(served.host));
  return app;
}

/**
 * Lets each request see what other processes stored before it. Refuses it at once if this replica has lost them, because
 * a database that does not answer would let the page wait for seconds before it can try another replica.
 */
const afterOthers =
  ({ store }: Served): RequestHandler =>
  async (_request, _response, next) => {
    if (store.feed.isLost)
      throw new BridgeError('store-unavailable', 'The events of other replicas do not arrive.');
    await store.fresh();
    next();
  };

const removePorts: RequestHandler = ({ headers }, _response, next) => {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded === 'string') headers['x-forwarded-for'] = withoutPorts(forwarded);
  next();
};

type Source = Pick<ConsoleConfig, 'allowedHosts' | 'publicOrigin'>;

export function guardSource(source: Source): RequestHandler {
  return (request, response, next) => {
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('cache-control', 'no-store');
    checkSource(request.method, request.headers, source);
    next();
  };
}

function addReads(app: express.Express, served: Served): void {
  const { config, host, store, chat, gate, people, rooms, streams } = served;
  app.get('/state', (request, response) => {
    const viewer = gate.viewer(request.headers);
    const known = gate.kind === 'token' && viewer !== 'anyone' ? [viewer] : people.list();
    const state: ConsoleState = {
      // The title of a person who signed in is their e-mail address, which only they may read.
      people: known.map(({ id, name, title }) => ({
        id,
        name,
        title: gate.kind !== 'provider' || (viewer !== 'anyone' && viewer.id === id) ? title : '',
      })),
      ...(viewer !== 'anyone' && viewerOf(served, viewer)),
      signIn: gate.kind,
      rooms: rooms.list(viewer),
      agents: host.agents(),
      botName: config.botName,
      defaultAgent: config.defaultAgent,
      limits: { textChars: TEXT_CHARS, files: FILES, fileBytes: FILE_BYTES },
      seq: store.feed.seq,
    };
    response.json(state);
  });
  app.get('/rooms/:room', async (request, response) => {
    const room = findRoomFor(served, request.params.room, gate.viewer(request.headers));
    const before = queryOf(request, 'before');
    const messages = await chat.reader.page(room, before);
    response.json({ room, messages } satisfies RoomPage);
  });
  app.get('/rooms/:room/threads/:thread', async (request, response) => {
    const room = findRoomFor(served, request.params.room, gate.viewer(request.headers));
    const { thread } = request.params;
    const messages = await chat.reader.thread(room.id, thread, queryOf(request, 'before'));
    if (messages.length === 0 && thread !== DIRECT_THREAD) throw notFound('There is no such thread here.');
    response.json({ room, thread, messages } satisfies ThreadPage);
  });
  app.get('/replies/:turn/receipt', async (request, response) => {
    const { turn } = request.params;
    const viewer = gate.viewer(request.headers);
    if (viewer !== 'anyone') await findReplyFor(served, turn, viewer);
    const entries = await host.receipt(turnId(turn));
    const view = { turn, entries: entries.map(({ at, name, detail }) => ({ at, name, detail })) };
    response.json(view satisfies ReceiptView);
  });
  app.get('/events', (request, response) => {
    const since = request.get('last-event-id') ?? queryOf(request, 'since');
    const viewer = gate.viewer(request.headers);
    // The browser's cookie may have become another person's since the page was loaded.
    const as = queryOf(request, 'as');
    if (as !== undefined) checkSpeaker(viewer, as);
    streams.open(request, response, {
      since: since === undefined ? undefined : Number(since),
      person: gate.kind === 'provider' && viewer !== 'anyone' ? viewer.id : undefined,
      mayRead: ({ room, person = '' }) =>
        (room === '' || rooms.mayRead(viewer, room)) &&
        (person === '' || viewer === 'anyone' || viewer.id === person),
      ...gate.lease(request.headers),
    });
  });
}

/** Returns who the viewer is, and what they may do beside writing. */
const viewerOf = (served: Served, viewer: ConsolePerson) => ({
  me: viewer.id,
  connects: connectable(served.host, toPerson(viewer), PLACE),
  ...rightsOf(served, viewer),
  ...(mayOperate(served, viewer) && { operates: true }),
});

function addFiles(app: express.Express, served: Served): void {
  const { gate, host, files, people } = served;
  const withPermit = createPermits(MAX_CONCURRENT_UPLOADS, MAX_WAITING_UPLOADS);
  app.post('/files', async (request, response) => {
    const as = queryOf(request, 'as') ?? '';
    const viewer = gate.viewer(request.headers);
    checkSpeaker(viewer, as);
    const by = people.find(as)?.id ?? '';
    await files.checkQuota(by, Number(request.headers['content-length'] ?? 0));
    // Take a permit before reading the body, because permits limit how many bodies are in memory.
    const view = await withPermit(request, () => takeFile(request, by));
    response.json(view satisfies FileView);
  });
  const takeFile = async (request: Request, by: string): Promise<FileView> => {
    const limit = { bytes: FILE_BYTES, ms: FILE_MS, what: 'file' };
    const bytes = await readBody(request, limit, host.clock);
    const name = queryOf(request, 'name') ?? 'file';
    if (bytes.length === 0) throw badRequest('That file is empty.');
    if (claimsImage(name, request.headers['content-type'] ?? '') && !readContent(bytes).image) {
      throw new HttpRefusal(
        400,
        'not-an-image',
        'That file is not a valid image. PNG, JPEG, GIF and WebP images can be sent.',
      );
    }
    return files.add(name, bytes, by);
  };
  app.get('/files/:id', async (request, response) => {
    const file = await findFileFor(served, request.params.id, gate.viewer(request.headers));
    if (!(await files.bytes.isWhole(file))) throw notFound('That file is no longer kept.');
    await sendFile(response, file, files.bytes);
  });
}

/**
 * Sends a file, which is read from disk or database only as fast as the client reads it. An image is shown in the browser; any other
 * file is downloaded, because it could contain scripts.
 */
async function sendFile(response: Response, file: FileView, bytes: FileBytes): Promise<void> {
  const name = encodeName(file.name);
  response.set({
    'content-type': file.image ? file.type : 'application/octet-stream',
    'content-disposition': `${file.image ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, max-age=31536000, immutable',
  });
  if (bytes.folder === undefined) {
    response.set('content-length', String(file.bytes));
    return pipeline(Readable.from(bytes.read(file)), response);
  }
  const options = {
    root: resolve(bytes.folder),
    cacheControl: false,
    lastModified: false,
    highWaterMark: READ_BYTES,
  };
  response.sendFile(file.id, options);
}

function queryOf(request: Request, key: string): string | undefined {
  const value = request.query[key];
  return typeof value === 'string' ? value : undefined;
}

export function answerError(host: AdapterHost): ErrorRequestHandler {
  const seldom = createSeldom(host.clock);
  return (error: unknown, request, response, _next) => {
    const refusal =
      asRefusal(error) ?? new HttpRefusal(500, 'internal', 'Something went wrong in the console.');
    const facts = { code: refusal.code, path: request.path, error: String(error) };
    const tell = () => host.log.error(facts, 'A request failed');
    // While the store is down, thousands of pages may try again every few seconds.
    if (refusal.code === 'store-unavailable') seldom(refusal.code, tell);
    else if (refusal.status >= 500) tell();
    if (response.headersSent) return void response.destroy();
    if (refusal.retryAfter !== undefined) response.setHeader('retry-after', refusal.retryAfter);
    response.status(refusal.status).json({ error: { code: refusal.code, message: refusal.message } });
  };
}

/**
 * Refuses requests for a host name that is not allowed (DNS rebinding), and requests from pages of other sites (CSRF).
 * @throws HttpRefusal 403
 */
function checkSource(
  method: string,
  headers: IncomingHttpHeaders,
  { allowedHosts, publicOrigin }: Source,
): void {
  const host = URL.parse(`http://${headers.host ?? ''}`);
  if (!host || !allowedHosts.some((name) => [host.hostname, host.host].includes(name.toLowerCase()))) {
    throw forbidden(
      'The console does not accept this host name. Its operator can set PARLEY_PUBLIC_URL to an address with this name.',
    );
  }
  const { origin } = headers;
  const isForeign = origin !== undefined && origin !== publicOrigin && !isOwn(origin, headers.host);
  const site = headers['sec-fetch-site'];
  const crossSite = site !== undefined && site !== 'same-origin' && site !== 'none';
  if (isForeign || (crossSite && !isVisit(method, headers))) {
    throw forbidden('The console accepts requests only from its own page.');
  }
}

/**
 * True if the origin is the one at which a browser reaches this host. Compares whole origins, because a proxy may write
 * a default port into the host, which browsers leave out.
 */
function isOwn(given: string, host: string | undefined): boolean {
  const { protocol = '', origin } = URL.parse(given) ?? {};
  return /^https?:$/.test(protocol) && origin === URL.parse(`${protocol}//${host}`)?.origin;
}

/** True if the browser opens the page itself, for example from a link. Links on any site may do that. */
function isVisit(method: string, headers: IncomingHttpHeaders): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
}
