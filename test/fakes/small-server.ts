/** A server on loopback that records requests and answers as the test tells it. */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import { closed, taken } from './listen.ts';

export interface Received<Body> {
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
}

export interface SmallServer<Body> {
  readonly url: string;
  readonly received: Received<Body>[];
  /** HTTP status of the response; with -1 the server never responds. */
  status: number;
  reply: string;
  close(): Promise<void>;
}

export async function smallServer<Body>(
  path: string,
  read: (body: string) => Body,
): Promise<SmallServer<Body>> {
  const received: Received<Body>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: read(Buffer.concat(chunks).toString()) });
      if (small.status >= 0) response.writeHead(small.status).end(small.reply);
    });
  });
  const port = await taken(server, 0);
  const small: SmallServer<Body> = {
    url: `http://127.0.0.1:${port}${path}`,
    received,
    status: 200,
    reply: '',
    close: () => closed(server),
  };
  return small;
}
