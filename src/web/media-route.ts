import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { OpenedMedia } from '../core/agents/agent.ts';
import { imageTypeOf } from '../core/agents/image.ts';
import type { Log } from '../core/log.ts';
import { asBridgeError, BridgeError } from '../errors.ts';
import type { MediaGrant, MediaLinks } from './media-links.ts';

/** Maximum number of images that are opened at the same time; each image may have 20 MiB. */
const MAX_CONCURRENT = 16;
/** Seconds for which browsers may cache an image. */
const CACHE_SECONDS = 3600;

export interface MediaDeps {
  readonly links: MediaLinks;
  readonly log: Log;
  /** Fetches the bytes from the platform. Throws `media-unavailable`. */
  openMedia(grant: MediaGrant, signal: AbortSignal): Promise<OpenedMedia>;
}

/**
 * Serves `GET /media/<sealed>`. Serves only images, recognized by their content. Refuses vector images, because they
 * can contain scripts.
 */
export function mediaRoute(deps: MediaDeps) {
  let opening = 0;
  return async (request: Request, response: ServerResponse): Promise<void> => {
    const sealed = request.path.slice('/'.length);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, 405, 'Only GET is served here.');
    const opened = deps.links.open(sealed);
    if (opened.kind === 'expired')
      return refuse(response, 410, 'This link has expired. Open the answer again.');
    if (opened.kind === 'forged') return refuse(response, 404, 'There is nothing at this address.');
    if (opening >= MAX_CONCURRENT)
      return refuse(response, 503, 'Many images are being opened. Please try again.');
    opening += 1;
    try {
      await serve(opened.grant, response, deps);
    } finally {
      opening -= 1;
    }
  };
}

async function serve(
  grant: MediaGrant,
  response: ServerResponse,
  { openMedia, log }: MediaDeps,
): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const opened = await openMedia(grant, gone.signal).catch(asBridgeError);
  if (gone.signal.aborted) return;
  if (opened instanceof BridgeError) {
    const facts = { turn: grant.turn, code: opened.code, err: opened };
    log.warn(facts, 'an image of an answer could not be opened');
    return refuse(response, 502, opened.tellUser);
  }
  const { bytes } = opened;
  const type = imageTypeOf(bytes);
  if (type === undefined) return refuse(response, 415, 'This is not an image that can be shown.');
  response.writeHead(200, {
    ...imageHeaders(grant.name),
    'content-type': type,
    'content-length': bytes.byteLength,
  });
  response.end(bytes);
}

function imageHeaders(name: string): Record<string, string> {
  return {
    'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, '')}`,
    'cache-control': `private, max-age=${CACHE_SECONDS}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  response.end(`${message}\n`);
}
