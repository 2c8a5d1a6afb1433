/**
 * A proxy between Microsoft's Agents Playground and a local bridge. It signs the Playground's requests as the Bot
 * Connector would and issues tokens to the bridge, so that the bridge runs with authentication on.
 *
 *     node test/fakes/teams/playground.ts --bridge http://127.0.0.1:3000/api/messages
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { listen, type Route, readBody } from '../listen.ts';
import { type Json, text } from './read.ts';
import { jwkOf, keys, signToken } from './tokens/keys.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4100' },
    bridge: { type: 'string', default: 'http://127.0.0.1:3000/api/messages' },
    app: { type: 'string', default: '6f0f5c6a-7a31-4c0e-9d0e-3a1c5b1f7e01' },
    playground: { type: 'string', default: 'http://localhost:56150' },
    verbose: { type: 'boolean', default: false },
  },
});

const ISSUER = 'https://api.botframework.com';
/** The Playground's tenant, which is not a valid id. The proxy replaces it by `TENANT`. */
const PLAYGROUND_TENANT = '00000000-0000-0000-0000-0000000000001';
const TENANT = '00000000-0000-4000-8000-000000000001';
/** Validity of tokens in seconds. */
const LIFE = 3_600;

const say = (line: string) => void process.stdout.write(`${line}\n`);
const now = (): number => Math.floor(Date.now() / 1_000);

function json(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Serves the login, the OpenID metadata and its keys. */
const services: Route = (_, response, url) => {
  if (url.pathname.endsWith('/oauth2/v2.0/token')) {
    const token = signToken(keys().login, { aud: ISSUER, appid: values.app, tid: TENANT, exp: now() + LIFE });
    return json(response, 200, { token_type: 'Bearer', expires_in: LIFE, access_token: token });
  }
  if (url.pathname === '/v1/.well-known/openidconfiguration')
    return json(response, 200, { issuer: ISSUER, jwks_uri: `${listening.url}/v1/.well-known/keys` });
  if (url.pathname === '/v1/.well-known/keys')
    return json(response, 200, { keys: [jwkOf(keys().connector)] });
  return json(response, 404, {});
};

/** Forwards an activity with a token like the Bot Connector's, and returns the bridge's response. */
async function deliver(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = (await readBody(request)).toString('utf8');
  const body = sent.replaceAll(PLAYGROUND_TENANT, TENANT).replaceAll(values.playground, listening.url);
  const activity = JSON.parse(body) as Json;
  const claims = { iss: ISSUER, aud: values.app, nbf: now() - 300, exp: now() + LIFE };
  const token = signToken(keys().connector, { ...claims, serviceurl: activity.serviceUrl });
  const answer = await fetch(values.bridge, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  });
  const said = await answer.text();
  say(`${text(activity, 'type')} ${text(activity, 'name') ?? ''} to the bridge: ${answer.status}`);
  if (values.verbose) say(`${body}\n${said}`);
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(said);
}

/** Forwards a call of the bridge to the Playground's Bot Connector. */
async function connect(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  const body = (await readBody(request)).toString('utf8').replaceAll(TENANT, PLAYGROUND_TENANT);
  const answer = await fetch(`${values.playground}${url.pathname}${url.search}`, {
    method: request.method ?? 'GET',
    headers: { 'content-type': 'application/json' },
    ...(body !== '' && { body }),
  });
  const said = (await answer.text()).replaceAll(PLAYGROUND_TENANT, TENANT);
  say(`${request.method} ${url.pathname} to the Playground: ${answer.status}`);
  if (values.verbose) say(`${body}\n${said}`);
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(said);
}

const listening = await listen(
  new Map<string, Route>([
    ['/', services],
    ['/api/messages', deliver],
    ['/_connector/', connect],
  ]),
  Number(values.port),
);
const settings = {
  login: listening.url,
  openId: listening.url,
  connectors: [new URL(listening.url).host],
  attachments: [new URL(listening.url).host],
  // A second host name of this machine, because the bridge needs a different origin for each service.
  graph: listening.url.replace('127.0.0.1', 'localhost'),
};
say(`teams:\n  services: ${JSON.stringify(settings)}`);
say(`MICROSOFT_APP_ID=${values.app} MICROSOFT_APP_TENANT_ID=${TENANT} MICROSOFT_APP_PASSWORD=anything`);
