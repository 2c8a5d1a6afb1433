/** The bridge's HTTP server on a free local port, with one image and no sources. */

import { systemClock } from '../../../src/clock.ts';
import { createMediaLinks } from '../../../src/web/media-links.ts';
import { createWebServer, type WebDeps, type WebServer } from '../../../src/web/server.ts';
import { createSourceLinks } from '../../../src/web/source-links.ts';
import { quiet } from '../../fakes/quiet.ts';

export const links = createMediaLinks(Buffer.alloc(32, 7), systemClock);
const sourceLinks = createSourceLinks(Buffer.alloc(32, 7), systemClock, 86_400_000);
const png = Buffer.from('\x89PNG\r\n\x1a\n and the rest', 'latin1');

const closing: (() => Promise<void>)[] = [];

/** Closes every started server. */
export async function closeServers(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}

export function makeServer(deps: Partial<WebDeps> = {}): WebServer {
  const server = createWebServer({
    place: { host: '127.0.0.1', port: 0, setting: 'PORT', avoid: [] },
    clock: systemClock,
    log: quiet,
    metrics: { contentType: 'text/plain; version=0.0.4', text: async () => 'parley_turns 1\n' },
    media: { links, openMedia: async () => ({ type: 'image/png', bytes: png }) },
    sources: { links: sourceLinks, hours: 24, find: async () => undefined },
    readiness: async () => [],
    ...deps,
  });
  closing.push(() => server.close(0));
  return server;
}

export async function start(server: WebServer) {
  const port = await server.listen();
  const get = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  return { server, port, get };
}
