/** Tests that a wrong base address is named, with the address and the cure, in a check and in a failed question. */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import { createServer as createTcp } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { BridgeError } from '../../../src/errors.ts';
import { withAddress } from '../../../src/platform/wrong-address.ts';
import { ask, clientOf, keyAgent } from '../../fakes/hostile-platform.ts';
import { noCertificates, openAuthority } from '../../fakes/xmpp/certificates.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(server: {
  listen: Server['listen'];
  address: Server['address'];
  close: Server['close'];
}) {
  server.listen(0, '127.0.0.1');
  await once(server as Server, 'listening');
  closers.push(() => server.close());
  return `127.0.0.1:${Object(server.address()).port}`;
}
const http = async (answer: RequestListener, path = '') =>
  `http://${await serve(createServer(answer))}${path}`;

const page: RequestListener = (_, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>');
const untyped: RequestListener = (_, response) => response.writeHead(200).end('\n<html>Sign in</html>');
const to =
  (location: string, status = 302): RequestListener =>
  (_, response) =>
    response.writeHead(status, { location }).end();
const status =
  (code: number, body = '', type = 'text/html'): RequestListener =>
  (_, response) =>
    response.writeHead(code, { 'content-type': type }).end(body);
const json = (code: number, body: object) => status(code, JSON.stringify(body), 'application/json');
const api =
  (prefix: string): RequestListener =>
  (request, response) =>
    (request.url?.startsWith(`${prefix}/webapi/lite_api/v2/api/`)
      ? json(401, { code: 401, message: 'no', data: null })
      : status(404))(request, response);
const TOLD =
  'The agent cannot be asked, because the bridge does not reach its platform. Please tell the operator of the bridge.';

async function told(baseUrl: string) {
  const { platform, gateway } = clientOf(baseUrl);
  closers.push(() => platform.close());
  const asked = [await ask(gateway(keyAgent)), await ask(gateway())];
  const failures = asked.map(({ error }) => error).filter((error) => error instanceof BridgeError);
  const { fault } = await platform.check(new AbortController().signal);
  return { fault, failures };
}

const wrong: readonly (readonly [string, () => Promise<string>, RegExp])[] = [
  ['a login page', () => http(page), /with a web page, such as that of a sign-in\. Set platform\.baseUrl/],
  ['a login page without a type', () => http(untyped), /with a web page/],
  [
    'a redirect to a login page',
    () => http(to('https://login.example.test/start?ticket=secret')),
    /redirect to https:\/\/login\.example\.test\/start\. Set platform\.baseUrl/,
  ],
  ['a redirect on the same host', () => http(to('/login')), /redirect to http:\/\/127\.0\.0\.1:\d+\/login\./],
  ['404 everywhere', () => http(status(404, '<h1>Not found</h1>')), /does not know .* \(HTTP 404\)\. Set/],
  ['404 in JSON of another server', () => http(json(404, { error: 'Not Found' })), /\(HTTP 404\)/],
  ['a base with a path of the API', () => http(api(''), '/v1/openapi'), /itself, without \/v1\/openapi\./],
  [
    'a base with a whole operation',
    () => http(api(''), '/webapi/lite_api/v1'),
    /without \/webapi\/lite_api\/v1\./,
  ],
  [
    'http to a port with TLS, as nginx says',
    () => http(status(400, '<center>The plain HTTP request was sent to HTTPS port</center>')),
    /expects TLS\. Begin platform\.baseUrl with https:/,
  ],
  [
    'http to a port with TLS, as Go says',
    () => http(status(400, 'Client sent an HTTP request to an HTTPS server.\n', 'text/plain')),
    /expects TLS/,
  ],
  [
    'TLS to a port without TLS',
    async () => (await http(status(404))).replace('http:', 'https:'),
    /does not answer with TLS \(\w+\)\. If it uses no TLS, begin platform\.baseUrl with http:/,
  ],
];

test.each(wrong)('%s is named', async (_, open, message) => {
  const baseUrl = await open();
  const { fault, failures } = await told(baseUrl);
  for (const each of [fault, ...failures]) {
    expect(each?.message).toMatch(message);
    expect(each?.message).toContain(baseUrl);
    expect(each?.message).not.toContain('secret');
    expect(each?.tellUser).toBe(TOLD);
  }
  expect(failures).toHaveLength(2);
});

test.each([
  ['ENOTFOUND', /host name cannot be resolved .*DNS/],
  ['EAI_AGAIN', /host name cannot be resolved/],
  ['CERT_HAS_EXPIRED', /valid now/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', /NODE_EXTRA_CA_CERTS/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', /NODE_EXTRA_CA_CERTS/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', /for this host name/],
])('%s is named', (reason, message) => {
  const base = { origin: 'https://p.test', address: 'https://p.test/app' };
  const error = new BridgeError('platform-unreachable', 'x', { facts: { reason } });
  const named = withAddress(base, error);
  expect(named).toMatchObject({ message: expect.stringMatching(message), tellUser: TOLD });
  expect(String(named)).toContain(base.address);
  expect(withAddress(base, named)).toBe(named);
});

test('a redirect to https names https', async () => {
  const baseUrl = await http((request, response) =>
    response.writeHead(301, { location: `https://${request.headers.host}${request.url}` }).end(),
  );
  expect((await told(baseUrl)).fault?.message).toMatch(/Begin platform\.baseUrl with https:/);
});

test('a port where nothing listens is named, and people may ask again', async () => {
  const server = createTcp();
  const baseUrl = `http://${await serve(server as Server)}`;
  await closers.pop()?.();
  const { fault, failures } = await told(baseUrl);
  expect(fault?.message).toBe(
    `${baseUrl} cannot be reached: nothing accepts connections there (ECONNREFUSED). Check host and port in platform.baseUrl, and that the platform runs.`,
  );
  expect(failures.map(({ message }) => message)).toEqual([fault?.message, fault?.message]);
});

describe.skipIf(noCertificates())('TLS', () => {
  test.each([
    ['localhost', /certificate is not accepted .* NODE_EXTRA_CA_CERTS/],
    ['other.test', /certificate is not accepted/],
  ])('a certificate of an unknown authority for %s is named', async (domain, message) => {
    const authority = await openAuthority();
    closers.push(() => authority.close());
    const { certificate, key } = await authority.certify(domain);
    const server = createTls({ cert: readFileSync(certificate), key: readFileSync(key) });
    const address = (await serve(server)).replace('127.0.0.1', 'localhost');
    const { fault } = await told(`https://${address}`);
    expect(fault?.message).toMatch(message);
    const plain = await told(`http://${address}`);
    expect(plain.fault?.message).toMatch(/begin platform\.baseUrl with https:/i);
  });
});

test.each([
  ['a platform', '', api('')],
  ['a platform under a path', '/app', api('/app')],
  [
    'a platform with a login page at its root',
    '',
    ((request, response) => (request.url === '/' ? page : api(''))(request, response)) as RequestListener,
  ],
  [
    'a gateway that knows only one path',
    '',
    ((request, response) =>
      (request.url?.endsWith('/chat') ? status(405) : status(404))(request, response)) as RequestListener,
  ],
  ['a platform whose 404 is in its envelope', '', json(404, { success: false, msg: 'unknown', data: null })],
])('%s passes the check', async (_, path, answer) => {
  expect((await told(await http(answer, path))).fault).toBeUndefined();
});
