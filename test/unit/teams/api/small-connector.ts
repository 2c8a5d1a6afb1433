import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Tokens } from '../../../../adapters/teams/api/caller.ts';
import { createCaller } from '../../../../adapters/teams/api/caller.ts';
import { createConnector } from '../../../../adapters/teams/api/connector.ts';
import { createHosts } from '../../../../adapters/teams/api/hosts.ts';
import { createHttp } from '../../../../adapters/teams/api/http.ts';
import { systemClock } from '../../../../src/clock.ts';
import type { Log } from '../../../../src/kit.ts';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Starts a server with the given listener, and a connector that calls it. */
export async function openSmallConnector(listener: RequestListener, tokens: Tokens = steadyTokens) {
  const seen: Seen[] = [];
  const said: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      seen.push({ method, path: url, headers, body });
      listener(request, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hosts = createHosts({
    connectors: [host],
    files: { hosts: [host.replace('127.0.0.1', 'localhost')], domains: [] },
    graph: `http://graph.localhost:1`,
  });
  const http = createHttp();
  const caller = createCaller(http, hosts, tokens, sayTo(said));
  return {
    host,
    where: { serviceUrl: `http://${host}/emea/`, conversation: '19:abc@thread.tacv2;messageid=17' },
    connector: createConnector(caller, systemClock, async () => ({ answered: () => undefined })),
    seen,
    said,
    close: async () => {
      await http.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const steadyTokens: Tokens = { get: async (audience) => `token-for-${audience}` };

function sayTo(said: string[]): Log {
  const say = (facts: unknown, text: string) => void said.push(`${JSON.stringify(facts)} ${text}`);
  return { debug: say, info: say, warn: say, error: say };
}

export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
