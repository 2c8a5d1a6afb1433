/** A small HTTP server on loopback that chooses a route by the longest matching path prefix. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Default maximum size of a request body, in bytes. */
const LONGEST_BODY = 2_000_000;

export type Route = (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void;

export interface Listening {
  readonly http: Server;
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the server. A request goes to the route with the longest matching prefix. Port 0 chooses a free port. */
export async function listen(routes: ReadonlyMap<string, Route>, port: number): Promise<Listening> {
  const http = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://fake');
    const fitting = [...routes.keys()].filter((start) => url.pathname.startsWith(start));
    const route = routes.get(fitting.toSorted((a, b) => b.length - a.length)[0] ?? '');
    response.on('error', () => undefined);
    if (route === undefined) {
      response.writeHead(404).end();
      return;
    }
    Promise.resolve(route(request, response, url)).catch((thrown: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(thrown));
    });
  });
  http.keepAliveTimeout = 60_000;
  return { http, url: `http://127.0.0.1:${await taken(http, port)}`, close: () => closed(http) };
}

/** Resolves with the port once the server listens. */
export async function taken(http: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(port, '127.0.0.1', resolve));
  return (http.address() as AddressInfo).port;
}

/** Closes the server and the connections that are still open. */
export function closed(http: Server): Promise<void> {
  return new Promise((resolve) => {
    http.close(() => resolve());
    http.closeAllConnections();
  });
}

export async function readBody(request: IncomingMessage, most = LONGEST_BODY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new Error('body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
