/** Routes that download and upload files. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Route, readBody } from '../../listen.ts';
import { note } from '../log.ts';
import type { Server } from '../parts.ts';
import { PAGE, sendPage } from '../server.ts';
import type { SharedFile } from '../shapes.ts';
import { kindOf, uploadsOf } from './uploads.ts';

/** Maximum bytes of an upload, far below Slack's own limit of 1 GB. */
const LONGEST_UPLOAD = 64 * 1_048_576;

/**
 * Serves `url_private`. Sends the bytes if the request has a token of the file's workspace, and the token has the scope
 * files:read. Any other request gets status 200 and the sign-in page, as on the live service.
 * https://docs.slack.dev/messaging/working-with-files
 */
export const fileRoute =
  (server: Server): Route =>
  (request, response, url) => {
    const place = url.pathname.split('/')[2] ?? '';
    const [team = '', id = ''] = place.split('-');
    const file = server.world.workspaces.get(team)?.files.get(id);
    const hit = server.faults.hit('url_private', team, undefined);
    logFile(server, request, { method: 'url_private', team, args: { file: id }, size: 0 });
    if (hit?.kind === 'timeout') return;
    if (hit?.kind === 'status') return void response.writeHead(hit.status ?? 500).end();
    if (!mayRead(server, request, team) || hit?.kind === 'html') return void sendPage(response);
    if (file === undefined || file.deleted) return void response.writeHead(404).end(PAGE);
    sendFile(request, response, file);
  };

interface FileCall {
  readonly method: 'url_private' | 'upload';
  readonly team?: string;
  readonly args: { readonly file: string };
  readonly size: number;
}

/** Logs the request with its host name, and whether it contained a credential. */
function logFile({ log, world }: Server, request: IncomingMessage, call: FileCall): void {
  const at = world.clock.now();
  const credential = request.headers.authorization !== undefined || request.headers.cookie !== undefined;
  const args = { ...call.args, host: request.headers.host ?? '', credential };
  note(log, { ...call, at, args, status: 200, answer: { ok: true } }, at);
}

/** Sends the file. A request for a `redirect` file at 127.0.0.1 is first redirected to the same path at `localhost`. */
function sendFile(request: IncomingMessage, response: ServerResponse, file: SharedFile): void {
  const host = request.headers.host ?? '';
  if (file.odd === 'redirect' && host.startsWith('127.0.0.1')) {
    const location = `http://${host.replace('127.0.0.1', 'localhost')}${request.url ?? ''}`;
    response.writeHead(302, { location }).end();
    return;
  }
  response
    .writeHead(200, { 'content-type': file.mimetype, 'content-length': file.bytes.length })
    .end(file.bytes);
}

function mayRead({ world }: Server, request: IncomingMessage, team: string): boolean {
  const value = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const token = world.tokens.get(value);
  if (token?.state !== 'live' || !token.scopes.has('files:read')) return false;
  return (
    token.team === team ||
    (token.enterprise !== undefined && token.enterprise === world.workspaces.get(team)?.enterprise)
  );
}

/** Accepts a file as the raw body, or as a form with one field. */
export const uploadRoute =
  (server: Server): Route =>
  async (request, response, url) => {
    const upload = uploadsOf(server.world).get(url.pathname.split('/').at(-1) ?? '');
    const body = await readBody(request, LONGEST_UPLOAD);
    const hit = server.faults.hit('upload', upload?.team, undefined);
    const id = url.pathname.split('/').at(-1) ?? '';
    logFile(server, request, { method: 'upload', args: { file: id }, size: body.length });
    if (hit?.kind === 'timeout') return;
    if (hit?.kind === 'status') return void response.writeHead(hit.status ?? 500).end();
    const bytes = isForm(request) ? formBytes(request, body) : body;
    if (upload === undefined || bytes.length !== upload.length)
      return void response.writeHead(upload === undefined ? 404 : 400).end('failed');
    upload.bytes = bytes;
    upload.kind = kindOf(upload.name);
    response.writeHead(200).end(`OK - ${bytes.length}`);
  };

const isForm = (request: IncomingMessage): boolean =>
  (request.headers['content-type'] ?? '').startsWith('multipart/form-data');

/** Returns the bytes of the form's first part. The Content-Type header contains the boundary between parts. */
function formBytes(request: IncomingMessage, body: Buffer): Buffer {
  const boundary = /boundary="?([^";]+)/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
  const from = body.indexOf('\r\n\r\n') + 4;
  const to = body.indexOf(`\r\n--${boundary}`, from);
  return from < 4 || to < 0 ? Buffer.alloc(0) : body.subarray(from, to);
}
