/** Sends each HTTP request to the next bridge process, as a load balancer does. */

import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import { closed, taken } from '../../fakes/listen.ts';

export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

/** @param ports ports of the processes; a process that accepts no connection is skipped */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  let next = 0;
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    next += 1;
    void bodyOf(request).then(
      (body) => forward({ request, body, response }, inTurn(ports, next)),
      () => response.destroy(),
    );
  });
  const port = await taken(server, 0);
  return { url: `http://127.0.0.1:${port}`, close: () => closed(server) };
}

const inTurn = (ports: readonly number[], first: number): readonly number[] =>
  ports.map((_, at) => ports[(first + at) % ports.length] ?? 0);

interface Passing {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

/** A request that a process accepted is never sent to another one, because it may have taken effect. */
function forward(passing: Passing, [port, ...others]: readonly number[]): void {
  const { request, body, response } = passing;
  if (port === undefined) {
    response.writeHead(502).end();
    return;
  }
  const { method, url: path, headers } = request;
  const onward = send({ host: '127.0.0.1', port, method, path, headers, agent: false });
  response.on('close', () => onward.destroy());
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    answer.on('error', () => response.destroy());
  });
  onward.on('error', (thrown) => {
    if ('code' in thrown && thrown.code === 'ECONNREFUSED') return forward(passing, others);
    if (response.headersSent) return void response.destroy();
    response.writeHead(502).end();
  });
  onward.end(body);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
