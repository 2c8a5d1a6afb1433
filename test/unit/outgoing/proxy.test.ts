/**
 * Tests that every kind of outgoing call takes the proxy of HTTPS_PROXY and HTTP_PROXY, with a real proxy and a real
 * TLS server whose certificate has the test's own authority. test/fakes/loopback-only.ts refuses direct calls to the
 * names that these tests use.
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { Agent, setGlobalDispatcher } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { Provider } from '../../../adapters/console/identity/provider.ts';
import { post } from '../../../adapters/slack/api/post.ts';
import { createCaller } from '../../../adapters/slack/api/sender.ts';
import { openSocket } from '../../../adapters/slack/receive/socket.ts';
import { createHttp as createTeamsHttp } from '../../../adapters/teams/api/http.ts';
import { systemClock } from '../../../src/clock.ts';
import { cappedFetch } from '../../../src/kit/capped-fetch.ts';
import { proxiesIn, traceRoutes, useProxies } from '../../../src/outgoing.ts';
import { defaultTimeouts } from '../../../src/platform/limits.ts';
import { createTransport, type WireRequest } from '../../../src/platform/transport.ts';
import { Secret } from '../../../src/secret.ts';
import { type ConnectProxy, openProxy } from '../../fakes/connect-proxy.ts';
import { closed, taken } from '../../fakes/listen.ts';
import { quiet } from '../../fakes/quiet.ts';
import { type Authority, noCertificates, openAuthority } from '../../fakes/xmpp/certificates.ts';

const HOST = 'far.example.test';
const CREDENTIALS = 'ann:p%40ss%2Fword';
const signal = new AbortController().signal;

let authority: Authority;
let proxy: ConnectProxy;
let sockets: WebSocketServer;
let tls: ReturnType<typeof createServer>;
let plain: ReturnType<typeof createHttp>;
const received: { readonly line: string; readonly headers: IncomingMessage['headers']; body: string }[] = [];
const trusted = getCACertificates('default');

/** Answers as the platform, Slack, Microsoft and the sign-in provider would, as far as the tests need it. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '', headers } = request;
  const entry = { line: `${method} ${url}`, headers, body: '' };
  received.push(entry);
  request.on('data', (chunk: Buffer) => {
    entry.body += chunk.toString();
  });
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    if (url.endsWith('/apps.connections.open'))
      return response.end(JSON.stringify({ ok: true, url: `wss://${HOST}/link/?ticket=1` }));
    if (url.endsWith('openid-configuration'))
      return response.end(
        JSON.stringify({
          issuer: `https://${HOST}`,
          authorization_endpoint: `https://${HOST}/authorize`,
          token_endpoint: `https://${HOST}/token`,
          jwks_uri: `https://${HOST}/keys`,
        }),
      );
    return response.end('{"ok":true}');
  });
}

describe.skipIf(noCertificates())('with a proxy', () => {
  beforeAll(async () => {
    authority = await openAuthority();
    setDefaultCACertificates([...trusted, authority.pem]);
    const files = await authority.certify(HOST);
    tls = createServer({ cert: readFileSync(files.certificate), key: readFileSync(files.key) }, answer);
    plain = createHttp(answer);
    sockets = new WebSocketServer({ server: tls });
    const ports = { tls: await taken(tls, 0), plain: await taken(plain, 0) };
    const portOf = (host: string) => (host.endsWith(':443') ? ports.tls : ports.plain);
    proxy = await openProxy({ credentials: CREDENTIALS, portOf });
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await proxy.close();
    await Promise.all([closed(tls), closed(plain)]);
    await authority.close();
  });
  beforeEach(() => {
    received.length = 0;
    proxy.requests.length = 0;
    proxy.status = 200;
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
      vi.stubEnv(name, name === 'NO_PROXY' ? '' : proxy.address);
      vi.stubEnv(name.toLowerCase(), undefined);
    }
    useProxies();
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    setGlobalDispatcher(new Agent());
  });

  const request = (changes: Partial<WireRequest> = {}): WireRequest => ({
    operation: 'getUser',
    method: 'GET',
    url: `https://${HOST}/base/user?x=1`,
    headers: { authorization: 'Bearer token' },
    firstByteMs: 5_000,
    signal,
    ...changes,
  });
  const ask = async (changes: Partial<WireRequest> = {}): Promise<string> => {
    const transport = createTransport(defaultTimeouts, systemClock);
    try {
      let text = '';
      const response = await transport.send(request(changes));
      for await (const chunk of response.bytes(1_000)) text += Buffer.from(chunk).toString();
      return text;
    } finally {
      await transport.close();
    }
  };

  const upload = {
    length: 6,
    async *bytes() {
      yield Buffer.from('abc');
      yield Buffer.from('def');
    },
  };
  const config = {
    issuer: `https://${HOST}`,
    clientId: 'parley',
    clientSecret: new Secret('s'),
    redirectUri: 'https://parley.example.test/console/sign-in/callback',
    scopes: ['openid'],
  };

  const calls: readonly (readonly [string, string, () => Promise<unknown>])[] = [
    ['a call of the platform', 'GET /base/user?x=1', () => ask()],
    ['an upload', 'PUT /base/user?x=1', () => ask({ method: 'PUT', body: upload })],
    ['an answer that may not be sent twice', 'GET /base/user?x=1', () => ask({ maySend: () => true })],
    ['a file on another host', 'GET /base/user?x=1', () => ask({ guarded: true })],
    ['a download with fetch', 'GET /file', () => cappedFetch()(`https://${HOST}/file`)],
    [
      "Slack's Web API",
      'POST /api/chat.postMessage',
      () => createCaller(`https://${HOST}/api/`, quiet)('chat.postMessage', {}, signal, 'xoxb-1'),
    ],
    [
      'a response URL',
      'POST /commands/1',
      () =>
        post(
          { url: `https://${HOST}/commands/1`, body: '{}', type: 'text/plain' },
          `https://${HOST}/api/`,
          signal,
        ),
    ],
    [
      'a sign-in',
      'GET /.well-known/openid-configuration',
      () => new Provider(config as never, systemClock).begin(),
    ],
    [
      "Microsoft's services",
      'POST /v3/conversations',
      async () => {
        const http = createTeamsHttp();
        const bounds = { limit: 1_000, withinMs: 5_000 };
        const call = {
          method: 'POST',
          url: `https://${HOST}/v3/conversations`,
          headers: {},
          ...bounds,
        } as const;
        const sent = await http.send({ ...call, body: '{}' }, signal);
        await http.close();
        expect(sent.kind).toBe('answered');
      },
    ],
  ];

  test.each(calls)('%s takes the proxy, which alone gets its credentials', async (_, line, call) => {
    await call();
    expect(proxy.requests).toEqual([`CONNECT ${HOST}:443`]);
    expect(received.map((each) => each.line)).toEqual([line]);
    expect(received[0]?.headers).not.toHaveProperty('proxy-authorization');
    expect(JSON.stringify(received)).not.toContain('ann');
  });

  test('the body of an upload arrives whole', async () => {
    await ask({ method: 'PUT', body: upload });
    expect(received).toMatchObject([{ body: 'abcdef', headers: { 'content-length': '6' } }]);
  });

  test('Socket Mode takes the proxy, and ends its connection', async () => {
    const opened = new Promise<WebSocket>((resolve) => sockets.once('connection', resolve));
    const socket = openSocket({
      token: new Secret('xapp-1'),
      apiUrl: `https://${HOST}/api/`,
      dispatcher: { deliver: async () => undefined } as never,
      clock: systemClock,
      log: quiet,
      reach: { reached: () => undefined, failed: () => undefined } as never,
      stopping: () => false,
    });
    const server = await opened;
    server.send(JSON.stringify({ type: 'hello' }));
    await socket.attempted;
    const ended = new Promise((resolve) => server.once('close', resolve));
    await socket.stop();
    await ended;
    expect(proxy.requests).toEqual([`CONNECT ${HOST}:443`, `CONNECT ${HOST}:443`]);
  });

  test('a call without TLS is forwarded, not tunnelled', async () => {
    expect(await ask({ url: `http://${HOST}/user` })).toBe('{"ok":true}');
    expect(proxy.requests).toEqual([`GET http://${HOST}/user`]);
    expect(received[0]?.headers.host).toBe(HOST);
  });

  const HERE = ['127.0.0.1', 'localhost'];
  test.each(HERE)('%s is this machine, so no proxy leads there', async (host) => {
    const { port } = Object(plain.address());
    expect(await ask({ url: `http://${host}:${port}/user` })).toBe('{"ok":true}');
    expect(await (await fetch(`http://${host}:${port}/user`)).text()).toBe('{"ok":true}');
    expect(proxy.requests).toEqual([]);
  });

  test.each([
    [HOST, false],
    ['example.test', false],
    ['.example.test', false],
    ['*.example.test', false],
    ['EXAMPLE.TEST', false],
    ['other.test far.example.test:443', false],
    ['*', false],
    ['far.example.test:8443', true],
    ['ample.test', true],
    ['*.far.example.test', true],
    ['', true],
  ])('NO_PROXY %s: through the proxy %s', async (value, isProxied) => {
    vi.stubEnv('NO_PROXY', value);
    const work = ask();
    if (isProxied) await work;
    else await expect(work).rejects.toMatchObject({ code: 'platform-unreachable' });
    expect(proxy.requests).toHaveLength(isProxied ? 1 : 0);
  });

  test('lower case takes precedence, and HTTP_PROXY alone serves https, too', async () => {
    vi.stubEnv('HTTPS_PROXY', undefined);
    await ask();
    vi.stubEnv('https_proxy', 'http://127.0.0.1:1');
    await expect(ask()).rejects.toMatchObject({ code: 'platform-unreachable' });
    expect(proxy.requests).toHaveLength(1);
  });

  test.each([
    [407, /The proxy refused the connection \(HTTP 407\)/],
    [403, /The proxy refused the connection \(HTTP 403\)/],
  ])('a proxy that answers %s is named, without its credentials', async (status, message) => {
    proxy.status = status;
    const thrown = await ask().catch((error: unknown) => error);
    expect(thrown).toMatchObject({ code: 'platform-unreachable', message: expect.stringMatching(message) });
    expect(String(thrown)).not.toMatch(/ann|p%40ss|p@ss/);
    expect(received).toEqual([]);
  });

  // Attack S06: links into private networks.
  test('a proxy is not asked for addresses in private networks', async () => {
    for (const host of ['10.0.0.7', '[::1]', '169.254.169.254'])
      await expect(ask({ url: `https://${host}/`, guarded: true })).rejects.toThrow(/ECLOSED/);
    expect(proxy.requests).toEqual([]);
  });

  test('doctor in its own process takes the proxy, trusts NODE_EXTRA_CA_CERTS, and names the route', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-proxy-'));
    const ca = join(folder, 'ca.pem');
    await writeFile(ca, authority.pem);
    const agent = 'guide: { description: d, interface: lite-key, credential: { kind: api-key, key: k } }';
    await writeFile(join(folder, 'parley.yaml'), `agents: { ${agent} }\n`);
    const env = {
      PATH: process.env.PATH,
      HTTPS_PROXY: proxy.address,
      NODE_EXTRA_CA_CERTS: ca,
      PLATFORM_BASE_URL: `https://${HOST}`,
      PARLEY_DATA: folder,
    };
    const main = join(import.meta.dirname, '../../../src/main.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [main, 'doctor', '--json'], {
      env,
      cwd: folder,
    }).catch((failed: unknown) => Object(failed));
    expect(JSON.parse(stdout).findings).toContainEqual({
      what: `proxy for ${HOST}`,
      ok: true,
      detail: proxy.origin,
    });
    expect(proxy.requests).toContain(`CONNECT ${HOST}:443`);
    expect(received.length).toBeGreaterThan(0);
    expect(stdout).not.toMatch(/ann|p%40ss|p@ss/);
    await rm(folder, { recursive: true });
  });

  test('a trace tells which hosts were called through which proxy', async () => {
    const { port } = Object(plain.address());
    const trace = traceRoutes();
    await ask();
    await ask({ url: `http://${HOST}/user` });
    await ask({ url: `http://127.0.0.1:${port}/user` });
    const routes = trace.stop();
    await ask({ url: 'http://other.test/user' });
    expect([...routes]).toEqual([
      [HOST, proxy.origin],
      [`127.0.0.1:${port}`, ''],
    ]);
  });
});

test.each([
  ['proxy.test:3128', 'http://proxy.test:3128/'],
  ['http://ann:x@proxy.test', 'http://ann:x@proxy.test/'],
  ['socks5://proxy.test:1080', 'socks5://proxy.test:1080'],
])('HTTPS_PROXY may be %s', (value, expected) => {
  expect(proxiesIn({ HTTPS_PROXY: value })?.httpsProxy).toBe(expected);
});

test.each([
  'ftp://ann:secret@proxy',
  'http://',
  'http://ann:%zz@proxy',
  'http://ann:secret@',
])('HTTPS_PROXY %s is refused by name, without its value', (value) => {
  expect(() => proxiesIn({ HTTPS_PROXY: value })).toThrow(
    expect.objectContaining({
      code: 'config-invalid',
      message: expect.not.stringMatching(/ann|secret|%zz/),
    }),
  );
});

test('without a variable, or with an empty one, there is no proxy', () => {
  expect(proxiesIn({})).toBeUndefined();
  expect(proxiesIn({ HTTPS_PROXY: 'http://proxy.test', https_proxy: '' })).toBeUndefined();
});
