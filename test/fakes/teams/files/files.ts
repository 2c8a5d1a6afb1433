/**
 * Files that people paste and attach. Pasted images are at the Bot Connector, which requires the app's token. Attached
 * files are in the person's OneDrive; their link contains a token of its own, and the app's token must not be sent
 * there. https://learn.microsoft.com/microsoftteams/platform/bots/how-to/bots-filesv4
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Route } from '../../listen.ts';
import { PNG } from '../../pixel.ts';
import type { Answer, Call } from '../connector/call.ts';
import type { Server } from '../parts.ts';
import { refuse } from '../refusal.ts';
import type { SharedFile, Tenant } from '../shapes.ts';
import type { World } from '../world.ts';

export interface FileOptions {
  readonly name?: string;
  readonly contentType?: string;
  readonly bytes?: Uint8Array;
  readonly odd?: SharedFile['odd'];
}

export function addFile(world: World, tenant: Tenant, options: FileOptions = {}): SharedFile {
  const { name = 'picture.png', contentType = 'image/png', bytes = PNG, odd } = options;
  const file: SharedFile = {
    id: world.newGuid(),
    name,
    contentType,
    bytes,
    ...(odd === undefined ? {} : { odd }),
  };
  tenant.files.set(file.id, file);
  return file;
}

/** Serves `v3/attachments/{id}` with the data of a file, and `…/views/original` with its bytes. */
export function viewFile({ asked, tenant, server }: Call): Answer {
  const file = tenant.files.get(asked.id ?? '');
  if (file === undefined) return refuse(404, 'NotFound', 'The attachment was not found.');
  if (asked.view === undefined) {
    const views = [{ viewId: 'original', size: file.bytes.length }];
    return { status: 200, body: { name: file.name, type: file.contentType, views } };
  }
  if (asked.view !== 'original') refuse(404, 'NotFound', 'The view was not found.');
  return oddAnswer(file, server) ?? { status: 200, bytes: file.bytes, contentType: file.contentType };
}

const SIGN_IN = Buffer.from('<!DOCTYPE html><html><body>Sign in to your account</body></html>');

function oddAnswer({ odd }: SharedFile, { elsewhere, filesUrl }: Server): Answer | undefined {
  if (odd === 'html') return { status: 200, bytes: SIGN_IN, contentType: 'text/html; charset=utf-8' };
  if (odd === 'expired')
    return { status: 403, body: { error: { code: 'accessDenied', message: 'Expired' } } };
  if (odd === 'redirect') return { status: 302, location: `${filesUrl}/elsewhere` };
  return odd === 'foreign' ? { status: 302, location: `${elsewhere}/stolen` } : undefined;
}

export const downloadUrl = ({ filesUrl }: Server, tenant: Tenant, { id }: SharedFile): string =>
  `${filesUrl}/personal/${tenant.id}/_layouts/15/download.aspx?UniqueId=${id}&tempauth=${authOf(id)}`;

const authOf = (id: string): string => `fake.${Buffer.from(id).toString('base64url')}`;

/** Serves the file host. A request that contains the app's token is recorded as a violation. */
export const filesRoute =
  (server: Server): Route =>
  async (request, response, url) => {
    const { world, log, faults } = server;
    const [, , tenantId = ''] = url.pathname.split('/');
    const id = url.searchParams.get('UniqueId') ?? '';
    const bearer = request.headers.authorization !== undefined;
    const record = log.begin({
      at: world.clock.now(),
      method: 'file',
      tenant: tenantId,
      asked: { id },
      bearer,
      size: 0,
    });
    if (bearer)
      log.violations.push({ method: 'file', messages: ['a token came to the host of files'], asked: { id } });
    const fault = faults.hit({ method: 'file', tenant: tenantId });
    if (fault !== undefined) record.fault = fault.kind;
    if (fault?.kind === 'slow') await world.clock.wait(fault.ms ?? 0);
    if (fault?.kind === 'hang' || fault?.kind === 'timeout') return;
    if (fault?.kind === 'reset' || fault?.kind === 'refuse') {
      response.socket?.resetAndDestroy();
      return;
    }
    const file = world.tenants.get(tenantId)?.files.get(id);
    const answer =
      fault?.kind === 'status' ? { status: fault.status ?? 500 } : download(server, file, url, bearer);
    record.status = answer.status;
    record.doneAt = world.clock.now();
    if (file?.odd === 'endless' && answer.status === 200) pour(request, response, file);
    else writeFile(response, answer);
  };

function download(server: Server, file: SharedFile | undefined, url: URL, bearer: boolean): Answer {
  if (bearer) return { status: 401 };
  if (file === undefined) return { status: 404 };
  // A request without the token from the link gets a sign-in page, as from OneDrive.
  if (url.searchParams.get('tempauth') !== authOf(file.id))
    return { status: 200, bytes: SIGN_IN, contentType: 'text/html; charset=utf-8' };
  return oddAnswer(file, server) ?? { status: 200, bytes: file.bytes, contentType: file.contentType };
}

function writeFile(response: ServerResponse, { status, bytes, contentType, location }: Answer): void {
  response.writeHead(status, {
    'content-type': contentType ?? 'application/octet-stream',
    ...(location === undefined ? {} : { location }),
  });
  response.end(bytes ?? '');
}

/** Repeats the same bytes until the reader disconnects, to test the reader's size limit. */
function pour(request: IncomingMessage, response: ServerResponse, { bytes, contentType }: SharedFile): void {
  response.writeHead(200, { 'content-type': contentType });
  let open = true;
  request.once('close', () => {
    open = false;
  });
  const more = () => {
    while (open && response.write(bytes));
    if (open) response.once('drain', more);
  };
  more();
}
