/**
 * An HTTP proxy on loopback (RFC 9110, 9.3.6 CONNECT; RFC 9112, 3.2.2 absolute-form). It leads every host to one of the
 * test's servers, so a test can use names that no DNS knows.
 */

import { createServer, request as forward, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { closed, taken } from './listen.ts';

export interface ConnectProxy {
  /** Address for HTTPS_PROXY, with the credentials if there are any. */
  readonly address: string;
  readonly origin: string;
  /** `CONNECT host:port` or `GET http://host/path` of each request. */
  readonly requests: string[];
  /** Status of all responses to CONNECT; 200 opens the tunnel. */
  status: number;
  close(): Promise<void>;
}

interface Options {
  /** `user:password`, percent-encoded as in an address; without it, the proxy asks for none. */
  readonly credentials?: string;
  /** Returns the port on loopback to which a host leads. */
  readonly portOf: (host: string) => number;
}

export async function openProxy({ credentials, portOf }: Options): Promise<ConnectProxy> {
  const requests: string[] = [];
  const tunnels = new Set<Socket>();
  const expected =
    credentials &&
    `Basic ${Buffer.from(credentials.split(':').map(decodeURIComponent).join(':')).toString('base64')}`;
  const isAllowed = ({ headers }: IncomingMessage) => headers['proxy-authorization'] === expected;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '');
    requests.push(`${request.method} ${url.href}`);
    if (!isAllowed(request)) return void response.writeHead(407).end();
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const path = `${url.pathname}${url.search}`;
    const target = forward({ port: portOf(url.host), method: request.method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(target.on('error', () => response.destroy()));
  });
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    requests.push(`CONNECT ${request.url}`);
    client.on('error', () => undefined);
    const status = isAllowed(request) ? proxy.status : 407;
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`);
    const target = connect(portOf(request.url ?? ''), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    tunnels.add(client).add(target);
    target.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  // With an IP address, undici would pass the target's name to the socket, which the tests refuse to connect to.
  const origin = `http://localhost:${await taken(server, 0)}`;
  const proxy: ConnectProxy = {
    address: credentials ? origin.replace('//', `//${credentials}@`) : origin,
    origin,
    requests,
    status: 200,
    close: () => {
      for (const socket of tunnels) socket.destroy();
      return closed(server);
    },
  };
  return proxy;
}
