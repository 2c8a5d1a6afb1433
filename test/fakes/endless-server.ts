/** A server on loopback whose responses never end. */

import { createServer, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { closed, taken } from './listen.ts';

const CHUNK = Buffer.alloc(256 * 1024, ' ');

export interface EndlessServer {
  readonly url: string;
  /** Bytes that the bridge has taken, before decompression. */
  readonly sent: number;
  /** Resolves once the bridge has closed the last connection. */
  readonly left: Promise<void>;
  close(): Promise<void>;
}

/** @param finite returns a whole answer for a request; undefined for an endless one */
export async function endlessServer(
  finite: (request: IncomingMessage) => object | undefined = () => undefined,
): Promise<EndlessServer> {
  let sent = 0;
  const gone = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json');
    const whole = finite(request);
    if (whole !== undefined) return void response.end(JSON.stringify(whole));
    const isGzip = request.url?.includes('gzip') === true;
    if (isGzip) response.setHeader('content-encoding', 'gzip');
    const chunk = isGzip ? gzipSync(CHUNK) : CHUNK;
    response.once('close', () => gone.resolve());
    const write = (): void => {
      if (response.destroyed) return;
      sent += chunk.byteLength;
      if (response.write(chunk)) setImmediate(write);
      else response.once('drain', write);
    };
    write();
  });
  const port = await taken(server, 0);
  return {
    url: `http://127.0.0.1:${port}`,
    get sent() {
      return sent;
    },
    left: gone.promise,
    close: () => {
      server.closeAllConnections();
      return closed(server);
    },
  };
}
