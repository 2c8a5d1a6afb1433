/** Tests that the client sends the documented request of every operation and reads the documented answer. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AnyOperation, api, type PlatformClient } from '../../../src/platform/api.ts';
import { Secret } from '../../../src/secret.ts';
import {
  clientOf,
  type HostilePlatform,
  sendJson,
  startHostilePlatform,
} from '../../fakes/hostile-platform.ts';
import {
  addressOf,
  type Exchange,
  exchanges,
  FILES,
  filled,
  type Json,
  methodOf,
  wireText,
  wireValue,
} from './exchanges.ts';

/** Values that requests need. Real clients get them from earlier responses. Ids, except of agents, have 19 digits. */
const values = {
  liteClient: 'lite-client',
  liteSecret: 'lite-secret-0123456789',
  openClient: 'open-client',
  timestamp: '1700000000000',
  nonce: 'a1b2c3',
  signature: '872534d23bd3789b6e48ae29424e7230',
  agent: '5a1d0000-0000-4000-8000-000000000001',
  imageAgent: '5a1d0000-0000-4000-8000-000000000002',
  person: '1493041505002322002',
  document: '4493041505002323020',
  folder: '4493041505002320003',
  imageFile: '4493041505002323021',
  signed: 'c2lnbmVk',
  record: '4493041505002323003',
  category: '4493041505002326001',
  type: '4493041505002325001',
  workspace: '4493041505002320009',
  file: '4493041505002323010',
  state: '4493041505002323011',
  org: '4493041505002324009',
  detail: '4493041505002323022',
  objectType: 'file',
  fileType: '3',
};
const AUTHORIZATION = {
  none: undefined,
  key: undefined,
  lite: 'Bearer lite-token',
  open: 'openapi open-token',
  admin: 'Bearer admin-token-0123456789',
};

let server: HostilePlatform;
let owner: ReturnType<typeof clientOf>;
let client: PlatformClient;
beforeAll(async () => {
  server = await startHostilePlatform();
  const lite = { access_token: 'lite-token', token_type: 'Bearer', expires_in: 7200 };
  server.on('/webapi/lite_api/v1/iam/client_token', (_request, response) =>
    sendJson(response, { code: 200, message: '', data: lite }),
  );
  server.on('/openapi/auth/client_with_account', (_request, response) =>
    sendJson(response, { success: true, msg: '', data: { access_token: 'open-token', expires_in: 1440 } }),
  );
  owner = clientOf(server.url);
  client = owner.platform.client({
    apiKey: new Secret('api-key-0123456789'),
    adminToken: new Secret('admin-token-0123456789'),
    lite: {
      kind: 'client-token',
      clientId: 'l',
      secret: new Secret('lite-secret-0123456789'),
      username: 'u',
    },
    open: { kind: 'client-account', client: 'c', secret: new Secret('open-secret-0123456789'), account: 'a' },
  });
  // Signs in first, so that only the exchange's own requests are recorded.
  await client.token('lite');
  await client.token('open');
});
afterAll(async () => {
  await owner.platform.close();
  await server.close();
});

/** Returns the client's request, with file objects in place of `@name`. */
function requestOf(value: Json): unknown {
  if (Array.isArray(value)) return value.map((each) => requestOf(each as Json));
  if (typeof value === 'string' && value.startsWith('@')) return fileOf(value.slice(1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, requestOf(each as Json)]));
}

function fileOf(name: string) {
  const bytes = FILES[name] ?? Buffer.alloc(0);
  const type = name.endsWith('.png') ? 'image/png' : 'text/markdown';
  return {
    name,
    type,
    size: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}

function answerWith({ path, answer }: Exchange): void {
  server.on(String(filled(path, values)), (_request, response) => {
    if (answer === 'bytes')
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('bytes');
    else
      response.writeHead(200, { 'content-type': 'application/json' }).end(wireText(filled(answer, values)));
  });
}

const operationOf = (id: string): AnyOperation =>
  (api as unknown as Record<string, AnyOperation>)[id] as AnyOperation;

async function run(exchange: Exchange): Promise<unknown> {
  const operation = operationOf(exchange.id);
  const request = requestOf(filled(exchange.call, values)) as Record<string, unknown>;
  if (exchange.answer !== 'bytes') return client.call(operation, request);
  const download = await client.download(operation, request);
  let text = '';
  for await (const chunk of download.bytes()) text += Buffer.from(chunk).toString();
  return text;
}

/** Returns the parts of a multipart form as `name=text` or `name=file name`. */
const partsOf = (body: string): readonly string[] =>
  [...body.matchAll(/name="([^"]+)"(?:; filename="([^"]+)")?[^\r]*\r\n(?:[^\r]+\r\n)*\r\n([^\r]*)/g)].map(
    ([, name, file, text]) => `${name}=${file ?? text}`,
  );

const partsWanted = (form: NonNullable<Exchange['form']>): readonly string[] =>
  Object.entries(form).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [`${name}=${String(filled(value, values))}`]
      : value.map(({ file }) => `${name}=${file}`),
  );

describe('the client sends the documented request and reads the documented answer', () => {
  it.each(
    exchanges.map((exchange) => [exchange.id, exchange.rows, exchange] as const),
  )('of %s (%s)', async (_id, _rows, exchange) => {
    answerWith(exchange);
    const given = await run(exchange);
    const sent = server.received.at(-1);
    expect([sent?.method, sent?.path]).toEqual([methodOf(exchange.id), addressOf(exchange, values)]);
    expect(sent?.headers.authorization).toBe(AUTHORIZATION[exchange.credential]);
    expect(sent?.headers['api-key']).toBe(exchange.credential === 'key' ? 'api-key-0123456789' : undefined);
    if (exchange.json !== undefined) {
      expect(sent?.headers['content-type']).toMatch(/^application\/json/);
      expect(wireValue(sent?.body ?? '')).toEqual(filled(exchange.json, values));
    }
    if (exchange.form !== undefined) {
      expect(partsOf(sent?.body ?? '').toSorted()).toEqual(partsWanted(exchange.form).toSorted());
    }
    if (exchange.gives === undefined) expect(given).toBeUndefined();
    else expectGiven(given, filled(exchange.gives, values));
  });
});

function expectGiven(given: unknown, wanted: Json): void {
  if (typeof wanted === 'object' && wanted !== null) expect(given).toMatchObject(wanted as object);
  else expect(given).toBe(wanted);
}
